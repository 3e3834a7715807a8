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

// talk describes how a look draws messages and calls.
type talk struct {
	sent   chat.Mark                               // mark of what the user sent
	goesOn func(above []row.Line, l row.Line) bool // reports whether a row continues the prompt above it
	// Reports whether a row belongs to a prompt whose beginning was never on the screen.
	rest  func(l row.Line) bool
	text  func(rows []row.Line) string // returns the text of a prompt
	style markdown.Style               // style of replies
	few   markdown.Style               // the same in a theme of 16 colours
	cells chat.Cells
}

// begin sets the cells. Most of them end at the beginning of another cell, or at a corner.
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
		// `● Unknown command: /o`
		{Rule: "notice", Begin: &chat.Mark{Signs: marker.Signs, Ink: coloured}, Rows: t.replyRows,
			Read: t.wrote(session.RoleSystem)},
		{Rule: "reply", Begin: &marker, Rows: t.replyRows, Read: t.wrote(session.RoleAssistant)},
		{Rule: "thinking", Begin: &chat.Mark{Row: row.Matching(thinks)}, Rows: t.replyRows, Read: t.thinking},
		{Begin: &chat.Mark{Col: 2, Signs: []string{"⎿"}}, Rows: resultRows, Add: loose},
		{Begin: &chat.Mark{Col: 3, Signs: []string{"⎿"}}, Rows: resultRows, Add: loose},
		{Rule: "call", When: unmarked, Rows: t.callRows, Add: call},
		{Rule: "rest of a prompt", Headless: true, When: t.promptRest, Rows: t.promptRows, Role: session.RoleUser,
			Read: t.prompt},
		{Begin: &chat.Mark{Row: row.Filled}, Rows: func([]row.Line) int { return 1 }}, // other output of the agent
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

// done matches what is written below a turn: `✻ Baked for 1s`.
var done = chat.Mark{Row: row.Matching(ended), Ink: row.Grey}

// glyphs returns each of the glyphs with a blank after it.
func glyphs(all string) (out []string) {
	for _, g := range all {
		out = append(out, string(g)+" ", string(g)+"\u00a0")
	}
	return out
}

// behindSign returns the text after the sign and the blanks at a row's start.
func behindSign(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.TrimLeft(text[n:], " \u00a0")
}

// begins reports whether a cell begins at line k, so that the text above ends there.
func (t *talk) begins(lines []row.Line, k int) bool {
	l := lines[k]
	return t.cells.Begins(l) || (l.Lost || lines[max(k, 1)-1].Text == "") && unmarked(lines[k:], nil) ||
		l.Lost && t.promptRest(lines[k:], nil)
}

// replyRows returns the number of lines of a reply or of thinking. A corner follows it if it was
// interrupted, if a call was never on the screen, and if the agent adds a message in grey: that of
// a hook, or that a plan was rejected. Other corners belong to its text.
func (t *talk) replyRows(lines []row.Line) int {
	return chat.Until(lines, func(k int) bool {
		if !t.begins(lines, k) {
			return false
		}
		sign := corner().FindString(lines[k].Text)
		return sign == "" || lines[k].Lost || lines[k].All(row.Grey) || interrupted(lines[k].Text[len(sign):])
	})
}

// callRows returns the number of lines of a call, including its result.
func (t *talk) callRows(lines []row.Line) int {
	n := chat.Until(lines, func(k int) bool { return t.begins(lines, k) || lines[k].Lost })
	return n + resultRows(lines[n:])
}

// outputRest reports whether rows without a corner are output of a call.
func (t *talk) outputRest(lines []row.Line, earlier []chat.Item) bool {
	end := row.SkipBlank(lines, row.Run(lines, deep))
	return len(earlier) > 0 && (end == len(lines) || t.begins(lines, end))
}

// replyRest reports whether rows without a marker belong to a reply: one was expected or, where the
// recording begins, they look like one and are not a piece of the welcome.
func (t *talk) replyRest(lines []row.Line, earlier []chat.Item) bool {
	if !lines[0].Late {
		return slices.Contains([]string{session.RoleUser, session.RoleTool}, chat.Last(earlier).Role)
	}
	rows := lines[:t.replyRows(lines)]
	return slices.ContainsFunc(rows, chat.AtMargin) && !slices.ContainsFunc(rows, row.Matching(logo))
}

// logo matches a row of a small logo, whose first word consists of half and quarter blocks.
var logo = lazy.Regexp(`^ *[▝▜▄▗▟▀█▘▖▙▛▌▐]+(?: |$)`)

// wrote returns a Cell.Read for text in a role.
func (t *talk) wrote(role string) func([]row.Line, []chat.Item) (chat.Item, bool) {
	return func(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
		if fewColours(lines[0].StyleAt(0).Fg) {
			return chat.Wrote(role, lines, &t.few)
		}
		return chat.Wrote(role, lines, &t.style)
	}
}

// thinking parses thinking: `✻ Thinking…` or `∴ Thinking…`, and the text from column 2 on.
func (t *talk) thinking(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	return chat.Wrote(session.RoleThinking, lines[1:],
		&markdown.Style{Left: 2, Right: t.style.Right, Marks: func(vterm.Style) row.Mark { return 0 }})
}
