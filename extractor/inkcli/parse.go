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
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// CLI is how one of the programs that descend from the Gemini CLI draws.
type CLI struct {
	Agent   string         // begins the names of its rules
	Replies string         // the signs before a reply
	Notices string         // the signs before words of the program's own
	Style   markdown.Style // of replies; marks and headings, if not there, follow from the user's colours
	Tinted  bool           // code spans have a colour of their own, not that of the signs
	Banner  func(lines []row.Line) (chat.Banner, int)
	Status  func(l row.Line) bool       // reports whether a row is chrome above the composer
	Call    func(p *Parser, i int) int  // reads the tool without a box that begins at line i, and returns its number of lines
	CallCol int                         // the column where those begin
	Next    func(p *Parser, i int) int  // reads what begins at line i, and returns its number of lines: Next, or in another way
	Begins  func(p *Parser, k int) bool // reports whether line k belongs to no item above it: Begins, or in another way
}

// Parser reads items off the conversation, top to bottom.
type Parser struct {
	chat.Parser
	cli     CLI
	Command bool        // the last item is a command, and what follows belongs to it
	accent  vterm.Color // of the signs ✦ and > seen last
	Stale   bool        // a piece of chrome stood since the last item: what follows may be printed again
}

// Parse reads the items off conversation lines.
func (a CLI) Parse(lines []row.Line, last bool) []chat.Item {
	p := &Parser{Parser: chat.Parser{Agent: a.Agent, Lines: lines, Last: last}, cli: a}
	p.Read(func(i int) int {
		if l := lines[i]; l.Text == "" || l.Wrapped {
			return 1
		}
		return a.Next(p, i)
	})
	// A command at the end is held back until it is known what follows: what it prints, or the
	// model's answer.
	if it := p.Above(); p.Command && it.Output == "" && p.Open(it.End) {
		p.Items = p.Items[:len(p.Items)-1]
	}
	return p.Items
}

// Next reads what begins at line i and returns how many lines it has.
func Next(p *Parser, i int) int {
	l := p.Lines[i]
	r := row.FirstRune(l.Text)
	switch {
	case strings.ContainsRune(p.cli.Replies, r):
		p.accent = l.StyleAt(0).Fg
		return p.said(i)
	case strings.ContainsRune(p.cli.Notices, r):
		return p.notice(i)
	case p.isCall(l):
		return p.cli.Call(p, i)
	case IsBar(l):
		return p.barred(i)
	case r == '╭':
		return p.box(i)
	case row.Starts(l.Text, "> ", "$ ", "! "):
		return p.prompt(i)
	}
	if n := p.thinking(i); n > 0 {
		return n
	}
	if l.Lost && r == ' ' || p.signless(i) {
		return p.said(i)
	}
	return p.other(i)
}

// other is a line of no item: the welcome, what a command printed, or chrome that a resize left
// behind.
func (p *Parser) other(i int) int {
	l := p.Lines[i]
	_, n := p.cli.Banner(p.Lines[i:])
	switch {
	case n > 0:
		p.Command = false
	case p.cli.Status(l) && !strings.HasPrefix(l.Text, "  "):
		p.Stale = true
	default:
		p.Printed(i+1, l.Text)
	}
	return n
}

// End returns the end of an item that began above line i, without the blank lines below it.
func (p *Parser) End(i int) int {
	return p.Until(i, func(k int) bool {
		l := p.Lines[k]
		return l.Text != "" && (!l.Wrapped || p.Lines[k-1].Text == "") && p.cli.Begins(p, k)
	})
}

// Begins reports whether line k belongs to no item above it: it begins something else, or is a hint
// at the right edge that a resize left behind, for nothing of a message is indented so far below a
// blank line, or is what the terminal wrapped below one.
func Begins(p *Parser, k int) bool {
	l := p.Lines[k]
	aside := p.Lines[k-1].Text == "" && (l.Wrapped || row.Indent(l.Text) > l.Cols/3)
	return l.Lost || !strings.HasPrefix(l.Text, "  ") || p.isCall(l) || aside
}

