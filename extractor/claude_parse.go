package extractor

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// claudeParser reads items off conversation lines, top to bottom.
type claudeParser struct {
	lines []row.Line
	right int  // columns that text leaves free at the right
	few   bool // the theme has 16 colours
	items []chat.Item
	open  bool // the last reply's turn has not ended on the screen
}

// claudeParse reads the items off conversation lines.
func claudeParse(lines []row.Line, last bool) []chat.Item {
	p := &claudeParser{lines: lines, right: claudeRight(lines), few: claudeFew(lines)}
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
		case strings.HasPrefix(l.Text, "❯ "), claudeDone(l):
			return 0
		case claudeAtText(l) && ccRowWidth(l.Row) > l.Cols-4:
			return 0
		}
	}
	return 5
}

// claudeAtText reports whether a row begins where a reply's text does: tips and the welcome are
// indented further, and reach the edge.
func claudeAtText(l row.Line) bool {
	return row.Indent(l.Text) == 2
}

// claudeFew reports whether a theme of 16 colours is used: prompts and markers have these colours.
func claudeFew(lines []row.Line) bool {
	for _, l := range lines {
		st := l.StyleAt(0)
		if _, ok := ccCutGlyph(l.Text, claudeDot, claudeRecord, "❯", ">"); !ok {
			continue
		}
		return st.Fg.Kind == vterm.ColorPalette && st.Fg.Palette < 16
	}
	return false
}

// ccRowWidth is the number of cells up to a row's last character.
func ccRowWidth(r *vterm.Row) int { return row.Width(r.Text) }

// next reads what begins at line i and returns the line behind it.
func (p *claudeParser) next(i int) int {
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
	if _, n := claudeBanner(p.lines[i:]); n > 0 {
		p.open = false
		return i + n
	}
	if claudeDone(l) {
		p.open = false
		return i + 1
	}
	if claudeSpinner(l) {
		return p.indentedEnd(i + 1)
	}
	switch {
	case claudeEcho(l):
		return p.prompt(i)
	case claudeBash(l):
		return p.bash(i)
	case p.dotted(i):
		return p.marked(i)
	case claudeThinks(l):
		return p.thinking(i)
	}
	return i + 1
}

// headless reads the rest of a prompt or a reply whose first rows were never on the screen, and
// returns the line behind it; i if none begins there.
func (p *claudeParser) headless(i int) int {
	first := i
	for first < len(p.lines) && p.lines[first].Text == "" {
		first++
	}
	if first == len(p.lines) || row.Indent(p.lines[first].Text) < 2 {
		return i
	}
	if l := p.lines[first]; ccPainted(l) && l.Runs[0].Col == 0 {
		end := p.promptEnd(first)
		text := p.promptText(first, end)
		p.add(session.Message{Role: session.RoleUser, Text: text, Markdown: text}, i, end, "rest of a prompt").Headless = true
		return end
	}
	if row.Indent(p.lines[first].Text) >= 4 && len(p.items) > 0 {
		below := p.outputEnd(first)
		for below < len(p.lines) && p.lines[below].Text == "" {
			below++
		}
		if below == len(p.lines) || p.starts(below) {
			return p.headlessOutput(first)
		}
	}
	if !p.afterPrompt() || !claudeAtText(p.lines[first]) || p.starts(first) || row.IsBlocks(string(row.FirstRune(p.lines[first].Text[2:]))) {
		return i
	}
	end := p.replyEnd(first)
	text, md := markdown.Render(p.lines[first:end], claudeLook(p.right, p.few))
	if text == "" {
		return i
	}
	p.add(session.Message{Role: session.RoleAssistant, Text: text, Markdown: md}, i, end, "rest of a reply").Headless = true
	p.open = true
	return end
}

// add appends an item that takes lines [i, end).
func (p *claudeParser) add(m session.Message, i, end int, rule string) *chat.Item {
	p.items = append(p.items, chat.Item{Message: m, First: i, End: end, Rule: "claude: " + rule})
	p.open = false
	return &p.items[len(p.items)-1]
}

