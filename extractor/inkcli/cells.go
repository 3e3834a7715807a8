// Package inkcli reads the programs that descend from the Gemini CLI: items begin with a sign in
// the first column, tools are in boxes, the composer is a box or between bars.
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

// CLI describes how one of these programs draws.
type CLI struct {
	Agent   string         // prefix of its rules' names
	Replies []string       // signs before a reply
	Notices []string       // signs before the program's own messages
	Style   markdown.Style // style of replies
	Tinted  bool           // code spans have a colour of their own, not that of the signs
	Welcome *chat.Welcome
	Status  func(l row.Line) bool // reports whether a row is chrome above the composer
	Call    chat.Cell             // cell of a tool without a box
}

// Parse returns a Look.Parse.
func (a *CLI) Parse() func(lines []row.Line) []chat.Item {
	return Parse(a.Agent, []chat.Cell{
		{Begin: &chat.Mark{Signs: a.Replies, Ink: row.Grey}, When: chat.First(a.thinks), Rows: a.rows, Add: thought(a.Style)},
		{Begin: &chat.Mark{Signs: a.Replies}, Rows: a.rows, Add: a.said},
		{Begin: &chat.Mark{Signs: a.Notices}, Rows: a.rows, Add: notice},
		a.Call,
		{Begin: &chat.Mark{Row: row.IsBar}, Rows: one},
		{Begin: &typed, When: composing, Rows: typedRows},
		{Begin: &typed, Rows: typedRows, Add: prompt(1)},
		{Begin: &chat.Mark{Col: 1, Signs: typedSigns}, When: onBar, Rows: barRows, Add: prompt(1)},
		{Begin: &chat.Mark{Signs: []string{"╭"}}, Rows: boxRows, Add: box},
		{Begin: &chat.Mark{Signs: typedSigns}, Rows: a.promptRows, Add: prompt(0)},
		{Begin: &chat.Mark{Col: 1, Signs: []string{"Thinking..."}}, Rows: one},
		{Begin: &chat.Mark{Col: 1, Signs: []string{"│"}}, Rows: thoughtRows, Add: thought(markdown.Style{Left: 3})},
		{Rule: "prompt", Headless: true, When: chat.First(row.HasBackground), Rows: painted, Role: session.RoleUser,
			Style: &markdown.Style{Left: 3, Right: 1}},
		{Rule: "prompt", Headless: true, When: typedAbove, Rows: a.rows, Role: session.RoleUser,
			Style: &markdown.Style{Left: 2}},
		{Headless: true, When: chat.First(row.Prefixed("  ")), Rows: a.rows, Role: session.RoleAssistant, Add: a.said},
		{When: numbered, Rows: a.rows, Add: a.said},
		{Rows: a.Welcome.Rows, Add: Part},
		{When: chat.First(a.chrome), Rows: one},
	})
}

// Parse returns a Look.Parse for cells. Lines that begin no cell are output of the command above,
// if there is one. A command at the end is held back until it is known whether its output or the
// model's answer follows.
func Parse(agent string, cells []chat.Cell) func(lines []row.Line) []chat.Item {
	wrapped := chat.Cell{When: chat.First(row.IsWrapped), Rows: one}
	other := chat.Cell{Rows: one, Add: func(p *chat.Parser, first, end int) { printed(p, p.Lines[first].Text, end) }}
	c := &chat.Cells{Agent: agent, Ended: row.Filled,
		Cells: slices.Concat([]chat.Cell{wrapped}, cells, []chat.Cell{other})}
	return func(lines []row.Line) []chat.Item {
		items := c.Parse(lines)
		if it := chat.Last(items); it.Role == session.RoleCommand && it.Output == "" &&
			row.SkipBlank(lines, it.End) == len(lines) {
			items = items[:len(items)-1]
		}
		return slices.DeleteFunc(items, func(it chat.Item) bool { return it.Role == "" && it.Event == "" })
	}
}

// Part adds an empty item, so that what is below does not belong to the command above.
func Part(p *chat.Parser, first, end int) { p.Add(chat.Item{}, first, end, "") }