// isCall reports whether a tool without a box begins on a line.
func (p *Parser) isCall(l row.Line) bool { return Head(l, p.cli.CallCol) != "" }

// Add appends an item. A command ends with it.
func (p *Parser) Add(it chat.Item, first, end int, rule string) {
	p.Parser.Add(it, first, end, rule)
	p.Command, p.Stale = false, false
}

// AddCall appends a call. One that a command of the shell began is its output.
func (p *Parser) AddCall(t *session.Tool, first, end int, open bool, rule string) {
	p.Asked()
	if !p.Command {
		it := chat.Did(t)
		it.Open = it.Open || open
		p.Add(it, first, end, rule)
		return
	}
	p.Printed(end, t.Output)
	p.Above().Open, p.Command = t.Status == session.ToolRunning, false
}

// AddReply appends what the model said, from line first on, drawn in a style.
func (p *Parser) AddReply(lines []row.Line, style markdown.Style, first, end int, rule string) {
	text, md := p.body(lines, style)
	if chat.Begins(text, "Chat history compressed from ") || slices.Contains([]string{"/compress", "/summarize", "/compact"}, p.Above().Text) {
		p.say(text, first, end)
		return
	}
	p.Asked()
	if strings.Trim(text, "┌─┬┐│ \n") == "" { // nothing, or a table of which only the border is there yet
		return
	}
	it := chat.Said(session.RoleAssistant, text, md)
	it.Open, it.Headless = p.Open(end), p.Lines[first].Lost && p.Lines[first].Text[0] == ' '
	if it.Shortened = slices.ContainsFunc(p.Lines[first:end], shortened); it.Shortened {
		it.Truncate(session.TruncatedMiddle)
	}
	p.Add(it, first, end, rule)
}

// Cancelled adds that the user stopped the model.
func (p *Parser) Cancelled(first, end int) {
	p.Interrupted(first, end, "cancelled")
	p.Command, p.Stale = false, false
}

// signless reports whether a reply without its sign begins at line i: from 0.44 on, code blocks
// have none before them.
func (p *Parser) signless(i int) bool {
	return strings.HasPrefix(strings.TrimLeft(p.Lines[i].Text, " "), "1 ") && len(p.Items) > 0 && !p.Command && p.Above().Role != session.RoleAssistant
}

// said reads what the model said, from line i on. What /compress and its like say is drawn like a
// reply.
func (p *Parser) said(i int) int {
	end := p.End(i + 1)
	p.Unsaid(i, end)
	p.AddReply(p.Lines[i:end], p.cli.Style, i, end, "reply")
	return end - i
}

// Open reports whether the item that ends before a line may still grow.
func (p *Parser) Open(end int) bool {
	return !p.Last || row.SkipBlank(p.Lines, end) == len(p.Lines)
}

// sure is how many letters two replies have in common at their beginning if they are the same one.
const sure = 48

// Unsaid takes back the replies above where the same one is printed again, after a resize in the
// middle of it: chrome that was left behind is between the two, or blank rows where it was erased,
// or the terminal rewrapped the rows above, or there is not even a blank line between them, or it
// is the beginning of this one.
func (p *Parser) Unsaid(i, end int) {
	again, stale := lettersOf(p.Lines[i:end]), p.Stale
	for p.Above().Role == session.RoleAssistant {
		gap := i - p.Above().End
		above := p.Lines[p.Above().First:p.Above().End]
		rewrapped := slices.ContainsFunc(above, row.IsWrapped) // Ink wraps itself
		old := lettersOf(above)
		k := min(len(old), len(again), sure) // further down its rows may be torn
		grown := len(old) >= sure && strings.HasPrefix(again, old)
		if !stale && gap > 0 && gap < 3 && !rewrapped && !grown || old[:k] != again[:k] {
			return
		}
		stale, p.Items = true, p.Items[:len(p.Items)-1]
	}
}

// lettersOf is the text of lines without its blanks.
func lettersOf(lines []row.Line) string {
	var b []byte
	for _, l := range lines {
		b = row.AppendLetters(b, l.Text)
	}
	return string(b)
}

