package prompt

import (
	"errors"
	"strings"

	"github.com/ptyrec/ptyrec/protocol"
)

// Errors of Send, Reply and Interrupt. Unless the error is a NotTakenError or ErrUnknownCommand,
// nothing was typed, or the session refused it.
var (
	ErrEmpty      = errors.New("the prompt is empty")
	ErrShell      = errors.New("the prompt begins with !, which makes the agent run a shell command")
	ErrNoAgent    = errors.New("no agent that accepts prompts runs in the session")
	ErrNotStarted = errors.New("the agent does not show its input box")
	ErrBusy       = errors.New("the agent is working")
	ErrIdle       = errors.New("the agent is not working")
	ErrInProgress = errors.New("another prompt is being sent")
	ErrNoControl  = errors.New("programs may not type: nobody has granted it")
	ErrEnded      = errors.New("the session is over")

	ErrNoReply        = errors.New("the agent accepted the prompt, but did not reply")
	ErrUnknownCommand = errors.New("the agent does not know the command")
)

// AskingError means that the agent asks something, which the prompt would have answered.
type AskingError struct {
	Question string // text of the question on the screen, lines separated by "\n"
}

func (e *AskingError) Error() string { return "the agent asks a question" }

// BoxError means that the agent's input box has another text.
type BoxError struct {
	Left string
}

func (e *BoxError) Error() string {
	return "the agent's input box is not empty: it has " + quoted(e.Left)
}

// NotTakenError means that the agent did not accept the prompt, which may still be in the input
// box.
type NotTakenError struct {
	Left string // text in the input box; empty if there is none, or it is unknown
}

func (e *NotTakenError) Error() string {
	if e.Left == "" {
		return "the agent did not accept the prompt"
	}
	return "the agent did not accept the prompt: its input box has " + quoted(e.Left)
}

// quoted returns the first characters of a text in quotes.
func quoted(text string) string {
	const most = 60
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return `"` + text + `"`
}

// refusal converts an error of the session to one of this package.
func (v *view) refusal(err error) error {
	var e *protocol.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case protocol.CodeNoControl:
		return errors.Join(ErrNoControl, e)
	case protocol.CodePrompting:
		return ErrInProgress
	case protocol.CodeAsking:
		return v.asking()
	case protocol.CodeEnded:
		return ErrEnded
	}
	return err
}