// printed adds lines to the output of the command above, and reports whether there is one.
func printed(p *chat.Parser, text string, end int) bool {
	it := p.Above()
	if it.Role != session.RoleCommand {
		return false
	}
	it.Output, it.End = strings.TrimPrefix(it.Output+"\n"+text, "\n"), end
	return true
}

// one is a Cell.Rows for a single row.
func one([]row.Line) int { return 1 }

// chrome reports whether a row was left by a resize.
func (a *CLI) chrome(l row.Line) bool { return !strings.HasPrefix(l.Text, "  ") && a.Status(l) }

// answered are the roles that a reply may follow.
var answered = []string{session.RoleUser, session.RoleThinking, session.RoleTool, session.RoleSystem}

// numbered reports whether a reply begins with code, which has no sign before it from 0.44 on.
func numbered(lines []row.Line, earlier []chat.Item) bool {
	return strings.HasPrefix(strings.TrimLeft(lines[0].Text, " "), "1 ") &&
		slices.Contains(answered, chat.Last(earlier).Role)
}

// rows returns the number of rows of an item. It ends at a row that begins something else; at a
// hint at the right edge that a resize has left, because no message is indented that far below a
// blank line; or at what the terminal wrapped below one.
func (a *CLI) rows(lines []row.Line) int {
	return chat.Until(lines, func(k int) bool {
		l, apart := lines[k], lines[k-1].Text == ""
		switch {
		case l.Text == "":
			return false
		case l.Wrapped:
			return apart
		case l.Lost, !strings.HasPrefix(l.Text, "  "), a.Call.Begin.On(l):
			return true
		}
		return apart && row.Indent(l.Text) > l.Cols/3
	})
}

// said parses the model's text. The output of /compress and similar commands is drawn like a reply.
func (a *CLI) said(p *chat.Parser, first, end int) {
	AddReply(p, Reply(p.Lines[first:end], a.Style, a.accent(p.Lines[:first+1]), a.Tinted), first, end)
}

// accent returns the colour of the last sign of a reply, or of a prompt between bars.
func (a *CLI) accent(lines []row.Line) vterm.Color {
	i := row.Last(lines, func(l row.Line) bool { return row.Starts(l.Text, a.Replies...) || typed.On(l) })
	if i < 0 {
		return vterm.Color{}
	}
	return lines[i].StyleAt(row.Indent(lines[i].Text)).Fg
}

// AddReply appends a reply. It replaces the part of it that is above.
func AddReply(p *chat.Parser, it chat.Item, first, end int) {
	unsaid(p, first, end)
	if row.Starts(it.Text, "Chat history compressed from ") ||
		slices.Contains([]string{"/compress", "/summarize", "/compact"}, p.Above().Text) {
		say(p, it.Text, first, end)
		return
	}
	asked(p)
	if strings.Trim(it.Text, "┌─┬┐│ \n") == "" { // empty, or a table of which only the border is drawn
		return
	}
	it.Headless = p.Lines[first].Lost && p.Lines[first].Text[0] == ' '
	if it.Shortened = slices.ContainsFunc(p.Lines[first:end], shortened); it.Shortened {
		it.Truncate(session.TruncatedMiddle)
	}
	p.Add(it, first, end, "reply")
}

// Call returns a Cell.Add for calls, which read parses. Files that are read together are in one
// row, but each is a call.
func Call(read func(lines []row.Line) *session.Tool) func(p *chat.Parser, first, end int) {
	return func(p *chat.Parser, first, end int) {
		t := read(p.Lines[first:end])
		for _, input := range chat.Inputs(t.Name, t.Input) {
			each := *t
			each.Input = input
			addCall(p, &each, first, end)
			first = end
		}
	}
}

// addCall appends a call. A call that was started by a shell command is the command's output.
func addCall(p *chat.Parser, t *session.Tool, first, end int) {
	asked(p)
	it := chat.Did(t)
	if printed(p, t.Output, end) {
		p.Above().Open = it.Open
		Part(p, end, end)
		return
	}
	it.Open = it.Open || row.SkipBlank(p.Lines, end) == len(p.Lines)
	p.Add(it, first, end, "call")
}

