// Package inkcli reads what the programs draw that descend from the Gemini CLI: items begin with a
// sign in the first column, tools are in boxes, the composer is a box or between bars.
package inkcli

import (
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// CLI is how one of the programs that descend from the Gemini CLI differs from the others.
type CLI struct {
	Name    string // begins the names of its rules
	Replies string // the signs before a reply
	Notices string // the signs before words of the program's own
	Right   int    // the columns that replies leave free at the right
	Tinted  bool   // code spans have a colour of their own, not that of the signs
	Banner  func(lines []row.Line) (chat.Banner, int)
	Status  func(l row.Line) bool      // reports whether a row is chrome above the composer
	IsCall  func(l row.Line) bool      // reports whether a tool without a box begins on a line
	Call    func(p *Parser, i int) int // reads the one that begins at line i, and returns its number of lines
}

// textStyle behind a sign asks for it in black and white.
const textStyle = "\ufe0e"

// Parser reads items off the conversation, top to bottom.
type Parser struct {
	CLI
	Lines   []row.Line
	Last    bool
	Items   []chat.Item
	Command int         // index of the command that what follows belongs to, or -1
	accent  vterm.Color // of the signs ✦ and > seen last
	Stale   bool        // a piece of chrome stood since the last item: what follows may be printed again
}

// Parse reads the items off conversation lines.
func (a CLI) Parse(lines []row.Line, last bool) []chat.Item {
	p := &Parser{CLI: a, Lines: lines, Last: last, Command: -1}
	return p.Read(p.next)
}

// Read reads all lines, with next where something begins.
func (p *Parser) Read(next func(i int) int) []chat.Item {
	for i := 0; i < len(p.Lines); {
		if p.Lines[i].Text == "" || p.Lines[i].Wrapped {
			i++
			continue
		}
		i += max(next(i), 1)
	}
	p.finish()
	return p.Items
}

// next reads what begins at line i and returns how many lines it has.
func (p *Parser) next(i int) int {
	l := p.Lines[i]
	t := l.Text
	r, _ := utf8.DecodeRuneInString(t)
	switch {
	case strings.ContainsRune(p.Replies, r):
		return p.reply(i)
	case strings.ContainsRune(p.Notices, r):
		return p.notice(i)
	case p.IsCall(l):
		return p.Call(p, i)
	}
	switch r {
	case '▄', '▀':
		if IsBar(l) {
			return p.barred(i)
		}
		return p.welcome(i)
	case '>', '$', '!':
		if len(t) == 1 || t[1] == ' ' {
			return p.prompt(i)
		}
	case '╭':
		return p.box(i)
	case ' ':
		if n := p.thinking(i); n > 0 {
			return n
		}
		if p.signless(i) {
			return p.said(i)
		}
		return p.welcome(i)
	case '█', '░':
		return p.welcome(i)
	}
	return p.other(i)
}

// welcome skips the logo and the tips.
func (p *Parser) welcome(i int) int {
	if _, n := p.Banner(p.Lines[i:]); n > 0 {
		p.Command = -1
		return n
	}
	return p.other(i)
}

// other is a line of no item: what a command printed, or chrome that a resize left behind.
func (p *Parser) other(i int) int {
	l := p.Lines[i]
	if p.Status(l) && !strings.HasPrefix(l.Text, "  ") {
		p.Stale = true
		return 1
	}
	if p.Command >= 0 {
		p.Output(i+1, l.Text)
	}
	return 1
}

// until returns the end of an item that began above line i: the next line that begins something
// else.
func (p *Parser) until(i int) int {
	return p.UntilOne(i, func(k int, l row.Line) bool {
		return !strings.HasPrefix(l.Text, "  ") || p.IsCall(l) || More(l.Text) || isCrash(l) || p.aside(k)
	})
}

// aside reports whether line i is a hint at the right edge that a resize left behind: nothing of a
// message is indented so far below a blank line.
func (p *Parser) aside(i int) bool {
	return p.Lines[i-1].Text == "" && row.Indent(p.Lines[i].Text) > p.Lines[i].Cols/3
}

// UntilOne returns the end of what is above the next line that begins something, without the blank
// lines between.
func (p *Parser) UntilOne(i int, begins func(i int, l row.Line) bool) int {
	for ; i < len(p.Lines); i++ {
		if l := p.Lines[i]; l.Text != "" && !l.Wrapped && begins(i, l) {
			break
		}
	}
	for i > 0 && p.Lines[i-1].Text == "" {
		i--
	}
	return i
}

// isCrash reports whether Ink reports here that the program failed: ERROR on a background, two
// columns in.
func isCrash(l row.Line) bool {
	return strings.HasPrefix(l.Text, "  ERROR ") && l.StyleAt(2).Bg.Kind != vterm.ColorDefault
}

// More reports whether a line is the hint below what was cut for want of room.
func More(t string) bool {
	t = strings.TrimLeft(t, " ")
	return strings.HasPrefix(t, "Press ") && strings.Contains(t, "to show more lines")
}

// Add appends an item. A command ends with it.
func (p *Parser) Add(it chat.Item) {
	p.Items = append(p.Items, it)
	p.Command, p.Stale = -1, false
}

// reply reads what the model said: the lines under the sign ✦.
func (p *Parser) reply(i int) int {
	p.accent = p.Lines[i].StyleAt(0).Fg
	return p.said(i)
}

// signless reports whether a reply without its sign begins at line i: from 0.44 on, code blocks
// have none before them.
func (p *Parser) signless(i int) bool {
	if n := len(p.Items); n == 0 || p.Command >= 0 || p.Items[n-1].Role == session.RoleAssistant {
		return false
	}
	ls := (&markdown.Style{Left: 2}).Lines(p.Lines[i : i+1])
	_, n, ok := colorsOf(p.Lines[i:p.until(i+1)], p.accent).gutter(&ls[0])
	return ok && n == 1
}

// said reads what the model said, from line i on.
func (p *Parser) said(i int) int {
	end := p.until(i + 1)
	p.Unsaid(i, end)
	text, md := p.body(p.Lines[i:end])
	if p.compresses() || strings.HasPrefix(text, "Chat history compressed from ") || strings.HasPrefix(text, "Compressing chat history") {
		p.say(text, i, end)
		return end - i
	}
	p.Asked()
	if text == "" {
		return end - i
	}
	p.Add(chat.Item{Message: session.Message{Role: session.RoleAssistant, Text: text, Markdown: md}, First: i, End: end, Open: p.Open(end), Rule: p.Name + " reply"})
	return end - i
}

// Open reports whether the item that ends before a line may still grow.
func (p *Parser) Open(end int) bool {
	if !p.Last {
		return true
	}
	for ; end < len(p.Lines); end++ {
		if p.Lines[end].Text != "" {
			return false
		}
	}
	return true
}

// Unsaid takes back the replies above where the same one is printed again, after a resize in the
// middle of it: chrome that was left behind is between the two, or the terminal rewrapped the rows
// above, or there is not even a blank line between them.
func (p *Parser) Unsaid(i, end int) {
	again, stale := lettersOf(p.Lines[i:end]), p.Stale
	for n := len(p.Items); n > 0 && p.Items[n-1].Role == session.RoleAssistant; n-- {
		above := p.Lines[p.Items[n-1].First:p.Items[n-1].End]
		if !stale && p.Items[n-1].End != i && !anyWrapped(above) {
			return
		}
		old := lettersOf(above)
		k := min(len(old), len(again), 48) // further down its rows may be torn
		if k == 0 || old[:k] != again[:k] {
			return
		}
		stale, p.Items = true, p.Items[:n-1]
	}
}

// anyWrapped reports whether the terminal wrapped one of the rows, which Ink never lets it do by
// itself.
func anyWrapped(lines []row.Line) bool {
	for _, l := range lines {
		if l.Wrapped {
			return true
		}
	}
	return false
}

// lettersOf is the text of lines without its blanks.
func lettersOf(lines []row.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(row.Letters(l.Text))
	}
	return b.String()
}

