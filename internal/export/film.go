package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// Limits of a film. A longer session is shown in larger steps.
const (
	filmIdle   = 2 * time.Second        // longest pause
	filmStep   = 100 * time.Millisecond // shortest time between two frames
	filmEnd    = 3 * time.Second        // duration of the last frame
	filmFrames = 400
	filmBytes  = 8 << 20
)

// errEmpty reports that there is nothing to show.
var errEmpty = errors.New("the recording is empty")

// writeFilm writes the recording of session t, or the exported part of it, as an animated SVG.
func (x Exporter) writeFilm(ctx context.Context, w io.Writer, info *store.Info, t *session.Transcript) error {
	p, err := x.part(ctx, info, t)
	if err != nil {
		return err
	}
	defer p.Stop()
	tape := &archive.Playback{Cols: info.Cols, Rows: info.Rows}
	if err := tape.Load(p.events); err != nil {
		return err
	}
	x.Library.WarnDamage(p.Damage)
	if len(tape.Events) == 0 {
		return failure.New(errEmpty, "there is nothing to show")
	}
	tape.LimitIdle(filmIdle)
	frames := framesOf(tape)
	for {
		var b bytes.Buffer
		if err := screen.WriteFilm(&b, frames, frames[len(frames)-1].At+filmEnd); err != nil {
			return err
		}
		if b.Len() <= filmBytes {
			_, err := w.Write(b.Bytes())
			return err
		}
		if len(frames) < 2 {
			return failure.New(fmt.Errorf("one screen alone takes more than %d MiB", filmBytes>>20),
				"export a part: S#4..S#12, or a .cast")
		}
		frames = halved(frames)
	}
}

// framesOf returns the screens of a recording. Each differs from the previous one.
func framesOf(tape *archive.Playback) (frames []screen.Frame) {
	term := vterm.New(vterm.Options{Cols: tape.Cols, Rows: tape.Rows, Widths: vterm.Graphemes})
	step, last := filmStep, ""
	add := func(at time.Duration) {
		s := screen.Of(term)
		var drawn bytes.Buffer
		if screen.Write(&drawn, "svg", s) != nil || drawn.String() == last {
			return // writing to memory does not fail
		}
		last = drawn.String()
		if n := len(frames); n > 0 && frames[n-1].At == at {
			frames = frames[:n-1]
		}
		frames = append(frames, screen.Frame{Screen: s, At: at})
		if len(frames) > filmFrames {
			frames, step = halved(frames), 2*step
		}
	}
	shown := -step
	for i, e := range tape.Events {
		switch e.Kind {
		case session.Output:
			_, _ = term.Write(e.Data) // never fails
		case session.Resize:
			term.Resize(e.Cols, e.Rows)
		}
		// Show a screen that is followed by a pause, or that is a step after the last one.
		at := tape.Times[i]
		if i == len(tape.Events)-1 || tape.Times[i+1]-at >= step || at-shown >= step {
			add(at)
			shown = at
		}
	}
	return frames
}

// halved removes every other frame, but not the last.
func halved(frames []screen.Frame) []screen.Frame {
	out := frames[:0:0]
	for i, f := range frames {
		if i%2 == 0 || i == len(frames)-1 {
			out = append(out, f)
		}
	}
	if len(out) == len(frames) {
		return frames[len(frames)-1:]
	}
	return out
}
