package extractor

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/extractor/unknown"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// recordedFrames returns screens of the recordings in a folder of testdata/transcripts: of each
// recording, up to 40 that follow one another at equal distances.
func recordedFrames(t *testing.T, agent string) (frames [][]row.Line) {
	t.Helper()
	paths, err := filepath.Glob("../testdata/transcripts/" + agent + "/*/session.cast*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings of %s (%v)", agent, err)
	}
	for _, path := range paths {
		r, err := cast.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		term := vterm.New(vterm.Options{Cols: r.Header.Cols, Rows: r.Header.Rows})
		var events []session.Event
		outputs := 0
		for {
			ev, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			ev.Data = bytes.Clone(ev.Data)
			events = append(events, ev)
			if ev.Kind == session.Output {
				outputs++
			}
		}
		at, taken := 0, 0
		for _, ev := range events {
			switch ev.Kind {
			case session.Resize:
				term.Resize(ev.Cols, ev.Rows)
			case session.Output:
				if _, err := term.Write(ev.Data); err != nil {
					t.Fatal(err)
				}
				if at++; at <= taken*outputs/min(outputs, 40) {
					continue
				}
				taken++
				s := term.Snapshot()
				lines := make([]row.Line, len(s.Lines))
				for i, r := range s.Lines {
					lines[i] = row.Line{Row: r, Cols: s.Cols}
				}
				frames = append(frames, lines)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return frames
}

// TestParseRecordedRows feeds each profile rows that its agent has drawn, in pieces that do not
// belong together: cut, repeated, wrapped and narrowed. Parse ends, and its items take the lines in
// order, each at most once.
func TestParseRecordedRows(t *testing.T) {
	for _, p := range profiles {
		t.Run(p.Name+" "+p.Versions, func(t *testing.T) {
			t.Parallel()
			frames := recordedFrames(t, p.Name)
			rapid.Check(t, func(t *rapid.T) { parseAny(t, p, scrambled(t, frames)) })
		})
	}
}

// TestParseUnknownRows does the same with the reader of agents that nobody has described: it has
// seen such rows before.
func TestParseUnknownRows(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"claude", "gemini", "opencode"} {
		frames := recordedFrames(t, agent)
		rapid.Check(t, func(t *rapid.T) {
			r := &unknown.Reader{}
			for range rapid.IntRange(0, 6).Draw(t, "seen") {
				rows := scrambled(t, frames)
				y := rapid.IntRange(0, len(rows)-1).Draw(t, "y")
				r.See(chat.Screen{
					Lines: rows, Alt: rapid.Bool().Draw(t, "alt"), CursorVisible: rapid.Bool().Draw(t, "visible"),
					CursorY: y, CursorX: rapid.IntRange(0, rows[y].Cols).Draw(t, "x"),
				}, rapid.Bool().Draw(t, "settled"))
			}
			parseAny(t, &Profile{&chat.Agent{Name: session.UnknownAgent}, r.Look()}, scrambled(t, frames))
		})
	}
}

// scrambled draws rows of frames, and changes some.
func scrambled(t *rapid.T, frames [][]row.Line) (lines []row.Line) {
	for range rapid.IntRange(1, 8).Draw(t, "pieces") {
		frame := rapid.SampledFrom(frames).Draw(t, "frame")
		first := rapid.IntRange(0, len(frame)-1).Draw(t, "first")
		lines = append(lines, frame[first:rapid.IntRange(first+1, len(frame)).Draw(t, "end")]...)
	}
	for i := range lines {
		l := &lines[i]
		switch rapid.IntRange(0, 19).Draw(t, "change") {
		case 0:
			l.Lost = true
		case 1:
			r := *l.Row
			r.Wrapped = !r.Wrapped
			l.Row = &r
		case 2:
			l.Cols = rapid.IntRange(1, 2*l.Cols).Draw(t, "cols")
		case 3:
			from := rapid.IntRange(0, 8).Draw(t, "from")
			*l = row.CutLine(*l, from, from+rapid.IntRange(0, l.Cols).Draw(t, "width"))
		case 4:
			r := *l.Row
			r.Runs = append([]vterm.Run(nil), r.Runs...)
			for k := range r.Runs {
				r.Runs[k].Style = vterm.Style{Bold: rapid.Bool().Draw(t, "bold")}
			}
			l.Row = &r
		}
	}
	return lines
}

// parseAny checks what a profile reads off lines.
func parseAny(t *rapid.T, p *Profile, lines []row.Line) {
	at := 0
	for _, it := range p.Parse(lines) {
		if it.First < at || it.End < it.First || it.End > len(lines) {
			t.Fatalf("%s: item %q has lines [%d, %d), the one before ended at %d of %d", p.Name, it.Rule, it.First, it.End, at,
				len(lines))
		}
		at = it.End
	}
	for i := range lines {
		if _, n := p.Banner(lines[i:]); n < 0 || n > len(lines)-i {
			t.Fatalf("%s: banner of %d lines, there are %d", p.Name, n, len(lines)-i)
		}
	}
	for _, alt := range []bool{false, true} {
		s := p.Split(chat.Screen{Lines: lines, Alt: alt, CursorY: rapid.IntRange(0, len(lines)).Draw(t, "cursor")})
		if s.Top < 0 || s.Bottom < 0 || s.Bottom > len(lines) {
			t.Fatalf("%s: split %+v of %d rows", p.Name, s, len(lines))
		}
	}
	if p.Box != nil && len(lines) > 0 {
		p.Box(lines)
	}
}
