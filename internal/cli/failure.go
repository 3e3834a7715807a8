package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// Exit statuses. A recorded command's own status is passed on unchanged.
const (
	StatusFailure = 1
	StatusUsage   = 2
	StatusAsking  = 3   // an agent asks a question
	StatusTimeout = 124 // as in timeout(1)
)

// ExitStatus is an error that is not printed and only sets the exit status: that of a recorded
// command, or of a command that has already printed what is wrong.
type ExitStatus int

func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Report writes err to w in two lines, and returns the exit status. It writes nothing for nil and
// for an ExitStatus.
func Report(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	var status ExitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	var f *failure.Error
	if !errors.As(err, &f) {
		f = &failure.Error{Err: err}
	}
	hint := f.Hint
	if hint == "" {
		hint = hintFor(err)
	}
	// An error cannot be reported.
	_, _ = fmt.Fprintf(w, "ptyrec: error: %s\nptyrec: hint: %s\n", printable.OneLine(f.Err.Error()),
		printable.OneLine(hint))
	if f.Misuse {
		return StatusUsage
	}
	return cmp.Or(f.Status, StatusFailure)
}
