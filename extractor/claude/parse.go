package claude

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

// parser reads items off conversation lines.
type parser struct {
	chat.Parser
	cells []cell
	look  *markdown.Style // of replies
	open  int             // so many items were there when a reply was read whose turn has not ended on the screen
}

// parse reads the items off conversation lines.
func parse(lines []row.Line, last bool) []chat.Item {
	p := &parser{Parser: chat.Parser{Agent: "claude", Lines: lines, Last: last}, cells: cells(), look: lookOf(lines)}
	p.Read(func(i int) int { return p.next(i) - i })
	if p.open == len(p.Items) {
		p.Above().Open = last
	}
	return p.Items
}

// What begins in the first column.
var (
	sent    = chat.Mark{Signs: glyphs("❯>"), Ink: highlighted}
	oldSent = chat.Mark{Signs: glyphs(">"), Ink: row.Grey} // 1.0
	shell   = chat.Mark{Signs: glyphs("!"), Ink: func(s vterm.Style) bool { return !row.Plain(s.Fg) }}
	marker  = chat.Mark{Signs: glyphs("●⏺")} // of a reply or a call
	thinks  = chat.Mark{Text: func(t string) bool {
		return chat.Begins(t, "✻", "∴", "✽") && strings.HasPrefix(behindSign(t), "Think")
	}}
	done   = chat.Mark{Signs: glyphs("✻✽✶✢*·"), Ink: row.Grey}  // `✻ Baked for 1s`
	chrome = chat.Mark{Text: func(string) bool { return true }} // whatever else begins there
)

// cell is what a row may begin with, and what reads it with the rows that belong to it.
type cell struct {
	begin *chat.Mark
	read  func(p *parser, i int) int
}

// cells returns them in the order in which a row is asked for them.
func cells() []cell {
	return []cell{
		{&sent, (*parser).prompt}, {&oldSent, (*parser).prompt}, {&shell, (*parser).bash}, {&marker, (*parser).marked},
		{&thinks, (*parser).thinking}, {&done, (*parser).done}, {&chrome, (*parser).chrome},
	}
}

// glyphs returns each of the glyphs with the blank behind it.
func glyphs(all string) (out []string) {
	for _, g := range all {
		out = append(out, string(g)+" ", string(g)+"\u00a0")
	}
	return out
}

// highlighted reports whether a style is that of a prompt, which has a background.
func highlighted(s vterm.Style) bool { return s.Bg.Kind != vterm.ColorDefault }

// painted reports whether a row has a background at its start: a row of a prompt.
func painted(l row.Line) bool { return highlighted(l.StyleAt(0)) }

// behindSign returns what follows the sign and the blanks at a row's start.
func behindSign(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.TrimLeft(text[n:], " \u00a0")
}

// next reads what begins at line i and returns the line behind it.
func (p *parser) next(i int) int {
	if p.Lines[i].Lost {
		if end := p.headless(i); end > i {
			return end
		}
	}
	if read := p.reader(i); read != nil {
		return read(p, i)
	}
	if p.unmarked(i) {
		return p.call(i)
	}
	return i + 1
}

// reader returns what reads line i with the lines that belong to it; nil if it belongs to what is
// above, or to nothing.
func (p *parser) reader(i int) func(p *parser, i int) int {
	l := p.Lines[i]
	if l.Text == "" || l.Wrapped {
		return nil
	}
	if _, hangs := corner(l.Text); hangs {
		return (*parser).loose
	}
	if l.Text[0] != ' ' {
		k := slices.IndexFunc(p.cells, func(c cell) bool { return c.begin.On(l) })
		return p.cells[k].read
	}
	if (i == 0 || p.Lines[i-1].Text == "" || l.Lost) && p.unmarked(i) {
		return (*parser).call
	}
	return nil
}

// starts reports whether something of its own begins at line i, so that the text above ends there.
func (p *parser) starts(i int) bool { return p.reader(i) != nil }

// chrome is a line of the agent's own.
func (p *parser) chrome(i int) int { return i + 1 }

// done reads that a turn is done.
func (p *parser) done(i int) int {
	if strings.Contains(p.Lines[i].Text, " for ") {
		p.open = 0
	}
	return i + 1
}

// headless reads the rest of a prompt, an output or a reply whose first rows were never on the
// screen, and returns the line behind it; i if none begins there.
func (p *parser) headless(i int) int {
	first := row.SkipBlank(p.Lines, i)
	if first == len(p.Lines) || p.starts(first) {
		return i
	}
	indent := row.Indent(p.Lines[first].Text)
	if painted(p.Lines[first]) {
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
	end := p.replyEnd(first)
	reply := indent == 2 && slices.Contains([]string{session.RoleUser, session.RoleTool}, p.Above().Role)
	if p.Lines[i].Late {
		reply = indent >= 2 && isText(p.Lines[first:end])
	}
	if !reply {
		return i
	}
	text, md := markdown.Render(p.Lines[first:end], p.look)
	p.Say(session.RoleAssistant, text, md, i, end, "rest of a reply").Headless = true
	p.open = len(p.Items)
	return end
}

// isText reports whether lines are surely those of a reply: from column 2 on, in the colour of
// text, and no piece of the welcome.
func isText(lines []row.Line) bool {
	return slices.ContainsFunc(lines, chat.AtMargin) && !slices.ContainsFunc(lines, func(l row.Line) bool { return row.IsBlocks(row.FirstWord(l.Text)) })
}

// replyEnd returns the line behind a reply that goes on from line i. No corner follows it but that
// of an interruption: others are its content.
func (p *parser) replyEnd(i int) int {
	return p.Until(i, func(k int) bool {
		rest, ok := corner(p.Lines[k].Text)
		return p.starts(k) && (!ok || interrupted(rest))
	})
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
	text, md := markdown.Render(p.Lines[i:end], p.look)
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

// thinking reads thinking that is shown: `✻ Thinking…` or `∴ Thinking…`, and the text from column 2
// on.
func (p *parser) thinking(i int) int {
	end := p.Until(i+1, p.starts)
	lk := markdown.Style{Left: 2, Right: p.look.Right, Marks: func(vterm.Style) row.Mark { return 0 }}
	if text, md := markdown.Render(p.Lines[i+1:end], &lk); text != "" {
		p.Say(session.RoleThinking, text, md, i, end, "thinking")
	}
	return end
}

// loose reads a corner that no call or command owns: the interruption of a reply, the failure of a
// call that is not shown, a file that is attached, or a note.
func (p *parser) loose(i int) int {
	out, end := p.result(i)
	file, attached := strings.CutPrefix(out.text, "Read ")
	switch {
	case out.stopped:
		p.Interrupted(i, end, "interrupted")
	case row.Red(out.ink.Fg):
		p.Say(session.RoleTool, out.text, out.text, i, end, "failure").Tool = &session.Tool{Output: out.text, Status: session.ToolError, Truncated: out.truncated}
	case attached:
		name, _, _ := strings.Cut(file, " (")
		p.Add(did(&session.Tool{Name: "Read", Input: name, Output: out.text, Status: session.ToolOK}), i, end, "attached file")
	}
	return end
}
