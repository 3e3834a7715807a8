package record

import (
	"errors"
	"syscall"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	wire "github.com/ptyrec/ptyrec/protocol/command"
)

// statusUnknown is the exit status if the command's is unknown, as with ssh.
const statusUnknown = 255

// explainRemote adds a hint to the error for a command whose end is unknown.
func explainRemote(err error, id string) error {
	var status cli.ExitStatus
	var usage *failure.Error
	var said *client.CommandError
	f := &failure.Error{Err: err, Status: statusUnknown}
	switch {
	case errors.As(err, &status), errors.As(err, &usage):
		return err
	case errors.Is(err, errLeft):
		f.Hint, f.Status = "if it is still running, continue it: ptyrec exec --resume "+id+" URL", 128+int(syscall.SIGINT)
	case errors.Is(err, client.ErrLost):
		f.Hint = "if it is still running, continue it: ptyrec exec --resume " + id + " URL"
	case errors.Is(err, client.ErrToken):
		f.Hint = "pass the token that `ptyrec serve` printed, in $PTYREC_TOKEN or --token-file"
	case errors.As(err, &said):
		if said.Type == wire.CommandTimeout {
			f.Status = cli.StatusTimeout
		}
		f.Hint = "this error is from the server; see `ptyrec exec --help`"
	default:
		f.Hint = "check the URL: it must be that of `ptyrec sandbox`, or of a LangSmith dataplane"
	}
	return f
}
