package codex

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

// cells are the messages and calls: each begins with a sign in the first column. That of a prompt
// is dim, unlike the composer's. A reply's bullet is dim and so is the blank after it; that of a
// command is drawn alone, that of a change to files precedes a bold verb.
var cells = &chat.Cells{Agent: "codex", Cells: []chat.Cell{
	{Begin: &bullet, When: chat.First(statusRow)},
	{Rule: "call", Begin: &bullet, When: chat.First(call), Role: session.RoleTool, Add: tool},
	{Rule: "notice", Begin: &bullet, When: chat.First(info), Add: notice},
	{Rule: "reply", Begin: &chat.Mark{Signs: bullet.Signs, Ink: dim}, Role: session.RoleAssistant, Read: reply,
		Through: row.Not(printed), Left: leftComposer},
	{Begin: &bullet}, // somebody else's
	{Rule: "call", Begin: &chat.Mark{Signs: []string{"🌐"}}, Read: searched},
	{Rule: "notice", Begin: &quoted, When: chat.First(info), Add: notice},
	{Rule: "reply", Begin: &quoted, Role: session.RoleAssistant, Read: oldReply, Through: row.Not(printed)},
	{Rule: "user", Begin: &chat.Mark{Signs: []string{"▌"}, Ink: coloured}, Rows: barred, Role: session.RoleUser,
		Read: prompt},
	{Rule: "user", Begin: &chat.Mark{Signs: []string{"› "}, Ink: dim}, Role: session.RoleUser, Read: prompt},
	{Rule: "command", Begin: &chat.Mark{Signs: []string{"/"}, Ink: coloured}, Keeps: true, Read: command},
	{Rule: "notice", Begin: &noted, Add: notice},
	{Rule: "clear", Begin: &chat.Mark{Signs: []string{"Token usage: "}}, When: newChat, Event: session.EventClear},
	{Begin: &atEdge}, // rules between turns, boxes, an input box that was left behind, what is printed at the end
	{Begin: &chat.Mark{Col: 2, Row: footnote}},
	{Headless: true, When: chat.First(printed)},
	{Rule: "user", Headless: true, When: promptRest, Role: session.RoleUser, Read: prompt},
	{Rule: "reply", Headless: true, When: replyRest, Role: session.RoleAssistant, Read: reply},
}}

var (
	bullet = chat.Mark{Signs: []string{"•", "◦"}}
	quoted = chat.Mark{Signs: []string{"> "}} // up to 0.42
	noted  = chat.Mark{Signs: []string{"■", "⚠", "✔", "✗", "✘", "✨", "🖐", "ⓘ"}}
)

// atEdge is any row that begins in the first column.
var atEdge = chat.Mark{Row: row.Filled}

func dim(s vterm.Style) bool      { return s.Dim }
func coloured(s vterm.Style) bool { return s.Fg.Kind != vterm.ColorDefault }

// userRow reports whether a row looks like the first row of a prompt in the conversation.
func userRow(l row.Line) bool {
	cell, _ := cells.Of(l)
	return cell.Role == session.RoleUser
}

// barred returns the number of rows of a prompt with a bar before each of its lines.
func barred(lines []row.Line) int {
	return row.Run(lines, row.Prefixed("▌"))
}

// footnote reports whether a row that begins in the third column is Codex's own: "  Worked for 3s •
// 23:35" or " done 5:24 AM", dim with the blanks before it, "  └ Tip: …", "  Tip: …".
func footnote(l row.Line) bool {
	if strings.HasPrefix(l.Text, "  └ ") {
		return l.BoldAt(4) // "Tip:"
	}
	return l.DimAt(0) && len(l.Runs) == 1
}

// printed reports whether a row without a sign is dim, like the output of tools.
func printed(l row.Line) bool {
	st := l.StyleAt(row.Indent(l.Text))
	return st.Dim && !st.Italic
}

// promptRest reports whether rows without a head belong to a prompt: they have a background, or are
// separated from what the agent says next by two blank rows, and are not below a call. Below a
// reply there is one blank row, or another prompt.
func promptRest(lines []row.Line, earlier []chat.Item) bool {
	if row.HasBackground(lines[0]) {
		return true
	}
	end := len(chat.Between(lines, atEdge.On))
	return !lines[0].Late && end < len(lines) && end-len(row.Trim(lines[:end])) > 1 &&
		(bullet.On(lines[end]) || noted.On(lines[end])) &&
		slices.Contains([]string{session.RoleUser, session.RoleAssistant}, chat.Last(earlier).Role)
}

// replyRest reports whether rows without a head belong to a reply: one was expected or, where the
// recording begins, they look like one.
func replyRest(lines []row.Line, earlier []chat.Item) bool {
	if chat.Last(earlier).Role == session.RoleUser {
		return true
	}
	rows := chat.Between(lines, atEdge.On)
	return lines[0].Late && slices.ContainsFunc(rows, chat.AtMargin) && !strings.HasPrefix(rows[0].Text, "  └")
}

// call reports whether a row begins a tool call.
func call(l row.Line) bool {
	title := titleOf(l)
	return title != "" && l.Runs[0].Width == 1 || slices.Contains(dimTitles, title) || change(l, title)
}

// titleOf returns the bold text after a bullet.
func titleOf(l row.Line) string {
	if r := l.RunAt(2); r.Style.Bold {
		return strings.TrimSpace(r.Text)
	}
	return ""
}

