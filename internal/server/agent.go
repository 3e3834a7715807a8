package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

// The messages of /ws/agent/{id}, in the form of AgentSpace's terminal.* messages. Those with an id
// are sent to the agent, those with a requestId come from it. We add two things: a snapshot
// contains the whole screen besides its last characters, and an error names the request.
type (
	agentSnapshot struct {
		Type      string          `json:"type"` // terminal.snapshot
		ID        string          `json:"id"`
		SessionID string          `json:"sessionId"`
		Content   string          `json:"content"`   // the last snapshotChars characters of the screen's text
		Timestamp int64           `json:"timestamp"` // Unix milliseconds
		Screen    protocol.Screen `json:"screen"`
	}
	agentControl struct {
		Type      string     `json:"type"` // terminal.control.grant, terminal.control.revoke
		ID        string     `json:"id"`
		SessionID string     `json:"sessionId"`
		Until     *time.Time `json:"until,omitempty"`
		Reason    string     `json:"reason,omitempty"`
	}
	agentRequest struct {
		Type      string   `json:"type"` // terminal.input, terminal.proxy.start
		RequestID string   `json:"requestId"`
		Data      string   `json:"data"`
		Force     bool     `json:"force"` // type even if the agent is asking a question
		Command   string   `json:"command"`
		Args      []string `json:"args"`
	}
	agentError struct {
		Type      string `json:"type"` // error
		RequestID string `json:"requestId,omitempty"`
		Code      string `json:"code"`
		Message   string `json:"message"`
	}
	agentStarted struct {
		Type      string `json:"type"` // terminal.proxy.started
		RequestID string `json:"requestId"`
		SessionID string `json:"sessionId"`
	}
	agentExit struct {
		Type      string `json:"type"` // terminal.exit
		SessionID string `json:"sessionId"`
		Status    int    `json:"status"`
	}
)

// snapshotTime is the minimum interval between two screens sent to an agent.
const snapshotTime = 500 * time.Millisecond

// snapshotChars is the maximum length of a snapshot's text, in characters.
const snapshotChars = 4000

// agent lets a program watch a live session and type into it while the user grants that.
func (s *Server) agent(w http.ResponseWriter, r *http.Request) error {
	info, err := s.findLive(r)
	if err != nil {
		return err
	}
	name := r.URL.Query().Get("name")
	if name == "" || len(name) > 100 {
		name = "agent"
	}
	stream, err := s.Live.Attach(r.Context(), info.ID,
		client.AttachOptions{Name: name, Kind: protocol.Agent, Mode: protocol.ModeText, Behalf: LinkOf(r)})
	if err != nil {
		return notLive(err)
	}
	defer func() { _ = stream.Close() }()
	ctx, ws, done, err := s.accept(w, r, protocol.MaxFrame)
	if err != nil {
		return err
	}
	defer done()
	began := time.Now()
	a := &agentLink{server: s, id: info.ID, name: name, ws: ws, stream: stream, writes: rightOf(r) == mayWrite,
		inside: s.inside(r), behalf: LinkOf(r)}
	err = a.run(ctx)
	_ = ws.Close(closing(err)) // the client may be gone
	s.noteEnd(r, began, err)
	return nil
}

// agentLink is a connected agent.
type agentLink struct {
	server  *Server
	id      string
	name    string // the agent's name
	inside  bool   // it runs inside a recorded session
	behalf  *protocol.Link
	ws      *websocket.Conn
	stream  *client.Stream
	writes  bool
	granted bool // the grant as last reported to the agent; used only by tell
	screens screens
}

// screens limits how often screens are sent: the newest one waits until snapshotTime has passed
// since the last one.
type screens struct {
	waiting *protocol.Screen // nil if none waits
	sent    time.Time        // time when the last one was sent
}

// due returns the time at which to send the waiting screen. ok is false if none waits.
func (s *screens) due() (at time.Time, ok bool) { return s.sent.Add(snapshotTime), s.waiting != nil }

func (a *agentLink) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var hearing sync.WaitGroup
	defer hearing.Wait()
	defer cancel()
	var heard error
	hearing.Go(func() {
		defer cancel()
		heard = a.hear(ctx)
	})
	for {
		event, err := a.next(ctx)
		if errors.Is(err, io.EOF) {
			_ = a.ws.Close(closing(nil)) // works while the connection is read
			return nil
		}
		if err == nil {
			err = a.tell(ctx, event)
		}
		if err != nil {
			cancel()
			hearing.Wait()
			if ctx.Err() != nil && heard != nil {
				return heard
			}
			return err
		}
	}
}

// next returns the next event, or nil when the waiting screen is due.
func (a *agentLink) next(ctx context.Context) (client.Event, error) {
	at, ok := a.screens.due()
	if !ok {
		return a.stream.Next(ctx)
	}
	until, stop := context.WithDeadline(ctx, at)
	defer stop()
	event, err := a.stream.Next(until)
	if err != nil && until.Err() != nil && ctx.Err() == nil {
		return nil, nil
	}
	return event, err
}

