// Package screen writes what a terminal shows as JSON, text, ANSI sequences or SVG.
package screen

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/vterm"
)

// Screen is what a terminal shows at a moment, and what scrolled off its top.
type Screen struct {
	*vterm.Snapshot
	Scrollback []*vterm.Row
}

// Of reads t.
func Of(t *vterm.Term) Screen {
	return Screen{Snapshot: t.Shown(), Scrollback: t.Scrollback()}
}

// Formats are the names that Write knows. Each is a file name's ending, too.
func Formats() []string { return []string{"json", "text", "ansi", "svg"} }

// Ending is the ending of a file's name for format, with its dot.
func Ending(format string) string {
	if format == "text" {
		return ".txt"
	}
	return "." + format
}

// Write writes s in one of Formats.
func Write(w io.Writer, format string, s Screen) error {
	if !slices.Contains(Formats(), format) {
		return fmt.Errorf("unknown screen format %q", format)
	}
	b := bufio.NewWriter(w)
	switch format {
	case "json":
		if err := writeJSON(b, s); err != nil {
			return err
		}
	case "text":
		writeText(b, s)
	case "ansi":
		writeANSI(b, s)
	case "svg":
		writeSVG(b, s)
	}
	return b.Flush()
}

// writeText writes the rows as plain text, one a line.
func writeText(w *bufio.Writer, s Screen) {
	for _, r := range s.Lines {
		_, _ = w.WriteString(printable.Text(r.Text))
		_ = w.WriteByte('\n')
	}
}