// prompt reads what the user typed, drawn as "> text".
func (p *Parser) prompt(i int) int {
	end := p.sameText(i, p.until(i+1))
	lk := &markdown.Style{Left: 2}
	p.Typed(p.Lines[i].Text[0], markdown.Prompt(p.Lines[i:end], lk), i, end)
	return end - i
}

// sameText returns where a prompt that begins at line i ends: what is below a blank line in another
// style is a notice, such as that of the model that answers.
func (p *Parser) sameText(i, end int) int {
	style := p.Lines[i].StyleAt(2)
	for k := i + 1; k < end; k++ {
		l := p.Lines[k]
		if p.Lines[k-1].Text == "" && l.Text != "" && l.StyleAt(row.Indent(l.Text)) != style {
			return k - 1
		}
	}
	return end
}

// barred reads what is between two bars: what the user typed, or a composer that a resize left
// behind.
func (p *Parser) barred(i int) int {
	first := i + 1
	for first < len(p.Lines) && p.Lines[first].Wrapped && strings.Trim(p.Lines[first].Text, "▄▀") == "" {
		first++
	}
	end := first
	for end < len(p.Lines) && (row.HasBackground(p.Lines[end].Row) || p.Lines[end].Wrapped) && !IsBar(p.Lines[end]) {
		end++
	}
	rows := p.Lines[first:end]
	if end < len(p.Lines) && IsBar(p.Lines[end]) && len(rows) > 0 {
		end++
	}
	if len(rows) == 0 {
		p.Stale = true
		return end - i
	}
	if isComposer(rows, 1) {
		p.Stale = true
		return end - i
	}
	t := rows[0].Text
	if len(t) < 3 || t[0] != ' ' || t[2] != ' ' {
		return end - i
	}
	p.accent = rows[0].StyleAt(1).Fg
	p.Typed(t[1], markdown.Prompt(rows, &markdown.Style{Left: 3, Right: 1}), i, end)
	return end - i
}

