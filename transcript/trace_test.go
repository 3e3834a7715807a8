package transcript_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/transcript"
)

// The changes that a trace reports lead to the transcript: each entry is new once, and ends with
// the text of its last change. The transcript itself is the same with and without a trace.
func TestTraceLeadsToTheTranscript(t *testing.T) {
	paths, err := filepath.Glob("../testdata/transcripts/*/*/session.cast.gz")
	if err != nil || len(paths) == 0 {
		t.Fatal("no recordings", err)
	}
	for i, path := range paths {
		if testing.Short() && i%8 != 0 {
			continue
		}
		t.Run(strings.TrimPrefix(filepath.Dir(path), "../testdata/transcripts/"), func(t *testing.T) {
			want := read(t, path, nil)
			made, text := map[string]int{}, map[string]string{}
			frame := 0
			got := read(t, path, func(tr transcript.Trace) {
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
			})
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

// read returns the entries of a recording.
func read(t *testing.T, path string, trace func(transcript.Trace)) []*session.Entry {
	t.Helper()
	rec, err := archive.OpenRecording(path, archive.RecordingOptions{Seen: func(int) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	s := rec.Session
	p := transcript.NewProcessor(transcript.ProcessorOptions{
		Cols: s.Cols, Rows: s.Rows, Started: s.StartedAt, SessionID: s.ID, Command: s.Command, Trace: trace,
	})
	var last time.Duration
	for {
		e, err := rec.Next()
		if err != nil {
			p.Close(last)
			return p.Entries()
		}
		p.Feed(e)
		last = e.At
	}
}
