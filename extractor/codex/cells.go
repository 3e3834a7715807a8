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

// kind is what a cell of the conversation is, by the marker in column 0.
type kind uint8

const (
	text   kind = iota // no marker: it goes on with the cell above
	user               // the user's prompt
	says               // a reply, or reasoning
	tool               // a tool call
	notice             // a notice, an error, a decision
	slash              // a command such as /status, with what it printed
	chrome             // rules between turns, tips, boxes, an input box that was left behind, what is printed at the end
)

// kinds are the cells that a sign in the first column begins.
var kinds = map[rune]kind{
	'▌': user, '›': user, '•': says, '◦': says, '>': says, '/': slash,
	'■': notice, '⚠': notice, '✔': notice, '✗': notice, '✘': notice, '✨': notice, '🖐': notice, 'ⓘ': notice,
}

// readers read the lines of cells; what has none becomes no item.
var readers = [chrome + 1]func(p *parser, i int, ls []row.Line){
	user: (*parser).user, says: (*parser).says, tool: (*parser).tool, notice: (*parser).notice, slash: (*parser).slash,
}

// parser reads the cells of a conversation.
type parser struct{ chat.Parser }

func parse(lines []row.Line, last bool) []chat.Item {
	p := &parser{chat.Parser{Agent: "codex", Lines: lines, Last: last}}
	p.Read(p.next)
	return p.Items
}

// next reads the cell that begins at line i and returns how many lines it has.
func (p *parser) next(i int) int {
	kind := cell(p.Lines[i])
	if kind == text {
		return p.headless(i)
	}
	n := p.length(i, kind)
	if read := readers[kind]; read != nil {
		read(p, i, p.Lines[i:i+n])
	}
	return n
}

// headless reads the rest of a prompt or a reply whose first rows were never on the screen, and
// returns how many lines it has. What a tool printed is left out, and the rest of the banner.
func (p *parser) headless(i int) int {
	first := row.SkipBlank(p.Lines, i)
	if !p.Lines[i].Lost || first == len(p.Lines) {
		return 1
	}
	if dim(p.Lines[first]) {
		return first - i + row.Run(p.Lines[first:], row.Filled)
	}
	k, n := len(p.Items), p.length(first, user)
	if ls := p.Lines[first : first+n]; row.HasBackground(ls[0].Row) {
		p.user(first, ls)
	} else if p.Above().Role == session.RoleUser || p.Lines[i].Late && slices.ContainsFunc(ls, chat.AtMargin) && !strings.HasPrefix(ls[0].Text, "  └") {
		p.says(first, ls)
	}
	if len(p.Items) > k {
		p.Items[k].First, p.Items[k].Headless = i, true
	}
	return first - i + n
}

// dim reports whether a row without a marker is dim, as what tools print is.
func dim(l row.Line) bool {
	st := l.StyleAt(row.Indent(l.Text))
	return st.Dim && !st.Italic
}

// cell tells by a row's marker what kind of cell begins there.
func cell(l row.Line) kind {
	t := l.Text
	sign := row.FirstRune(t)
	switch kind := kinds[sign]; {
	case t == "", l.Wrapped, sign == ' ' && !footnote(l):
		return text
	case sign == '•', sign == '◦':
		return bullet(l)
	case kind == text, chat.Begins(t, ">_", ">> "), // ">> Code review started: …"
		kind == user && !userRow(l), kind == slash && l.StyleAt(0).Fg.Kind == vterm.ColorDefault:
		return chrome
	default:
		return kind
	}
}

// head reports whether a row begins a cell.
func head(l row.Line) bool { return cell(l) != text }

// userRow reports whether a row begins a prompt of the conversation: its sign is dim, unlike
// the composer's.
func userRow(l row.Line) bool {
	st := l.StyleAt(0)
	if strings.HasPrefix(l.Text, "▌") {
		return st.Fg.Kind != vterm.ColorDefault
	}
	return row.Starts(l.Text, "› ") && st.Dim
}

// footnote reports whether an indented row is Codex's own: "  Worked for 3s • 23:35" or "
// done 5:24 AM", dim with the blanks before it, "  └ Tip: …", "  Tip: …".
func footnote(l row.Line) bool {
	t := strings.TrimPrefix(l.Text, "  ")
	if strings.HasPrefix(t, "└ ") {
		return l.BoldAt(4) // "Tip:"
	}
	return l.DimAt(0) && len(l.Runs) == 1 && !strings.HasPrefix(t, " ")
}

