package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

const (
	// maxTyped is the maximum length of a text to type, in characters.
	maxTyped = 100_000
	// agentStart is how long prompt waits for an agent to start.
	agentStart = time.Minute
	// maxReply is the maximum length of the reply that prompt returns, in characters.
	maxReply = 20_000
)

func (s *Server) sendTool() tool {
	return tool{
		name: "send", title: "Type into a session", types: true,
		about: "Type into a live session that its user has granted. While an agent asks, keys alone answer it.",
		params: []param{
			sessionParam,
			{name: "text", kind: kindText, about: "Typed as it is", most: maxTyped},
			{name: "keys", kind: kindTexts, about: "After the text: Enter, Down, C-c, …"},
			{name: "enter", kind: kindBoolean, about: "Enter at the end"},
		},
		run: s.send,
	}
}

// typed is the result of send.
type typed struct {
	Session string `json:"session"`
	Typed   bool   `json:"typed"`
}

func (s *Server) send(ctx context.Context, c *toolCall) (answer, error) {
	o := prompt.TypingOrder{Text: c.text("text"), Keys: strings.Join(c.texts("keys"), " "), Enter: c.flag("enter")}
	if o.Text == "" && strings.TrimSpace(o.Keys) == "" && !o.Enter {
		return answer{}, toolErrorf("There is nothing to type: send needs text, keys or enter.")
	}
	if _, err := prompt.Keys(o.Keys, false); err != nil {
		return answer{}, toolErrorf("keys has a key that is not known. Write Enter, Tab, Escape, Space, Backspace, Up, " +
			"Down, PageUp, F1 or a character, with C-, M- or S- before it.")
	}
	db, info, question, err := s.mayType(ctx, c)
	if err != nil || question.input != nil {
		return question, err
	}
	answers := o.Answers()
	stream, hello, err := attach(ctx, db, info.ID, client.AttachOptions{
		Name: callerOf(c), Kind: s.kindFor(info.ID), Control: s.owns(info.ID), Mode: protocol.ModeScreen, Answers: &answers,
	})
	if err != nil {
		return answer{}, typingError(info.ID, err)
	}
	defer func() { _ = stream.Close() }() // never fails
	t, err := prompt.NewTypist(ctx, stream, hello)
	if err == nil {
		err = t.Type(ctx, o)
	}
	if err != nil {
		return answer{}, typingError(info.ID, err)
	}
	return answer{structured: typed{info.ID, true},
		text: "Typed into session " + info.ID + ". read_screen shows what it does."}, nil
}

func (s *Server) promptTool() tool {
	return tool{
		name: "prompt", title: "Prompt a session's agent", types: true,
		about: "Send a prompt to a live session's agent, and wait for its reply. Its user must have granted it.",
		params: []param{
			sessionParam,
			{name: "text", kind: kindText, about: "The prompt", required: true, most: maxTyped},
			{name: "wait_s", kind: kindWhole, about: "Maximum wait; 55 without progress", least: 0, most: longestAsk,
				standard: 30},
		},
		run: s.prompt,
	}
}

// prompted is the result of prompt.
type prompted struct {
	About string `json:"about"`
	waitResult
	Entries []entryItem `json:"entries"`
}

func (s *Server) prompt(ctx context.Context, c *toolCall) (answer, error) {
	db, info, question, err := s.mayType(ctx, c)
	if err != nil || question.input != nil {
		return question, err
	}
	sender := prompt.New(db.Live, info.ID, prompt.Options{Name: callerOf(c), Kind: s.kindFor(info.ID)})
	receipt, err := sender.Send(ctx, c.text("text"), prompt.SendOptions{Start: agentStart})
	if err != nil {
		return answer{}, typingError(info.ID, err)
	}
	limit, tell := time.Duration(c.whole("wait_s"))*time.Second, progressOf(c)
	if tell == nil {
		limit = min(limit, silentWait*time.Second)
	}
	waiting, stop := context.WithTimeout(ctx, limit)
	defer stop()
	told := tellWhile(waiting, tell, limit)
	reply, err := sender.Reply(waiting, receipt)
	late := waiting.Err() != nil && ctx.Err() == nil
	stop()
	<-told
	out := prompted{About: about, Entries: []entryItem{}, waitResult: waitResult{Reason: untilIdle, Seq: receipt.After}}
	var asks *prompt.AskingError
	switch {
	case err == nil:
	case errors.As(err, &asks):
		out.Reason = reasonAsking
	case errors.Is(err, prompt.ErrEnded), errors.Is(err, io.EOF):
		out.Reason = reasonEnded
	case late:
		out.Reason = reasonTimeout
	default:
		return answer{}, typingError(info.ID, err)
	}
	s.addReply(&out, info, reply, receipt)
	if hello, err := s.hello(ctx, db, info.ID); err == nil {
		out.State = hello.State.State
	}
	return answer{structured: out, text: out.text()}, nil
}

// tellWhile reports progress to a client until ctx ends. The channel is then closed.
func tellWhile(ctx context.Context, tell progress, limit time.Duration) <-chan struct{} {
	done := make(chan struct{})
	if tell == nil {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		tick := time.NewTicker(progressTime)
		defer tick.Stop()
		for begun := time.Now(); ; {
			select {
			case <-tick.C:
				tell(ctx, time.Since(begun).Seconds(), limit.Seconds(), "waiting for the reply")
			case <-ctx.Done():
				return
			}
		}
	}()
	return done
}

