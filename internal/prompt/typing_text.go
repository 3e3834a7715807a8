package prompt

import (
	"context"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Join attaches to a session. hello is the session's first message.
type Join = func(ctx context.Context, o client.AttachOptions) (s *client.Stream, hello protocol.Hello, err error)

// Text finds the rows in which a session shows new text: text written since Enter was last typed
// or, if it was not, the whole screen. Its zero value finds all rows.
type Text struct {
	term  *vterm.Term // was empty when Enter was typed; nil: the whole screen counts
	piped bool
}

// AttachText attaches to a session to wait for text. The stream's events must be passed to Text.
// The caller must close the stream. The error is that of join.
func AttachText(ctx context.Context, o client.AttachOptions, join Join) (s *client.Stream, hello protocol.Hello,
	t *Text, err error) {
	o.Mode = protocol.ModeText
	if s, hello, err = join(ctx, o); err != nil || hello.Entered == nil {
		return s, hello, &Text{}, err
	}
	_ = s.Close() // never fails
	o.Mode, o.From = protocol.ModeBytes, hello.Entered
	if s, hello, err = join(ctx, o); err != nil {
		return nil, hello, nil, err
	}
	t = &Text{term: vterm.New(vterm.Options{Cols: hello.Cols, Rows: hello.Rows, Scrollback: -1}),
		piped: hello.Session.Piped()}
	// Start on the last row, because a program may move up from there; never fails.
	_, _ = t.term.Write([]byte("\x1b[9999H"))
	return s, hello, t, nil
}

// Take processes an event of the session. It returns the rows if they may have changed, else nil.
func (t *Text) Take(e client.Event) (rows []string) {
	switch e := e.(type) {
	case protocol.Screen:
		return e.Lines
	case client.Output:
		if t.piped {
			e.Data = session.TerminalLines(e.Data)
		}
		_, _ = t.term.Write(e.Data) // never fails
	case protocol.Size:
		t.term.Resize(e.Cols, e.Rows)
	default:
		return nil
	}
	for _, l := range t.term.Shown().Lines {
		rows = append(rows, l.Text)
	}
	return rows
}
