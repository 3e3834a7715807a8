package cli

import (
	"fmt"
	"io"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// Notice writes a notice to w, which is not an error.
func Notice(w io.Writer, text string) {
	_, _ = fmt.Fprintf(w, "ptyrec: %s\n", printable.OneLine(text)) // an error cannot be reported
}
