package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// parser reads items off conversation lines, top to bottom.
type parser struct {
	lines []row.Line
	right int  // columns that text leaves free at the right
	few   bool // the theme has 16 colours
	items []chat.Item
	open  bool // the last reply's turn has not ended on the screen
}

// parse reads the items off conversation lines.
func parse(lines []row.Line, last bool) []chat.Item {
	p := &parser{lines: lines, right: claudeRight(lines), few: claudeFew(lines)}
	for i := 0; i < len(lines); {
		i = max(p.next(i), i+1)
	}
	if n := len(p.items); n > 0 && last && p.open && p.items[n-1].Role == session.RoleAssistant {
		p.items[n-1].Open = true
	}
	return p.items
}

// claudeRight is how many columns text leaves free at the right: none since 2.1, 4 and, in early
// 1.0, 5 before. What is wrapped at the wider width is wrapped at the narrower one too, so where no
// line tells, the narrower one does no harm.
func claudeRight(lines []row.Line) int {
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l.Text, "❯ "), done(l):
			return 0
		case atText(l) && rowWidth(l.Row) > l.Cols-4:
			return 0
		}
	}
	return 5
}

// atText reports whether a row begins where a reply's text does: tips and the welcome are
// indented further, and reach the edge.
func atText(l row.Line) bool {
	return row.Indent(l.Text) == 2
}

// claudeFew reports whether a theme of 16 colours is used: prompts and markers have these colours.
func claudeFew(lines []row.Line) bool {
	for _, l := range lines {
		st := l.StyleAt(0)
		if _, ok := cutGlyph(l.Text, dot, record, "❯", ">"); !ok {
			continue
		}
		return st.Fg.Kind == vterm.ColorPalette && st.Fg.Palette < 16
	}
	return false
}

// rowWidth is the number of cells up to a row's last character.
func rowWidth(r *vterm.Row) int { return row.Width(r.Text) }

// next reads what begins at line i and returns the line behind it.
func (p *parser) next(i int) int {
	l := p.lines[i]
	if l.Lost {
		if end := p.headless(i); end > i {
			return end
		}
	}
	switch {
	case l.Text == "", l.Wrapped:
		return i + 1
	case l.Text[0] == ' ':
		return p.indented(i)
	}
	if _, n := banner(p.lines[i:]); n > 0 {
		p.open = false
		return i + n
	}
	if done(l) {
		p.open = false
		return i + 1
	}
	switch {
	case echo(l):
		return p.prompt(i)
	case claudeBash(l):
		return p.bash(i)
	case p.dotted(i):
		return p.marked(i)
	case thinks(l):
		return p.thinking(i)
	}
	return i + 1
}

// headless reads the rest of a prompt or a reply whose first rows were never on the screen, and
// returns the line behind it; i if none begins there.
func (p *parser) headless(i int) int {
	first := row.SkipBlank(p.lines, i)
	if first == len(p.lines) || row.Indent(p.lines[first].Text) < 2 {
		return i
	}
	if painted(p.lines[first]) {
		end := p.promptEnd(first)
		text := p.promptText(first, end)
		p.add(session.Message{Role: session.RoleUser, Text: text, Markdown: text}, i, end, "rest of a prompt").Headless = true
		return end
	}
	if row.Indent(p.lines[first].Text) >= 4 && len(p.items) > 0 {
		below := row.SkipBlank(p.lines, p.outputEnd(first))
		if below == len(p.lines) || p.starts(below) {
			return p.headlessOutput(first)
		}
	}
	if !p.afterPrompt() || !atText(p.lines[first]) || p.starts(first) {
		return i
	}
	end := p.replyEnd(first)
	text, md := markdown.Render(p.lines[first:end], look(p.right, p.few))
	p.add(session.Message{Role: session.RoleAssistant, Text: text, Markdown: md}, i, end, "rest of a reply").Headless = true
	p.open = true
	return end
}

// add appends an item that takes lines [i, end).
func (p *parser) add(m session.Message, i, end int, rule string) *chat.Item {
	p.items = append(p.items, chat.Item{Message: m, First: i, End: end, Rule: "claude: " + rule})
	p.open = false
	return &p.items[len(p.items)-1]
}

// event appends an event that lines [i, end) tell.
func (p *parser) event(name string, i, end int, rule string) {
	p.items = append(p.items, chat.Item{Event: name, First: i, End: end, Rule: "claude: " + rule})
	p.open = false
}

// lastItem is the item that was read last; nil before the first.
func (p *parser) lastItem() *chat.Item {
	if len(p.items) == 0 {
		return nil
	}
	return &p.items[len(p.items)-1]
}

// indented reads a line that begins with blanks where nothing owns it: a corner, a collapsed group,
// a call whose marker blinks.
func (p *parser) indented(i int) int {
	if _, ok := corner(p.lines[i]); ok {
		return p.loose(i)
	}
	if p.collapsed(i) || p.blinking(i) {
		return p.call(i)
	}
	return i + 1
}

