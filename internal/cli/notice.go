package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// Notice writes a line to w about something that is not a failure of the command.
func Notice(w io.Writer, text string) {
	_, _ = fmt.Fprintf(w, "ptyrec: %s\n", OneLine(text)) // nobody reads it if that fails
}

// OneLine returns a text as one line without control characters.
func OneLine(text string) string {
	return printable.Line(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}
