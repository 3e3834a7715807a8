package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// confirm asks on out whether to do what, and reads the answer from in, which is a terminal or not.
// The error, which has a hint, is nil if the user agrees. A user who cannot be asked has not
// agreed.
func confirm(in io.Reader, terminal bool, out io.Writer, what string) error {
	if !terminal {
		return failure.New(errors.New("cannot ask for confirmation without a terminal: "+what), "add --yes")
	}
	fmt.Fprintf(out, "ptyrec: %s? [y/N] ", what)
	answer, _ := bufio.NewReader(in).ReadString('\n') // no answer is a no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return failure.New(errors.New("not confirmed: nothing was done"), "answer y, or add --yes")
}
