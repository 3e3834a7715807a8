package claude

import (
	"regexp"
	"slices"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// commands are the agent's: one word after the slash, with arguments at most. Those that clear the
// conversation become no item: they are known by the wipe that follows, and are the first row of
// what is reprinted.
var (
	commands = lazy.Regexp(`^/[a-z0-9\-:_]+( |$)`)
	clearing = lazy.Regexp(`^/(clear|reset|new)( |$)`)
)

// clears reports whether a row is a command that cleared the conversation. The live input has the
// same glyph, but no background and, in 1.0, a box around it.
func (t *talk) clears(l row.Line) bool {
	return clearing().MatchString(behindSign(l.Text)) && t.sent.On(l)
}

// queued reports whether a prompt waits for the running turn to end: it is completely grey.
func queued(l row.Line) bool { return row.HasBackground(l) && l.All(row.Grey) }

// painted reports whether a row has a background from the first column to its end. A logo has one
// only in some cells, and a changed line of a diff is indented.
func painted(l row.Line) bool { return row.HasBackground(l) && l.All(row.Highlighted) }

// says returns a Cell.When for a prompt whose text matches.
func (t *talk) says(command func() *regexp.Regexp) func([]row.Line, []chat.Item) bool {
	return func(lines []row.Line, _ []chat.Item) bool {
		return command().MatchString(t.text(lines[:t.promptRows(lines)]))
	}
}

// prompt parses what the user sent.
func (t *talk) prompt(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	text := t.text(lines)
	return chat.Said(session.RoleUser, text, text), text != ""
}

// promptRows returns the number of rows of a prompt. If rows are lost, those below may belong to
// the reply.
func (t *talk) promptRows(lines []row.Line) int {
	return chat.Until(lines, func(k int) bool {
		if lines[k].Lost {
			return !t.promptRest(lines[k:], nil)
		}
		return t.promptEnds(lines, k)
	})
}

// promptEnds reports whether line k does not continue the prompt above it.
func (t *talk) promptEnds(lines []row.Line, k int) bool {
	l := lines[k]
	return l.Text != "" && !l.Wrapped && !t.goesOn(lines[:k], l)
}

// promptRest reports whether rows without a sign, up to where others are lost, belong to a prompt.
func (t *talk) promptRest(lines []row.Line, _ []chat.Item) bool {
	n := chat.Until(lines, func(k int) bool { return lines[k].Lost || t.promptEnds(lines, k) })
	return slices.ContainsFunc(lines[:n], t.rest)
}

// commandRows returns the number of rows of a command and its output. The background continues
// below a command that the terminal wrapped.
func (t *talk) commandRows(lines []row.Line) int {
	n := row.SkipBlank(lines, t.promptRows(lines))
	return n + resultRows(lines[n:])
}

// command parses a command of the agent with its output.
func (t *talk) command(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	n := t.promptRows(lines)
	return printed(session.RoleCommand, t.text(lines[:n]), resultOf(lines[row.SkipBlank(lines, n):]).text)
}

// shell parses a shell command that the user sent with `!`. Grey text is a note on it.
func shell(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	head, below := parted(lines)
	out := resultOf(below)
	if row.Grey(out.ink) {
		out.text = ""
	}
	return printed(session.RoleShell, markdown.Prompt(head, &markdown.Style{Left: 2, Right: 2}), out.text)
}

// printed returns an item for a command with its output.
func printed(role, text, output string) (chat.Item, bool) {
	it := chat.Said(role, text, "`"+text+"`")
	it.Output = output
	return it, true
}

// promptText returns the text of a prompt.
func promptText(rows []row.Line) string {
	free := 2
	for _, l := range rows {
		free = min(free, max(0, l.Cols-row.Extent(l.Row)))
	}
	return markdown.Prompt(rows, &markdown.Style{Left: 2, Right: free})
}
