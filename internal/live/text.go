package live

import (
	"reflect"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/vterm"
)

// textTime is the shortest time between two screens for an observer.
const textTime = 500 * time.Millisecond

// showText sends the screen as text after it has changed, and at the end.
func (v *viewer) showText() (more bool, wait time.Duration, err error) {
	if err := v.showShell(); err != nil {
		return false, 0, err
	}
	now, exit := v.host.stream.ending()
	changed := !v.painted || now != v.at || v.stale.Load()
	if changed {
		if left := textTime - time.Since(v.snapshot); left > 0 && v.painted && exit == nil {
			return false, left, nil
		}
		v.stale.Store(false)
		v.at = now
		s := v.host.text(v)
		differs := v.text == nil || exit != nil || !sameText(v.text, s)
		v.painted, v.text = true, s
		if differs {
			err = v.send(protocol.TypeScreen, s)
			v.snapshot = time.Now()
			return true, 0, err
		}
		return true, 0, nil
	}
	if exit != nil {
		return false, 0, v.exit(exit)
	}
	return false, 0, nil
}

func sameText(a, b *protocol.Screen) bool {
	c := *b
	c.Seq = a.Seq
	return reflect.DeepEqual(a, &c)
}

// text returns the screen without escape sequences.
func (h *Host) text(v *viewer) *protocol.Screen {
	var out *protocol.Screen
	h.screen.read(v.ctx, func(t *vterm.Term, seq int64) {
		s := t.Shown()
		out = &protocol.Screen{
			Seq: seq, Cols: s.Cols, Rows: s.Rows, Title: printable.Text(s.Title), Alt: s.Alt,
			Cursor: protocol.Cursor{X: s.CursorX, Y: s.CursorY, Visible: s.Visible},
		}
		for _, l := range s.Lines {
			out.Lines = append(out.Lines, printable.Text(l.Text))
		}
	})
	return out
}