// Typed adds what the user typed: a prompt, a command of the CLI or, behind another sign, of the
// shell.
func (p *Parser) Typed(sign byte, text string, first, end int) {
	it := chat.Item{Message: session.Message{Role: session.RoleUser, Text: text, Markdown: text}, First: first, End: end, Rule: p.Name + " prompt"}
	switch {
	case sign == '>' && IsSlash(text):
		if name, _, _ := strings.Cut(text, " "); name == "/clear" || name == "/quit" || name == "/exit" {
			p.Command, p.Stale = -1, false
			return
		}
		it.Role, it.Rule = session.RoleCommand, p.Name+" /command"
	case sign != '>':
		it.Role, it.Rule = session.RoleCommand, p.Name+" !command"
		it.Text = "!" + text
		it.Markdown = it.Text
	}
	p.Add(it)
	if it.Role == session.RoleCommand {
		p.Command = len(p.Items) - 1
	}
}

// IsSlash reports whether a prompt is a command of the CLI.
func IsSlash(t string) bool {
	return strings.HasPrefix(t, "/") && !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "/*")
}

// compresses reports whether what follows is the outcome of a command that shortens the
// conversation: it is drawn like a reply.
func (p *Parser) compresses() bool {
	if p.Command < 0 {
		return false
	}
	switch p.Items[p.Command].Text {
	case "/compress", "/summarize", "/compact":
		return true
	}
	return false
}

// Asked makes a prompt of what looked like a command: the model answers it.
func (p *Parser) Asked() {
	if p.Command >= 0 && p.Items[p.Command].Output == "" && p.Items[p.Command].Text[0] == '/' {
		p.Items[p.Command].Role, p.Items[p.Command].Rule = session.RoleUser, p.Name+" prompt"
	}
}

// Output adds lines to what a command printed.
func (p *Parser) Output(end int, text string) {
	it := &p.Items[p.Command]
	if it.Output != "" {
		it.Output += "\n"
	}
	it.Output += text
	it.End = end
}

// notice reads a line of the CLI's own behind ℹ, ⚠ or ✕: a command's answer, the end of a request,
// an error.
func (p *Parser) notice(i int) int {
	end := p.until(i + 1)
	_, size := utf8.DecodeRuneInString(p.Lines[i].Text)
	left := 1
	if s := strings.TrimPrefix(p.Lines[i].Text[size:], textStyle); s != "" {
		left += row.Indent(s)
	}
	text := markdown.Prompt(p.Lines[i:end], &markdown.Style{Left: left})
	switch {
	case strings.HasPrefix(text, "Request cancelled"), strings.HasPrefix(text, "User cancelled the request"):
		if n := len(p.Items); n > 0 && p.Items[n-1].Role == session.RoleAssistant {
			p.Items[n-1].Partial = true
		}
		p.Add(chat.Item{Event: session.EventInterrupted, First: i, End: end, Rule: p.Name + " cancelled"})
	default:
		p.say(text, i, end)
	}
	return end - i
}

// say adds words of the CLI's own: to a command's output where one was given, else as a notice.
func (p *Parser) say(text string, first, end int) {
	if p.Command >= 0 {
		p.Output(end, text)
		return
	}
	p.Add(chat.Item{Message: session.Message{Role: session.RoleSystem, Text: text, Markdown: text}, First: first, End: end, Rule: p.Name + " notice"})
}

// thinking reads the model's thoughts, where the user asked to see them: beside a line, under "
// Thinking...".
func (p *Parser) thinking(i int) int {
	t := p.Lines[i].Text
	if !strings.HasPrefix(t, " │") && (t != " Thinking..." || !p.Lines[i].StyleAt(1).Italic) {
		return 0
	}
	end := i
	if t == " Thinking..." {
		end++
	}
	first := end
	for end < len(p.Lines) && strings.HasPrefix(p.Lines[end].Text, " │") {
		end++
	}
	if end == first {
		return 0
	}
	text := markdown.Prompt(p.Lines[first:end], &markdown.Style{Left: 3, Marks: row.PlainMarks})
	p.Asked()
	p.Add(chat.Item{Message: session.Message{Role: session.RoleThinking, Text: text, Markdown: text}, First: i, End: end, Open: p.Open(end), Rule: p.Name + " thinking"})
	return end - i
}

// finish holds back a command at the end until it is known what follows: what it prints, or the
// model's answer.
func (p *Parser) finish() {
	if n := len(p.Items); n > 0 && p.Command == n-1 && p.Items[n-1].Output == "" && p.Open(p.Items[n-1].End) {
		p.Items = p.Items[:n-1]
	}
}
