package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// WriteEdits writes edits as one unified diff, in order. Lines that begin with # name the entry of
// each; git apply and patch ignore them. All lines of a partial edit begin with #, so that the
// others can be applied.
func WriteEdits(w io.Writer, list []Edit) error {
	var b strings.Builder
	for _, e := range list {
		e.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (e *Edit) write(b *strings.Builder) {
	mark := ""
	fmt.Fprintf(b, "# #%d %s", e.Seq, printable.Line(strings.TrimSpace(e.Agent+" "+e.Tool)))
	if e.Partial != "" {
		mark = "# "
		fmt.Fprintf(b, " %s: only partly visible: %s", printable.Line(e.Path), e.Partial)
	}
	b.WriteString("\n")
	if len(e.Hunks) == 0 {
		return
	}
	from, to := quotedPath("a/"+e.Path), quotedPath("b/"+e.Path)
	if e.Created {
		from = "/dev/null"
	}
	if e.Deleted {
		to = "/dev/null"
	}
	fmt.Fprintf(b, "%s--- %s\n%[1]s+++ %[3]s\n", mark, from, to)
	for _, h := range e.Hunks {
		fmt.Fprintf(b, "%s@@ -%d,%d +%d,%d @@\n", mark, hunkStart(h.OldStart, h.OldLines), h.OldLines,
			hunkStart(h.NewStart, h.NewLines), h.NewLines)
		for _, l := range h.Lines {
			b.WriteString(mark + printable.Text(l) + "\n")
		}
	}
}

// hunkStart returns the start line of one side of a hunk for its header. If the side is empty, that
// is the line before.
func hunkStart(first, lines int) int {
	if lines == 0 {
		return max(0, first-1)
	}
	return first
}

// quotedPath returns a path as git writes it: quoted if it contains special characters.
func quotedPath(path string) string {
	path = printable.Line(path)
	if !strings.ContainsAny(path, "\"\\\t\n") {
		return path
	}
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\t", `\t`, "\n", `\n`).Replace(path) + `"`
}
