package render

import (
	"io"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
)

// writeText writes a transcript as plain text: [role] above each message, tool output indented,
// events between dashes.
func writeText(w io.Writer, t *session.Transcript) error {
	var b strings.Builder
	title := headingOf(&t.Session)
	b.WriteString(title + "\n" + strings.Repeat("=", max(3, len([]rune(title)))) + "\n")
	for _, f := range factsOf(&t.Session) {
		b.WriteString(f.name + ": " + f.value + "\n")
	}
	for _, e := range t.Entries {
		if block := textOf(e); block != "" {
			b.WriteString("\n" + block)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// textOf returns one entry, including its last line end, or "" if it is not shown.
func textOf(e *session.Entry) string {
	if e.Type == session.TypeEvent {
		if text := eventText(e); text != "" {
			return "-- " + text + " --\n"
		}
		return ""
	}
	head := "[" + printable.Line(e.Role) + "]"
	var parts []string
	switch e.Role {
	case session.RoleTool:
		title, input := toolTitle(e)
		head += " " + title
		if status := toolStatus(e); status != "" {
			head += " (" + status + ")"
		}
		parts = append(parts, indent(input), indent(toolOutput(e)))
	case session.RoleShell:
		parts = append(parts, "$ "+e.Text, e.Output)
	default:
		parts = append(parts, e.Text, indent(e.Output))
	}
	parts = append(parts, statusText(e))
	for _, part := range parts {
		if part = strings.TrimRight(printable.Text(part), "\n"); part != "" {
			head += "\n" + part
		}
	}
	return head + "\n"
}

// indent indents each line by four spaces.
func indent(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}
