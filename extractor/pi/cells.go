package pi

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// panelled reports whether a row belongs to a panel.
func panelled(l row.Line) bool { return row.Highlighted(l.StyleAt(0)) }

// panelRows returns the number of rows of the panel at the start of lines. The next one does not
// follow directly.
func panelRows(lines []row.Line) int {
	bg := lines[0].StyleAt(0).Bg
	return row.Run(lines, func(l row.Line) bool { return l.StyleAt(0).Bg == bg })
}

// call reports whether a panel is that of a call: its first text is bold, and it has no mark, as a
// prompt that begins with bold text has.
func call(lines []row.Line) bool {
	if _, marked := lines[0].Mark(vterm.MarkPrompt); marked || !panelled(lines[0]) {
		return false
	}
	n := row.SkipBlank(lines, 0)
	return n < len(lines) && lines[n].BoldAt(left)
}

// panelStyle describes how text without Markdown is drawn, on a panel or not.
var panelStyle = &markdown.Style{Left: left, Right: right, Marks: func(vterm.Style) row.Mark { return 0 }}

var (
	// label matches the beginning of a panel that is not a call: "[compaction]"
	label = lazy.Regexp(`^\[[a-z-]+\]`)
	// fold matches the row that says how much of the output is folded
	fold = lazy.Regexp(`\.\.\. \(\d+ (?:earlier|more) lines,[^)]* to expand\)[\n ]?`)
	// took matches the last row of a command's panel
	took = lazy.Regexp(`\n*(?:Took|Elapsed) [\d.]+[\d.hms ]*$`)
)

// readCall parses a call's panel: the bold name and the input, or the bold command after "$ ", a
// blank row, and the output.
func readCall(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	n := row.Run(lines, row.Filled)
	for n < len(lines) && lines[row.SkipBlank(lines, n)].BoldAt(left) && strings.HasPrefix(lines[0].Text, " $ ") {
		n = row.SkipBlank(lines, n)
		n += row.Run(lines[n:], row.Filled)
	}
	head, output := markdown.Prompt(lines[:n], panelStyle), markdown.Prompt(lines[n:], panelStyle)
	if label().MatchString(head) {
		return chat.Wrote(session.RoleSystem, lines, panelStyle)
	}
	t := &session.Tool{Status: statusOf(lines[0].StyleAt(0).Bg), Truncated: fold().MatchString(output)}
	if command, ok := strings.CutPrefix(head, "$ "); ok {
		t.Name, t.Input = "bash", command
		output = took().ReplaceAllString(output, "")
	} else {
		t.Name, t.Input, _ = strings.Cut(head, " ")
	}
	t.Output = strings.Trim(fold().ReplaceAllString(output, ""), "\n")
	return chat.Called(t), true
}

// statusOf returns the status of a call from the colour of its panel.
func statusOf(bg vterm.Color) string {
	switch r, g, b := row.Rgb(bg); {
	case r > max(g, b):
		return session.ToolError
	case g > max(r, b):
		return session.ToolOK
	}
	return session.ToolRunning
}

// betweenRules returns the number of rows from one rule to the next.
func betweenRules(lines []row.Line) int {
	n := 1 + row.Run(lines[1:], row.Not(edge))
	return min(n+1, len(lines))
}

// readRuled parses what pi itself says between two rules.
func readRuled(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	return chat.Wrote(session.RoleSystem, unruled(lines), panelStyle)
}