// event appends an event that lines [i, end) tell.
func (p *claudeParser) event(name string, i, end int, rule string) {
	p.items = append(p.items, chat.Item{Event: name, First: i, End: end, Rule: "claude: " + rule})
	p.open = false
}

// lastItem is the item that was read last; nil before the first.
func (p *claudeParser) lastItem() *chat.Item {
	if len(p.items) == 0 {
		return nil
	}
	return &p.items[len(p.items)-1]
}

// indented reads a line that begins with blanks where nothing owns it: a corner, a collapsed group,
// a call whose marker blinks.
func (p *claudeParser) indented(i int) int {
	if _, ok := ccCorner(p.lines[i]); ok {
		return p.loose(i)
	}
	if p.collapsed(i) || p.blinking(i) {
		return p.call(i)
	}
	return i + 1
}

// starts reports whether something of its own begins at line i, so that the text above ends there.
func (p *claudeParser) starts(i int) bool {
	l := p.lines[i]
	if l.Wrapped || l.Text == "" {
		return ccPainted(l)
	}
	if l.Text[0] != ' ' {
		return true
	}
	if _, ok := ccCorner(l); ok {
		return true
	}
	if i > 0 && p.lines[i-1].Text != "" && !l.Lost {
		return false
	}
	return p.collapsed(i) || p.blinking(i)
}

// indentedEnd returns the line behind the indented lines from line i on.
func (p *claudeParser) indentedEnd(i int) int {
	for i < len(p.lines) && strings.HasPrefix(p.lines[i].Text, " ") {
		i++
	}
	return i
}

// textEnd returns the line behind the text that goes on from line i; blank lines at its end are not
// part of it.
func (p *claudeParser) textEnd(i int) int {
	end := i
	for ; i < len(p.lines) && !p.starts(i); i++ {
		if p.lines[i].Text != "" {
			end = i + 1
		}
	}
	return end
}

// replyEnd is textEnd for a reply, which no corner follows but that of an interruption: others are
// its content.
func (p *claudeParser) replyEnd(i int) int {
	end := i
	for ; i < len(p.lines); i++ {
		if rest, ok := ccCorner(p.lines[i]); ok && !claudeInterrupted(rest) && !row.Grey(p.lines[i].StyleAt(row.Indent(p.lines[i].Text))) {
			end = i + 1
			continue
		}
		if p.starts(i) {
			break
		}
		if p.lines[i].Text != "" {
			end = i + 1
		}
	}
	return end
}

// claudeDone reports whether a row says that a turn is done: `✻ Baked for 1s`.
func claudeDone(l row.Line) bool {
	rest, ok := ccCutGlyph(l.Text, "✻", "✽", "✶", "✢", "*", "·")
	return ok && row.Grey(l.StyleAt(0)) && strings.Contains(rest, " for ")
}

// claudeEcho reports whether a row is the first of a prompt that was sent. The live input has the
// same glyph, but no background and (in 1.0) a box around it.
func claudeEcho(l row.Line) bool {
	if l.Wrapped {
		return false
	}
	st := l.StyleAt(0)
	painted := st.Bg.Kind != vterm.ColorDefault
	if _, ok := ccCutGlyph(l.Text, "❯"); ok {
		return painted
	}
	_, ok := ccCutGlyph(l.Text, ">")
	return ok && (painted || row.Grey(st))
}

// prompt reads what the user sent, a command of the agent, or a shell line sent with `!`.
func (p *claudeParser) prompt(i int) int {
	end := p.promptEnd(i)
	if p.queued(i) {
		return end
	}
	text := p.promptText(i, end)
	if text == "" {
		return end
	}
	if claudeCommand(text) {
		return p.command(text, i, end)
	}
	p.add(session.Message{Role: session.RoleUser, Text: text, Markdown: text}, i, end, "prompt")
	return end
}

