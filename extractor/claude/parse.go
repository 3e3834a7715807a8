package claude

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// parser reads items off conversation lines.
type parser struct {
	chat.Parser
	right int  // columns that text leaves free at the right
	few   bool // the theme has 16 colours
	open  int  // so many items were there when a reply was read whose turn has not ended on the screen
}

// parse reads the items off conversation lines.
func parse(lines []row.Line, last bool) []chat.Item {
	p := &parser{Parser: chat.Parser{Agent: "claude", Lines: lines, Last: last}, right: rightOf(lines), few: fewColours(lines)}
	p.Read(func(i int) int { return p.next(i) - i })
	if it := p.Above(); it.Role == session.RoleAssistant {
		it.Open = last && p.open == len(p.Items)
	}
	return p.Items
}

// rightOf is how many columns text leaves free at the right: none since 2.1, 4 and, in early
// 1.0, 5 before. What is wrapped at the wider width is wrapped at the narrower one too, so where no
// line shows it, the narrower one does no harm. Tips and the welcome are indented further than
// replies, and reach the edge.
func rightOf(lines []row.Line) int {
	if slices.ContainsFunc(lines, func(l row.Line) bool {
		return strings.HasPrefix(l.Text, "❯ ") || row.Indent(l.Text) == 2 && row.Extent(l.Row) > l.Cols-4
	}) {
		return 0
	}
	return 5
}

// fewColours reports whether a theme of 16 colours is used: prompts and markers have these colours.
func fewColours(lines []row.Line) bool {
	i := slices.IndexFunc(lines, func(l row.Line) bool { return signed(l, dot, record, "❯", ">") })
	if i < 0 {
		return false
	}
	fg := lines[i].StyleAt(0).Fg
	return fg.Kind == vterm.ColorPalette && fg.Palette < 16
}

// next reads what begins at line i and returns the line behind it.
func (p *parser) next(i int) int {
	l := p.Lines[i]
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
	switch {
	case done(l):
		p.open = 0
	case echo(l):
		return p.prompt(i)
	case signed(l, "!") && !row.Plain(l.StyleAt(0).Fg):
		return p.bash(i)
	case signed(l, dot, record):
		return p.marked(i)
	case thinks(l):
		return p.thinking(i)
	}
	return i + 1
}

// headless reads the rest of a prompt, an output or a reply whose first rows were never on the
// screen, and returns the line behind it; i if none begins there.
func (p *parser) headless(i int) int {
	first := row.SkipBlank(p.Lines, i)
	if first == len(p.Lines) {
		return i
	}
	indent := row.Indent(p.Lines[first].Text)
	if indent >= 2 && painted(p.Lines[first]) {
		end := p.promptEnd(first)
		text := p.promptText(first, end)
		p.Say(session.RoleUser, text, text, i, end, "rest of a prompt").Headless = true
		return end
	}
	if indent >= 4 && len(p.Items) > 0 {
		below := row.SkipBlank(p.Lines, p.outputEnd(first))
		if below == len(p.Lines) || p.starts(below) {
			return p.headlessOutput(first)
		}
	}
	above := p.Above().Role
	late := p.Lines[i].Late && indent >= 2
	if !late && (indent != 2 || above != session.RoleUser && above != session.RoleTool) || p.starts(first) {
		return i
	}
	end := p.replyEnd(first)
	if late && !p.body(first, end) {
		return i
	}
	text, md := markdown.Render(p.Lines[first:end], look(p.right, p.few))
	p.Say(session.RoleAssistant, text, md, i, end, "rest of a reply").Headless = true
	p.open = len(p.Items)
	return end
}

// body reports whether lines [i, end) are surely those of a reply: from column 2 on, in the colour
// of text, and no piece of the welcome.
func (p *parser) body(i, end int) bool {
	return slices.ContainsFunc(p.Lines[i:end], chat.AtMargin) && !slices.ContainsFunc(p.Lines[i:end], func(l row.Line) bool { return row.IsBlocks(row.FirstWord(l.Text)) })
}

// indented reads a line that begins with blanks where nothing owns it: a corner, a collapsed group,
// a call whose marker blinks.
func (p *parser) indented(i int) int {
	if _, ok := corner(p.Lines[i]); ok {
		return p.loose(i)
	}
	if p.collapsed(i) || p.blinking(i) {
		return p.call(i)
	}
	return i + 1
}

// starts reports whether something of its own begins at line i, so that the text above ends there.
func (p *parser) starts(i int) bool {
	l := p.Lines[i]
	if l.Wrapped || l.Text == "" {
		return false
	}
	if _, ok := corner(l); ok || l.Text[0] != ' ' {
		return true
	}
	return (i == 0 || p.Lines[i-1].Text == "" || l.Lost) && (p.collapsed(i) || p.blinking(i))
}

// replyEnd returns the line behind a reply that goes on from line i. No corner follows it but that
// of an interruption: others are its content.
func (p *parser) replyEnd(i int) int {
	return p.Until(i, func(k int) bool {
		rest, ok := corner(p.Lines[k])
		return p.starts(k) && (!ok || interrupted(rest))
	})
}

// done reports whether a row says that a turn is done: `✻ Baked for 1s`.
func done(l row.Line) bool {
	rest, ok := cutGlyph(l.Text, "✻", "✽", "✶", "✢", "*", "·")
	return ok && row.Grey(l.StyleAt(0)) && strings.Contains(rest, " for ")
}

// marked reads a reply or a call.
func (p *parser) marked(i int) int {
	if end := max(p.agents(i), p.answered(i)); end > i {
		return end
	}
	l := p.Lines[i]
	ink := l.StyleAt(0)
	if !row.Plain(ink.Fg) || ink.Dim {
		if name, _ := p.header(i); name != "" || row.Grey(ink) && !allText(l.Row, row.Grey) {
			return p.call(i)
		}
	}
	end := p.replyEnd(i + 1)
	text, md := markdown.Render(p.Lines[i:end], look(p.right, p.few))
	switch {
	case text == "":
	case !row.Plain(ink.Fg): // the agent's own words: `● Unknown command: /o`
		p.Say(session.RoleSystem, text, md, i, end, "notice")
	default:
		p.Say(session.RoleAssistant, text, md, i, end, "reply")
		p.open = len(p.Items)
	}
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
	end := p.Until(i+1, p.starts)
	lk := markdown.Style{Left: 2, Right: p.right, Marks: func(vterm.Style) row.Mark { return 0 }}
	if text, md := markdown.Render(p.Lines[i+1:end], &lk); text != "" {
		p.Say(session.RoleThinking, text, md, i, end, "thinking")
	}
	return end
}

// loose reads a corner that no call or command owns: the interruption of a reply, the failure of a
// call that is not shown, a file that is attached, or a note.
func (p *parser) loose(i int) int {
	out, end, stopped := p.result(i, i)
	file, attached := strings.CutPrefix(out.text, "Read ")
	switch {
	case stopped:
		p.Interrupted(i, end, "interrupted")
	case out.red:
		p.Say(session.RoleTool, out.text, out.text, i, end, "failure").Tool = &session.Tool{Output: out.text, Status: session.ToolError, Truncated: out.truncated}
	case attached:
		name, _, _ := strings.Cut(file, " (")
		p.Add(did(&session.Tool{Name: "Read", Input: name, Output: out.text, Status: session.ToolOK}), i, end, "attached file")
	}
	return end
}

// interrupted reports whether a note says that the user stopped a reply.
func interrupted(s string) bool { return chat.Begins(s, "Interrupted", "[Request interrupted by user") }