// unruled returns lines without the rules at both ends. The last one may not be drawn yet.
func unruled(lines []row.Line) []row.Line {
	if lines = lines[1:]; len(lines) > 0 && edge(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// shell reports whether a command of the user's (!) begins, which is between two rules with its
// output.
func shell(lines []row.Line) bool {
	return edge(lines[0]) && len(lines) > 1 && strings.HasPrefix(lines[1].Text, " $ ") && lines[1].BoldAt(left)
}

// ended matches the last row of a command that failed or was stopped.
var ended = lazy.Regexp(`\n*\((?:exit \d+|cancelled)\)$`)

// readShell parses a command of the user's.
func readShell(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	lines = unruled(lines)
	n := row.Run(lines, func(l row.Line) bool { return l.BoldAt(left) })
	it := chat.Said(session.RoleShell, "", "")
	it.Text = strings.TrimPrefix(markdown.Prompt(lines[:n], panelStyle), "$ ")
	it.Markdown = it.Text
	it.Output = ended().ReplaceAllString(markdown.Prompt(lines[n:], panelStyle), "")
	it.Truncated = fold().MatchString(it.Output)
	it.Output = strings.Trim(fold().ReplaceAllString(it.Output, ""), "\n")
	return it, it.Text != ""
}

// aborted reports whether a row says that the user stopped a reply.
func aborted(lines []row.Line) bool {
	return lines[0].Text == " Operation aborted" && row.Red(lines[0].StyleAt(left).Fg)
}

// interrupt adds an interruption.
func interrupt(p *chat.Parser, first, end int) { p.Interrupted(first, end, "interrupted") }

// notice reports whether a row is what pi itself says: it begins in grey or red, or is a bold title
// above such a row. Of a reply, only fences, rules and quotes begin in grey.
func notice(lines []row.Line) bool {
	below := row.SkipBlank(lines, 1)
	return own(lines[0]) || below < len(lines) && row.Filled(lines[0]) && lines[0].All(row.Bold) && own(lines[below])
}

// own reports whether a row begins in the colours of what pi itself says.
func own(l row.Line) bool {
	s := l.StyleAt(left)
	return row.Indent(l.Text) == left && !panelled(l) && !row.Starts(l.Text[left:], "```", "─", "│") &&
		!s.Italic && !s.Bold && (row.Grey(s) || row.Red(s.Fg))
}

// thinks reports whether a row belongs to thinking, which is grey and italic.
func thinks(lines []row.Line) bool {
	l := lines[0]
	return row.Filled(l) && l.All(func(s vterm.Style) bool { return s.Italic && row.Grey(s) })
}

// textRows returns a function that counts the rows of a kind, and blank rows between them.
func textRows(of func(lines []row.Line) bool) func(lines []row.Line) int {
	return func(lines []row.Line) int {
		n := 0
		for k := range lines {
			switch {
			case of(lines[k:]):
				n = k + 1
			case row.Filled(lines[k]) || panelled(lines[k]):
				return n
			}
		}
		return n
	}
}

// replyRows returns the number of rows of a reply, up to a panel, a rule, or a paragraph of another
// kind. Code may look like one.
func replyRows(lines []row.Line) int {
	fence := "" // the closing fence of the code block, with its indentation
	for n, l := range lines {
		switch {
		case panelled(l), edge(l), welcome.Begins(l.Text):
			return n
		case fence != "":
			if l.Text == fence {
				fence = ""
			}
		case strings.HasPrefix(strings.TrimLeft(l.Text, " "), "```"):
			fence = row.Blanks(row.Indent(l.Text)) + "```"
		case n > 0 && row.Blank(lines[n-1]) && (notice(lines[n:]) || thinks(lines[n:])):
			return n
		}
	}
	return len(lines)
}

// replyStyle describes how replies are drawn.
var replyStyle = &markdown.Style{
	Left: left, Right: right,
	Marks: func(s vterm.Style) row.Mark {
		return row.Marks(s, tinted(s) && !titled(s) && s.Underline == vterm.UnderlineNone && !s.Strikethrough)
	},
	Heading: func(l *markdown.Line) int {
		switch s := l.First(); {
		case !titled(s):
			return 0
		case s.Underline != vterm.UnderlineNone:
			return 1
		}
		return 2 // others begin with their signs
	},
	Quote: markdown.QuoteSign("│ "), QuoteMarks: row.MarkItalic,
	Item: func(l *markdown.Line) (markdown.Item, bool) {
		it, ok := markdown.ListItem(l)
		return it, ok && tinted(l.First())
	},
	Fence: func(l *markdown.Line) bool {
		return strings.HasPrefix(l.Text[l.Indent:], "```") && row.Grey(l.First())
	},
	FenceTab: 3,
}

// tinted reports whether text has a colour other than the default colour and grey.
func tinted(s vterm.Style) bool { return !row.Plain(s.Fg) && !row.Grey(s) }

// titled reports whether text is drawn as that of a heading: in a warm colour, and bold. Code is in
// a cold one.
func titled(s vterm.Style) bool {
	r, _, b := row.Rgb(s.Fg)
	return s.Bold && tinted(s) && r > b
}