// claudeBash reports whether a row is a shell line that the user sent with `!`.
func claudeBash(l row.Line) bool {
	_, ok := ccCutGlyph(l.Text, "!")
	st := l.StyleAt(0)
	return ok && !row.Plain(st.Fg)
}

// bash reads a shell line of the user's with its output.
func (p *claudeParser) bash(i int) int {
	end := i + 1
	for end < len(p.lines) && p.lines[end].Text != "" && !p.starts(end) {
		end++
	}
	lk := markdown.Style{Left: 2, Right: 2}
	text := markdown.Prompt(p.lines[i:end], &lk)
	out, end, _ := p.result(end, end)
	if out.grey {
		out.text = ""
	}
	p.add(session.Message{Role: session.RoleShell, Text: text, Markdown: "`" + text + "`", Output: out.text}, i, end, "bash mode")
	return end
}

// queued reports whether a prompt waits for the running turn to end: all of it is grey on the
// background.
func (p *claudeParser) queued(i int) bool {
	return ccPainted(p.lines[i]) && ccAllText(p.lines[i].Row, row.Grey)
}

// promptEnd returns the line behind a prompt: its rows share a background, or are dim from column 2
// on (1.0).
func (p *claudeParser) promptEnd(i int) int {
	bg := p.lines[i].StyleAt(0).Bg.Kind != vterm.ColorDefault
	end := i + 1
	for k := i + 1; k < len(p.lines); k++ {
		l := p.lines[k]
		switch {
		case l.Wrapped:
		case bg && (claudeEcho(l) || !ccPainted(l)):
			if l.Text != "" || k+1 >= len(p.lines) || !ccPaintedText(p.lines[k+1]) {
				return end
			}
			continue // a blank line within a prompt of 2.0, which paints no blank lines
		case !bg && l.Text == "":
			continue
		case !bg && (!ccAllText(l.Row, row.Grey) || l.Text[0] != ' '):
			return end
		}
		if _, ok := ccCorner(l); ok || p.blinking(k) {
			return end
		}
		end = k + 1
	}
	return end
}

// ccPaintedText reports whether a row goes on with a painted prompt: text from column 2 on.
func ccPaintedText(l row.Line) bool {
	return l.StyleAt(row.Indent(l.Text)).Bg.Kind != vterm.ColorDefault
}

// promptText is what a prompt says.
func (p *claudeParser) promptText(i, end int) string {
	rows := p.lines[i:end]
	if _, ok := ccCutGlyph(rows[0].Text, ">"); ok {
		return claudeOldPrompt(rows)
	}
	free := rows[0].Cols
	for _, l := range rows {
		free = min(free, max(0, l.Cols-ccRowWidth(l.Row)))
	}
	lk := markdown.Style{Left: 2, Right: min(2, free)}
	return markdown.Prompt(rows, &lk)
}

// claudeOldPrompt is a prompt of 1.0 and 2.0: wrapped together with its `> `, so that it goes on at
// column 0. The blank at which it was wrapped is written at the end of the row.
func claudeOldPrompt(rows []row.Line) string {
	left, widest := 2, 0
	for i, l := range rows {
		widest = max(widest, ccRowWidth(l.Row))
		if i > 0 && row.Indent(l.Text) < 2 {
			left = 0
		}
	}
	var b strings.Builder
	for i, l := range rows {
		t := l.Text
		if i == 0 {
			t, _ = ccCutGlyph(t, ">")
		} else if !l.Wrapped {
			t = t[min(left, len(t)):]
		}
		if i > 0 {
			switch prev := rows[i-1]; {
			case ccBlankAtEnd(prev):
				b.WriteByte(' ')
			case ccRowWidth(prev.Row) < widest-1 || widest < prev.Cols-6: // else a word was cut, or its blank is at the start of the row
				b.WriteByte('\n')
			}
		}
		b.WriteString(t)
	}
	return strings.Trim(b.String(), "\n ")
}

