package agentapi

import (
	"context"
	"errors"

	"github.com/ptyrec/ptyrec/internal/prompt"
)

// Sender types into a session. It may be used concurrently.
type Sender interface {
	// Send sends a prompt to the session's agent, and returns when the agent has accepted it.
	Send(ctx context.Context, text string, o prompt.SendOptions) (prompt.Receipt, error)
	// Raw types keys at once.
	Raw(ctx context.Context, keys []byte) error
}

// refusal is the reason why a prompt was not sent, for clients.
type refusal struct {
	reason string // a clause
	detail string // the agent's question, or the text left in its input box; may be empty
}

func (r *refusal) Error() string { return r.reason }

// Reasons, worded as clients of agentapi expect them.
const (
	reasonEmpty = "message must not be empty"
	reasonBusy  = "message can only be sent when the agent is waiting for user input"
)

// refused converts an error of a Sender to one for clients.
func refused(err error) error {
	var asks *prompt.AskingError
	var box *prompt.BoxError
	var left *prompt.NotTakenError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &asks):
		return &refusal{"the agent asks a question: answer it with a raw message", asks.Question}
	case errors.As(err, &box):
		return &refusal{"the agent's input box is not empty", box.Left}
	case errors.As(err, &left):
		return &refusal{"the agent did not accept the message", left.Left}
	case errors.Is(err, prompt.ErrEmpty):
		return &refusal{reason: reasonEmpty}
	case errors.Is(err, prompt.ErrBusy), errors.Is(err, prompt.ErrInProgress), errors.Is(err, prompt.ErrNotStarted):
		return &refusal{reason: reasonBusy}
	case errors.Is(err, prompt.ErrNoControl):
		return &refusal{reason: prompt.ErrNoControl.Error()}
	}
	return &refusal{reason: err.Error()}
}