// prompt reads what the user typed, drawn as "> text". What is below a blank line in another style
// is a notice, such as that of the model that answers.
func (p *Parser) prompt(i int) int {
	style, end := p.Lines[i].StyleAt(2), p.End(i+1)
	rows := p.Lines[i:end]
	for k := 1; k < len(rows); k++ {
		if rows[k].Text != "" && rows[k-1].Text == "" && rows[k].StyleAt(row.Indent(rows[k].Text)) != style {
			rows = row.Trim(rows[:k])
		}
	}
	p.Typed(p.Lines[i].Text[0], markdown.Prompt(rows, &markdown.Style{Left: 2}), i, i+len(rows))
	return len(rows)
}

// barred reads what is between two bars: what the user typed, or a composer that a resize left
// behind.
func (p *Parser) barred(i int) int {
	first := i + 1 + row.Run(p.Lines[i+1:], row.IsWrapped)
	n := row.Run(p.Lines[first:], func(l row.Line) bool { return row.HasBackground(l) && !IsBar(l) })
	rows, end := p.Lines[first:first+n], first+n
	if n == 0 || isComposer(rows) {
		p.Stale = true
		return end - i
	}
	end += row.Run(p.Lines[end:min(end+1, len(p.Lines))], IsBar)
	if t := rows[0].Text; len(t) > 2 {
		p.accent = rows[0].StyleAt(1).Fg
		p.Typed(t[1], markdown.Prompt(rows, &markdown.Style{Left: 3, Right: 1}), i, end)
	}
	return end - i
}

// Typed adds what the user typed: a prompt, a command of the CLI or, behind another sign, of the
// shell.
func (p *Parser) Typed(sign byte, text string, first, end int) {
	name, _, _ := strings.Cut(text, " ")
	role, rule := session.RoleCommand, "/command"
	switch {
	case sign != '>':
		text, rule = "!"+text, "!command"
	case slices.Contains([]string{"/clear", "/quit", "/exit"}, name):
		p.Command, p.Stale = false, false
		return
	case !IsSlash(text):
		role, rule = session.RoleUser, "prompt"
	}
	p.Add(chat.Said(role, text, text), first, end, rule)
	p.Command = role == session.RoleCommand
}

// slash matches a command of the CLI.
var slash = lazy.Regexp(`^/([^/*]|$)`)

// IsSlash reports whether a prompt is a command of the CLI.
func IsSlash(t string) bool { return slash().MatchString(t) }

// Asked makes a prompt of what looked like a command: the model answers it.
func (p *Parser) Asked() {
	if it := p.Above(); p.Command && it.Output == "" && IsSlash(it.Text) {
		it.Role, it.Rule, p.Command = session.RoleUser, p.Agent+" prompt", false
	}
}

// Printed adds lines to what the command above printed, if there is one.
func (p *Parser) Printed(end int, text string) {
	if it := p.Above(); p.Command {
		it.Output = strings.TrimPrefix(it.Output+"\n"+text, "\n")
		it.End = end
	}
}

// notice reads a line of the CLI's own behind ℹ, ⚠ or ✕: a command's answer, the end of a request,
// an error. The sign may have a selector of its black and white form behind it.
func (p *Parser) notice(i int) int {
	end := p.End(i + 1)
	_, size := utf8.DecodeRuneInString(p.Lines[i].Text)
	left := 1 + row.Indent(strings.TrimPrefix(p.Lines[i].Text[size:], "\ufe0e"))
	text := markdown.Prompt(p.Lines[i:end], &markdown.Style{Left: left})
	if chat.Begins(text, "Request cancelled", "User cancelled the request") {
		p.Cancelled(i, end)
	} else {
		p.say(text, i, end)
	}
	return end - i
}

// say adds words of the CLI's own: to a command's output where one was given, else as a notice.
func (p *Parser) say(text string, first, end int) {
	if p.Command {
		p.Printed(end, text)
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
	n := row.Run(p.Lines[first:], row.Prefixed(" │"))
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