// tell sends the agent an event of the session, if it is not nil, and the waiting screen if it is
// due.
func (a *agentLink) tell(ctx context.Context, event client.Event) error {
	switch e := event.(type) {
	case client.Connected:
		return a.tellControl(ctx, e.Control)
	case protocol.Control:
		return a.tellControl(ctx, e)
	case protocol.Screen:
		a.screens.waiting = &e
	case protocol.Exit:
		if err := a.show(ctx); err != nil {
			return err
		}
		return sendJSON(ctx, a.ws, agentExit{"terminal.exit", a.id, e.Status})
	}
	if at, ok := a.screens.due(); ok && !time.Now().Before(at) {
		return a.show(ctx)
	}
	return nil
}

// show sends the waiting screen to the agent, if there is one.
func (a *agentLink) show(ctx context.Context) error {
	s := a.screens.waiting
	if s == nil {
		return nil
	}
	r := a.server.AgentRedact
	s.Title, s.Lines = r.Text(s.Title, nil), r.Cover(s.Lines)
	err := sendJSON(ctx, a.ws, agentSnapshot{"terminal.snapshot", uuid.NewString(), a.id, contentOf(*s),
		time.Now().UnixMilli(), *s})
	a.screens = screens{sent: time.Now()}
	return err
}

// tellControl reports a new or revoked grant to the agent.
func (a *agentLink) tellControl(ctx context.Context, c protocol.Control) error {
	granted := c.Grant != nil
	if granted == a.granted {
		return nil
	}
	a.granted = granted
	m := agentControl{Type: "terminal.control.revoke", ID: uuid.NewString(), SessionID: a.id, Reason: c.Reason}
	if granted {
		m.Type, m.Until = "terminal.control.grant", c.Grant.Until
	}
	return sendJSON(ctx, a.ws, m)
}

// contentOf returns the last snapshotChars characters of a screen.
func contentOf(s protocol.Screen) string {
	text := []rune(strings.TrimRight(strings.Join(s.Lines, "\n"), "\n"))
	return string(text[max(0, len(text)-snapshotChars):])
}

// hear executes the agent's requests. An invalid request is answered with an error and has no
// effect.
func (a *agentLink) hear(ctx context.Context) error {
	for {
		_, message, err := a.ws.Read(ctx)
		if err != nil {
			return err
		}
		var r agentRequest
		if err := json.Unmarshal(message, &r); err != nil {
			err = sendJSON(ctx, a.ws, agentError{"error", "", protocol.CodeBadRequest, "Invalid message: " + err.Error()})
			if err != nil {
				return err
			}
			continue
		}
		answer, err := a.do(ctx, r)
		if err != nil {
			p := problemOf(err)
			answer = agentError{"error", r.RequestID, p.told.Code, p.told.Message}
		}
		if answer == nil {
			continue
		}
		if err := sendJSON(ctx, a.ws, answer); err != nil {
			return err
		}
	}
}

// answer types keys even if the agent in the session is asking a question.
func (a *agentLink) answer(ctx context.Context, keys []byte) error {
	answers := true
	stream, err := a.server.Live.Attach(ctx, a.id,
		client.AttachOptions{Name: a.name, Kind: protocol.Agent, Mode: protocol.ModeNone, Answers: &answers,
			Behalf: a.behalf})
	if err != nil {
		return notLive(err)
	}
	defer func() { _ = stream.Close() }()
	return stream.Input(ctx, keys)
}

// do executes one request. The session itself refuses input without a grant.
func (a *agentLink) do(ctx context.Context, r agentRequest) (answer any, err error) {
	if !a.writes {
		return nil, &protocol.Error{Code: protocol.CodeNotAllowed,
			Message: "this requires the token that `ptyrec serve` printed, and a server without --read-only"}
	}
	switch r.Type {
	case "terminal.input":
		if r.Force {
			return nil, a.answer(ctx, []byte(r.Data))
		}
		_, err := a.stream.Write([]byte(r.Data))
		return nil, err
	case "terminal.proxy.start":
		if a.inside {
			return nil, errInside
		}
		if !a.server.AllowRun || a.server.Start == nil {
			return nil, &protocol.Error{Code: protocol.CodeNotAllowed,
				Message: "this server starts no commands; run `ptyrec sandbox`"}
		}
		id, err := a.server.Start(ctx, StartOptions{Command: append([]string{r.Command}, r.Args...), Cols: bridgeCols,
			Rows: bridgeRows})
		if err != nil {
			return nil, badRequest("the command did not start: %v", err)
		}
		return agentStarted{"terminal.proxy.started", r.RequestID, id}, nil
	}
	return nil, badRequest("Invalid message: unknown type %q", r.Type)
}
