package prompt

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// How long the agent must be idle until its reply is complete: it may answer two prompts in a row,
// and a command makes it idle without it having been busy.
const (
	calm       = 500 * time.Millisecond
	calmUnseen = 1500 * time.Millisecond // if it was not seen busy
	calmSilent = 30 * time.Second        // and nothing came after the prompt, which is not a command
)

// Reply is what an agent answered to a prompt.
type Reply struct {
	Entries []*session.Entry // entries since the prompt, starting with the prompt if it was seen
	Status  *int             // exit status of the session, if it ended with the reply
}

// Text returns the words of the reply, with a blank line between its messages.
func (r Reply) Text() string {
	var texts []string
	for _, e := range r.Entries {
		if e.Role == session.RoleAssistant && e.Text != "" {
			texts = append(texts, e.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Reply waits for the reply to an accepted prompt. It returns an AskingError if the agent asks
// something first, ErrNoReply if it is idle for long without a reply, and ErrEnded, with what was
// said so far, if the session ends.
func (s *Sender) Reply(ctx context.Context, to Receipt) (Reply, error) {
	stream, err := s.client.Attach(ctx, to.Session,
		client.AttachOptions{Name: s.opt.Name, Kind: s.opt.Kind, Behalf: s.opt.Behalf, Mode: protocol.ModeNone,
			Entries: &to.After})
	if err != nil {
		return Reply{}, err
	}
	defer func() { _ = stream.Close() }()
	t := turn{to: to, entries: map[string]*session.Entry{}}
	for {
		err := t.next(ctx, stream)
		switch {
		case errors.Is(err, io.EOF):
			return t.reply(), ErrEnded
		case err != nil:
			return t.reply(), err
		case t.over && t.state.State != "asking" && !t.said:
			return t.reply(), ErrNoReply
		case t.over:
			return t.reply(), s.question(ctx, &t)
		}
	}
}

// question returns an AskingError if the turn ended with a question.
func (s *Sender) question(ctx context.Context, t *turn) error {
	if t.state.State != "asking" {
		return nil
	}
	v, err := s.open(ctx, nil)
	if err != nil {
		return err
	}
	defer v.close()
	return v.asking()
}

// turn tracks a reply.
type turn struct {
	to      Receipt
	state   protocol.State
	busy    bool // the agent was busy
	over    bool
	said    bool // something came, or nothing is expected
	entries map[string]*session.Entry
	status  *int
}

// next processes the next event, or finds that the turn is over.
func (t *turn) next(ctx context.Context, stream *client.Stream) error {
	limit, stop := ctx, context.CancelFunc(func() {})
	if t.state.State == "idle" || t.state.State == "asking" {
		limit, stop = context.WithTimeout(ctx, t.patience())
	}
	defer stop()
	e, err := stream.Next(limit)
	if err != nil && limit.Err() != nil && ctx.Err() == nil {
		t.over = true
		return nil
	}
	if err != nil {
		return err
	}
	switch e := e.(type) {
	case client.Connected:
		t.state = e.State
	case protocol.State:
		t.state = e
	case protocol.Entries:
		t.take(e)
	case protocol.Exit:
		t.status = &e.Status
	}
	return nil
}

// patience returns how long the agent must be idle.
func (t *turn) patience() time.Duration {
	said := false
	for _, e := range t.entries {
		said = said || e.Type == session.TypeMessage && e.Role != session.RoleUser || e.Event == session.EventInterrupted
	}
	t.said = said || IsCommand(t.to.Text)
	switch {
	case t.busy && said:
		return calm
	case t.said:
		return calmUnseen
	}
	return calmSilent
}

// take processes entries.
func (t *turn) take(e protocol.Entries) {
	for _, id := range e.Gone {
		delete(t.entries, id)
	}
	for _, entry := range e.Entries {
		if entry.Seq > t.to.After {
			t.entries[entry.ID] = entry
			t.busy = t.busy || entry.Event == session.EventBusy
		}
	}
}

// reply returns what was said so far.
func (t *turn) reply() Reply {
	r := Reply{Status: t.status}
	for _, e := range t.entries {
		if e.Type == session.TypeMessage {
			r.Entries = append(r.Entries, e)
		}
	}
	slices.SortFunc(r.Entries, func(a, b *session.Entry) int { return a.Seq - b.Seq })
	return r
}
