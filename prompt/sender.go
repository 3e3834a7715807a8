package prompt

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/protocol"
)

// What an agent may take at most.
const (
	settleTime = 2 * time.Second         // until the screen and the log agree that it is idle,
	showTime   = 8 * time.Second         // to show the text in its input box,
	reactTime  = 2500 * time.Millisecond // to react to Enter,
	takeTime   = 15 * time.Second        // and to take the text, from the first Enter
)

const (
	echoQuiet = 150 * time.Millisecond // without output, and what was typed has been shown,
	echoLimit = 2 * time.Second        // which is waited for so long, since some programs always write

	listQuiet  = 600 * time.Millisecond // without output, and a list of commands is up to date
	framePause = 50 * time.Millisecond  // without output, and a frame is whole,
	frameLimit = 500 * time.Millisecond
	keyPause   = 150 * time.Millisecond // between two keys that interrupt

	// A session so young may still show a question over its empty input box, or drop what is
	// typed, until nothing was written for a while.
	young      = 30 * time.Second
	youngQuiet = 700 * time.Millisecond
	youngLimit = 5 * time.Second
)

// Options say who sends. Their zero value is a program called "prompt".
type Options struct {
	Name   string         // shown to the viewers of the session; empty: "prompt"
	Kind   protocol.Kind  // empty: protocol.Agent, which needs a grant. A human takes control meanwhile
	Behalf *protocol.Link // the client that a server sends for; may be nil
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

// SendOptions say what Send may do. Their zero value is the strictest.
type SendOptions struct {
	Start      time.Duration // how long to wait for an agent that has not started; 0: not at all
	AllowShell bool          // a first ! may run a shell command
	AnyProgram bool          // the session's program need not be a known agent: then nothing is checked
}

// Receipt says that a prompt was taken.
type Receipt struct {
	Session string    // its id
	Agent   string    // its name; empty: no known agent
	Text    string    // what was sent, see Clean
	At      time.Time // when Enter was pressed first
	After   int       // the entries of the log with a greater number are newer than the prompt
	Busy    bool      // the agent was seen at work since
	Enters  int       // how often Enter was pressed
}

// Send sends a prompt to the session's agent, and returns when the agent has taken it. The errors
// are those of this package, or say why the session cannot be reached. With a NotTakenError, and
// if ctx ends, the prompt may be in the input box; with any other nothing was submitted.
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

// Raw types keys at once, whatever the agent does.
func (s *Sender) Raw(ctx context.Context, keys []byte) error {
	answers := true
	v, err := s.open(ctx, &answers)
	if err != nil {
		return err
	}
	defer v.close()
	return v.refusal(v.stream.Input(ctx, keys))
}

// Interrupt stops what the agent does, and returns when it has stopped. It returns ErrIdle if the
// agent does nothing.
func (s *Sender) Interrupt(ctx context.Context) error {
	answers := true
	v, err := s.open(ctx, &answers)
	if err != nil {
		return err
	}
	defer v.close()
	a, ok := agents[v.agent()]
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
	for i, key := range a.interrupt {
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

// begin keeps others from sending a prompt until the view is closed. Sessions that do not know that
// are sent prompts all the same.
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

// prompted has the session record what the agent took.
func (v *view) prompted(ctx context.Context, text string) {
	limit, stop := context.WithTimeout(ctx, settleTime)
	defer stop()
	_ = v.stream.Prompted(limit, text) // the prompt was taken: that matters more
}

// agent returns the name of the agent that runs, "" if none is known.
func (v *view) agent() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.state.Agent
}

// isAgent reports whether an agent runs, or is started by the session's command.
func (v *view) isAgent() bool {
	command := v.hello.Session.Command
	return v.agent() != "" || len(command) > 0 && extractor.IsAgent(filepath.Base(command[0]))
}

// ready waits until the agent is idle with an empty input box: for so long if it has not started,
// and for a moment if it only seems to work.
func (v *view) ready(ctx context.Context, start time.Duration) error {
	if !v.isAgent() && start == 0 {
		return ErrNoAgent
	}
	started := func() bool {
		s := v.sight().State
		return s == extractor.StateAsking || v.state.State != "" && s != extractor.StateStarting && s != extractor.StateUnknown
	}
	ok, err := v.until(ctx, max(start, settleTime), started)
	switch {
	case err != nil:
		return err
	case !ok && v.agent() == "" && !v.isAgent():
		return ErrNoAgent
	case !ok:
		return ErrNotStarted
	}
	if time.Since(v.hello.Session.StartedAt) < young {
		if err := v.quiet(ctx, youngQuiet, youngLimit); err != nil {
			return err
		}
	}
	var now extractor.Sight
	ok, err = v.until(ctx, settleTime, func() bool {
		now = v.sight()
		return now.State == extractor.StateAsking || now.State == extractor.StateIdle && now.Boxed && v.state.State == "idle"
	})
	switch {
	case err != nil:
		return err
	case now.State == extractor.StateAsking:
		return v.asking()
	case !ok && (now.State == extractor.StateBusy || v.works()):
		return ErrBusy
	case !ok:
		return ErrNotStarted
	case now.Box != "":
		return &BoxError{now.Box}
	}
	return nil
}

// works reports whether the log says that the agent works.
func (v *view) works() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.state.State == "busy"
}

// send puts the prompt into the input box of an agent that is ready, and submits it.
func (v *view) send(ctx context.Context, r Receipt, o SendOptions) (Receipt, error) {
	r.Agent = v.agent()
	a, ok := agents[r.Agent]
	switch {
	case !ok:
		return Receipt{}, ErrNoAgent
	case a.shell && !o.AllowShell && strings.HasPrefix(r.Text, "!"):
		return Receipt{}, ErrShell
	}
	if err := v.stream.Input(ctx, a.keys(r.Text)); err != nil {
		return Receipt{}, v.refusal(err)
	}
	mark := markOf(r.Text)
	shows := func() bool { s := v.sight(); return a.shows(s, mark) && !a.misleads(s, r.Text) }
	if _, err := v.until(ctx, showTime, shows); err != nil {
		return Receipt{}, err
	}
	patience := echoQuiet
	if a.typed && isCommand(r.Text) {
		patience = listQuiet
	}
	if err := v.quiet(ctx, patience, echoLimit); err != nil {
		return Receipt{}, err
	}
	if shown, err := v.until(ctx, showTime, shows); err != nil {
		return Receipt{}, err
	} else if !shown {
		return Receipt{}, v.notTaken()
	}
	if err := v.submit(ctx, &r); err != nil {
		return Receipt{}, v.unknown(ctx, r.Text, a, err)
	}
	v.prompted(ctx, r.Text)
	return r, v.known(ctx, r.Text)
}

// submit presses Enter until the agent has taken what is in its input box.
func (v *view) submit(ctx context.Context, r *Receipt) error {
	v.mu.Lock()
	typed := v.sight().Box
	v.mu.Unlock()
	r.At = time.Now()
	for end := r.At.Add(takeTime); time.Now().Before(end); {
		if err := v.stream.Input(ctx, []byte("\r")); err != nil {
			return v.refusal(err)
		}
		r.Enters++
		for now := (extractor.Sight{}); !now.Boxed; { // it shows something else, or nothing yet
			taken := func() bool {
				now = v.sight()
				r.Busy = r.Busy || now.State == extractor.StateBusy
				return r.Busy || v.asked || now.Boxed && now.Box == ""
			}
			ok, err := v.until(ctx, reactTime, taken)
			if err == nil && ok { // half a frame shows less than it will
				err = v.quiet(ctx, framePause, frameLimit)
				ok, _ = v.until(ctx, 0, taken)
			}
			switch {
			case err != nil || ok:
				return err
			case now.State == extractor.StateAsking, now.Boxed && now.Box != typed && now.Box != "", time.Now().After(end), v.known(ctx, r.Text) != nil:
				return v.notTaken()
			}
		}
	}
	return v.notTaken()
}

// unknown returns ErrUnknownCommand in place of a NotTakenError if the agent says that it does not
// know the command, and empties the input box.
func (v *view) unknown(ctx context.Context, text string, a agent, err error) error {
	var left *NotTakenError
	if !errors.As(err, &left) || left.Left != text || a.clear == "" || v.known(ctx, text) == nil {
		return err
	}
	_ = v.stream.Input(ctx, []byte(a.clear)) // if it fails, the next prompt finds the box
	if _, err := v.until(ctx, settleTime, func() bool { s := v.sight(); return s.Boxed && s.Box == "" }); err != nil {
		return err
	}
	return ErrUnknownCommand
}

// known returns ErrUnknownCommand if the agent says that it does not know the command it was sent.
func (v *view) known(ctx context.Context, text string) error {
	if !isCommand(text) {
		return nil
	}
	if err := v.quiet(ctx, echoQuiet, echoLimit); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	const rows = 6
	name := strings.ToLower(strings.Fields(text)[0][1:])
	talk := trimmed(v.sight().Talk)
	for _, row := range talk[max(0, len(talk)-rows):] {
		row = strings.ToLower(row)
		if strings.Contains(row, name) && (strings.Contains(row, "unknown command") || strings.Contains(row, "unknown slash command") || strings.Contains(row, "unrecognized command")) {
			return ErrUnknownCommand
		}
	}
	return nil
}

// notTaken returns the error that says what is in the input box, or the question in its place.
func (v *view) notTaken() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.sight()
	switch {
	case now.State == extractor.StateAsking:
		return &AskingError{questionOf(now)}
	case now.Boxed:
		return &NotTakenError{now.Box}
	}
	return &NotTakenError{strings.Join(trimmed(now.Rest), "\n")}
}

// line types a line for a program that is no known agent.
func (v *view) line(ctx context.Context, r Receipt) (Receipt, error) {
	v.mu.Lock()
	pastes := v.term.Modes().BracketedPaste
	v.mu.Unlock()
	if err := v.stream.Input(ctx, keysOf(r.Text, !pastes)); err != nil {
		return Receipt{}, v.refusal(err)
	}
	if err := v.quiet(ctx, echoQuiet, echoLimit); err != nil {
		return Receipt{}, err
	}
	r.At, r.Enters = time.Now(), 1
	return r, v.refusal(v.stream.Input(ctx, []byte("\r")))
}
