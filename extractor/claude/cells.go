package claude

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// talk is how one look draws what is said and done.
type talk struct {
	sent   chat.Mark                               // before what the user sent
	goesOn func(above []row.Line, l row.Line) bool // reports whether a row goes on with the prompt above it
	rest   func(l row.Line) bool                   // reports whether a row is of a prompt that begins above all rows that were seen
	text   func(rows []row.Line) string            // reads the rows of a prompt
	style  markdown.Style                          // of replies
	few    markdown.Style                          // likewise, in a theme of 16 colours
	cells  chat.Cells
}

// begin sets the cells. The rows of most end where something of its own begins, or at a corner.
func (t *talk) begin() *talk {
	t.few = t.style
	t.few.Marks = func(s vterm.Style) row.Mark { return t.style.Marks(s) | marks16(s) }
	coloured := func(s vterm.Style) bool { return !row.Plain(s.Fg) }
	called := chat.Mark{Signs: marker.Signs, Ink: func(s vterm.Style) bool { return coloured(s) || s.Dim }}
	t.cells = chat.Cells{Agent: "claude", Ended: done.On, Cells: []chat.Cell{
		{Begin: &t.sent, When: chat.First(queued), Rows: t.promptRows},
		{Begin: &t.sent, When: t.says(clearing), Rows: t.commandRows},
		{Rule: "command", Begin: &t.sent, When: t.says(commands), Rows: t.commandRows, Read: t.command},
		{Rule: "prompt", Begin: &t.sent, Rows: t.promptRows, Read: t.prompt},
		{Rule: "shell", Begin: &chat.Mark{Signs: glyphs("!"), Ink: coloured}, Rows: t.callRows, Read: shell},
		{Rule: "agents", Begin: &agents, When: chat.Second(row.Matching(branch)), Rows: treeRows, Add: tree},
		{Rule: "questions", Begin: &marker, When: chat.Second(row.Matching(answer)), Rows: t.callRows, Read: answers},
		{Rule: "call", Begin: &called, When: chat.First(isCall), Rows: t.callRows, Add: call},
		{Rule: "notice", Begin: &chat.Mark{Signs: marker.Signs, Ink: coloured}, Rows: t.replyRows, Read: t.wrote(session.RoleSystem)}, // `● Unknown command: /o`
		{Rule: "reply", Begin: &marker, Rows: t.replyRows, Read: t.wrote(session.RoleAssistant)},
		{Rule: "thinking", Begin: &chat.Mark{Row: row.Matching(thinks)}, Rows: t.replyRows, Read: t.thinking},
		{Begin: &chat.Mark{Col: 2, Signs: []string{"⎿"}}, Rows: resultRows, Add: loose},
		{Begin: &chat.Mark{Col: 3, Signs: []string{"⎿"}}, Rows: resultRows, Add: loose},
		{Rule: "call", When: unmarked, Rows: t.callRows, Add: call},
		{Rule: "rest of a prompt", Headless: true, When: t.promptRest, Rows: t.promptRows, Role: session.RoleUser, Read: t.prompt},
		{Begin: &chat.Mark{Row: row.Filled}, Rows: func([]row.Line) int { return 1 }}, // the agent's own
		{Rule: "rest of an output", Headless: true, When: t.outputRest, Rows: outputRows, Add: headlessOutput},
		{Rule: "rest of a reply", Headless: true, When: t.replyRest, Rows: t.replyRows, Read: t.wrote(session.RoleAssistant)},
	}}
	return t
}

// marker is the sign of a reply or a call.
var marker = chat.Mark{Signs: glyphs("●⏺")}

var (
	thinks = lazy.Regexp(`^[✻∴✽][ \x{a0}]*Think`)
	ended  = lazy.Regexp(`^[✻✽✶✢*·][ \x{a0}].* for `)
)

// done is what is written below a turn: `✻ Baked for 1s`.
var done = chat.Mark{Row: row.Matching(ended), Ink: row.Grey}

// glyphs returns each of the glyphs with the blank behind it.
func glyphs(all string) (out []string) {
	for _, g := range all {
		out = append(out, string(g)+" ", string(g)+"\u00a0")
	}
	return out
}

// behindSign returns what follows the sign and the blanks at a row's start.
func behindSign(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.TrimLeft(text[n:], " \u00a0")
}

// begins reports whether something of its own begins at line k, so that the text above ends there.
func (t *talk) begins(lines []row.Line, k int) bool {
	l := lines[k]
	return t.cells.Begins(l) || (l.Lost || lines[max(k, 1)-1].Text == "") && unmarked(lines[k:], nil) || l.Lost && t.promptRest(lines[k:], nil)
}

// replyRows counts the lines of a reply or of thinking. A corner follows it where it was
// interrupted, where a call was never on the screen, and where the agent says something of its own
// in grey: a hook's message, or that a plan was rejected. Others are its content.
func (t *talk) replyRows(lines []row.Line) int {
	return chat.Until(lines, func(k int) bool {
		if !t.begins(lines, k) {
			return false
		}
		sign := corner().FindString(lines[k].Text)
		return sign == "" || lines[k].Lost || lines[k].All(row.Grey) || interrupted(lines[k].Text[len(sign):])
	})
}

// callRows counts the lines of a call, with those of its result.
func (t *talk) callRows(lines []row.Line) int {
	n := chat.Until(lines, func(k int) bool { return t.begins(lines, k) || lines[k].Lost })
	return n + resultRows(lines[n:])
}

// outputRest reports whether rows without a corner are what a call printed.
func (t *talk) outputRest(lines []row.Line, earlier []chat.Item) bool {
	end := row.SkipBlank(lines, row.Run(lines, deep))
	return len(earlier) > 0 && (end == len(lines) || t.begins(lines, end))
}

// replyRest reports whether rows without a marker are of a reply: one was due or, where the
// recording begins, they are written like one, and are no piece of the welcome.
func (t *talk) replyRest(lines []row.Line, earlier []chat.Item) bool {
	if !lines[0].Late {
		return slices.Contains([]string{session.RoleUser, session.RoleTool}, chat.Last(earlier).Role)
	}
	rows := lines[:t.replyRows(lines)]
	return slices.ContainsFunc(rows, chat.AtMargin) && !slices.ContainsFunc(rows, row.Matching(logo))
}

// logo matches a row of a small logo: its first word is made of half and quarter blocks.
var logo = lazy.Regexp(`^ *[▝▜▄▗▟▀█▘▖▙▛▌▐]+(?: |$)`)

// wrote returns a Cell.Read for what is written in a role.
func (t *talk) wrote(role string) func([]row.Line, []chat.Item) (chat.Item, bool) {
	return func(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
		if fewColours(lines[0].StyleAt(0).Fg) {
			return chat.Wrote(role, lines, &t.few)
		}
		return chat.Wrote(role, lines, &t.style)
	}
}

// thinking reads thinking that is shown: `✻ Thinking…` or `∴ Thinking…`, and the text from column 2
// on.
func (t *talk) thinking(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	return chat.Wrote(session.RoleThinking, lines[1:], &markdown.Style{Left: 2, Right: t.style.Right, Marks: func(vterm.Style) row.Mark { return 0 }})
}
