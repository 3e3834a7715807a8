package codex

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// codexKind is what a cell of the conversation is, by the marker in column 0.
type codexKind uint8

const (
	codexText   codexKind = iota // no marker: it goes on with the cell above
	codexUser                    // the user's prompt
	codexSays                    // a reply, or reasoning
	codexTool                    // a tool call
	codexNotice                  // a notice, an error, a decision
	codexSlash                   // a command such as /status, with what it printed
	codexBox                     // a box: the banner
	chrome                       // rules between turns, tips, an input box that was left behind, what is printed at the end
)

// kinds are the cells that a sign in the first column begins.
var kinds = map[rune]codexKind{
	'▌': codexUser, '›': codexUser,
	'•': codexSays, '◦': codexSays, '>': codexSays,
	'■': codexNotice, '⚠': codexNotice, '✔': codexNotice, '✗': codexNotice, '✘': codexNotice, '✨': codexNotice, '🖐': codexNotice, 'ⓘ': codexNotice,
	'╭': codexBox, '/': codexSlash,
}

// readers read cells; what has none becomes no item.
var readers = map[codexKind]func(p *parser, i int, ls []row.Line){
	codexUser: (*parser).user, codexSays: (*parser).says, codexTool: (*parser).tool, codexNotice: (*parser).notice, codexSlash: (*parser).slash,
}

// parse reads the cells of a conversation.
func parse(lines []row.Line, last bool) []chat.Item {
	p := parser{lines: lines}
	for i := 0; i < len(lines); {
		n, kind := 1, codexCell(lines[i])
		switch {
		case kind != codexText:
			n = p.length(i, kind)
			if read := readers[kind]; read != nil {
				read(&p, i, lines[i:i+n])
			}
		case lines[i].Lost:
			n = p.headless(i)
		}
		i += n
	}
	p.finish(last)
	return p.items
}

// parser collects items.
type parser struct {
	lines []row.Line
	items []chat.Item
}

// headless reads the rest of a prompt or a reply whose first rows were never on the screen, and
// returns how many lines it has. What a tool printed is left out, and the rest of the banner.
func (p *parser) headless(i int) int {
	first := row.SkipBlank(p.lines, i)
	if first == len(p.lines) || row.Indent(p.lines[first].Text) < 2 {
		return max(1, first-i)
	}
	if dim(p.lines[first]) {
		return first - i + chat.Run(p.lines[first:], func(l row.Line) bool { return l.Text != "" })
	}
	k, n := len(p.items), p.length(first, codexUser)
	if ls := p.lines[first : first+n]; ls[0].StyleAt(0).Bg.Kind != vterm.ColorDefault {
		p.user(first, ls)
	} else if k > 0 && p.items[k-1].Role == session.RoleUser {
		p.says(first, ls)
	}
	for ; k < len(p.items); k++ {
		p.items[k].First, p.items[k].Headless = i, true
	}
	return first - i + n
}

// dim reports whether a row without a marker is dim, as what tools print is.
func dim(l row.Line) bool {
	st := l.StyleAt(row.Indent(l.Text))
	return st.Dim && !st.Italic
}

// codexCell tells by a row's marker what kind of cell begins there.
func codexCell(l row.Line) codexKind {
	t := l.Text
	sign := row.FirstRune(t)
	switch kind := kinds[sign]; {
	case t == "", l.Wrapped:
		return codexText
	case sign == ' ':
		if footnote(l) {
			return chrome
		}
		return codexText
	case sign == '•', sign == '◦':
		return bullet(l)
	case strings.HasPrefix(t, ">_"):
		return codexBox
	case kind == codexText, strings.HasPrefix(t, ">> "), // ">> Code review started: …"
		kind == codexUser && !userRow(l), kind == codexSlash && l.StyleAt(0).Fg.Kind == vterm.ColorDefault:
		return chrome
	default:
		return kind
	}
}

// head reports whether a row begins a cell.
func head(l row.Line) bool { return codexCell(l) != codexText }

// userRow reports whether a row begins a prompt of the conversation: its sign is dim, unlike
// the composer's.
func userRow(l row.Line) bool {
	st := l.StyleAt(0)
	if strings.HasPrefix(l.Text, "▌") {
		return st.Fg.Kind != vterm.ColorDefault
	}
	return strings.HasPrefix(l.Text+" ", "› ") && st.Dim
}

