package archive

import (
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// ScreenAt feeds the events of source up to a moment to a terminal and returns its screen. If
// source fails, the screen shows what came before, and the error is returned.
func ScreenAt(source EventSource, terminal vterm.Options, to time.Duration) (screen.Screen, error) {
	t := vterm.New(terminal)
	var err error
	for {
		var e session.Event
		if e, err = source.Next(); err != nil || e.At > to {
			break
		}
		switch e.Kind {
		case session.Output:
			_, _ = t.Write(e.Data) // never fails
		case session.Resize:
			t.Resize(e.Cols, e.Rows)
		}
	}
	return screen.Of(t), IgnoreEnd(err)
}
