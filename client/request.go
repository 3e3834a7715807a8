package client

import (
	"context"
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
)

// ErrDisconnected means that there is no connection, or that it was lost before the answer arrived.
// In that case it is unknown whether the session performed the request.
var ErrDisconnected = errors.New("not connected to the session")

// Write types p into the session and returns when the session has accepted all of it. The error is
// a *protocol.Error if the session refuses it, such as with protocol.CodeNoControl, or wraps
// ErrDisconnected.
func (s *Stream) Write(p []byte) (int, error) { return s.typeKeys(s.ctx, p) }

// Input is Write with a context. Each part of up to protocol.MaxOutput bytes is typed whole or not
// at all. Its errors are those of Write.
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

// Resize requests another size of the session's window, in cells. The window returns to its own
// size when the last viewer that requested one has left. Resize requires control and must be called
// again after a reconnect.
func (s *Stream) Resize(ctx context.Context, cols, rows int) error {
	return s.resize(ctx, protocol.SizeRequest{Cols: cols, Rows: rows})
}

// SetSize is like Resize, but the size remains until the session's own terminal changes its size.
func (s *Stream) SetSize(ctx context.Context, cols, rows int) error {
	return s.resize(ctx, protocol.SizeRequest{Cols: cols, Rows: rows, Keep: true})
}

func (s *Stream) resize(ctx context.Context, r protocol.SizeRequest) error {
	return s.ask(ctx, func(id uint32) (protocol.Frame, error) {
		r.ID = id
		return protocol.JSON(protocol.TypeSize, r)
	})
}

// Kill sends a signal to the process group of the session's command. It requires control.
func (s *Stream) Kill(ctx context.Context, signal syscall.Signal) error {
	return s.ask(ctx, func(id uint32) (protocol.Frame, error) {
		return protocol.JSON(protocol.TypeKill, protocol.Kill{ID: id, Signal: int(signal)})
	})
}

// BeginPrompt reserves the session for a prompt: until Prompted is called or the stream is closed,
// prompts of others fail with protocol.CodePrompting. Sessions of older versions, and some servers,
// return an error with protocol.CodeUnavailable, or do not answer.
func (s *Stream) BeginPrompt(ctx context.Context) error { return s.prompt(ctx, "") }

// Prompted ends a prompt. text is the prompt that the agent accepted; the session records it.
func (s *Stream) Prompted(ctx context.Context, text string) error { return s.prompt(ctx, text) }

func (s *Stream) prompt(ctx context.Context, text string) error {
	return s.ask(ctx, func(id uint32) (protocol.Frame, error) {
		return protocol.JSON(protocol.TypePrompt, protocol.PromptRequest{ID: id, Text: text})
	})
}

// Mark adds a marker with frame numbers to the raw log; see session.FrameMark. It requires
// protocol.ModeFrames.
func (s *Stream) Mark(ctx context.Context, event string, data map[string]any) error {
	return s.ask(ctx, func(id uint32) (protocol.Frame, error) {
		return protocol.JSON(protocol.TypeMark, protocol.MarkRequest{ID: id, Event: event, Data: data})
	})
}

// Take requests control, now and after each reconnect.
func (s *Stream) Take(ctx context.Context) error { return s.hold(ctx, protocol.Take, true) }

// Release gives up control.
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

// Grant allows programs to type for d, or until Revoke if d is 0. Only people can grant.
func (s *Stream) Grant(ctx context.Context, d time.Duration) error {
	return s.change(ctx, protocol.Allow, d)
}

// Forget stops the recording and deletes what was recorded. Called from inside the session, it
// waits up to 30 s for Ctrl+\ at the session's own terminal.
func (s *Stream) Forget(ctx context.Context) error { return s.change(ctx, protocol.Forget, 0) }

// Revoke ends all grants and all control of viewers.
func (s *Stream) Revoke(ctx context.Context) error { return s.change(ctx, protocol.Revoke, 0) }

func (s *Stream) change(ctx context.Context, a protocol.Action, d time.Duration) error {
	return s.ask(ctx, func(id uint32) (protocol.Frame, error) {
		return protocol.JSON(protocol.TypeRequest, protocol.ControlRequest{ID: id, Action: a, For: d})
	})
}

// ask sends a request and waits for its answer.
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

// late returns the answer after the stream has ended: one that has arrived, or ErrDisconnected.
func (s *Stream) late(answer <-chan error) error {
	select {
	case err := <-answer:
		return err
	default:
		return ErrDisconnected
	}
}

// expect registers a request on the current connection.
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

// setConn changes the connection. Requests on the previous one fail.
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

// write writes a whole frame.
func (s *Stream) write(conn io.Writer, f protocol.Frame) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return protocol.Write(conn, f)
}
