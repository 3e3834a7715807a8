package claude

import (
	"regexp"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// echo reports whether a row is the first of a prompt that was sent. The live input has the
// same glyph, but no background and (in 1.0) a box around it.
func echo(l row.Line) bool {
	return signed(l, "❯", ">") && painted(l) || signed(l, ">") && row.Grey(l.StyleAt(0))
}

// prompt reads what the user sent, a command of the agent, or a shell line sent with `!`.
func (p *parser) prompt(i int) int {
	end := p.promptEnd(i)
	switch text := p.promptText(i, end); {
	case text == "", painted(p.Lines[i]) && allText(p.Lines[i].Row, row.Grey): // all grey: it waits for the running turn to end
	case commands.MatchString(text):
		return p.command(text, i, end)
	default:
		p.Say(session.RoleUser, text, text, i, end, "prompt")
	}
	return end
}

// bash reads a shell line that the user sent with `!`, with its output.
func (p *parser) bash(i int) int {
	end := p.Until(i+1, p.starts)
	text := markdown.Prompt(p.Lines[i:end], &markdown.Style{Left: 2, Right: 2})
	out, end, _ := p.result(end, end)
	if out.grey {
		out.text = ""
	}
	p.Say(session.RoleShell, text, "`"+text+"`", i, end, "bash mode").Output = out.text
	return end
}

// promptEnd returns the line behind a prompt: its rows share a background, or are dim from column 2
// on (1.0).
func (p *parser) promptEnd(i int) int {
	bg := painted(p.Lines[i])
	end := i + 1
	for k := i + 1; k < len(p.Lines); k++ {
		l := p.Lines[k]
		switch {
		case l.Wrapped:
		case bg && (echo(l) || !painted(l)):
			if l.Text != "" {
				return end
			}
			continue // a blank line within a prompt of 2.0, which paints no blank lines
		case l.Text == "":
			continue
		case !bg && (!allText(l.Row, row.Grey) || l.Text[0] != ' '):
			return end
		}
		if _, ok := corner(l); ok || p.blinking(k) {
			return end
		}
		end = k + 1
	}
	return end
}

// promptText is what a prompt says.
func (p *parser) promptText(i, end int) string {
	rows := p.Lines[i:end]
	if signed(rows[0], ">") {
		return oldPrompt(rows)
	}
	free := rows[0].Cols
	for _, l := range rows {
		free = min(free, max(0, l.Cols-row.Extent(l.Row)))
	}
	lk := markdown.Style{Left: 2, Right: min(2, free)}
	return markdown.Prompt(rows, &lk)
}

// oldPrompt is a prompt of 1.0 and 2.0: wrapped together with its `> `, so that it goes on at
// column 0. The blank at which it was wrapped is written at the end of the row.
func oldPrompt(rows []row.Line) string {
	left, widest := 2, 0
	for i, l := range rows {
		widest = max(widest, row.Extent(l.Row))
		if i > 0 && row.Indent(l.Text) < 2 {
			left = 0
		}
	}
	var b strings.Builder
	for i, l := range rows {
		t := l.Text
		if i == 0 {
			t, _ = cutGlyph(t, ">")
		} else if !l.Wrapped {
			t = t[min(left, len(t)):]
		}
		if i > 0 {
			switch prev := rows[i-1]; {
			case blankAtEnd(prev):
				b.WriteByte(' ')
			case row.Extent(prev.Row) < widest-1 || widest < prev.Cols-6: // else a word was cut, or its blank is at the start of the row
				b.WriteByte('\n')
			}
		}
		b.WriteString(t)
	}
	return strings.Trim(b.String(), "\n ")
}

// blankAtEnd reports whether a blank was written behind a row's text.
func blankAtEnd(l row.Line) bool {
	n := len(l.Runs)
	return l.Blanks > 0 || n > 0 && strings.HasSuffix(l.Runs[n-1].Text, " ")
}

// commands are the agent's: one word after the slash, with arguments at most.
var commands = regexp.MustCompile(`^/[a-z0-9\-:_]+( |$)`)

// command reads a command of the agent with what it printed. /clear is none: it is known by the
// wipe that follows it, and is the first row of what is reprinted.
func (p *parser) command(text string, i, end int) int {
	out, end, _ := p.result(end, end)
	if !clearing.MatchString(text) {
		p.Say(session.RoleCommand, text, "`"+text+"`", i, end, "command").Output = out.text
	}
	return end
}

// clearing are the commands that clear the conversation.
var clearing = regexp.MustCompile(`^/(clear|reset|new)( |$)`)

// clears reports whether a row is such a command that was sent.
func clears(l row.Line) bool {
	text, _ := cutGlyph(l.Text, ">", "❯")
	return echo(l) && clearing.MatchString(text)
}
