package typing

import (
	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Written shows what a session has written since Enter was typed last: a screen that had nothing on
// it then.
type Written struct {
	term  *vterm.Term
	piped bool
}

// SinceEnter returns how to attach to a session for Written, as o says otherwise; ok is false if
// Enter was not typed, and all that the session shows counts. hello is what the session said when
// it was attached to before.
func SinceEnter(o client.AttachOptions, hello protocol.Hello) (_ client.AttachOptions, ok bool) {
	if hello.Entered == nil {
		return o, false
	}
	o.Mode, o.From = protocol.ModeBytes, hello.Entered
	return o, true
}

// NewWritten begins with what the session said then.
func NewWritten(hello protocol.Hello) *Written {
	w := &Written{term: vterm.New(vterm.Options{Cols: hello.Cols, Rows: hello.Rows, Scrollback: -1}), piped: hello.Session.Piped()}
	_, _ = w.term.Write([]byte("\x1b[9999H")) // where shells are: a program may go up from there. Never fails
	return w
}

// Take takes an event of the session into account. It returns the rows of the screen if they may
// have changed.
func (w *Written) Take(e client.Event) (rows []string, changed bool) {
	switch e := e.(type) {
	case client.Output:
		if w.piped {
			e.Data = session.TerminalLines(e.Data)
		}
		_, _ = w.term.Write(e.Data) // never fails
	case protocol.Size:
		w.term.Resize(e.Cols, e.Rows)
	default:
		return nil, false
	}
	for _, l := range w.term.Shown().Lines {
		rows = append(rows, l.Text)
	}
	return rows, true
}
