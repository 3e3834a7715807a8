package inkcli

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// statuses are the signs before a tool's name, with the status for each.
var statuses = map[string]string{
	"✓": session.ToolOK, "✔": session.ToolOK,
	"x": session.ToolError, "✗": session.ToolError, "✖": session.ToolError,
	"-": session.ToolRejected,
	"o": session.ToolRunning, "⊷": session.ToolRunning, "⊶": session.ToolRunning, "?": session.ToolRunning,
}

// boxRows returns the number of rows of a ╭─╮ box.
func boxRows(lines []row.Line) int {
	n := 1 + row.Run(lines[1:], func(l row.Line) bool { return strings.HasPrefix(l.Text, "│") || l.Wrapped })
	return n + row.Run(lines[n:], row.Prefixed("╰"))
}

// box parses a ╭─╮ box: a group of tools, the output of a command, or a box of the CLI's own.
func box(p *chat.Parser, first, end int) {
	rows := chat.Between(p.Lines[first+1:end], row.Prefixed("╰"))
	var in []row.Line
	for _, l := range rows {
		in = append(in, unbox(l))
	}
	switch {
	case len(rows) == 0 || isComposer(rows):
	case len(in) > 1 && strings.HasPrefix(in[1].Text, " Agent powering down"): // the box that Gemini shows when it is left
		Part(p, first, end)
	default:
		tools(p, in, first)
		printed(p, strings.Trim(markdown.Verbatim(in, 0), "\n"), end)
	}
}

// unbox returns the contents of a row between the borders and one blank beside each.
func unbox(l row.Line) row.Line {
	w := row.Extent(l.Row)
	if strings.HasSuffix(l.Text, "│") {
		w -= 2
	}
	return row.CutLine(l, 2, max(w, 2))
}

// tools parses the tools of a group in the lines of its box, which begins at line first. Each but
// the first is below a blank line.
func tools(p *chat.Parser, in []row.Line, first int) {
	begins := func(k int) bool { return Head(in[k], 0) != "" && (k == 0 || in[k-1].Text == "") }
	if !begins(0) && in[0].Text != "Action Required" {
		return
	}
	for k := 0; k < len(in); {
		n := max(1, chat.Until(in[k:], func(i int) bool { return begins(k + i) }))
		if begins(k) {
			addCall(p, boxed(in[k:k+n]), first+k, first+1+k+n)
		}
		k += n
	}
}

// Head returns the state of the tool that a line names, from a column on: a sign of its state, one
// or two blanks, its name in bold. It returns "" if the line names none.
func Head(l row.Line, col int) string {
	sign := row.FirstWord(l.Text)
	switch {
	case row.Indent(l.Text) != col, !l.BoldAt(col + 3):
		return ""
	case chat.Spins(row.FirstRune(sign)):
		return session.ToolRunning
	}
	return statuses[sign]
}

// boxed parses a tool: its line, a blank one, and its output.
func boxed(in []row.Line) *session.Tool {
	t := Named(in[0], 2)
	t.Input = Input(t.Input)
	if strings.HasPrefix(in[0].Text, "?") {
		inkAsked(t, in[1:])
	} else {
		Output(t, in[1:], 0)
	}
	t.Truncated = t.Truncated || strings.HasSuffix(t.Input, "…")
	return t
}

// inkAsked parses a call that waits for approval. The dialog shows the whole command. Some looks
// show only its reason while it runs, which is therefore kept after it.
func inkAsked(t *session.Tool, in []row.Line) {
	if t.Name != "Shell" {
		return
	}
	command := inkCommand(in)
	switch head, _, _ := strings.Cut(command, "\n"); {
	case strings.HasPrefix(t.Input, head):
	case strings.HasPrefix(command, strings.TrimSuffix(t.Input, "…")):
		t.Input = command
	default:
		t.Input = command + " # " + t.Input
	}
}

// commandEnd matches the row below the command in an approval.
var commandEnd = lazy.Regexp(`^[ │]*($|╰|Allow execution of)`)

// inkCommand returns the command in an approval: in a box of its own, or between blank lines.
func inkCommand(in []row.Line) string {
	var rows []row.Line
	for _, l := range chat.Between(in[row.SkipBlank(in, 0):], row.Matching(commandEnd)) {
		switch t := strings.TrimLeft(l.Text, " "); {
		case strings.HasPrefix(t, "╭"):
			continue
		case strings.HasPrefix(t, "│"):
			l = unbox(l)
		}
		rows = append(rows, row.CutLine(l, row.Indent(l.Text), -1))
	}
	return markdown.Verbatim(rows, 0)
}

// Named parses the line that names a tool: its state, then from a column on its name in bold, and
// its input.
func Named(l row.Line, col int) *session.Tool {
	spans := row.Spans(l.Row, col, -1, nil)
	n := row.Run(spans, func(s row.Span) bool { return s.Style.Bold || strings.Trim(s.Text, " ") == "" })
	return &session.Tool{
		Status: Head(l, col-2), Name: strings.TrimSpace(row.Text(spans[:n])),
		Input: strings.TrimSuffix(strings.TrimSpace(row.Text(spans[n:])), " ←"),
	}
}

// DrawnIn returns a function that reports whether a row has a style, which must have a colour: a
// tool's input may continue there.
func DrawnIn(style vterm.Style) func(l row.Line) bool {
	return func(l row.Line) bool {
		return style.Fg.Kind != vterm.ColorDefault && l.All(func(s vterm.Style) bool { return s == style })
	}
}

// CallRows returns a Cell.Rows for calls without a box. Rows that begin with one of the signs
// belong to them.
func CallRows(signs ...string) func(lines []row.Line) int {
	return func(lines []row.Line) int {
		return 1 + row.Run(lines[1:], func(l row.Line) bool {
			return l.Text == "" || l.Wrapped ||
				row.Starts(l.Text, signs...)
		})
	}
}

// CallAt returns the mark of a call in a column.
func CallAt(col int) *chat.Mark {
	return &chat.Mark{Col: col, Row: func(l row.Line) bool { return Head(l, col) != "" }}
}

// Input returns a tool's input without the directory and the reason, which older looks add to it.
func Input(desc string) string {
	const dir = " [current working directory "
	desc, _, _ = strings.Cut(desc, dir)
	if i := max(strings.LastIndex(desc, " ["), 0); strings.HasPrefix(dir, strings.TrimSuffix(desc[i:], "…")) {
		return desc[:i]
	}
	return desc
}

// Output adds a tool's output, from column left on, as far as it is shown.
func Output(t *session.Tool, in []row.Line, left int) {
	rows := slices.DeleteFunc(slices.Clone(in), Hidden)
	if indent := markdown.Edge((&markdown.Style{}).Lines(rows)); indent == left+3 { // where older looks indent it
		left = indent
	}
	t.Output, t.Truncated = strings.Trim(t.Output+"\n"+markdown.Verbatim(rows, left), "\n"), len(rows) < len(in)
}

// Hidden reports whether a line represents hidden lines: "... last 3 lines hidden ...".
func Hidden(l row.Line) bool { return hidden().MatchString(l.Text) }

var hidden = lazy.Regexp(`^ *\.\.\. .* hidden`)
