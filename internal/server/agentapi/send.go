package agentapi

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/prompt"
)

// Send sends the agent a prompt through by, or through the session's Sender if by is nil. It
// returns when the agent has accepted it. It returns an error if the agent is not waiting for a
// prompt.
func (s *Session) Send(by Sender, text string) error {
	if by == nil {
		by = s.Sender
	}
	s.mu.Lock()
	status, _ := s.board.now()
	over := s.over
	s.mu.Unlock()
	switch {
	case over || by == nil:
		return &refusal{reason: "the session is over"}
	case status != statusStable:
		return &refusal{reason: reasonBusy}
	case prompt.Clean(text) == "":
		return &refusal{reason: reasonEmpty}
	}
	return s.send(by, text)
}

// send sends a prompt. Only one is sent at a time.
func (s *Session) send(by Sender, text string) error {
	text = prompt.Clean(text)
	now := time.Now()
	s.mu.Lock()
	if s.sending != nil {
		s.mu.Unlock()
		return &refusal{reason: reasonBusy}
	}
	u := s.talk.sending(text)
	s.sending = u
	unmark := s.page.mark(text, s.talk.agent)
	s.mu.Unlock()
	s.look(now)

	// Not the request's: a client that leaves must not interrupt typing.
	ctx, cancel := context.WithTimeout(s.ctx, sendTime)
	defer cancel()
	_, err := by.Send(ctx, text, prompt.SendOptions{AnyProgram: true})

	s.mu.Lock()
	s.sending = nil
	if err != nil {
		s.talk.unsent(u)
		unmark()
	} else {
		s.talk.sentAt(u, now)
		s.await = awaiting{since: time.Now(), from: now, sure: !prompt.IsCommand(text)}
	}
	s.dirty = true
	s.mu.Unlock()
	s.look(time.Now())
	s.notify()
	return refused(err)
}

// Raw types keys at once, whatever the agent is doing, through by, or through the session's Sender
// if by is nil.
func (s *Session) Raw(by Sender, keys []byte) error {
	if by == nil {
		by = s.Sender
	}
	s.mu.Lock()
	over := s.over
	if !over && strings.ContainsAny(string(keys), "\r\n") || s.talk.state.State == "asking" {
		s.await = awaiting{since: time.Now(), from: time.Now()}
	}
	s.mu.Unlock()
	if over || by == nil {
		return &refusal{reason: "the session is over"}
	}
	if len(keys) == 0 {
		return nil
	}
	s.look(time.Now())
	s.notify()
	return refused(by.Raw(s.ctx, keys))
}

// begin starts what had to wait until the agent is ready. s.mu must be held.
func (s *Session) begin() {
	s.ready = true
	if s.Start.Load == nil && s.Start.Prompt == "" {
		s.notify()
		return
	}
	s.starting = true
	s.run.Go(func() {
		s.start()
		s.mu.Lock()
		s.starting = false
		s.mu.Unlock()
		s.notify()
	})
}

// start loads the messages of an earlier run, and sends the first prompt.
func (s *Session) start() {
	var was State
	if s.Start.Load != nil {
		var err error
		if was, err = s.Start.Load(); err != nil {
			s.Warn("the saved state was not loaded: " + err.Error())
		}
	}
	s.mu.Lock()
	s.loading = false
	s.talk.resume(was.messages())
	s.prompt, s.sent = was.InitialPrompt, was.InitialPromptSent
	s.mu.Unlock()
	text := prompt.Clean(s.Start.Prompt)
	if text == "" || was.InitialPromptSent && was.InitialPrompt == text {
		return
	}
	err := s.send(s.Sender, text)
	s.mu.Lock()
	s.prompt, s.sent = text, err == nil
	s.mu.Unlock()
	if err != nil && !errors.Is(err, context.Canceled) {
		s.board.fail("error", "the initial prompt was not sent: "+err.Error(), time.Now())
	}
}