// footnote reports whether an indented row is Codex's own: "  Worked for 3s • 23:35" or "
// done 5:24 AM", dim with the blanks before it, "  └ Tip: …", "  Tip: …".
func footnote(l row.Line) bool {
	t := strings.TrimPrefix(l.Text, "  ")
	switch {
	case strings.HasPrefix(t, "└ "):
		return l.BoldAt(4) // "Tip:"
	case l.DimAt(0):
		return len(l.Runs) == 1 && t[0] != ' '
	}
	return false
}

// bullet tells replies from tool calls: a reply's bullet is dim and so is the blank behind it;
// that of a command is drawn by itself, that of a change to files precedes a bold verb.
func bullet(l row.Line) codexKind {
	if statusRow(l) {
		return chrome
	}
	st := l.StyleAt(0)
	alone := l.Runs[0].Width == 1
	title := codexTitle(l)
	switch {
	case title != "" && alone && l.StyleAt(1) != st:
		return codexTool
	case dimTitles[title]:
		return codexTool
	case codexChange(l, title):
		return codexTool
	case info(l), !st.Dim && l.BoldAt(1): // "• Waited for background terminal"
		return codexNotice
	case !st.Dim: // somebody else's bullet
		return chrome
	}
	return codexSays
}

// codexTitle is the bold text behind a bullet.
func codexTitle(l row.Line) string {
	for _, r := range l.Runs {
		if r.Col+r.Width <= 2 {
			continue
		}
		if !r.Style.Bold {
			return ""
		}
		return strings.TrimSpace(r.Text)
	}
	return ""
}

// dimTitles are cells whose bullet is that of a reply.
var dimTitles = map[string]bool{
	"Updated Plan": true, "Viewed Image": true, "Viewed image": true, "Generated Image:": true, "Proposed Change": true, "Change Approved": true,
}

// codexChange reports whether a row is the head of a change to files: "• Edited main.go (+1 -1)",
// the counts in colours.
func codexChange(l row.Line, title string) bool {
	switch title {
	case "Edited", "Added", "Deleted":
	default:
		return false
	}
	at := strings.LastIndex(l.Text, "(+")
	if at < 0 { // the path is so long that the counts are on the next row
		return strings.Count(l.Text, " ") == 2
	}
	return l.StyleAt(row.Width(l.Text[:at])+1).Fg.Kind != vterm.ColorDefault
}

// infos begin notices that look like replies.
var infos = []string{"Model changed to ", "Conversation reverted to this point", "Model interrupted to submit ", "Context compacted", "Permissions updated to ", "Review finished", "Thread renamed to ", "Session renamed to "}

// info reports whether a row is a notice that looks like a reply.
func info(l row.Line) bool {
	t := strings.TrimPrefix(l.Text, "• ")
	if slices.ContainsFunc(infos, func(s string) bool { return strings.HasPrefix(t, s) }) {
		return true
	}
	if n := len(l.Runs) - 1; n > 1 && color(l.Runs[n].Style.Fg, 0) { // its hint
		return true
	}
	return strings.Contains(t, " hook (")
}

// length counts the lines of the cell that begins at line i, up to the next marker, without blank
// lines at its end.
func (p *parser) length(i int, kind codexKind) int {
	if strings.HasPrefix(p.lines[i].Text, "╭") {
		return p.box(i)
	}
	end := i + 1
	for end < len(p.lines) {
		l := p.lines[end]
		k := codexCell(l)
		switch {
		case l.Lost && (kind != codexSays || dim(l)), kind == chrome && l.Text == "":
			k = chrome
		case kind == codexSlash && k == codexBox: // the box of what /status printed
			end += p.box(end)
			continue
		case kind == codexUser && strings.HasPrefix(l.Text, "▌"), kind == codexSlash && k == chrome:
			k = codexText
		}
		if k != codexText {
			break
		}
		end++
	}
	return len(row.Trim(p.lines[i:end]))
}

// box counts the lines of a box.
func (p *parser) box(i int) int {
	n := 1 + chat.Run(p.lines[i+1:], func(l row.Line) bool { return strings.HasPrefix(l.Text, "│") })
	if i+n < len(p.lines) && strings.HasPrefix(p.lines[i+n].Text, "╰") {
		n++
	}
	return n
}

