package transcript_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// TestDelays cuts recordings into pieces that arrive late, as those of ssh do: the transcript has
// the same messages. Any piece may be late, but not so late that the screen seems to be quiet;
// within a synchronized redraw, which says where it ends, even later. Where the window is resized
// nothing is late: how long ago that was decides whether rows are taken to be cut.
func TestDelays(t *testing.T) {
	t.Parallel()
	paths := fixtureCasts(t)
	rapid.Check(t, func(rt *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(rt, "recording")
		r := readFixture(t, path)
		want := utterances(r.entries())
		got := utterances(transcribe(r.header, delayed(rt, r.header, r.events)))
		if strings.HasSuffix(filepath.Dir(path), "-tmuxresume") {
			got = withoutAgain(got, want)
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%s: %d messages\n%q\nwant %d\n%q", fixtureName(filepath.Dir(path)), len(got), got, len(want), want)
		}
	})
}

// TestSlowMenu draws a menu over the end of a reply, each five bytes four milliseconds late: the
// menu is no text of the reply, and what it covers is not lost.
func TestSlowMenu(t *testing.T) {
	t.Parallel()
	r := readFixture(t, "../../testdata/transcripts/claude/2.1.329-slim/session.cast.gz")
	var late time.Duration
	var events []session.Event
	for _, e := range r.events {
		for first := true; first || len(e.Data) > 0; first = false {
			piece := e
			if e.Kind == session.Output {
				piece.Data = e.Data[:min(5, len(e.Data))]
			}
			if !first {
				late += 4 * time.Millisecond
			}
			piece.At, e.Data = e.At+late, e.Data[len(piece.Data):]
			events = append(events, piece)
		}
	}
	got, want := utterances(transcribe(r.header, events)), utterances(r.entries())
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// withoutAgain returns got without messages that are there again, but not in want: of a resumed
// conversation that an agent prints again, tmux shows only the end, unless it comes late.
func withoutAgain(got, want []string) (out []string) {
	for _, s := range got {
		if n := len(out); n < len(want) && s == want[n] || !slices.Contains(want, s) {
			out = append(out, s)
		}
	}
	return out
}

// delayed cuts the output of a recording into pieces of at most 1,400 bytes that come late.
func delayed(t *rapid.T, h cast.Header, events []session.Event) (out []session.Event) {
	const gap = 200 * time.Millisecond // less than quiet
	sizes := rapid.SliceOfN(rapid.IntRange(1, 1400), 5, 20).Draw(t, "sizes")
	delays := rapid.SliceOfN(rapid.IntRange(0, int(gap)-1), 5, 20).Draw(t, "delays")
	stalls := rapid.SliceOfN(rapid.IntRange(0, int(time.Second)-1), 5, 20).Draw(t, "stalls")
	term := vterm.New(vterm.Options{Cols: h.Cols, Rows: h.Rows})
	resized := slices.ContainsFunc(events, func(e session.Event) bool { return e.Kind == session.Resize })
	var late time.Duration // all that follows is as late
	for _, e := range events {
		for n := 0; n == 0 || len(e.Data) > 0; n++ {
			piece := e
			switch {
			case n == 0, resized:
			case term.Modes().SynchronizedOutput:
				late += time.Duration(stalls[len(out)%len(stalls)])
			default:
				late += time.Duration(delays[len(out)%len(delays)])
			}
			piece.At += late
			if e.Kind == session.Output {
				k := min(len(e.Data), sizes[len(out)%len(sizes)])
				piece.Data, e.Data = e.Data[:k], e.Data[k:]
				_, _ = term.Write(piece.Data) // never fails
			} else {
				e.Data = nil
			}
			out = append(out, piece)
		}
	}
	return out
}
