package prompt

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/extractor"
)

// Time limits for an agent.
const (
	settleTime  = 2 * time.Second         // until the screen and the log agree that it is idle
	showTime    = 8 * time.Second         // until the text is in its input box
	reactTime   = 2500 * time.Millisecond // until it reacts to Enter
	unknownTime = 250 * time.Millisecond  // until it says that it does not know a command
	takeTime    = 15 * time.Second        // until it has accepted the text, from the first Enter
)

const (
	echoQuiet = 150 * time.Millisecond // without output, after which typed keys have been shown
	echoLimit = 2 * time.Second        // limit of that wait, since some programs always write

	listQuiet  = 600 * time.Millisecond // without output, after which a list of commands is up to date
	framePause = 50 * time.Millisecond  // without output, after which a frame is complete
	frameLimit = 150 * time.Millisecond
	openQuiet  = 300 * time.Millisecond // without output, after which a command has opened its dialog
	openLimit  = 2 * time.Second
	keyPause   = 150 * time.Millisecond // between two keys that interrupt

	// A session younger than this may still show a question over its empty input box, or drop keys,
	// until there was no output for a while.
	young      = 30 * time.Second
	youngQuiet = 700 * time.Millisecond
	youngLimit = 5 * time.Second
)

// ready waits until the agent is idle with an empty input box: for up to start if it has not
// started, and for a moment if it seems busy.
func (v *view) ready(ctx context.Context, start time.Duration) error {
	if !v.isAgent() && start == 0 {
		return ErrNoAgent
	}
	if err := v.started(ctx, max(start, settleTime)); err != nil {
		return err
	}
	if time.Since(v.hello.Session.StartedAt) < young {
		if err := v.quiet(ctx, youngQuiet, youngLimit); err != nil {
			return err
		}
	}
	var now extractor.Sight
	ok, err := v.until(ctx, settleTime, func() bool {
		now = v.sight()
		return now.State == extractor.StateAsking || v.waits(now)
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

// waits reports whether the agent waits for a prompt.
func (v *view) waits(now extractor.Sight) bool {
	return now.State == extractor.StateIdle && now.Boxed && v.state.State == "idle"
}

// started waits until the agent has started, for up to limit.
func (v *view) started(ctx context.Context, limit time.Duration) error {
	ok, err := v.until(ctx, limit, func() bool {
		s := v.sight().State
		return s == extractor.StateAsking || v.state.State != "" && s != extractor.StateStarting &&
			s != extractor.StateUnknown
	})
	switch {
	case err != nil || ok:
		return err
	case v.agent() == "" && !v.isAgent():
		return ErrNoAgent
	}
	return ErrNotStarted
}

// works reports whether the agent is busy according to the log.
func (v *view) works() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.state.State == "busy"
}

// send puts the prompt into the input box of a ready agent, and submits it.
func (v *view) send(ctx context.Context, r Receipt, o SendOptions) (Receipt, error) {
	r.Agent = v.agent()
	a, ok := agentOf(r.Agent)
	switch {
	case !ok:
		return Receipt{}, ErrNoAgent
	case a.Shell && !o.AllowShell && strings.HasPrefix(r.Text, "!"):
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
	if a.Typed && IsCommand(r.Text) {
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
	if !a.Denies {
		return r, nil
	}
	return r, v.known(ctx, r.Text)
}

// submit presses Enter until the agent has accepted what is in its input box.
func (v *view) submit(ctx context.Context, r *Receipt) error {
	v.mu.Lock()
	before := v.sight()
	typed, said := before.Box, saysUnknown(before, r.Text) // of an earlier command
	v.mu.Unlock()
	r.At = time.Now()
	for end := r.At.Add(takeTime); time.Now().Before(end); {
		if err := v.stream.Input(ctx, []byte("\r")); err != nil {
			return v.refusal(err)
		}
		r.Enters++
		for now := (extractor.Sight{}); !now.Boxed; { // wait for the input box
			opened := false
			taken := func() bool {
				now = v.sight()
				r.Busy = r.Busy || now.State == extractor.StateBusy
				opened = v.opened(now, r.Text)
				return r.Busy || v.asked || now.Boxed && now.Box == "" || opened
			}
			ok, err := v.until(ctx, reactTime, func() bool { return taken() || !said && saysUnknown(now, r.Text) })
			if err == nil && ok { // an incomplete frame shows less
				err = v.settled(ctx, opened)
				ok, _ = v.until(ctx, 0, taken)
			}
			switch {
			case err != nil || ok:
				return err
			case now.State == extractor.StateAsking, now.Boxed && now.Box != typed &&
				now.Box != "", time.Now().After(end), saysUnknown(now, r.Text):
				return v.notTaken()
			}
		}
	}
	return v.notTaken()
}

// opened reports whether the agent shows something in place of its input box, as it does after some
// commands. The caller holds v.mu.
func (v *view) opened(now extractor.Sight, text string) bool {
	return IsCommand(text) && !now.Boxed && !v.term.Modes().SynchronizedOutput
}

// settled waits until a frame is complete. A dialog may take more than one.
func (v *view) settled(ctx context.Context, opened bool) error {
	if opened {
		return v.quiet(ctx, openQuiet, openLimit)
	}
	return v.quiet(ctx, framePause, frameLimit)
}

// unknown returns ErrUnknownCommand instead of a NotTakenError if the agent says that it does not
// know the command, and clears the input box.
func (v *view) unknown(ctx context.Context, text string, a agent, err error) error {
	var left *NotTakenError
	if !errors.As(err, &left) || left.Left != text || a.Clear == "" || !errors.Is(v.known(ctx, text), ErrUnknownCommand) {
		return err
	}
	_ = v.stream.Input(ctx, []byte(a.Clear)) // if it fails, the next prompt finds the text in the box
	if _, err := v.until(ctx, settleTime, func() bool { s := v.sight(); return s.Boxed && s.Box == "" }); err != nil {
		return err
	}
	return ErrUnknownCommand
}

// known returns ErrUnknownCommand if the agent says that it does not know the command.
func (v *view) known(ctx context.Context, text string) error {
	if !IsCommand(text) {
		return nil
	}
	unknown := false
	_, err := v.until(ctx, unknownTime, func() bool {
		unknown = saysUnknown(v.sight(), text)
		return unknown || v.cleared
	})
	if err == nil && unknown {
		err = ErrUnknownCommand
	}
	return err
}

// saysUnknown reports whether text is a command and the end of the conversation says that it is
// unknown.
func saysUnknown(s extractor.Sight, text string) bool {
	if !IsCommand(text) {
		return false
	}
	const rows = 6
	name := strings.Fields(text)[0][1:]
	talk := trimmed(s.Talk)
	for _, row := range talk[max(0, len(talk)-rows):] {
		row = strings.ToLower(row)
		if strings.Contains(row, strings.ToLower(name)) &&
			(strings.Contains(row, "unknown command") || strings.Contains(row, "unknown slash command") ||
				strings.Contains(row, "unrecognized command")) {
			return true
		}
	}
	return false
}

// notTaken returns an error with the contents of the input box, or with the question shown instead.
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

// line types a line for a program that is not a known agent.
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
