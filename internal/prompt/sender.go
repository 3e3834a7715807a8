package prompt

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/protocol"
)

// Options describe the sender. The zero value is a program called "prompt".
type Options struct {
	Name   string         // name shown to viewers of the session; "prompt" if empty
	Kind   protocol.Kind  // protocol.Agent if empty, which needs a grant; a Human takes control meanwhile
	Behalf *protocol.Link // client for which a server sends; may be nil
	// NoAnswers makes Raw fail while the agent asks something.
	NoAnswers bool
}

// Sender sends to one session. It may be used concurrently.
type Sender struct {
	client *client.Client
	ref    string
	opt    Options
}

// New returns a Sender for the session that ref names, as Client.Attach takes it.
func New(c *client.Client, ref string, o Options) *Sender {
	if o.Name == "" {
		o.Name = "prompt"
	}
	if o.Kind == "" {
		o.Kind = protocol.Agent
	}
	return &Sender{c, ref, o}
}

// SendOptions say what Send may do. The zero value is the strictest.
type SendOptions struct {
	Start      time.Duration // how long to wait for an agent that has not started; 0 means not at all
	AllowShell bool          // allow ! at the start, which may run a shell command
	AnyProgram bool          // send to any program, without checks if it is not a known agent
}

// Receipt describes an accepted prompt.
type Receipt struct {
	Session string    // id of the session
	Agent   string    // name of the agent; empty if it is not known
	Text    string    // text that was sent, see Clean
	At      time.Time // time of the first Enter
	After   int       // entries with greater numbers are newer than the prompt
	Busy    bool      // whether the agent was seen busy since
	Enters  int       // number of times Enter was pressed
}

// Send sends a prompt to the session's agent, and returns when the agent has accepted it. The
// errors are those of this package, or say why the session cannot be reached. After a
// NotTakenError, or if ctx is cancelled, the prompt may be in the input box; after any other error
// nothing was submitted.
func (s *Sender) Send(ctx context.Context, text string, o SendOptions) (Receipt, error) {
	text = Clean(text)
	if text == "" {
		return Receipt{}, ErrEmpty
	}
	answers := false
	v, err := s.open(ctx, &answers)
	if err != nil {
		return Receipt{}, err
	}
	defer v.close()
	if err := v.begin(ctx); err != nil {
		return Receipt{}, err
	}
	r := Receipt{Session: v.hello.Session.ID, Text: text, After: v.hello.Entries}
	if o.AnyProgram && !v.isAgent() {
		return v.line(ctx, r)
	}
	if err := v.ready(ctx, o.Start); err != nil {
		return Receipt{}, err
	}
	return v.send(ctx, r, o)
}

// Raw types keys at once, whatever the agent's state. With Options.NoAnswers it fails while the
// agent asks something.
func (s *Sender) Raw(ctx context.Context, keys []byte) error {
	answers := !s.opt.NoAnswers
	v, err := s.open(ctx, &answers)
	if err != nil {
		return err
	}
	defer v.close()
	return v.refusal(v.stream.Input(ctx, keys))
}

// Interrupt stops what the agent does, and returns when it has stopped. It returns ErrIdle if the
// agent is idle.
func (s *Sender) Interrupt(ctx context.Context) error {
	answers := true
	v, err := s.open(ctx, &answers)
	if err != nil {
		return err
	}
	defer v.close()
	a, ok := agentOf(v.agent())
	if !ok {
		return ErrNoAgent
	}
	works := func() bool { s := v.sight().State; return s == extractor.StateBusy || s == extractor.StateAsking }
	busy, err := v.until(ctx, settleTime, works)
	if err != nil {
		return err
	}
	if !busy {
		return ErrIdle
	}
	for i, key := range a.Interrupt {
		if i > 0 {
			if err := v.quiet(ctx, keyPause, echoLimit); err != nil {
				return err
			}
		}
		if err := v.stream.Input(ctx, []byte(key)); err != nil {
			return v.refusal(err)
		}
	}
	stopped, err := v.until(ctx, takeTime, func() bool { return v.sight().State == extractor.StateIdle })
	if err == nil && !stopped {
		err = ErrBusy
	}
	return err
}

func (s *Sender) open(ctx context.Context, answers *bool) (*view, error) {
	return open(ctx, s.client, s.ref, client.AttachOptions{
		Name: s.opt.Name, Kind: s.opt.Kind, Behalf: s.opt.Behalf, Control: s.opt.Kind == protocol.Human, Answers: answers,
	})
}

// begin reserves the prompt until the view is closed. It ignores that older sessions do not support
// this.
func (v *view) begin(ctx context.Context) error {
	limit, stop := context.WithTimeout(ctx, settleTime)
	defer stop()
	err := v.stream.BeginPrompt(limit)
	var refused *protocol.Error
	switch {
	case err == nil, limit.Err() != nil && ctx.Err() == nil:
		return nil
	case errors.As(err, &refused) && refused.Code == protocol.CodeUnavailable:
		return nil
	}
	return v.refusal(err)
}

// prompted records the accepted prompt in the session's log.
func (v *view) prompted(ctx context.Context, text string) {
	limit, stop := context.WithTimeout(ctx, settleTime)
	defer stop()
	_ = v.stream.Prompted(limit, text) // the prompt was accepted; an error here matters less
}

// agent returns the name of the running agent, "" if none is known.
func (v *view) agent() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.state.Agent
}

// isAgent reports whether an agent runs, or will be started by the session's command.
func (v *view) isAgent() bool {
	command := v.hello.Session.Command
	return v.agent() != "" || len(command) > 0 && slices.Contains(extractor.Agents(), filepath.Base(command[0]))
}
