package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// Exit statuses. The status of a recorded command is passed on as it is.
const (
	StatusFailure = 1
	StatusUsage   = 2
	StatusAsking  = 3   // an agent asks something
	StatusTimeout = 124 // as timeout(1)
)

// ExitStatus is a status to exit with without a word: that of a recorded command, or of a command
// that has said what is wrong.
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
	_, _ = fmt.Fprintf(w, "ptyrec: error: %s\nptyrec: hint: %s\n", printable.OneLine(f.Err.Error()), printable.OneLine(hint)) // nobody reads it if that fails
	if f.Misuse {
		return StatusUsage
	}
	return cmp.Or(f.Status, StatusFailure)
}
