// Package copilot reads GitHub Copilot CLI.
package copilot

import (
	"regexp"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Agent returns GitHub Copilot CLI (all on the alternate screen): a row of tabs, the conversation
// with a scroll bar in the last column once it is taller than its window, the directory, what the
// user types between two rules, and what the agent does in the last row. Whatever is said or done
// begins with a sign in column 1; its text begins in column 3.
func Agent() *chat.Agent {
	return &chat.Agent{
		Name: "copilot", Title: "GitHub Copilot CLI", Usage: usage,
		Resume: chat.ResumedBy("copilot", []string{"--resume=" + chat.ResumeID}, chat.UUID, `copilot --resume=`, "--resume"),
		Looks: []chat.Look{{
			Versions: "1.0-",
			Begins:   copilotBegins, Banner: banner, Split: split, Parse: cells().Parse,
		}},
	}
}

const (
	copilotLeft = 3 // the column where text begins
	right       = 2 // columns that text leaves free: a blank, and the scroll bar
	logo        = "╭─╮╭─╮"
	name        = "Copilot v"
	copilotTip  = " ● Tip: /"
	bar         = "┃"
	clock       = 6 // columns at the right of a prompt that the time takes
)

// copilotBegins reports whether a row may be the first of the logo.
func copilotBegins(text string) bool { return strings.TrimSpace(text) == logo }

// banner reads the logo with the version beside it, and the tip below.
func banner(lines []row.Line) (b chat.Banner, n int) {
	if len(lines) < 2 || !copilotBegins(lines[0].Text) {
		return b, 0
	}
	_, rest, ok := strings.Cut(lines[1].Text, name)
	if b.Version = row.FirstWord(rest); !ok || !chat.IsVersion(b.Version) {
		return chat.Banner{}, 0
	}
	for n = 1; n < len(lines) && lines[n].Text != ""; n++ {
	}
	if tip := row.SkipBlank(lines, n); tip < len(lines) && strings.HasPrefix(lines[tip].Text, copilotTip) {
		for n = tip; n < len(lines) && lines[n].Text != ""; n++ {
		}
	}
	return b, n
}

// split finds the rules around what the user types, or the dialog in their place.
func split(s chat.Screen) chat.Split {
	lines := row.Trim(s.Lines)
	if len(lines) == 0 {
		return chat.Split{}
	}
	sp := chat.Split{OK: true, State: chat.StateIdle, Right: max(0, lines[0].Cols-right)}
	for sp.Top < len(lines) && sp.Top < 2 && (lines[sp.Top].Text == "" || tabs(lines[sp.Top])) {
		sp.Top++
	}
	if at := dialog(lines); at >= 0 {
		sp.Bottom, sp.State = at, chat.StateAsking
		return sp
	}
	low := rule(lines, len(lines)-1)
	top := rule(lines, low-1)
	if low < len(lines)-2 || top < 1 || !strings.HasPrefix(lines[top+1].Text, "❯") {
		return chat.Split{}
	}
	if status := lines[len(lines)-1].Text; strings.Contains(status, " esc esc ") || strings.Contains(status, " esc again ") {
		sp.State = chat.StateBusy
	}
	sp.Bottom = copilotEnd(lines, sp.Top, top)
	if sp.Bottom > sp.Top && strings.HasSuffix(lines[sp.Bottom-1].Text, bar) {
		sp.Scrolled = lines[sp.Bottom-1].StyleAt(lines[sp.Bottom-1].Cols-1) == (vterm.Style{})
	}
	return sp
}

// copilotEnd returns the end of the conversation above the row bottom: the directory is between
// them, or a menu with its choice marked in column 2, below a blank row.
func copilotEnd(lines []row.Line, top, bottom int) int {
	filled := func(l row.Line) bool { return strings.Trim(l.Text, " "+bar) != "" }
	end := bottom
	for end > top && !filled(lines[end-1]) {
		end--
	}
	start, menu := end, false
	for start > top && filled(lines[start-1]) {
		start--
		menu = menu || strings.HasPrefix(lines[start].Text, "  ❯ ") || strings.HasPrefix(lines[start].Text, bar+" ❯ ")
	}
	if end == bottom || menu {
		return start
	}
	return bottom
}

// tabs reports whether a row is the row of tabs: one of them is painted.
func tabs(l row.Line) bool {
	return strings.HasPrefix(l.Text, " [") && l.StyleAt(1).Bg.Kind != vterm.ColorDefault
}

// rule returns the last row from i upwards that is a rule over the whole width, or -1.
func rule(lines []row.Line, i int) int {
	for ; i >= 0; i-- {
		if strings.HasPrefix(lines[i].Text, "──") && strings.Trim(lines[i].Text, "─") == "" && row.Extent(lines[i].Row) == lines[i].Cols {
			return i
		}
	}
	return -1
}

// dialog returns the first row of the box at the end of the screen, or -1.
func dialog(lines []row.Line) int {
	i := len(lines) - 1
	if !strings.HasPrefix(lines[i].Text, "╰──") {
		return -1
	}
	for ; i >= 0; i-- {
		if strings.HasPrefix(lines[i].Text, "╭──") {
			return i
		}
	}
	return -1
}

// stopped is what an interruption leaves behind.
const stopped = " ● Operation cancelled by user"

// done is the colour of the sign of a call on a file whose type has no sign.
var done = vterm.Color{Kind: vterm.ColorPalette, Palette: 2}

// notice is what else is said with the sign of a reply.
var notice = regexp.MustCompile(`^ ● (MCP Servers reloaded: \d+ servers? connected|Response was interrupted due to a server error. Retrying...|Tip: /[a-z-]+)$`)

// cells are what is said and done. A call has its name in bold behind the sign: green for a file,
// or the sign of its kind.
func cells() *chat.Cells {
	prompt, reply, any := chat.Mark{Col: 1, Signs: []string{"❯ "}}, chat.Mark{Col: 1, Signs: []string{"● "}}, chat.Mark{Col: 1, Word: 2}
	file := chat.Mark{Col: 1, Signs: reply.Signs, Ink: func(s vterm.Style) bool { return s.Fg == done }}
	return &chat.Cells{Agent: "copilot", Cells: []chat.Cell{
		{Begin: chat.Mark{Text: copilotBegins}, Rows: func(lines []row.Line) int { _, n := banner(lines); return n }},
		{Begin: prompt, When: chat.First(thought)},
		{Rule: "prompt", Begin: prompt, Read: readPrompt},
		{Rule: "call", Begin: file, When: chat.First(named), Read: tool},
		{Rule: "clear", Begin: chat.Mark{Col: 1, Signs: []string{"● Started a fresh session. "}}, Event: session.EventClear},
		{Rule: "interrupted", Begin: chat.Mark{Text: func(t string) bool { return t == stopped }}, Event: session.EventInterrupted},
		{Rule: "reply", Begin: reply, When: chat.First(func(l row.Line) bool { return !notice.MatchString(l.Text) }), Role: session.RoleAssistant, Style: copilotLook},
		{Rule: "call", Begin: any, When: chat.First(named), Read: tool},
		{Rule: "notice", Begin: any, Role: session.RoleSystem, Style: copilotLook},
		{Rule: "prompt", Headless: true, When: headless, Read: readPrompt},
		{Rule: "reply", Headless: true, When: chat.First(indented), Role: session.RoleAssistant, Style: copilotLook},
	}}
}

// thought reports whether a row says how long the model has thought.
func thought(l row.Line) bool { return l.StyleAt(copilotLeft).Italic }

// indented reports whether a row may belong to an item above.
func indented(l row.Line) bool { return strings.HasPrefix(l.Text, "   ") }

// named reports whether the name of a call is behind the sign of a row.
func named(l row.Line) bool { return l.BoldAt(afterSign(l)) }

// afterSign returns the column of what is behind the sign of a row.
func afterSign(l row.Line) int { return 2 + row.Width(row.FirstWord(l.Text)) }

// headless reports whether what begins without its first rows is a prompt: there is none just above
// it or below.
func headless(lines []row.Line, earlier []chat.Item) bool {
	if n := len(earlier); !indented(lines[0]) || n > 0 && earlier[n-1].Role == session.RoleUser {
		return false
	}
	for _, l := range lines[1:] {
		if mark := (chat.Mark{Col: 1, Word: 2}); l.Lost || mark.On(l) || copilotBegins(l.Text) {
			return row.FirstWord(l.Text) != "❯"
		}
	}
	return true
}

// readPrompt reads what the user typed.
func readPrompt(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	text := markdown.Prompt(untimed(lines), &markdown.Style{Left: copilotLeft, Right: clock})
	return chat.Said(session.RoleUser, text, text), true
}

// time is when a prompt was sent, at the right edge of its first row.
var time = regexp.MustCompile(` +\d?\d:\d\d( [AP]M)?$`)

// untimed returns a prompt's lines without the time.
func untimed(lines []row.Line) []row.Line {
	out := append([]row.Line(nil), lines...)
	if m := time.FindStringIndex(lines[0].Text); m != nil && row.Extent(lines[0].Row) >= lines[0].Cols-1 {
		out[0] = row.CutLine(lines[0], 0, row.Width(lines[0].Text[:m[0]]))
		out[0].Cols, out[0].Lost = lines[0].Cols, lines[0].Lost
	}
	return out
}

// copilotCount is how much a tool call has shown or changed, behind what it was called with.
var copilotCount = regexp.MustCompile(`(^| )(\d+ lines?(…| read| found)?|(\+\d+ ?)?(-\d+)?)$`)

// tool reads a call: its name in bold, what it was called with, how much came of it. What
// is below it belongs to a command: the command itself. What went wrong is red.
func tool(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	t := &session.Tool{Status: session.ToolOK}
	var name, input, failure strings.Builder
	for _, s := range row.Spans(lines[0].Row, afterSign(lines[0]), -1, row.PlainMarks) {
		switch {
		case s.Style.Bold && input.Len() == 0:
			name.WriteString(s.Text)
		case row.Red(s.Style.Fg) && !strings.HasPrefix(s.Text, "-"):
			failure.WriteString(s.Text)
		default:
			input.WriteString(s.Text)
		}
	}
	t.Name, t.Input, t.Output = strings.TrimSpace(name.String()), strings.TrimSpace(input.String()), strings.TrimSpace(failure.String())
	count := copilotCount.FindString(t.Input)
	t.Input = strings.TrimSpace(strings.TrimSuffix(t.Input, count))
	t.Truncated = strings.HasSuffix(count, "…") || strings.HasSuffix(count, "read")
	if below := markdown.Prompt(lines[1:], &markdown.Style{Left: copilotLeft}); below != "" {
		t.Input = below
	}
	switch {
	case t.Output != "":
		t.Status = session.ToolError
	case count == "":
		t.Status = session.ToolRunning
	}
	return chat.Called(t), true
}

// copilotLook is how replies are drawn: Markdown in the terminal's own colours. Inline code is
// grey, with a hard blank on both sides. Code blocks have the colours of their grammar.
var copilotLook = &markdown.Style{
	Left: copilotLeft, CodePad: "\u00a0",
	Marks: func(s vterm.Style) row.Mark {
		m := row.PlainMarks(s)
		if s.Fg == (vterm.Color{Kind: vterm.ColorPalette, Palette: 7}) {
			m |= row.MarkCode
		}
		return m
	},
	Heading: func(l *markdown.Line) int {
		if l.Indent == 0 && l.All(func(s vterm.Style) bool { return s.Bold }) {
			return 2
		}
		return 0
	},
	Quote: func(l *markdown.Line) (int, bool) { return l.Indent + 2, strings.HasPrefix(l.Text[l.Indent:], "│ ") },
	Item: func(l *markdown.Line) (markdown.Item, bool) {
		if rest, ok := strings.CutPrefix(l.Text[l.Indent:], "✓"); ok && strings.HasPrefix(rest, " ") {
			return l.ItemOf(markdown.TaskDone, -1, 1, rest), true
		}
		return markdown.ListItem(l)
	},
	Border: func(ls []markdown.Line) bool { return !code(&ls[0]) },
	Code:   func(ls []markdown.Line) (int, string) { return markdown.CodeRun(ls, code), "" },
}

// code reports whether a line is code: it begins in a colour. Inline code and the lines of
// tables are grey, addresses are links.
func code(l *markdown.Line) bool {
	s := l.First()
	table := s.Fg.Palette == 8 && strings.ContainsAny(l.Text[l.Indent:], "┌├│└")
	return s.Fg.Kind == vterm.ColorPalette && s.Fg.Palette != 7 && !table && s.Link == ""
}