// addReply adds the entries of a reply, without the prompt itself.
func (s *Server) addReply(out *prompted, info *store.Info, reply prompt.Reply, receipt prompt.Receipt) {
	r := &reader{s: s, info: info, tools: toolsBrief}
	room := maxReply
	for _, e := range reply.Entries {
		out.Seq = max(out.Seq, e.Seq)
		if e.Role == session.RoleUser && strings.TrimSpace(e.Text) == receipt.Text {
			continue
		}
		e = s.entry(e, info.Command)
		text := r.textOf(e)
		if n := utf8.RuneCountInString(text); n > room {
			text = clip(text, max(room, 1)) // read_session returns all of it
		}
		room -= utf8.RuneCountInString(text)
		out.Entries = append(out.Entries, entryItem{Seq: e.Seq, Role: e.Role, Agent: s.line(e.Agent), At: clock(e.At),
			Text: text})
		if room <= 1 {
			return
		}
	}
}

func (p prompted) text() string {
	var b strings.Builder
	for _, e := range p.Entries {
		fmt.Fprintf(&b, "%s\n%s\n\n", e.head(), e.Text)
	}
	if len(p.Entries) == 0 {
		return p.waitResult.text()
	}
	return p.waitResult.text() + "\n" + recorded(b.String())
}

// callerOf names the client of a call, for the session's log.
func callerOf(c *toolCall) string {
	name := ""
	if who := c.request.ClientInfo(); who != nil {
		name = oneWord(strings.ReplaceAll(who.Name, " ", "-"))
	}
	if name == "" {
		name = "client"
	}
	return clientName + ":" + clip(name, 40)
}

// kindFor returns the kind of attachment for typing: that of a program, which needs a grant, except
// for sessions that the server has started.
func (s *Server) kindFor(id string) protocol.Kind {
	if s.owns(id) {
		return protocol.Human
	}
	return protocol.Agent
}

// mayType finds the session in a call that types, and checks that the client may type. Without a
// grant, it returns the question for the user if the server asks.
func (s *Server) mayType(ctx context.Context, c *toolCall) (db *Archive, info *store.Info, question answer, err error) {
	db, info, _, err = s.find(ctx, c.text("session"))
	if err != nil {
		return nil, nil, answer{}, err
	}
	if info.Status != store.Live {
		return nil, nil, answer{}, toolErrorf("The session is over: nothing was typed.")
	}
	around, known := s.Inside()
	if !known {
		return nil, nil, answer{},
			toolErrorf("Nothing was typed: the server cannot tell whether it runs inside a recorded session.")
	}
	if slices.Contains(around, info.ID) {
		return nil, nil, answer{}, toolErrorf("This is the session that you run in: nothing was typed. Name another one.")
	}
	if s.owns(info.ID) {
		return db, info, answer{}, nil
	}
	hello, err := s.hello(ctx, db, info.ID)
	switch {
	case err != nil:
		return nil, nil, answer{}, typingError(info.ID, err)
	case hello.Session.EndedAt != nil: // its recorder is still running
		return nil, nil, answer{}, toolErrorf("The session is over: nothing was typed.")
	case hello.Control.Grant != nil:
		return db, info, answer{}, nil
	case !s.Ask || !canAsk(c):
		return nil, nil, answer{}, noGrant(info.ID)
	}
	question, err = s.askUser(ctx, c, db, info)
	return db, info, question, err
}

func noGrant(id string) error {
	return toolErrorf("Nobody has granted this session: nothing was typed. Ask the user to run: ptyrec grant %s --for "+
		"10m", id)
}

// typingError returns an error worded for a model.
func typingError(id string, err error) error {
	var refused *protocol.Error
	var asks *prompt.AskingError
	var full *prompt.BoxError
	var left *prompt.NotTakenError
	code := ""
	if errors.As(err, &refused) {
		code = refused.Code
	}
	switch {
	case errors.Is(err, prompt.ErrNoControl), code == protocol.CodeNoControl:
		return noGrant(id)
	case code == protocol.CodeNotAllowed, code == protocol.CodeUnavailable:
		return toolErrorf("The session refused the input: nothing was typed.")
	case errors.As(err, &asks), code == protocol.CodeAsking:
		return toolErrorf("The agent asks something, and this would answer it: nothing was typed. read_screen shows the " +
			"question; answer it with send and keys alone, if you may.")
	case errors.Is(err, prompt.ErrEnded), code == protocol.CodeEnded, errors.Is(err, io.EOF), errors.Is(err,
		session.ErrNotFound), errors.Is(err, client.ErrDisconnected):
		return toolErrorf("The session has ended, or cannot be reached from here.")
	case errors.Is(err, prompt.ErrEmpty):
		return toolErrorf("text has nothing that can be typed.")
	case errors.Is(err, prompt.ErrShell):
		return toolErrorf("The prompt begins with !, which would run a shell command: nothing was typed. Begin with " +
			"another word.")
	case errors.Is(err, prompt.ErrNoAgent):
		return toolErrorf("No agent that accepts prompts runs in the session: nothing was typed. send types into any " +
			"program.")
	case errors.Is(err, prompt.ErrNotStarted), errors.Is(err, prompt.ErrStillStarting):
		return toolErrorf("The agent has not started yet: nothing was typed. read_screen shows what it does.")
	case errors.Is(err, prompt.ErrBusy):
		return toolErrorf("The agent is working: nothing was typed. Call wait with until=idle first.")
	case errors.Is(err, prompt.ErrInProgress):
		return toolErrorf("Another prompt is being sent to this session. Try again in a moment.")
	case errors.As(err, &full):
		return toolErrorf("The agent's input box is not empty: nothing was typed. read_screen shows what is in it.")
	case errors.As(err, &left), errors.Is(err, prompt.ErrNotTaken):
		return toolErrorf("The agent did not accept the text, which may still be in its input box. read_screen shows it.")
	}
	return err
}
