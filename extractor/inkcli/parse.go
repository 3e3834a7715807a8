// Package inkcli reads what the programs draw that descend from the Gemini CLI: items begin with a
// sign in the first column, tools are in boxes, the composer is a box or between bars.
package inkcli

import (
	"slices"
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

// NewParser returns a parser of conversation lines.
func (a CLI) NewParser(lines []row.Line, last bool) *Parser {
	return &Parser{CLI: a, Lines: lines, Last: last, Command: -1}
}

// Parse reads the items off conversation lines.
func (a CLI) Parse(lines []row.Line, last bool) []chat.Item {
	p := a.NewParser(lines, last)
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
	// A command at the end is held back until it is known what follows: what it prints, or the
	// model's answer.
	if n := len(p.Items) - 1; n >= 0 && p.Command == n && p.Items[n].Output == "" && p.Open(p.Items[n].End) {
		p.Items = p.Items[:n]
	}
	return p.Items
}

// next reads what begins at line i and returns how many lines it has.
func (p *Parser) next(i int) int {
	l := p.Lines[i]
	r, _ := utf8.DecodeRuneInString(l.Text)
	switch {
	case strings.ContainsRune(p.Replies, r):
		p.accent = l.StyleAt(0).Fg
		return p.said(i)
	case strings.ContainsRune(p.Notices, r):
		return p.notice(i)
	case p.IsCall(l):
		return p.Call(p, i)
	case IsBar(l):
		return p.barred(i)
	case r == '╭':
		return p.box(i)
	case strings.ContainsRune(">$!", r) && strings.HasPrefix(l.Text[1:]+" ", " "):
		return p.prompt(i)
	}
	if n := p.thinking(i); n > 0 {
		return n
	}
	if r == ' ' && p.signless(i) {
		return p.said(i)
	}
	return p.other(i)
}

// other is a line of no item: the welcome, what a command printed, or chrome that a resize left
// behind.
func (p *Parser) other(i int) int {
	l := p.Lines[i]
	_, n := p.Banner(p.Lines[i:])
	switch {
	case n > 0:
		p.Command = -1
	case p.Status(l) && !strings.HasPrefix(l.Text, "  "):
		p.Stale = true
	case p.Command >= 0:
		p.Output(i+1, l.Text)
	}
	return n
}

// until returns the end of an item that began above line i: the next line that begins something
// else.
func (p *Parser) until(i int) int {
	return p.UntilOne(i, func(k int, l row.Line) bool {
		return !strings.HasPrefix(l.Text, "  ") || p.IsCall(l) || More(l.Text) || p.aside(k)
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
	end := i
	for ; end < len(p.Lines); end++ {
		if l := p.Lines[end]; l.Text != "" && !l.Wrapped && begins(end, l) {
			break
		}
	}
	return i - 1 + len(row.Trim(p.Lines[i-1:end]))
}

// More reports whether a line is the hint below what was cut for want of room.
func More(t string) bool { return strings.Contains(t, " to show more lines") }

// Add appends an item. A command ends with it.
func (p *Parser) Add(it chat.Item, first, end int, rule string) {
	it.First, it.End, it.Rule = first, end, p.Name+" "+rule
	p.Items = append(p.Items, it)
	p.Command, p.Stale = -1, false
}

// AddCall appends a call. One that a command of the shell began is its output.
func (p *Parser) AddCall(t *session.Tool, first, end int, open bool, rule string) {
	p.Asked()
	if p.Command >= 0 && t.Name == "Shell Command" {
		p.Output(end, t.Output)
		p.Items[p.Command].Open, p.Command = t.Status == session.ToolRunning, -1
		return
	}
	text := strings.TrimSpace(t.Name + " " + t.Input)
	it := chat.Said(session.RoleTool, text, text)
	it.Tool, it.Open = t, open || t.Status == session.ToolRunning
	p.Add(it, first, end, rule)
}

// AddReply appends what the model said.
func (p *Parser) AddReply(text, md string, first, end int, rule string) {
	p.Asked()
	if strings.Trim(text, "┌─┬┐│ \n") == "" { // nothing, or a table of which only the border is there yet
		return
	}
	it := chat.Said(session.RoleAssistant, text, md)
	it.Open = p.Open(end)
	p.Add(it, first, end, rule)
}

// Cancelled adds that the user stopped the model.
func (p *Parser) Cancelled(first, end int) {
	if n := len(p.Items); n > 0 && p.Items[n-1].Role == session.RoleAssistant {
		p.Items[n-1].Partial = true
	}
	p.Add(chat.Item{Event: session.EventInterrupted}, first, end, "cancelled")
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

// said reads what the model said, from line i on. What /compress and its like say is drawn like a
// reply.
func (p *Parser) said(i int) int {
	end := p.until(i + 1)
	p.Unsaid(i, end)
	text, md := p.body(p.Lines[i:end])
	compressing := p.Command >= 0 && slices.Contains([]string{"/compress", "/summarize", "/compact"}, p.Items[p.Command].Text)
	if compressing || strings.HasPrefix(text, "Chat history compressed from ") {
		p.say(text, i, end)
	} else {
		p.AddReply(text, md, i, end, "reply")
	}
	return end - i
}

// Open reports whether the item that ends before a line may still grow.
func (p *Parser) Open(end int) bool {
	return !p.Last || row.SkipBlank(p.Lines, end) == len(p.Lines)
}

// Unsaid takes back the replies above where the same one is printed again, after a resize in the
// middle of it: chrome that was left behind is between the two, or blank rows where it was erased,
// or the terminal rewrapped the rows above, or there is not even a blank line between them.
func (p *Parser) Unsaid(i, end int) {
	again, stale := lettersOf(p.Lines[i:end]), p.Stale
	for n := len(p.Items); n > 0 && p.Items[n-1].Role == session.RoleAssistant; n-- {
		above := p.Lines[p.Items[n-1].First:p.Items[n-1].End]
		rewrapped := slices.ContainsFunc(above, func(l row.Line) bool { return l.Wrapped }) // Ink wraps itself
		if gap := i - p.Items[n-1].End; !stale && gap > 0 && gap < 3 && !rewrapped {
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
	p.Typed(p.Lines[i].Text[0], markdown.Prompt(p.Lines[i:end], &markdown.Style{Left: 2}), i, end)
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
	first := i + 1 + chat.Run(p.Lines[i+1:], func(l row.Line) bool { return l.Wrapped && strings.Trim(l.Text, "▄▀") == "" })
	n := chat.Run(p.Lines[first:], func(l row.Line) bool { return (row.HasBackground(l.Row) || l.Wrapped) && !IsBar(l) })
	rows, end := p.Lines[first:first+n], first+n
	if n == 0 || isComposer(rows, 1) {
		p.Stale = true
		return end - i
	}
	if end < len(p.Lines) && IsBar(p.Lines[end]) {
		end++
	}
	t := rows[0].Text
	if len(t) < 3 || t[2] != ' ' {
		return end - i
	}
	p.accent = rows[0].StyleAt(1).Fg
	p.Typed(t[1], markdown.Prompt(rows, &markdown.Style{Left: 3, Right: 1}), i, end)
	return end - i
}

// Typed adds what the user typed: a prompt, a command of the CLI or, behind another sign, of the
// shell.
func (p *Parser) Typed(sign byte, text string, first, end int) {
	name, _, _ := strings.Cut(text, " ")
	switch {
	case sign != '>':
		text = "!" + text
		p.Add(chat.Said(session.RoleCommand, text, text), first, end, "!command")
	case slices.Contains([]string{"/clear", "/quit", "/exit"}, name):
		p.Command, p.Stale = -1, false
		return
	case IsSlash(text):
		p.Add(chat.Said(session.RoleCommand, text, text), first, end, "/command")
	default:
		p.Add(chat.Said(session.RoleUser, text, text), first, end, "prompt")
		return
	}
	p.Command = len(p.Items) - 1
}

// IsSlash reports whether a prompt is a command of the CLI.
func IsSlash(t string) bool {
	return strings.HasPrefix(t, "/") && !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "/*")
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
	it.Output = strings.TrimPrefix(it.Output+"\n"+text, "\n")
	it.End = end
}

// notice reads a line of the CLI's own behind ℹ, ⚠ or ✕: a command's answer, the end of a request,
// an error. The sign may have a selector of its black and white form behind it.
func (p *Parser) notice(i int) int {
	end := p.until(i + 1)
	_, size := utf8.DecodeRuneInString(p.Lines[i].Text)
	left := 1 + row.Indent(strings.TrimPrefix(p.Lines[i].Text[size:], "\ufe0e"))
	text := markdown.Prompt(p.Lines[i:end], &markdown.Style{Left: left})
	if strings.HasPrefix(text, "Request cancelled") || strings.HasPrefix(text, "User cancelled the request") {
		p.Cancelled(i, end)
	} else {
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
	p.Add(chat.Said(session.RoleSystem, text, text), first, end, "notice")
}

// thinking reads the model's thoughts, where the user asked to see them: beside a line, under "
// Thinking...".
func (p *Parser) thinking(i int) int {
	first := i
	if p.Lines[i].Text == " Thinking..." {
		first++
	}
	n := chat.Run(p.Lines[first:], func(l row.Line) bool { return strings.HasPrefix(l.Text, " │") })
	if n == 0 {
		return 0
	}
	end := first + n
	text := markdown.Prompt(p.Lines[first:end], &markdown.Style{Left: 3, Marks: row.PlainMarks})
	p.Asked()
	it := chat.Said(session.RoleThinking, text, text)
	it.Open = p.Open(end)
	p.Add(it, i, end, "thinking")
	return end - i
}
