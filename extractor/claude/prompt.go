package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// commands are the agent's: one word after the slash, with arguments at most. Those that clear the
// conversation become no item: they are known by the wipe that follows, and are the first row of
// what is reprinted.
var (
	commands = lazy.Regexp(`^/[a-z0-9\-:_]+( |$)`)
	clearing = lazy.Regexp(`^/(clear|reset|new)( |$)`)
)

// clears reports whether a row is a command that cleared the conversation. The live input has the
// same glyph, but no background and (in 1.0) a box around it.
func clears(l row.Line) bool {
	return clearing().MatchString(behindSign(l.Text)) && (sent.On(l) || oldSent.On(l))
}

// prompt reads what the user sent, or a command of the agent with what it printed.
func (p *parser) prompt(i int) int {
	end := p.promptEnd(i)
	text := p.promptText(i, end)
	switch {
	case text == "", painted(p.Lines[i]) && allText(p.Lines[i].Row, row.Grey): // all grey: it waits for the running turn to end
	case clearing().MatchString(text):
		_, end = p.result(end)
	case commands().MatchString(text):
		return p.printed(session.RoleCommand, text, i, end)
	default:
		p.Say(session.RoleUser, text, text, i, end, "prompt")
	}
	return end
}

// bash reads a shell line that the user sent with `!`.
func (p *parser) bash(i int) int {
	end := p.Until(i+1, p.starts)
	return p.printed(session.RoleShell, markdown.Prompt(p.Lines[i:end], &markdown.Style{Left: 2, Right: 2}), i, end)
}

// printed adds a command, with what it printed. What is grey is a note on a shell line.
func (p *parser) printed(role, text string, i, end int) int {
	out, end := p.result(end)
	it := p.Say(role, text, "`"+text+"`", i, end, role)
	if role != session.RoleShell || !row.Grey(out.ink) {
		it.Output = out.text
	}
	return end
}

// promptEnd returns the line behind a prompt: its rows share a background, or are dim from column 2
// on (1.0). 2.0 paints no blank lines.
func (p *parser) promptEnd(i int) int {
	goesOn := func(l row.Line) bool { return painted(l) && !sent.On(l) }
	if !painted(p.Lines[i]) {
		goesOn = func(l row.Line) bool {
			_, hangs := corner(l.Text)
			return l.Text[0] == ' ' && !hangs && allText(l.Row, row.Grey)
		}
	}
	end := p.Until(i+1, func(k int) bool { l := p.Lines[k]; return l.Text != "" && !l.Wrapped && !goesOn(l) })
	return end + row.Run(p.Lines[end:], func(l row.Line) bool { return l.Text == "" && (l.Wrapped || painted(l)) })
}

// promptText is what a prompt says.
func (p *parser) promptText(i, end int) string {
	rows := p.Lines[i:end]
	if strings.HasPrefix(rows[0].Text, ">") {
		return oldPrompt(rows)
	}
	free := 2
	for _, l := range rows {
		free = min(free, max(0, l.Cols-row.Extent(l.Row)))
	}
	return markdown.Prompt(rows, &markdown.Style{Left: 2, Right: free})
}

// oldPrompt is a prompt of 1.0 and 2.0: wrapped together with its `> `, so that it goes on at
// column 0. The blank at which it was wrapped is written at the end of the row, or at the start of
// the next one.
func oldPrompt(rows []row.Line) string {
	lk, widest := markdown.Style{Left: 2}, 0
	for i, l := range rows {
		widest = max(widest, row.Extent(l.Row))
		if i > 0 && row.Indent(l.Text) < 2 {
			lk.Left = 0
		}
	}
	lk.Seam = func(a, b *markdown.Line) (markdown.Seam, bool) {
		above := rows[b.At-1]
		switch width := row.Extent(above.Row); {
		case above.Blanks > 0, a.Spaced:
			return markdown.SeamSpace, true
		case width < widest-1, widest < above.Cols-6:
			return markdown.SeamBreak, true
		case b.Indent > 0:
			return markdown.SeamSpace, true
		}
		return markdown.SeamNone, true // a word was cut
	}
	text := markdown.Prompt(rows, &lk)
	if lk.Left == 0 {
		text = behindSign(text)
	}
	return strings.Trim(text, "\n ")
}