// dimTitles are titles of cells whose bullet is that of a reply.
var dimTitles = []string{"Updated Plan", "Viewed Image", "Viewed image", "Generated Image:", "Proposed Change",
	"Change Approved"}

// changes matches the head of a change to files, up to the counts. If the path is very long, these
// are on the next row.
var changes = lazy.Regexp(`^\S+ (?:Edited|Added|Deleted) (?:.*\(\+|\S+$)`)

// change reports whether a row is the head of a change to files: "• Edited main.go (+1 -1)",
// the counts in colours.
func change(l row.Line, title string) bool {
	m := changes().FindString(l.Text)
	at := strings.TrimSuffix(m, "+")
	return title != "" && m != "" && (at == m || coloured(l.StyleAt(row.Width(at))))
}

// infos matches notices that look like replies, by their words.
var infos = lazy.Regexp(` hook \(|^\S+ (?:Unrecognized command '/|Model changed to |Conversation reverted to this ` +
	`point|Model interrupted to submit |Context compacted|Compact task completed|Permissions updated to |Review ` +
	`finished|(?:Thread|Session) renamed to )`)

// info reports whether a row is a notice that looks like a reply: by its words, the hint at its
// end, or a bold bullet: "• Waited for background terminal".
func info(l row.Line) bool {
	hint := l.Runs[len(l.Runs)-1].Style.Fg == vterm.Color{Kind: vterm.ColorPalette, Palette: 8}
	return infos().MatchString(l.Text) || hint || !l.DimAt(0) && l.BoldAt(1)
}

// prompt parses what the user typed.
func prompt(ls []row.Line, _ []chat.Item) (chat.Item, bool) {
	c := &body{lines: ls}
	c.look = markdown.Style{Left: 2, Right: 1, Seam: c.cutSeam}
	if bar, ok := strings.CutPrefix(ls[0].Text, "▌"); ok && !row.Starts(bar, " ") {
		c.look.Left = 1
	}
	return chat.Typed(ls, &c.look)
}

// reply parses a reply, or reasoning, which is dim and italic.
func reply(ls []row.Line, _ []chat.Item) (chat.Item, bool) {
	if ls[0].Text == "• Proposed Plan" && len(ls) > 1 { // the title above a reply that is a plan
		ls = ls[1:]
	}
	lk, role := replyLook(ls), session.RoleAssistant
	if reasoning(ls) {
		role = session.RoleThinking
		lk.Marks = func(s vterm.Style) row.Mark { return row.PlainMarks(s) &^ row.MarkItalic }
	}
	return chat.Wrote(role, ls, lk)
}

// oldReply parses a reply of versions up to 0.42.
func oldReply(ls []row.Line, _ []chat.Item) (chat.Item, bool) {
	ls = slices.DeleteFunc(slices.Clone(ls), statusRow) // a resize left it behind
	return chat.Wrote(session.RoleAssistant, ls, oldLook(ls))
}

// reasoning reports whether a cell's first row is completely dim and italic.
func reasoning(ls []row.Line) bool {
	return (&markdown.Style{Left: 2}).Lines(ls[:1])[0].All(func(s vterm.Style) bool { return s.Italic && s.Dim })
}

// notice parses a notice. Some notices are the result of a call or of the turn.
func notice(p *chat.Parser, i, end int) {
	ls := p.Lines[i:end]
	text, _ := markdown.Render(ls, &markdown.Style{Left: 2})
	switch m := decision().FindStringSubmatch(text); {
	case row.Starts(ls[0].Text, "■ Conversation interrupted", "🖐"):
		p.Interrupted(i, end, "interrupt")
	case m != nil: // the call must not be made: there is nothing else of it
		p.Add(chat.Did(&session.Tool{Name: "Run", Input: strings.TrimSpace(m[1]), Status: session.ToolRejected}), i, end,
			"rejected")
	case failed(p, ls, end):
	default:
		p.Say(session.RoleSystem, text, text, i, end, "notice")
	}
}

// newChat reports whether a welcome is below what is printed at the end of a conversation, as /new
// leaves it up to version 0.9x.
func newChat(lines []row.Line, _ []chat.Item) bool {
	i := slices.IndexFunc(lines[:min(len(lines), farewellRows)], func(l row.Line) bool { return welcome.Begins(l.Text) })
	return welcome.Rows(lines[max(i, 0):]) > 0
}

// farewellRows is more than the number of rows that are printed there, when wrapped, including the
// blank row below.
const farewellRows = 9

// command parses a command of Codex's own with its output, maybe in a box.
func command(ls []row.Line, _ []chat.Item) (chat.Item, bool) {
	text := strings.TrimSpace(ls[0].Text)
	it := chat.Said(session.RoleCommand, text, "`"+text+"`")
	it.Output = markdown.Verbatim(unboxed(ls[1:]), 0)
	return it, true
}

// unboxed returns lines without the box around them.
func unboxed(ls []row.Line) []row.Line {
	var out []row.Line
	for _, l := range ls {
		switch row.FirstRune(l.Text) {
		case '╭', '╰':
		case '│':
			out = append(out, row.CutLine(l, 2, row.Width(strings.TrimRight(l.Text, " │"))))
		default:
			out = append(out, l)
		}
	}
	return out
}