func (p *parser) add(it chat.Item) { p.items = append(p.items, it) }

// user reads a prompt.
func (p *parser) user(i int, ls []row.Line) {
	c := body{lines: ls, look: markdown.Style{Left: 2, Right: 1}}
	lk := c.look
	lk.Seam = cutSeam
	if strings.HasPrefix(ls[0].Text, "▌") && !strings.HasPrefix(ls[0].Text, "▌ ") {
		lk.Left = 1
	}
	text := markdown.Prompt(ls, &lk)
	if text == "" {
		return
	}
	p.add(chat.Item{Message: session.Message{Role: session.RoleUser, Text: text, Markdown: text}, First: i, End: i + len(ls), Rule: "codex user"})
}

// says reads a reply, or reasoning, which is dim and italic.
func (p *parser) says(i int, ls []row.Line) {
	it := chat.Item{First: i, End: i + len(ls), Rule: "codex reply"}
	if ls[0].Text == "• "+plan && len(ls) > 1 {
		ls = ls[1:]
	}
	lk := codexLook(ls)
	it.Role = session.RoleAssistant
	if reasoning(ls) {
		it.Role, it.Rule = session.RoleThinking, "codex reasoning"
		plain := row.PlainMarks
		lk.Marks = func(s vterm.Style) row.Mark { return plain(s) &^ row.MarkItalic }
	}
	it.Text, it.Markdown = markdown.Render(ls, lk)
	if it.Text != "" {
		p.add(it)
	}
}

// plan is the title above a reply that is a plan.
const plan = "Proposed Plan"

// reasoning reports whether all of a cell is dim and italic.
func reasoning(ls []row.Line) bool {
	lines := (&markdown.Style{Left: 2}).Lines(ls)
	return !slices.ContainsFunc(lines, func(l markdown.Line) bool {
		return !l.Blank() && !l.All(func(s vterm.Style) bool { return s.Italic && s.Dim })
	})
}

// notice reads a notice; some tell what became of a call or of the turn.
func (p *parser) notice(i int, ls []row.Line) {
	text, _ := markdown.Render(ls, &markdown.Style{Left: 2})
	it := chat.Item{First: i, End: i + len(ls), Rule: "codex notice"}
	switch {
	case codexInterrupted(ls[0], text):
		p.interrupted()
		it.Event, it.Rule = session.EventInterrupted, "codex interrupt"
	case strings.HasPrefix(ls[0].Text, "✗ ") && p.rejected(i, ls, text):
		return
	case strings.HasPrefix(ls[0].Text, "✘ Failed to apply patch") && p.failed(ls, i+len(ls)):
		return
	default:
		it.Role, it.Text, it.Markdown = session.RoleSystem, text, text
	}
	p.add(it)
}

// codexInterrupted reports whether a notice says that the user stopped the turn.
func codexInterrupted(l row.Line, text string) bool {
	return strings.HasPrefix(text, "Conversation interrupted") || strings.HasPrefix(l.Text, "🖐")
}

// interrupted marks what the user stopped.
func (p *parser) interrupted() {
	if n := len(p.items); n > 0 {
		it := &p.items[n-1]
		switch it.Role {
		case session.RoleAssistant, session.RoleThinking:
			it.Partial = true
		case session.RoleTool:
			it.Partial = it.Tool.Status == session.ToolRunning
		}
	}
}

// slash reads a command of Codex's own with what it printed.
func (p *parser) slash(i int, ls []row.Line) {
	text := strings.TrimSpace(ls[0].Text)
	out := markdown.Verbatim(unboxed(ls[1:]), 0)
	p.add(chat.Item{Message: session.Message{Role: session.RoleCommand, Text: text, Markdown: "`" + text + "`", Output: out}, First: i, End: i + len(ls), Rule: "codex command"})
}

// unboxed is lines without the box around them.
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

// finish reports whether the last item may still grow: a rule, a tip, or what is printed at the end
// follows one that may not.
func (p *parser) finish(last bool) {
	n := len(p.items)
	if n == 0 || !last {
		return
	}
	it := &p.items[n-1]
	if (it.Role == session.RoleAssistant || it.Role == session.RoleThinking) && !slices.ContainsFunc(p.lines[it.End:], head) {
		it.Open = true
	}
}