// bullet tells replies from tool calls: a reply's bullet is dim and so is the blank behind it;
// that of a command is drawn by itself, that of a change to files precedes a bold verb.
func bullet(l row.Line) kind {
	st, title := l.StyleAt(0), titleOf(l)
	switch {
	case statusRow(l):
		return chrome
	case title != "" && l.Runs[0].Width == 1, slices.Contains(dimTitles, title), change(l, title):
		return tool
	case info(l), !st.Dim && l.BoldAt(1): // "• Waited for background terminal"
		return notice
	case !st.Dim: // somebody else's bullet
		return chrome
	}
	return says
}

// titleOf is the bold text behind a bullet.
func titleOf(l row.Line) string {
	i := slices.IndexFunc(l.Runs, func(r vterm.Run) bool { return r.Col+r.Width > 2 })
	if i < 0 || !l.Runs[i].Style.Bold {
		return ""
	}
	return strings.TrimSpace(l.Runs[i].Text)
}

// dimTitles are cells whose bullet is that of a reply.
var dimTitles = []string{"Updated Plan", "Viewed Image", "Viewed image", "Generated Image:", "Proposed Change", "Change Approved"}

// change reports whether a row is the head of a change to files: "• Edited main.go (+1 -1)",
// the counts in colours.
func change(l row.Line, title string) bool {
	if !slices.Contains([]string{"Edited", "Added", "Deleted"}, title) {
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

// info reports whether a row is a notice that looks like a reply: by its words, or the hint at its
// end.
func info(l row.Line) bool {
	t, n := strings.TrimPrefix(l.Text, "• "), len(l.Runs)-1
	return chat.Begins(t, infos...) || strings.Contains(t, " hook (") || l.Runs[n].Style.Fg == vterm.Color{Kind: vterm.ColorPalette, Palette: 8}
}

// length counts the lines of the cell that begins at line i, up to the next marker, without blank
// lines at its end.
func (p *parser) length(i int, of kind) int {
	return p.Until(i+1, func(k int) bool {
		l := p.Lines[k]
		if l.Lost && (of != says || dim(l)) {
			return true
		}
		kind := cell(l)
		own := of == user && strings.HasPrefix(l.Text, "▌") || of == slash && kind == chrome // the box of what /status printed
		return kind != text && !own
	}) - i
}

// user reads a prompt.
func (p *parser) user(i int, ls []row.Line) {
	c := &body{lines: ls}
	c.look = markdown.Style{Left: 2, Right: 1, Seam: c.cutSeam}
	if !strings.HasPrefix(ls[0].Text, "▌ ") && strings.HasPrefix(ls[0].Text, "▌") {
		c.look.Left = 1
	}
	if text := markdown.Prompt(ls, &c.look); text != "" {
		p.Say(session.RoleUser, text, text, i, i+len(ls), "user")
	}
}

// says reads a reply, or reasoning, which is dim and italic. The last one may grow, unless a rule,
// a tip, or what is printed at the end follows it.
func (p *parser) says(i int, ls []row.Line) {
	end, role, rule := i+len(ls), session.RoleAssistant, "reply"
	if ls[0].Text == "• Proposed Plan" && len(ls) > 1 { // the title above a reply that is a plan
		ls = ls[1:]
	}
	lk := replyLook(ls)
	if reasoning(ls) {
		role, rule = session.RoleThinking, "reasoning"
		lk.Marks = func(s vterm.Style) row.Mark { return row.PlainMarks(s) &^ row.MarkItalic }
	}
	if text, md := markdown.Render(ls, lk); text != "" {
		p.Say(role, text, md, i, end, rule).Open = p.Last && !slices.ContainsFunc(p.Lines[end:], head)
	}
}

// reasoning reports whether all of a cell is dim and italic.
func reasoning(ls []row.Line) bool {
	faint := func(s vterm.Style) bool { return s.Italic && s.Dim }
	if !faint(ls[0].StyleAt(2)) {
		return false // most cells are none: their first character says so
	}
	return !slices.ContainsFunc((&markdown.Style{Left: 2}).Lines(ls), func(l markdown.Line) bool {
		return !l.Blank() && !l.All(faint)
	})
}

// notice reads a notice; some tell what became of a call or of the turn.
func (p *parser) notice(i int, ls []row.Line) {
	text, _ := markdown.Render(ls, &markdown.Style{Left: 2})
	switch end := i + len(ls); {
	case strings.HasPrefix(text, "Conversation interrupted"), strings.HasPrefix(ls[0].Text, "🖐"):
		p.Interrupted(i, end, "interrupt")
	case p.rejected(i, end, text), p.failed(ls, end):
	default:
		p.Say(session.RoleSystem, text, text, i, end, "notice")
	}
}

// slash reads a command of Codex's own with what it printed.
func (p *parser) slash(i int, ls []row.Line) {
	text := strings.TrimSpace(ls[0].Text)
	p.Say(session.RoleCommand, text, "`"+text+"`", i, i+len(ls), "command").Output = markdown.Verbatim(unboxed(ls[1:]), 0)
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
