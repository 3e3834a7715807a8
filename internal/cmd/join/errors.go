package join

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Error adds a hint to an error of an attachment.
func Error(err error) error {
	var many *client.ManyAgents
	var absent *client.NoSession
	switch {
	case errors.As(err, &many):
		return failure.New(err, "name one of them: ws://HOST:PORT/"+many.Agents[0])
	case errors.As(err, &absent):
		return failure.New(err, absentHint(absent))
	case errors.Is(err, client.ErrToken):
		return failure.New(err,
			"pass the token that `ptyrec serve` printed, in $PTYREC_TOKEN or --token-file (on this machine "+
				"~/.local/state/ptyrec/token)")
	case errors.Is(err, session.ErrNotFound):
		return failure.New(errors.New("no such live session"),
			"`ptyrec list --live` lists live sessions; `ptyrec play` plays past ones")
	}
	return failure.New(err, "`ptyrec list --live` lists live sessions")
}

// absentHint returns a hint for a session that a management server does not have.
func absentHint(e *client.NoSession) string {
	if len(e.Names) == 0 {
		return "`ptyrec attach --control` starts the session main if it does not exist"
	}
	return "its sessions are " + strings.Join(e.Names, ", ")
}

// Over converts io.EOF to an error that the session ended too early.
func Over(err error) error {
	if errors.Is(err, io.EOF) {
		return failure.New(errors.New("the session has ended"), "`ptyrec show last` shows the conversation")
	}
	return err
}

// Refused adds a hint to an error with which the session with this id refuses a request.
func Refused(err error, id string) error {
	var e *protocol.Error
	if !errors.As(err, &e) {
		return err
	}
	id = listing.ShortID(id)
	switch e.Code {
	case protocol.CodeNoControl:
		return failure.New(e, "the session's user can let programs type: ptyrec grant "+id)
	case protocol.CodeNotAllowed:
		return failure.New(e, "run this in a terminal outside of recorded sessions")
	case protocol.CodeAsking:
		hint := "`ptyrec screen " + id + "` shows the question: answer it with --keys, or type anyway with --force"
		return &failure.Error{Err: e, Hint: hint, Status: cli.StatusAsking}
	case protocol.CodeUnavailable:
		return failure.New(e, "`ptyrec screen "+id+"` shows its screen")
	}
	return e
}

// Prompt adds a hint to an error of package prompt. ref names the session.
func Prompt(err error, ref string) error {
	var asking *prompt.AskingError
	var box *prompt.BoxError
	var left *prompt.NotTakenError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &asking):
		return &failure.Error{Err: fmt.Errorf("%w: %s", err, asking.Question),
			Hint: "answer it, or type the key with `ptyrec send " + ref + " --keys KEY`", Status: cli.StatusAsking}
	case errors.As(err, &box), errors.As(err, &left), errors.Is(err, prompt.ErrUnknownCommand), errors.Is(err,
		prompt.ErrNoReply):
		return failure.New(err, "`ptyrec screen "+ref+"` shows its screen")
	case errors.Is(err, prompt.ErrShell):
		return failure.New(err, "use --allow-shell to run it")
	case errors.Is(err, prompt.ErrBusy), errors.Is(err, prompt.ErrInProgress):
		return failure.New(err, "`ptyrec wait "+ref+" --idle` waits until it is done, --interrupt stops it")
	case errors.Is(err, prompt.ErrNoControl):
		return failure.New(prompt.ErrNoControl, "the session's user can let programs type: ptyrec grant "+ref)
	case errors.Is(err, prompt.ErrNoAgent), errors.Is(err, prompt.ErrNotStarted):
		return failure.New(err, "`ptyrec screen "+ref+"` shows its screen; `ptyrec send` types into any program")
	case errors.Is(err, prompt.ErrEnded):
		return failure.New(err, "`ptyrec show "+ref+"` shows the conversation")
	case errors.Is(err, session.ErrNotFound):
		return failure.New(fmt.Errorf("no live session %q", ref), "`ptyrec list --live` lists live sessions")
	}
	return err
}
