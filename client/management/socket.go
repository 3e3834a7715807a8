package management

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/coder/websocket"

	wire "github.com/ptyrec/ptyrec/protocol/management"
)

// socket is a connection to a server. One goroutine may read while others send.
type socket struct{ ws *websocket.Conn }

func (s *socket) close() { _ = s.ws.CloseNow() } // it may already be closed

// writeTime is the time limit for a write to the server.
const writeTime = 60 * time.Second

func (s *socket) send(ctx context.Context, r wire.Request) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return s.ws.Write(ctx, websocket.MessageText, b)
}

// next returns the next message. It skips invalid ones.
func (s *socket) next(ctx context.Context) (*wire.Message, error) {
	for {
		kind, b, err := s.ws.Read(ctx)
		if errors.Is(err, websocket.ErrMessageTooBig) {
			return nil, final{fmt.Errorf("the server sent a message of more than %d bytes", wire.MaxMessage)}
		}
		if err != nil {
			return nil, err
		}
		m := &wire.Message{}
		if kind == websocket.MessageText && json.Unmarshal(b, m) == nil && m.Type != "" {
			return m, nil
		}
	}
}

// refused is an error message of the server in response to a request.
type refused struct{ text string }

func (r refused) Error() string { return r.text }

// fellBehind is the start of an error message about output messages, which does not answer a
// request.
const fellBehind = "output stream closed: "

// ask sends a request and waits for the response, a message of type want. It passes other messages
// to other, which may be nil. An error message becomes a refused error.
func (s *socket) ask(ctx context.Context, r wire.Request, want string,
	other func(*wire.Message) error) (*wire.Message, error) {
	if err := s.send(ctx, r); err != nil {
		return nil, err
	}
	for {
		m, err := s.next(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case m.Type == want:
			return m, nil
		case m.Type == wire.TypeError && !strings.HasPrefix(m.Message, fellBehind):
			return nil, refused{clean(m.Message)}
		case other != nil:
			if err := other(m); err != nil {
				return nil, err
			}
		}
	}
}

// agents returns the ids of the server's machines.
func (s *socket) agents(ctx context.Context, other func(*wire.Message) error) (ids []string, err error) {
	m, err := s.ask(ctx, wire.Request{Type: "list_agents"}, wire.TypeAgentList, other)
	if err != nil {
		return nil, err
	}
	for _, a := range m.Agents {
		if isID(a.ID) {
			ids = append(ids, a.ID)
		}
	}
	return ids, nil
}

// sessions returns the sessions of a machine.
func (s *socket) sessions(ctx context.Context, agent string, other func(*wire.Message) error) (found []wire.Session,
	err error) {
	m, err := s.ask(ctx, wire.Request{Type: "list_sessions", AgentID: &agent}, wire.TypeSessionList, other)
	if err != nil {
		return nil, err
	}
	for _, one := range m.Sessions {
		if isID(one.SessionID) {
			one.SessionName, one.Command = clean(one.SessionName), clean(one.Command)
			found = append(found, one)
		}
	}
	return found, nil
}

// maxText is the maximum length of a server's text to show, in bytes.
const maxText = 500

// isID reports whether a text is valid as an id: short, and safe to print.
func isID(text string) bool {
	return text != "" && len(text) <= maxText &&
		!strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// clean returns a server's text in a form that is safe to print.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, text)
	for len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText-len("…")], "") + "…"
	}
	return text
}
