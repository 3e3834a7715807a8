package management

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/protocol"
	wire "github.com/ptyrec/ptyrec/protocol/management"
)

// requests executes the viewer's requests until the connection ends.
func (l *link) requests() {
	for {
		frame, err := l.frames.Next()
		if err == nil {
			err = l.request(frame)
		}
		if err != nil {
			l.cancel()
			return
		}
	}
}

// request executes one request. An error ends the connection.
func (l *link) request(frame protocol.Frame) error {
	switch frame.Type {
	case protocol.TypeInput:
		id, keys, err := frame.Input()
		if err != nil {
			return err
		}
		return l.input(id, keys)
	case protocol.TypeSize:
		var r protocol.SizeRequest
		if err := frame.Decode(&r); err != nil {
			return err
		}
		return l.size(r)
	case protocol.TypeRequest:
		var r protocol.ControlRequest
		if err := frame.Decode(&r); err != nil {
			return err
		}
		return l.change(r)
	case protocol.TypeKill:
		var r protocol.Kill
		if err := frame.Decode(&r); err != nil {
			return err
		}
		signal := int32(r.Signal)
		return l.expect(r.ID, wire.TypeKilled, wire.Request{Type: "kill_session", AgentID: &l.f.agent,
			SessionName: &l.f.name, Signal: &signal})
	case protocol.TypeMark:
		var r protocol.MarkRequest
		if err := frame.Decode(&r); err != nil {
			return err
		}
		return l.refuse(r.ID, protocol.CodeUnavailable, "a management server does not support markers")
	case protocol.TypePrompt:
		var r protocol.PromptRequest
		if err := frame.Decode(&r); err != nil {
			return err
		}
		return l.refuse(r.ID, protocol.CodeUnavailable, "a management server does not support prompts")
	case protocol.TypePing:
		l.mu.Lock()
		l.ping = slices.Clone(frame.Payload)
		l.mu.Unlock()
		now := time.Now().UnixMilli()
		return l.socket.send(l.ctx, wire.Request{Type: "ping", Timestamp: &now})
	}
	return nil
}

func (l *link) ack(id uint32, e *protocol.Error) error {
	return l.json(protocol.TypeAck, protocol.Ack{ID: id, Error: e})
}

func (l *link) refuse(id uint32, code, text string) error {
	return l.ack(id, &protocol.Error{Code: code, Message: text})
}

// sent sends a request that the server does not answer, and acknowledges it to the viewer.
func (l *link) sent(id uint32, r wire.Request) error {
	if err := l.socket.send(l.ctx, r); err != nil {
		return err
	}
	return l.ack(id, nil)
}

// expect sends a request that the server answers.
func (l *link) expect(id uint32, want string, r wire.Request) error {
	l.mu.Lock()
	l.pending = append(l.pending, pending{id, want})
	l.mu.Unlock()
	return l.socket.send(l.ctx, r)
}

// answer acknowledges the oldest of the viewer's requests that a message of type want answers. It
// returns false if there is none. An error (want is "") answers any request.
func (l *link) answer(want string, e *protocol.Error) bool {
	l.mu.Lock()
	if len(l.pending) == 0 || want != "" && l.pending[0].want != want {
		l.mu.Unlock()
		return false
	}
	id := l.pending[0].id
	l.pending = l.pending[1:]
	l.mu.Unlock()
	_ = l.ack(id, e) // if the viewer is gone, its next read reports that
	return true
}

func (l *link) mayType() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.typist
}

// target returns the command that receives input, if the session could not be joined.
func (l *link) target() *string {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := l.command
	return &id
}

// input types keys. Messages contain text, so the start of an incomplete character is held back.
func (l *link) input(id uint32, keys []byte) error {
	if !l.mayType() {
		return l.refuse(id, protocol.CodeNoControl, wire.NotController+"send input")
	}
	keys = append(l.partial, keys...)
	whole := len(keys)
	for i := whole - 1; i >= max(0, whole-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(keys[i]) {
			if !utf8.FullRune(keys[i:]) {
				whole = i
			}
			break
		}
	}
	l.partial = slices.Clone(keys[whole:])
	if keys = keys[:whole]; !utf8.Valid(keys) {
		return l.refuse(id, protocol.CodeBadRequest, "a management server accepts only UTF-8 text")
	}
	if whole == 0 {
		return l.ack(id, nil)
	}
	text := string(keys)
	if l.live {
		return l.sent(id, wire.Request{Type: "send_input", AgentID: &l.f.agent, CommandID: l.target(), Data: &text})
	}
	return l.sent(id, wire.Request{Type: "session_input", SessionID: &l.f.id, Data: &text})
}

func (l *link) size(r protocol.SizeRequest) error {
	switch {
	case !l.mayType():
		return l.refuse(r.ID, protocol.CodeNoControl, wire.NotController+"resize")
	case r.Cols < wire.MinCols || r.Rows < wire.MinRows || !isSize(r.Cols, r.Rows):
		return l.refuse(r.ID, protocol.CodeBadRequest,
			fmt.Sprintf("a management server accepts sizes from %dx%d to %dx%d", wire.MinCols, wire.MinRows, protocol.MaxCols,
				protocol.MaxRows))
	}
	cols, rows := uint32(r.Cols), uint32(r.Rows)
	if l.live {
		return l.sent(r.ID, wire.Request{Type: "pty_resize", AgentID: &l.f.agent, CommandID: l.target(), Cols: &cols,
			Rows: &rows})
	}
	return l.sent(r.ID, wire.Request{Type: "session_resize", SessionID: &l.f.id, Cols: &cols, Rows: &rows})
}

// change requests or releases control, by joining again.
func (l *link) change(r protocol.ControlRequest) error {
	if r.Action != protocol.Take && r.Action != protocol.Release {
		return l.refuse(r.ID, protocol.CodeUnavailable, "a management server does not support grants")
	}
	if l.live {
		return l.refuse(r.ID, protocol.CodeUnavailable, "the session could not be joined")
	}
	l.mu.Lock()
	l.wants = r.Action == protocol.Take
	l.mu.Unlock()
	return l.expect(r.ID, wire.TypeJoined, l.joinRequest(r.Action == protocol.Take))
}

// rejoined handles the response to a join after the first.
func (l *link) rejoined(m *wire.Message) error {
	err := l.setRole(m.Role, "")
	l.mu.Lock()
	wants := l.wants
	l.mu.Unlock()
	var e *protocol.Error
	if wants && m.Role != wire.Controller {
		e = &protocol.Error{Code: protocol.CodeNoControl, Message: "someone else controls the session"}
	}
	l.answer(m.Type, e)
	return err
}

// pong answers the viewer's ping.
func (l *link) pong() error {
	l.mu.Lock()
	payload := l.ping
	l.ping = nil
	l.mu.Unlock()
	if payload == nil {
		return nil
	}
	return protocol.Write(l.viewer, protocol.Frame{Type: protocol.TypePong, Payload: payload})
}
