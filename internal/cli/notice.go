package cli

import (
	"fmt"
	"io"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// Notice writes a line to w about something that is not a failure of the command.
func Notice(w io.Writer, text string) {
	_, _ = fmt.Fprintf(w, "ptyrec: %s\n", printable.OneLine(text)) // nobody reads it if that fails
}