// starts reports whether something of its own begins at line i, so that the text above ends there.
func (p *parser) starts(i int) bool {
	l := p.lines[i]
	if l.Wrapped || l.Text == "" {
		return false
	}
	if l.Text[0] != ' ' {
		return true
	}
	if _, ok := corner(l); ok {
		return true
	}
	if i > 0 && p.lines[i-1].Text != "" && !l.Lost {
		return false
	}
	return p.collapsed(i) || p.blinking(i)
}

// run returns the first line from i on that is not of a kind.
func (p *parser) run(i int, is func(k int) bool) int {
	for i < len(p.lines) && is(i) {
		i++
	}
	return i
}

// trimmed is run without blank lines at its end.
func (p *parser) trimmed(i int, is func(k int) bool) int {
	return i + len(row.Trim(p.lines[i:p.run(i, is)]))
}

// inside reports whether line k goes on with what is above it.
func (p *parser) inside(k int) bool { return !p.starts(k) }

// filled reports whether line k goes on with what is right above it.
func (p *parser) filled(k int) bool { return p.lines[k].Text != "" && !p.starts(k) }

// replyEnd returns the line behind a reply that goes on from line i. No corner follows it but that
// of an interruption: others are its content.
func (p *parser) replyEnd(i int) int {
	return p.trimmed(i, func(k int) bool {
		rest, ok := corner(p.lines[k])
		return p.inside(k) || ok && !interrupted(rest) && !row.Grey(p.lines[k].StyleAt(row.Indent(p.lines[k].Text)))
	})
}

// done reports whether a row says that a turn is done: `✻ Baked for 1s`.
func done(l row.Line) bool {
	rest, ok := cutGlyph(l.Text, "✻", "✽", "✶", "✢", "*", "·")
	return ok && row.Grey(l.StyleAt(0)) && strings.Contains(rest, " for ")
}

// dotted reports whether a row begins with the marker of a reply or a call.
func (p *parser) dotted(i int) bool {
	_, ok := cutGlyph(p.lines[i].Text, dot, record)
	return ok
}

// marked reads a reply or a call.
func (p *parser) marked(i int) int {
	if end := max(p.agents(i), p.answered(i)); end > i {
		return end
	}
	l := p.lines[i]
	ink := l.StyleAt(0)
	if !row.Plain(ink.Fg) || ink.Dim {
		if name, _ := p.header(i); name != "" || p.collapsedText(i) != "" || p.runningGroup(i) || row.Grey(ink) && !allText(l.Row, row.Grey) {
			return p.call(i)
		}
	}
	end := p.replyEnd(i + 1)
	lk := look(p.right, p.few)
	text, md := markdown.Render(p.lines[i:end], lk)
	if text == "" {
		p.open = true
		return end
	}
	if !row.Plain(ink.Fg) { // the agent's own words: `● Unknown command: /o`
		p.add(session.Message{Role: session.RoleSystem, Text: text, Markdown: md}, i, end, "notice")
		return end
	}
	p.add(session.Message{Role: session.RoleAssistant, Text: text, Markdown: md}, i, end, "reply")
	p.open = true
	return end
}

// thinks reports whether a row begins thinking.
func thinks(l row.Line) bool {
	rest, _ := cutGlyph(l.Text, "✻", "∴", "✽")
	return strings.HasPrefix(rest, "Think")
}

// thinking reads thinking that is shown: `✻ Thinking…` or `∴ Thinking…`, and the text from column 2
// on.
func (p *parser) thinking(i int) int {
	end := p.trimmed(i+1, p.inside)
	lk := markdown.Style{Left: 2, Right: p.right, Marks: func(vterm.Style) row.Mark { return 0 }}
	text, md := markdown.Render(p.lines[i+1:end], &lk)
	if text != "" {
		p.add(session.Message{Role: session.RoleThinking, Text: text, Markdown: md}, i, end, "thinking")
	}
	return end
}

// loose reads a corner that no call or command owns: the interruption of a reply, or a note.
func (p *parser) loose(i int) int {
	out, end, _ := p.result(i, i)
	if out.red && !interrupted(out.text) { // the failure of a call that is not shown
		p.add(session.Message{Role: session.RoleTool, Text: out.text, Markdown: out.text, Tool: &session.Tool{Output: out.text, Status: session.ToolError, Truncated: out.truncated}}, i, end, "failure")
		return end
	}
	if !interrupted(out.text) {
		if file, ok := strings.CutPrefix(out.text, "Read "); ok {
			name, _, _ := strings.Cut(file, " (")
			p.add(session.Message{Role: session.RoleTool, Text: "Read(" + name + ")", Tool: &session.Tool{Name: "Read", Input: name, Output: out.text, Status: session.ToolOK}}, i, end, "attached file")
		}
		return end
	}
	if it := p.lastItem(); it != nil && (it.Role == session.RoleAssistant || it.Role == session.RoleThinking) {
		it.Partial = true
	}
	p.event(session.EventInterrupted, i, end, "interrupted")
	return end
}

// afterPrompt reports whether the last item is the user's.
func (p *parser) afterPrompt() bool {
	it := p.lastItem()
	return it != nil && (it.Role == session.RoleUser || it.Role == session.RoleTool)
}

// interrupted reports whether a note says that the user stopped a reply.
func interrupted(s string) bool {
	return strings.HasPrefix(s, "Interrupted") || strings.HasPrefix(s, "[Request interrupted by user")
}
