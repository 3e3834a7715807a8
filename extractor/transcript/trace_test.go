package transcript_test

import (
	"path/filepath"
	"testing"

	"github.com/ptyrec/ptyrec/extractor/transcript"
)

// The changes that a trace reports lead to the transcript: each entry is new once, and ends with
// the text of its last change. The transcript itself is the same with and without a trace.
func TestTraceLeadsToTheTranscript(t *testing.T) {
	t.Parallel()
	paths := fixtureCasts(t)
	if testing.Short() {
		paths = everyNth(paths, 8)
	}
	for _, path := range paths {
		t.Run(fixtureName(filepath.Dir(path)), func(t *testing.T) {
			r := readFixture(t, path)
			want := r.entries()
			made, text := map[string]int{}, map[string]string{}
			frame := 0
			o := options(r.header)
			o.Trace = func(tr transcript.Trace) {
				if tr.Frame < frame {
					t.Errorf("frame %d follows %d", tr.Frame, frame)
				}
				frame = tr.Frame
				for _, c := range tr.Changes {
					switch c.Kind {
					case transcript.ChangeIgnored:
						continue
					case transcript.ChangeNew:
						made[c.Entry]++
					case transcript.ChangeDropped:
						made[c.Entry]--
					}
					if c.Kind != transcript.ChangeNew && c.Kind != transcript.ChangeDropped && c.Was != text[c.Entry] {
						t.Errorf("frame %d: %q was %q, not %q", tr.Frame, c.Entry, text[c.Entry], c.Was)
					}
					if c.Item >= 0 {
						if it := tr.Parsed[c.View].Items[c.Item]; it.Role+it.Event == "" || it.Rule == "" {
							t.Errorf("frame %d: item without a role or a rule: %+v", tr.Frame, it)
						}
					}
					text[c.Entry] = c.Text
				}
			}
			p := transcript.NewProcessor(o)
			for _, e := range r.events {
				p.Feed(e)
			}
			p.Close(r.events[len(r.events)-1].At)
			got := p.Entries()
			if len(got) != len(want) {
				t.Fatalf("%d entries with a trace, %d without", len(got), len(want))
			}
			for i, e := range got {
				if e.ID != want[i].ID || e.Text != want[i].Text {
					t.Errorf("#%d differs with a trace", e.Seq)
				}
				if made[e.ID] != 1 {
					t.Errorf("#%d was new %d times", e.Seq, made[e.ID])
				}
				if !e.Sent && text[e.ID] != e.Text {
					t.Errorf("#%d: the last change has %q, the transcript %q", e.Seq, text[e.ID], e.Text)
				}
				delete(made, e.ID)
			}
			for id, n := range made {
				if n != 0 {
					t.Errorf("entry %s was new, is not in the transcript, and was not dropped", id)
				}
			}
		})
	}
}
