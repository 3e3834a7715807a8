package client

import (
	"context"
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
)

// ErrDisconnected says that there is no connection now, or that it was lost before an answer came:
// whether the session did what was asked is not known then.
var ErrDisconnected = errors.New("not connected to the session")

// Write types p, in order. It returns when the session has taken all of it. The error is a
// *protocol.Error where the session refuses it (protocol.CodeNoControl), else wraps
// ErrDisconnected.
func (s *Stream) Write(p []byte) (int, error) { return s.typeKeys(s.ctx, p) }

// Input types keys, in order, up to protocol.MaxOutput bytes of them at once or not at all. Its
// errors are those of Write.
func (s *Stream) Input(ctx context.Context, keys []byte) error {
	_, err := s.typeKeys(ctx, keys)
	return err
}

func (s *Stream) typeKeys(ctx context.Context, keys []byte) (n int, err error) {
	for n < len(keys) {
		part := keys[n:min(len(keys), n+protocol.MaxOutput)]
		err := s.ask(ctx, func(id uint32) (protocol.Frame, error) { return protocol.Input(id, part), nil })
		if err != nil {
			return n, err
		}
		n += len(part)
	}
	return n, nil
}

// Resize asks for another size of the session's window, in cells, until we leave: when the last
// viewer who asked for one is gone, the window gets its own size back. It needs control, and must
// be called again after a reconnect.
func (s *Stream) Resize(ctx context.Context, cols, rows int) error {
	return s.resize(ctx, protocol.SizeRequest{Cols: cols, Rows: rows})
}

// SetSize is Resize for good: the size stays when we leave, until the session's own terminal gets
// another.
func (s *Stream) SetSize(ctx context.Context, cols, rows int) error {
	return s.resize(ctx, protocol.SizeRequest{Cols: cols, Rows: rows, Keep: true})
}

func (s *Stream) resize(ctx context.Context, r protocol.SizeRequest) error {
	return s.ask(ctx, func(id uint32) (protocol.Frame, error) {
		r.ID = id
		return protocol.JSON(protocol.TypeSize, r)
	})
}

// Kill sends the session's command a signal. It needs control.
func (s *Stream) Kill(ctx context.Context, signal syscall.Signal) error {
	return s.ask(ctx, func(id uint32) (protocol.Frame, error) {
		return protocol.JSON(protocol.TypeKill, protocol.Kill{ID: id, Signal: int(signal)})
	})
}

// BeginPrompt begins to send a prompt: until Prompted, or until the stream is closed, nobody else
// may (protocol.CodePrompting). A session of an older version, and some servers, do not know that:
// their answer is an error with protocol.CodeUnavailable, or none.
func (s *Stream) BeginPrompt(ctx context.Context) error { return s.prompt(ctx, "") }

// Prompted says that the agent took a prompt, and what it was. The session records it.
func (s *Stream) Prompted(ctx context.Context, text string) error { return s.prompt(ctx, text) }

func (s *Stream) prompt(ctx context.Context, text string) error {
	return s.ask(ctx, func(id uint32) (protocol.Frame, error) {
		return protocol.JSON(protocol.TypePrompt, protocol.PromptRequest{ID: id, Text: text})
	})
}

// Mark puts a marker that takes numbers among the frames of the raw log (session.FrameMark), where
// the stream reads these (protocol.ModeFrames).
func (s *Stream) Mark(ctx context.Context, event string, data map[string]any) error {
	return s.ask(ctx, func(id uint32) (protocol.Frame, error) {
		return protocol.JSON(protocol.TypeMark, protocol.MarkRequest{ID: id, Event: event, Data: data})
	})
}

// Take asks for control, and asks for it again after a reconnect.
func (s *Stream) Take(ctx context.Context) error { return s.hold(ctx, protocol.Take, true) }

// Release returns control.
func (s *Stream) Release(ctx context.Context) error { return s.hold(ctx, protocol.Release, false) }

func (s *Stream) hold(ctx context.Context, a protocol.Action, control bool) error {
	err := s.change(ctx, a, 0)
	if err == nil {
		s.mu.Lock()
		s.control = control
		s.mu.Unlock()
	}
	return err
}

// Grant lets programs type for so long; 0 is until it is taken back. Only people may.
func (s *Stream) Grant(ctx context.Context, d time.Duration) error {
	return s.change(ctx, protocol.Allow, d)
}

// Forget stops the recording of the session and deletes what was recorded. Asked for from inside
// the session it waits until somebody presses Ctrl+\ at the session's own terminal, for a while.
func (s *Stream) Forget(ctx context.Context) error { return s.change(ctx, protocol.Forget, 0) }

// Revoke takes it from all but the session's own terminal.
func (s *Stream) Revoke(ctx context.Context) error { return s.change(ctx, protocol.Revoke, 0) }

func (s *Stream) change(ctx context.Context, a protocol.Action, d time.Duration) error {
	return s.ask(ctx, func(id uint32) (protocol.Frame, error) {
		return protocol.JSON(protocol.TypeRequest, protocol.ControlRequest{ID: id, Action: a, For: d})
	})
}

// ask sends a request and waits for the answer to it.
func (s *Stream) ask(ctx context.Context, request func(id uint32) (protocol.Frame, error)) error {
	id, conn, answer, err := s.expect()
	if err != nil {
		return err
	}
	defer s.forget(id)
	f, err := request(id)
	if err != nil {
		return err
	}
	if err := s.write(conn, f); err != nil {
		return errors.Join(ErrDisconnected, err)
	}
	select {
	case err := <-answer:
		return err
	case <-s.done:
		return s.late(answer)
	case <-s.ctx.Done():
		return s.late(answer)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// late is the answer where the stream is over.
func (s *Stream) late(answer <-chan error) error {
	select {
	case err := <-answer:
		return err
	default:
		return ErrDisconnected
	}
}

// expect registers somebody who waits for an answer on the connection that there is now.
func (s *Stream) expect() (id uint32, conn io.ReadWriteCloser, answer chan error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return 0, nil, nil, ErrDisconnected
	}
	s.lastID++
	answer = make(chan error, 1)
	s.waiting[s.lastID] = answer
	return s.lastID, s.conn, answer, nil
}

func (s *Stream) forget(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, id)
}

func (s *Stream) answer(a protocol.Ack) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.waiting[a.ID]
	if answer == nil {
		return
	}
	delete(s.waiting, a.ID)
	if a.Error != nil {
		answer <- a.Error
		return
	}
	answer <- nil
}

// setConn changes the connection. Those who wait for answers on the one before get none.
func (s *Stream) setConn(conn io.ReadWriteCloser) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if conn == s.conn {
		return
	}
	s.conn = conn
	for id, answer := range s.waiting {
		answer <- ErrDisconnected
		delete(s.waiting, id)
	}
}

// write sends a frame whole.
func (s *Stream) write(conn io.Writer, f protocol.Frame) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return protocol.Write(conn, f)
}
