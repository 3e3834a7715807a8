package extractor

import (
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// inkAgent is how one of the programs that descend from the Gemini CLI differs from the others.
type inkAgent struct {
	name    string // begins the names of its rules
	replies string // the signs before a reply
	notices string // the signs before words of the program's own
	right   int    // the columns that replies leave free at the right
	tinted  bool   // code spans have a colour of their own, not that of the signs
	banner  func(lines []Line) (Banner, int)
	status  func(l Line) bool             // reports whether a row is chrome above the composer
	isCall  func(l Line) bool             // reports whether a tool without a box begins on a line
	call    func(p *inkParser, i int) int // reads the one that begins at line i, and returns its number of lines
}

// textStyle behind a sign asks for it in black and white.
const textStyle = "\ufe0e"

// inkParser reads items off the conversation, top to bottom.
type inkParser struct {
	inkAgent
	lines   []Line
	last    bool
	items   []Item
	command int         // index of the command that what follows belongs to, or -1
	accent  vterm.Color // of the signs ✦ and > seen last
	stale   bool        // a piece of chrome stood since the last item: what follows may be printed again
}

// parse reads the items off conversation lines.
func (a inkAgent) parse(lines []Line, last bool) []Item {
	p := &inkParser{inkAgent: a, lines: lines, last: last, command: -1}
	return p.read(p.next)
}

// read reads all lines, with next where something begins.
func (p *inkParser) read(next func(i int) int) []Item {
	for i := 0; i < len(p.lines); {
		if p.lines[i].Text == "" || p.lines[i].Wrapped {
			i++
			continue
		}
		i += max(next(i), 1)
	}
	p.finish()
	return p.items
}

// next reads what begins at line i and returns how many lines it has.
func (p *inkParser) next(i int) int {
	l := p.lines[i]
	t := l.Text
	r, _ := utf8.DecodeRuneInString(t)
	switch {
	case strings.ContainsRune(p.replies, r):
		return p.reply(i)
	case strings.ContainsRune(p.notices, r):
		return p.notice(i)
	case p.isCall(l):
		return p.call(p, i)
	}
	switch r {
	case '▄', '▀':
		if isBar(l) {
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
func (p *inkParser) welcome(i int) int {
	if _, n := p.banner(p.lines[i:]); n > 0 {
		p.command = -1
		return n
	}
	return p.other(i)
}

// other is a line of no item: what a command printed, or chrome that a resize left behind.
func (p *inkParser) other(i int) int {
	l := p.lines[i]
	if p.status(l) && !strings.HasPrefix(l.Text, "  ") {
		p.stale = true
		return 1
	}
	if p.command >= 0 {
		p.output(i+1, l.Text)
	}
	return 1
}

// until returns the end of an item that began above line i: the next line that begins something
// else.
func (p *inkParser) until(i int) int {
	return p.untilOne(i, func(k int, l Line) bool {
		return !strings.HasPrefix(l.Text, "  ") || p.isCall(l) || inkMore(l.Text) || isCrash(l) || p.aside(k)
	})
}

// aside reports whether line i is a hint at the right edge that a resize left behind: nothing of a
// message is indented so far below a blank line.
func (p *inkParser) aside(i int) bool {
	return p.lines[i-1].Text == "" && leadingBlanks(p.lines[i].Text) > p.lines[i].Cols/3
}

// untilOne returns the end of what is above the next line that begins something, without the blank
// lines between.
func (p *inkParser) untilOne(i int, begins func(i int, l Line) bool) int {
	for ; i < len(p.lines); i++ {
		if l := p.lines[i]; l.Text != "" && !l.Wrapped && begins(i, l) {
			break
		}
	}
	for i > 0 && p.lines[i-1].Text == "" {
		i--
	}
	return i
}

// isCrash reports whether Ink reports here that the program failed: ERROR on a background, two
// columns in.
func isCrash(l Line) bool {
	return strings.HasPrefix(l.Text, "  ERROR ") && l.styleAt(2).Bg.Kind != vterm.ColorDefault
}

// inkMore reports whether a line is the hint below what was cut for want of room.
func inkMore(t string) bool {
	t = strings.TrimLeft(t, " ")
	return strings.HasPrefix(t, "Press ") && strings.Contains(t, "to show more lines")
}

// add appends an item. A command ends with it.
func (p *inkParser) add(it Item) {
	p.items = append(p.items, it)
	p.command, p.stale = -1, false
}

// reply reads what the model said: the lines under the sign ✦.
func (p *inkParser) reply(i int) int {
	p.accent = p.lines[i].styleAt(0).Fg
	return p.said(i)
}

// signless reports whether a reply without its sign begins at line i: from 0.44 on, code blocks
// have none before them.
func (p *inkParser) signless(i int) bool {
	if n := len(p.items); n == 0 || p.command >= 0 || p.items[n-1].Role == session.RoleAssistant {
		return false
	}
	ls := (&look{Left: 2}).textLines(p.lines[i : i+1])
	_, n, ok := inkColorsOf(p.lines[i:p.until(i+1)], p.accent).gutter(&ls[0])
	return ok && n == 1
}

// said reads what the model said, from line i on.
func (p *inkParser) said(i int) int {
	end := p.until(i + 1)
	p.unsaid(i, end)
	text, md := p.body(p.lines[i:end])
	if p.compresses() || strings.HasPrefix(text, "Chat history compressed from ") || strings.HasPrefix(text, "Compressing chat history") {
		p.say(text, i, end)
		return end - i
	}
	p.asked()
	if text == "" {
		return end - i
	}
	p.add(Item{Message: session.Message{Role: session.RoleAssistant, Text: text, Markdown: md}, First: i, End: end, Open: p.open(end), Rule: p.name + " reply"})
	return end - i
}

// open reports whether the item that ends before a line may still grow.
func (p *inkParser) open(end int) bool {
	if !p.last {
		return true
	}
	for ; end < len(p.lines); end++ {
		if p.lines[end].Text != "" {
			return false
		}
	}
	return true
}

// unsaid takes back the replies above where the same one is printed again, after a resize in the
// middle of it: chrome that was left behind is between the two, or the terminal rewrapped the rows
// above, or there is not even a blank line between them.
func (p *inkParser) unsaid(i, end int) {
	again, stale := lettersOf(p.lines[i:end]), p.stale
	for n := len(p.items); n > 0 && p.items[n-1].Role == session.RoleAssistant; n-- {
		above := p.lines[p.items[n-1].First:p.items[n-1].End]
		if !stale && p.items[n-1].End != i && !anyWrapped(above) {
			return
		}
		old := lettersOf(above)
		k := min(len(old), len(again), 48) // further down its rows may be torn
		if k == 0 || old[:k] != again[:k] {
			return
		}
		stale, p.items = true, p.items[:n-1]
	}
}

// anyWrapped reports whether the terminal wrapped one of the rows, which Ink never lets it do by
// itself.
func anyWrapped(lines []Line) bool {
	for _, l := range lines {
		if l.Wrapped {
			return true
		}
	}
	return false
}

// lettersOf is the text of lines without its blanks.
func lettersOf(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(letters(l.Text))
	}
	return b.String()
}

// prompt reads what the user typed, drawn as "> text".
func (p *inkParser) prompt(i int) int {
	end := p.sameText(i, p.until(i+1))
	lk := &look{Left: 2}
	p.typed(p.lines[i].Text[0], prompt(p.lines[i:end], lk), i, end)
	return end - i
}

// sameText returns where a prompt that begins at line i ends: what is below a blank line in another
// style is a notice, such as that of the model that answers.
func (p *inkParser) sameText(i, end int) int {
	style := p.lines[i].styleAt(2)
	for k := i + 1; k < end; k++ {
		l := p.lines[k]
		if p.lines[k-1].Text == "" && l.Text != "" && l.styleAt(leadingBlanks(l.Text)) != style {
			return k - 1
		}
	}
	return end
}

// barred reads what is between two bars: what the user typed, or a composer that a resize left
// behind.
func (p *inkParser) barred(i int) int {
	first := i + 1
	for first < len(p.lines) && p.lines[first].Wrapped && strings.Trim(p.lines[first].Text, "▄▀") == "" {
		first++
	}
	end := first
	for end < len(p.lines) && (hasBackground(p.lines[end].Row) || p.lines[end].Wrapped) && !isBar(p.lines[end]) {
		end++
	}
	rows := p.lines[first:end]
	if end < len(p.lines) && isBar(p.lines[end]) && len(rows) > 0 {
		end++
	}
	if len(rows) == 0 {
		p.stale = true
		return end - i
	}
	if isComposer(rows, 1) {
		p.stale = true
		return end - i
	}
	t := rows[0].Text
	if len(t) < 3 || t[0] != ' ' || t[2] != ' ' {
		return end - i
	}
	p.accent = rows[0].styleAt(1).Fg
	p.typed(t[1], prompt(rows, &look{Left: 3, Right: 1}), i, end)
	return end - i
}

// typed adds what the user typed: a prompt, a command of the CLI or, behind another sign, of the
// shell.
func (p *inkParser) typed(sign byte, text string, first, end int) {
	it := Item{Message: session.Message{Role: session.RoleUser, Text: text, Markdown: text}, First: first, End: end, Rule: p.name + " prompt"}
	switch {
	case sign == '>' && isSlash(text):
		if name, _, _ := strings.Cut(text, " "); name == "/clear" || name == "/quit" || name == "/exit" {
			p.command, p.stale = -1, false
			return
		}
		it.Role, it.Rule = session.RoleCommand, p.name+" /command"
	case sign != '>':
		it.Role, it.Rule = session.RoleCommand, p.name+" !command"
		it.Text = "!" + text
		it.Markdown = it.Text
	}
	p.add(it)
	if it.Role == session.RoleCommand {
		p.command = len(p.items) - 1
	}
}

// isSlash reports whether a prompt is a command of the CLI.
func isSlash(t string) bool {
	return strings.HasPrefix(t, "/") && !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "/*")
}

// compresses reports whether what follows is the outcome of a command that shortens the
// conversation: it is drawn like a reply.
func (p *inkParser) compresses() bool {
	if p.command < 0 {
		return false
	}
	switch p.items[p.command].Text {
	case "/compress", "/summarize", "/compact":
		return true
	}
	return false
}

// asked makes a prompt of what looked like a command: the model answers it.
func (p *inkParser) asked() {
	if p.command >= 0 && p.items[p.command].Output == "" && p.items[p.command].Text[0] == '/' {
		p.items[p.command].Role, p.items[p.command].Rule = session.RoleUser, p.name+" prompt"
	}
}

// output adds lines to what a command printed.
func (p *inkParser) output(end int, text string) {
	it := &p.items[p.command]
	if it.Output != "" {
		it.Output += "\n"
	}
	it.Output += text
	it.End = end
}

// notice reads a line of the CLI's own behind ℹ, ⚠ or ✕: a command's answer, the end of a request,
// an error.
func (p *inkParser) notice(i int) int {
	end := p.until(i + 1)
	_, size := utf8.DecodeRuneInString(p.lines[i].Text)
	left := 1
	if s := strings.TrimPrefix(p.lines[i].Text[size:], textStyle); s != "" {
		left += leadingBlanks(s)
	}
	text := prompt(p.lines[i:end], &look{Left: left})
	switch {
	case strings.HasPrefix(text, "Request cancelled"), strings.HasPrefix(text, "User cancelled the request"):
		if n := len(p.items); n > 0 && p.items[n-1].Role == session.RoleAssistant {
			p.items[n-1].Partial = true
		}
		p.add(Item{Event: session.EventInterrupted, First: i, End: end, Rule: p.name + " cancelled"})
	default:
		p.say(text, i, end)
	}
	return end - i
}

// say adds words of the CLI's own: to a command's output where one was given, else as a notice.
func (p *inkParser) say(text string, first, end int) {
	if p.command >= 0 {
		p.output(end, text)
		return
	}
	p.add(Item{Message: session.Message{Role: session.RoleSystem, Text: text, Markdown: text}, First: first, End: end, Rule: p.name + " notice"})
}

// thinking reads the model's thoughts, where the user asked to see them: beside a line, under "
// Thinking...".
func (p *inkParser) thinking(i int) int {
	t := p.lines[i].Text
	if !strings.HasPrefix(t, " │") && (t != " Thinking..." || !p.lines[i].styleAt(1).Italic) {
		return 0
	}
	end := i
	if t == " Thinking..." {
		end++
	}
	first := end
	for end < len(p.lines) && strings.HasPrefix(p.lines[end].Text, " │") {
		end++
	}
	if end == first {
		return 0
	}
	text := prompt(p.lines[first:end], &look{Left: 3, Marks: plainMarks})
	p.asked()
	p.add(Item{Message: session.Message{Role: session.RoleThinking, Text: text, Markdown: text}, First: i, End: end, Open: p.open(end), Rule: p.name + " thinking"})
	return end - i
}

// finish holds back a command at the end until it is known what follows: what it prints, or the
// model's answer.
func (p *inkParser) finish() {
	if n := len(p.items); n > 0 && p.command == n-1 && p.items[n-1].Output == "" && p.open(p.items[n-1].End) {
		p.items = p.items[:n-1]
	}
}
