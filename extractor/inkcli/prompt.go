package inkcli

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// promptRows returns the number of rows of a prompt that is drawn as "> text". What is below a
// blank line in another style is a notice, such as the name of the model.
func (a *CLI) promptRows(lines []row.Line) int {
	style := lines[0].StyleAt(2)
	return chat.Until(lines[:a.rows(lines)], func(k int) bool {
		l := lines[k]
		return l.Text != "" && lines[k-1].Text == "" && l.StyleAt(row.Indent(l.Text)) != style
	})
}

// typedSigns precede prompts and shell commands.
var typedSigns = []string{"> ", "$ ", "! "}

// typed is the mark of a prompt between two bars.
var typed = chat.Mark{Col: 1, Signs: typedSigns, Ink: row.Highlighted}

// painted returns the number of rows above the lower one of two bars.
func painted(lines []row.Line) int {
	return row.Run(lines, func(l row.Line) bool { return row.HasBackground(l) && !row.IsBar(l) })
}

// typedRows returns the number of rows between two bars, including the lower one.
func typedRows(lines []row.Line) int {
	n := painted(lines)
	return n + row.Run(lines[n:min(n+1, len(lines))], row.IsBar)
}

// onBar reports whether rows are a prompt above its lower bar, in a terminal that shows no
// background.
func onBar(lines []row.Line, _ []chat.Item) bool { return barRows(lines) > 0 }

// barRows counts the rows of such a prompt, with the bar; 0: they are not one.
func barRows(lines []row.Line) int {
	n := row.Run(lines, func(l row.Line) bool {
		return strings.HasPrefix(l.Text, " ") && !row.HasBackground(l) && !row.IsBar(l) && !l.Lost
	})
	if n == len(lines) || n == 0 || !row.IsBar(lines[n]) || isComposer(lines[:n+1]) {
		return 0
	}
	return n + 1
}

// typedAbove reports whether rows are the rest of the prompt above them, in one colour, or of the
// first prompt, in grey, whose beginning was never on the screen.
func typedAbove(lines []row.Line, earlier []chat.Item) bool {
	s := lines[0].StyleAt(row.Indent(lines[0].Text))
	above := chat.Last(earlier).Role
	first := above == "" && !lines[0].Late && row.Grey(s)
	return (first || above == session.RoleUser) && strings.HasPrefix(lines[0].Text, "  ") && !s.Bold &&
		!row.Plain(s.Fg) && inOneInk(lines[0])
}

// composing reports whether what is between two bars is a composer that a resize left behind.
func composing(lines []row.Line, _ []chat.Item) bool { return isComposer(lines[:typedRows(lines)]) }

// prompt returns a Cell.Add for a prompt after a sign in a column.
func prompt(col int) func(p *chat.Parser, first, end int) {
	return func(p *chat.Parser, first, end int) {
		rows := chat.Between(p.Lines[first:end], row.IsBar)
		Typed(p, rows[0].Text[col], markdown.Prompt(rows, &markdown.Style{Left: col + 2, Right: col}), first, end)
	}
}

// Typed adds what the user typed: a prompt, a command of the CLI or, after another sign, a shell
// command.
func Typed(p *chat.Parser, sign byte, text string, first, end int) {
	name, _, _ := strings.Cut(text, " ")
	switch {
	case sign != '>':
		p.Say(session.RoleCommand, "!"+text, "!"+text, first, end, "!command")
	case slices.Contains([]string{"/clear", "/quit", "/exit"}, name):
		Part(p, first, end)
	case IsSlash(text):
		p.Say(session.RoleCommand, text, text, first, end, "/command")
	default:
		p.Say(session.RoleUser, text, text, first, end, "prompt")
	}
}

// slash matches a command of the CLI.
var slash = lazy.Regexp(`^/([^/*]|$)`)

// IsSlash reports whether a prompt is a command of the CLI.
func IsSlash(t string) bool { return slash().MatchString(t) }