// ccBlankAtEnd reports whether a blank was written behind a row's text.
func ccBlankAtEnd(l row.Line) bool {
	n := len(l.Runs)
	return l.Blanks > 0 || n > 0 && strings.HasSuffix(l.Runs[n-1].Text, " ")
}

// claudeCommand reports whether a prompt is a command of the agent: one word after the slash, with
// arguments at most.
func claudeCommand(text string) bool {
	name, ok := strings.CutPrefix(text, "/")
	name, _, _ = strings.Cut(name, " ")
	return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-:_") == ""
}

// command reads a command of the agent with what it printed. /clear is none: it is known by the
// wipe that follows it, and is the first row of what is reprinted.
func (p *claudeParser) command(text string, i, end int) int {
	out, end, _ := p.result(end, end)
	if claudeClear(text) {
		return end
	}
	p.add(session.Message{Role: session.RoleCommand, Text: text, Markdown: "`" + text + "`", Output: out.text}, i, end, "command")
	return end
}

// claudeClear reports whether a command clears the conversation.
func claudeClear(text string) bool {
	name, _, _ := strings.Cut(text, " ")
	return slices.Contains([]string{"/clear", "/reset", "/new"}, name)
}

// claudeClears reports whether a row is such a command that was sent.
func claudeClears(l row.Line) bool {
	text, _ := ccCutGlyph(l.Text, ">", "❯")
	return claudeEcho(l) && claudeClear(text)
}

// dotted reports whether a row begins with the marker of a reply or a call.
func (p *claudeParser) dotted(i int) bool {
	_, ok := ccCutGlyph(p.lines[i].Text, claudeDot, claudeRecord)
	return ok
}

// marked reads a reply or a call.
func (p *claudeParser) marked(i int) int {
	if end := max(p.agents(i), p.answered(i)); end > i {
		return end
	}
	l := p.lines[i]
	ink := l.StyleAt(0)
	if !row.Plain(ink.Fg) || ink.Dim {
		if name, _ := p.header(i); name != "" || p.collapsedText(i) != "" || p.runningGroup(i) || row.Grey(ink) && !ccAllText(l.Row, row.Grey) {
			return p.call(i)
		}
	}
	end := max(p.replyEnd(i+1), i+1)
	lk := claudeLook(p.right, p.few)
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

// claudeThinks reports whether a row begins thinking.
func claudeThinks(l row.Line) bool {
	rest, _ := ccCutGlyph(l.Text, "✻", "∴", "✽")
	return strings.HasPrefix(rest, "Think")
}

// thinking reads thinking that is shown: `✻ Thinking…` or `∴ Thinking…`, and the text from column 2
// on.
func (p *claudeParser) thinking(i int) int {
	end := max(p.textEnd(i+1), i+1)
	lk := markdown.Style{Left: 2, Right: p.right, Marks: func(vterm.Style) row.Mark { return 0 }}
	text, md := markdown.Render(p.lines[i+1:end], &lk)
	if text != "" {
		p.add(session.Message{Role: session.RoleThinking, Text: text, Markdown: md}, i, end, "thinking")
	}
	return end
}

// loose reads a corner that no call or command owns: the interruption of a reply, or a note.
func (p *claudeParser) loose(i int) int {
	out, end, _ := p.result(i, i)
	if out.red && !claudeInterrupted(out.text) { // the failure of a call that is not shown
		p.add(session.Message{Role: session.RoleTool, Text: out.text, Markdown: out.text, Tool: &session.Tool{Output: out.text, Status: session.ToolError, Truncated: out.truncated}}, i, end, "failure")
		return end
	}
	if !claudeInterrupted(out.text) {
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
func (p *claudeParser) afterPrompt() bool {
	it := p.lastItem()
	return it != nil && (it.Role == session.RoleUser || it.Role == session.RoleTool)
}

// claudeInterrupted reports whether a note says that the user stopped a reply.
func claudeInterrupted(s string) bool {
	return strings.HasPrefix(s, "Interrupted") || strings.HasPrefix(s, "[Request interrupted by user")
}