// asked converts a command that the model answers to a prompt.
func asked(p *chat.Parser) {
	if it := p.Above(); it.Role == session.RoleCommand && it.Output == "" && IsSlash(it.Text) {
		it.Role, it.Rule = session.RoleUser, p.Agent+" prompt"
	}
}

// sure is how many letters the beginnings of two replies must have in common to be the same reply.
const sure = 48

// unsaid removes the replies above if the same reply is printed again, after a resize while it was
// printed: chrome was left between the two, or blank rows where it was erased, or the terminal
// rewrapped the rows above, or not even a blank line separates them, or it is the beginning of this
// one.
func unsaid(p *chat.Parser, first, end int) {
	again := lettersOf(p.Lines[first:end])
	for p.Above().Role == session.RoleAssistant {
		above, between := p.Lines[p.Above().First:p.Above().End], p.Lines[p.Above().End:first]
		apart := len(between) > 0 && len(between) < 3 && row.SkipBlank(between, 0) == len(between)
		rewrapped := slices.ContainsFunc(above, row.IsWrapped) // Ink wraps itself
		old := lettersOf(above)
		k := min(len(old), len(again), sure) // further down its rows may be torn
		grown := len(old) >= sure && strings.HasPrefix(again, old)
		if apart && !rewrapped && !grown || old[:k] != again[:k] {
			return
		}
		p.Items = p.Items[:len(p.Items)-1]
	}
}

// lettersOf returns the text of lines without blanks.
func lettersOf(lines []row.Line) string {
	var b []byte
	for _, l := range lines {
		b = row.AppendLetters(b, l.Text)
	}
	return string(b)
}

// notice parses a message of the CLI after ℹ, ⚠ or ✕: a command's answer, the end of a request, an
// error. The sign may be followed by a variation selector.
func notice(p *chat.Parser, first, end int) {
	l := p.Lines[first]
	_, size := utf8.DecodeRuneInString(l.Text)
	left := 1 + row.Indent(strings.TrimPrefix(l.Text[size:], "\ufe0e"))
	text := markdown.Prompt(p.Lines[first:end], &markdown.Style{Left: left})
	if row.Starts(text, "Request cancelled", "User cancelled the request") {
		Cancelled(p, first, end)
	} else {
		say(p, text, first, end)
	}
}

// Cancelled adds an interruption by the user.
func Cancelled(p *chat.Parser, first, end int) { p.Interrupted(first, end, "cancelled") }

// say adds a message of the CLI: to a command's output if there is a command, else as a notice.
func say(p *chat.Parser, text string, first, end int) {
	if !printed(p, text, end) {
		p.Say(session.RoleSystem, text, text, first, end, "notice")
	}
}

// thoughtRows returns the number of rows of the model's thoughts, if the user asked to see them:
// beside a line, under " Thinking...".
func thoughtRows(lines []row.Line) int { return row.Run(lines, row.Prefixed(" │")) }

// thinks reports whether a row with the sign of a reply is of the model's thoughts, which are in
// one grey. An agent whose replies have an accent does not draw them so.
func (a *CLI) thinks(l row.Line) bool { return a.Tinted && inOneInk(l) }

// inOneInk reports whether all of a row has the colour of its sign.
func inOneInk(l row.Line) bool {
	fg := l.StyleAt(row.Indent(l.Text)).Fg
	return l.All(func(s vterm.Style) bool { return s.Fg == fg })
}

// thought returns a Cell.Add for the model's thoughts, which are beside a line or, in Qwen Code
// 0.10, in grey after the sign of a reply.
func thought(style markdown.Style) func(p *chat.Parser, first, end int) {
	return func(p *chat.Parser, first, end int) {
		text := markdown.Prompt(p.Lines[first:end], &markdown.Style{Left: style.Left, Right: style.Right, Slack: style.Slack})
		asked(p)
		p.Say(session.RoleThinking, text, text, first, end, "thinking")
	}
}
