package codex

import (
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

// parse reads the cells of a conversation.
func parse(lines []row.Line, last bool) []chat.Item {
	p := parser{lines: lines}
	for i := 0; i < len(lines); {
		n, kind := 1, codexCell(lines[i])
		switch {
		case lines[i].Lost && kind == codexText:
			n = p.headless(i)
		case kind == codexText:
		default:
			n = p.cell(i, kind)
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
// returns how many lines it has. What a tool printed is left out.
func (p *parser) headless(i int) int {
	first := i
	for first < len(p.lines) && p.lines[first].Text == "" {
		first++
	}
	if first == len(p.lines) || row.Indent(p.lines[first].Text) < 2 {
		return max(1, first-i)
	}
	if dim(p.lines[first]) { // what a tool printed, or the rest of the banner
		n := 1
		for first+n < len(p.lines) && p.lines[first+n].Text != "" {
			n++
		}
		return first - i + n
	}
	k := len(p.items)
	if n := p.length(first, codexUser); prompted(p.lines[first : first+n]) {
		p.user(first, p.lines[first:first+n])
	} else if k > 0 && p.items[k-1].Role == session.RoleUser {
		p.says(first, p.lines[first:first+n])
	}
	for ; k < len(p.items); k++ {
		p.items[k].First, p.items[k].Headless = i, true
	}
	return first - i + p.length(first, codexUser)
}

// dim reports whether a row without a marker is dim, as what tools print is.
func dim(l row.Line) bool {
	st := l.StyleAt(row.Indent(l.Text))
	return st.Dim && !st.Italic
}

// prompted reports whether the rows up to the next cell are a prompt's: they have its
// background or, where the window's colours are not known, two blank rows below them.
func prompted(lines []row.Line) bool {
	if lines[0].StyleAt(0).Bg.Kind != vterm.ColorDefault {
		return true
	}
	return len(lines)-len(row.Trim(lines)) >= 2
}

// codexCell tells by a row's marker what kind of cell begins there.
func codexCell(l row.Line) codexKind {
	t := l.Text
	if t == "" || l.Wrapped {
		return codexText
	}
	if t[0] == ' ' {
		if footnote(l) {
			return chrome
		}
		return codexText
	}
	st := l.StyleAt(0)
	switch r := row.FirstRune(t); r {
	case '▌':
		if userRow(l) {
			return codexUser
		}
		return chrome
	case '›', '!':
		if userRow(l) {
			return codexUser
		}
		return chrome
	case '•', '◦':
		return bullet(l)
	case '>':
		if strings.HasPrefix(t, ">_") {
			return codexBox
		}
		if strings.HasPrefix(t, ">> ") { // ">> Code review started: …"
			return chrome
		}
		return codexSays
	case '■', '⚠', '✔', '✗', '✘', '✨', '🖐', 'ⓘ':
		return codexNotice
	case '╭':
		return codexBox
	case '/':
		if st.Fg.Kind != vterm.ColorDefault {
			return codexSlash
		}
	}
	return chrome
}

// head reports whether a row begins a cell.
func head(l row.Line) bool { return codexCell(l) != codexText }

// userRow reports whether a row begins a prompt of the conversation: its sign is dim, unlike
// the composer's.
func userRow(l row.Line) bool {
	t := l.Text
	st := l.StyleAt(0)
	if strings.HasPrefix(t, "▌") {
		return st.Dim && st.Fg.Kind != vterm.ColorDefault
	}
	return (t == "›" || strings.HasPrefix(t, "› ")) && st.Dim
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

// info reports whether a row is a notice that looks like a reply.
func info(l row.Line) bool {
	t := strings.TrimPrefix(l.Text, "• ")
	for _, s := range []string{"Model changed to ", "Conversation reverted to this point", "Model interrupted to submit ", "Context compacted", "Permissions updated to ", "Review finished", "Thread renamed to ", "Session renamed to "} {
		if strings.HasPrefix(t, s) {
			return true
		}
	}
	if n := len(l.Runs) - 1; n > 1 && color(l.Runs[n].Style.Fg, 0) { // its hint
		return true
	}
	return strings.Contains(t, " hook (")
}

// cell reads the cell that begins at line i and returns how many lines it has.
func (p *parser) cell(i int, kind codexKind) int {
	n := p.length(i, kind)
	ls := p.lines[i : i+n]
	switch kind {
	case codexUser:
		p.user(i, ls)
	case codexSays:
		p.says(i, ls)
	case codexTool:
		p.tool(i, ls)
	case codexNotice:
		p.notice(i, ls)
	case codexSlash:
		p.slash(i, ls)
	}
	return n
}

// length counts the lines of the cell that begins at line i, up to the next marker, without blank
// lines at its end.
func (p *parser) length(i int, kind codexKind) int {
	n := 1
	for i+n < len(p.lines) {
		l := p.lines[i+n]
		k := codexCell(l)
		if l.Lost && (kind != codexSays || dim(l)) {
			break
		}
		switch {
		case kind == codexUser && strings.HasPrefix(l.Text, "▌"):
			n++
			continue
		case kind == codexSlash && k == codexBox: // the box of what /status printed
			n += p.box(i + n)
			continue
		case kind == codexBox && strings.HasPrefix(p.lines[i].Text, "╭"):
			return p.box(i)
		case kind == chrome && l.Text == "":
			return n
		case kind == codexSlash && k == chrome:
			n++
			continue
		}
		if k != codexText {
			break
		}
		n++
	}
	return len(row.Trim(p.lines[i : i+n]))
}

// box counts the lines of a box.
func (p *parser) box(i int) int {
	for n := 1; i+n < len(p.lines); n++ {
		switch t := p.lines[i+n].Text; {
		case strings.HasPrefix(t, "╰"):
			return n + 1
		case !strings.HasPrefix(t, "│"):
			return n
		}
	}
	return len(p.lines) - i
}

func (p *parser) add(it chat.Item) { p.items = append(p.items, it) }

// user reads a prompt.
func (p *parser) user(i int, ls []row.Line) {
	c := body{lines: ls, look: markdown.Style{Left: 2, Right: 1, Breaks: breaks, Points: true, Ideo: true}}
	lk := c.look
	lk.Seam = addressSeam
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
	seen := false
	for k, l := range ls {
		for _, r := range l.Runs {
			if k == 0 && r.Col < 2 || strings.TrimSpace(r.Text) == "" {
				continue
			}
			if !r.Style.Italic || !r.Style.Dim {
				return false
			}
			seen = true
		}
	}
	return seen
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
		switch {
		case strings.HasPrefix(l.Text, "╭"), strings.HasPrefix(l.Text, "╰"):
		case strings.HasPrefix(l.Text, "│"):
			out = append(out, row.CutLine(l, 2, row.Width(strings.TrimRight(l.Text, " │"))))
		default:
			out = append(out, l)
		}
	}
	return out
}

// finish tells which items may still grow.
func (p *parser) finish(last bool) {
	for k := range p.items {
		it := &p.items[k]
		if it.Tool != nil && it.Tool.Status == session.ToolRunning {
			it.Open = true
		}
	}
	n := len(p.items)
	if n == 0 || !last || p.items[n-1].Role != session.RoleAssistant && p.items[n-1].Role != session.RoleThinking {
		return
	}
	for _, l := range p.lines[p.items[n-1].End:] {
		if head(l) { // a rule, a tip, or what is printed at the end
			return
		}
	}
	p.items[n-1].Open = true
}
