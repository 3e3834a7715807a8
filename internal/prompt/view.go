package prompt

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// view is a session during one operation. A goroutine reads the stream; close waits for it.
type view struct {
	stream *client.Stream
	hello  protocol.Hello // of the first connection; does not change after open
	done   chan struct{}  // closed when the goroutine has ended

	mu      sync.Mutex // guards the fields below
	term    *vterm.Term
	state   protocol.State
	asked   bool          // whether a user entry came
	cleared bool          // the agent has begun a new conversation
	written time.Time     // time of the last output
	err     error         // why the stream has ended
	changed chan struct{} // closed at the next change
}

// open attaches to a session, and returns once its screen is known.
func open(ctx context.Context, c *client.Client, ref string, o client.AttachOptions) (*view, error) {
	none := math.MaxInt // only those that change
	o.Mode, o.Entries = protocol.ModeScreen, &none
	stream, err := c.Attach(ctx, ref, o)
	if err != nil {
		return nil, err
	}
	v := &view{stream: stream, done: make(chan struct{}), changed: make(chan struct{})}
	go v.read(context.WithoutCancel(ctx))
	if _, err := v.until(ctx, time.Minute, func() bool { return v.term != nil }); err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

func (v *view) close() {
	_ = v.stream.Close()
	<-v.done
}

// read reads the stream until it ends.
func (v *view) read(ctx context.Context) {
	defer close(v.done)
	for {
		e, err := v.stream.Next(ctx)
		v.mu.Lock()
		if errors.Is(err, io.EOF) {
			err = ErrEnded
		}
		v.err = err
		v.take(e)
		close(v.changed)
		v.changed = make(chan struct{})
		v.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// take processes an event. The caller holds v.mu.
func (v *view) take(e client.Event) {
	switch e := e.(type) {
	case client.Connected:
		if v.state = e.State; v.hello.Session.ID == "" {
			v.hello = e.Hello
		}
	case protocol.Snapshot:
		v.term = vterm.New(vterm.Options{Cols: e.Cols, Rows: e.Rows})
		_, _ = v.term.Write(e.Data) // never fails
	case client.Output:
		_, _ = v.term.Write(e.Data) // never fails
		v.written = time.Now()
	case protocol.Size:
		v.term.Resize(e.Cols, e.Rows)
	case protocol.State:
		v.state = e
	case protocol.Entries:
		for _, entry := range e.Entries {
			prompt := entry.Role == session.RoleUser || entry.Role == session.RoleCommand || entry.Role == session.RoleShell
			v.asked = v.asked || prompt && entry.Seq > v.hello.Entries
			v.cleared = v.cleared || entry.Event == session.EventClear && entry.Seq > v.hello.Entries
		}
	}
}

// until waits for at most d until done returns true, and reports whether it did. done is called
// with v.mu held.
func (v *view) until(ctx context.Context, d time.Duration, done func() bool) (bool, error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		v.mu.Lock()
		ok, err, changed := done(), v.err, v.changed
		v.mu.Unlock()
		switch {
		case ok:
			return true, nil
		case err != nil:
			return false, err
		}
		select {
		case <-changed:
		case <-timer.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// quiet waits until there was no output for d, for at most limit.
func (v *view) quiet(ctx context.Context, d, limit time.Duration) error {
	for end := time.Now().Add(limit); time.Now().Before(end); {
		v.mu.Lock()
		was := v.written
		v.mu.Unlock()
		wrote, err := v.until(ctx, d, func() bool { return v.written != was })
		if err != nil || !wrote {
			return err
		}
	}
	return nil
}

// sight returns what the screen shows of the agent. The caller holds v.mu.
func (v *view) sight() extractor.Sight {
	if v.term.Modes().SynchronizedOutput { // the frame is incomplete
		return extractor.Sight{}
	}
	return extractor.Look(v.term.Snapshot(), v.state.Agent)
}

// asking returns an AskingError with the agent's question.
func (v *view) asking() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return &AskingError{questionOf(v.sight())}
}

// questionOf returns the question that a screen shows.
func questionOf(s extractor.Sight) string {
	const most = 20
	rows := trimmed(s.Rest)
	if len(rows) == 0 { // some dialogs are part of the conversation
		rows = trimmed(s.Talk)
		rows = rows[max(0, len(rows)-most):]
	}
	return strings.Join(rows, "\n")
}

// trimmed returns the rows that contain more than the frame of a box, without the frame.
func trimmed(rows []string) (out []string) {
	for _, row := range rows {
		if row = strings.Trim(row, " │┃║"); strings.Trim(row, "─━═╭╮╰╯▀▄╌ ") != "" {
			out = append(out, row)
		}
	}
	return out
}
