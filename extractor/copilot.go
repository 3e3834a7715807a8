package extractor

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// copilot is GitHub Copilot CLI (all on the alternate screen): a row of tabs, the conversation
// with a scroll bar in the last column once it is taller than its window, the directory, what the
// user types between two rules, and what the agent does in the last row. Whatever is said or
// done begins with a sign in column 1; its text begins in column 3.
var copilotAgent = &Agent{
	Name: "copilot", Title: "GitHub Copilot CLI", Usage: copilotUsage,
	Resume: resumption("copilot", []string{"--resume=" + ResumeID}, uuidPattern, `copilot --resume=`, "--resume"),
	Looks: []agentLook{{
		Versions: "1.0-",
		Begins:   copilotBegins, Banner: copilotBanner, Split: copilotSplit, Parse: copilotParse,
	}},
}

const (
	copilotLeft  = 3 // the column where text begins
	copilotRight = 2 // columns that text leaves free: a blank, and the scroll bar
	copilotLogo  = "╭─╮╭─╮"
	copilotName  = "Copilot v"
	copilotTip   = " ● Tip: /"
	copilotBar   = "┃"
	copilotClock = 6 // columns at the right of a prompt that the time takes
)

// copilotBegins reports whether a row may be the first of the logo.
func copilotBegins(text string) bool { return strings.TrimSpace(text) == copilotLogo }

// copilotBanner reads the logo with the version beside it, and the tip below.
func copilotBanner(lines []Line) (b Banner, n int) {
	if len(lines) < 2 || !copilotBegins(lines[0].Text) {
		return b, 0
	}
	_, rest, ok := strings.Cut(lines[1].Text, copilotName)
	if b.Version = firstWord(rest); !ok || !isVersion(b.Version) {
		return Banner{}, 0
	}
	for n = 1; n < len(lines) && lines[n].Text != ""; n++ {
	}
	if tip := skipBlank(lines, n); tip < len(lines) && strings.HasPrefix(lines[tip].Text, copilotTip) {
		for n = tip; n < len(lines) && lines[n].Text != ""; n++ {
		}
	}
	return b, n
}

// copilotSplit finds the rules around what the user types, or the dialog in their place.
func copilotSplit(s Screen) Split {
	lines := trim(s.Lines)
	if len(lines) == 0 {
		return Split{}
	}
	sp := Split{OK: true, State: StateIdle, Right: max(0, lines[0].Cols-copilotRight)}
	for sp.Top < len(lines) && sp.Top < 2 && (lines[sp.Top].Text == "" || copilotTabs(lines[sp.Top])) {
		sp.Top++
	}
	if at := copilotDialog(lines); at >= 0 {
		sp.Bottom, sp.State = at, StateAsking
		return sp
	}
	low := copilotRule(lines, len(lines)-1)
	top := copilotRule(lines, low-1)
	if low < len(lines)-2 || top < 1 || !strings.HasPrefix(lines[top+1].Text, "❯") {
		return Split{}
	}
	if status := lines[len(lines)-1].Text; strings.Contains(status, " esc esc ") || strings.Contains(status, " esc again ") {
		sp.State = StateBusy
	}
	sp.Bottom = copilotEnd(lines, sp.Top, top)
	if sp.Bottom > sp.Top && strings.HasSuffix(lines[sp.Bottom-1].Text, copilotBar) {
		sp.Scrolled = lines[sp.Bottom-1].styleAt(lines[sp.Bottom-1].Cols-1) == (vterm.Style{})
	}
	return sp
}

// copilotEnd returns the end of the conversation above the row bottom: the directory is between
// them, or a menu with its choice marked in column 2, below a blank row.
func copilotEnd(lines []Line, top, bottom int) int {
	filled := func(l Line) bool { return strings.Trim(l.Text, " "+copilotBar) != "" }
	end := bottom
	for end > top && !filled(lines[end-1]) {
		end--
	}
	start, menu := end, false
	for start > top && filled(lines[start-1]) {
		start--
		menu = menu || strings.HasPrefix(lines[start].Text, "  ❯ ") || strings.HasPrefix(lines[start].Text, copilotBar+" ❯ ")
	}
	if end == bottom || menu {
		return start
	}
	return bottom
}

// copilotTabs reports whether a row is the row of tabs: one of them is painted.
func copilotTabs(l Line) bool {
	return strings.HasPrefix(l.Text, " [") && l.styleAt(1).Bg.Kind != vterm.ColorDefault
}

// copilotRule returns the last row from i upwards that is a rule over the whole width, or -1.
func copilotRule(lines []Line, i int) int {
	for ; i >= 0; i-- {
		if strings.HasPrefix(lines[i].Text, "──") && strings.Trim(lines[i].Text, "─") == "" && rowWidth(lines[i].Row) == lines[i].Cols {
			return i
		}
	}
	return -1
}

// copilotDialog returns the first row of the box at the end of the screen, or -1.
func copilotDialog(lines []Line) int {
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

// copilotParse reads the items off conversation lines.
func copilotParse(lines []Line, last bool) []Item {
	var items []Item
	for i := 0; i < len(lines); {
		if _, n := copilotBanner(lines[i:]); n > 0 {
			i += n
			continue
		}
		sign := copilotSign(lines[i])
		headless := sign == "" && lines[i].lost && strings.HasPrefix(lines[i].Text, "   ")
		if sign == "" && !headless {
			i++
			continue
		}
		end := i + 1
		for end < len(lines) && copilotSign(lines[end]) == "" && !lines[end].lost && !copilotBegins(lines[end].Text) {
			end++
		}
		if sign == "❯" && lines[i].styleAt(copilotLeft).Italic { // "Thought for 1s"
			i = end
			continue
		}
		if headless { // a prompt, unless there is one just above it or below
			sign = "❯"
			if n := len(items); n > 0 && items[n-1].Role == session.RoleUser || end < len(lines) && copilotSign(lines[end]) == "❯" {
				sign = "●"
			}
		}
		it := copilotItem(sign, lines[i:end])
		it.Headless = headless
		it.First, it.End = i, i+len(trim(lines[i:end]))
		it.Open = it.Open || it.Role == session.RoleAssistant && last && end == len(lines)
		items = append(items, it)
		i = end
	}
	return items
}

// copilotSign returns the sign that a line begins with, or "".
func copilotSign(l Line) string {
	if len(l.Text) < 2 || l.Text[0] != ' ' || l.Text[1] == ' ' || l.Wrapped {
		return ""
	}
	sign, _, _ := strings.Cut(l.Text[1:], " ")
	if utf8.RuneCountInString(sign) > 2 {
		return ""
	}
	return sign
}

// What else is said with the sign of a reply: what /clear leaves behind, an interruption, notices.
const (
	copilotFresh   = " ● Started a fresh session. "
	copilotStopped = " ● Operation cancelled by user"
)

// copilotDone is the colour of the sign of a call on a file whose type has no sign.
var copilotDone = vterm.Color{Kind: vterm.ColorPalette, Palette: 2}

var copilotNotice = regexp.MustCompile(`^ ● (MCP Servers reloaded: \d+ servers? connected|Response was interrupted due to a server error. Retrying...|Tip: /[a-z-]+)$`)

// copilotItem reads what a sign begins.
func copilotItem(sign string, lines []Line) Item {
	after := 2 + textWidth(sign)
	switch {
	case sign == "❯":
		text := prompt(copilotUntimed(lines), &look{Left: copilotLeft, Right: copilotClock})
		return Item{Message: session.Message{Role: session.RoleUser, Text: text, Markdown: text}, Rule: "copilot prompt"}
	case sign == "●" && lines[0].boldAt(after) && lines[0].styleAt(1).Fg == copilotDone:
		return copilotTool(after, lines)
	case sign == "●" && strings.HasPrefix(lines[0].Text, copilotFresh):
		return Item{Event: session.EventClear, Rule: "copilot clear"}
	case sign == "●" && lines[0].Text == copilotStopped:
		return Item{Event: session.EventInterrupted, Rule: "copilot interrupted"}
	case sign == "●" && !copilotNotice.MatchString(lines[0].Text):
		text, markdown := body(lines, copilotLook)
		return Item{Message: session.Message{Role: session.RoleAssistant, Text: text, Markdown: markdown}, Rule: "copilot reply"}
	case lines[0].boldAt(after):
		return copilotTool(after, lines)
	}
	text, markdown := body(lines, copilotLook)
	return Item{Message: session.Message{Role: session.RoleSystem, Text: text, Markdown: markdown}, Rule: "copilot notice"}
}

// copilotTime is when a prompt was sent, at the right edge of its first row.
var copilotTime = regexp.MustCompile(` +\d?\d:\d\d( [AP]M)?$`)

// copilotUntimed returns a prompt's lines without the time.
func copilotUntimed(lines []Line) []Line {
	out := append([]Line(nil), lines...)
	if m := copilotTime.FindStringIndex(lines[0].Text); m != nil && rowWidth(lines[0].Row) >= lines[0].Cols-1 {
		out[0] = cutLine(lines[0], 0, textWidth(lines[0].Text[:m[0]]))
		out[0].Cols, out[0].lost = lines[0].Cols, lines[0].lost
	}
	return out
}

// copilotCount is how much a tool call has shown or changed, behind what it was called with.
var copilotCount = regexp.MustCompile(`(^| )(\d+ lines?(…| read| found)?|(\+\d+ ?)?(-\d+)?)$`)

// copilotTool reads a call: its name in bold, what it was called with, how much came of it. What
// is below it belongs to a command: the command itself. What went wrong is red.
func copilotTool(left int, lines []Line) Item {
	t := &session.Tool{Status: session.ToolOK}
	var name, input, failure strings.Builder
	for _, s := range cutRow(lines[0].Row, left, -1, plainMarks) {
		switch {
		case s.style.Bold && input.Len() == 0:
			name.WriteString(s.text)
		case ccReddish(s.style.Fg) && !strings.HasPrefix(s.text, "-"):
			failure.WriteString(s.text)
		default:
			input.WriteString(s.text)
		}
	}
	t.Name, t.Input, t.Output = strings.TrimSpace(name.String()), strings.TrimSpace(input.String()), strings.TrimSpace(failure.String())
	count := copilotCount.FindString(t.Input)
	t.Input = strings.TrimSpace(strings.TrimSuffix(t.Input, count))
	t.Truncated = strings.HasSuffix(count, "…") || strings.HasSuffix(count, "read")
	if below := prompt(lines[1:], &look{Left: copilotLeft}); below != "" {
		t.Input = below
	}
	switch {
	case t.Output != "":
		t.Status = session.ToolError
	case count == "":
		t.Status = session.ToolRunning
	}
	return Item{Message: toolMessage(t), Open: t.Status == session.ToolRunning, Rule: "copilot call"}
}

// copilotLook is how replies are drawn: Markdown in the terminal's own colours. Inline code is
// grey, with a hard blank on both sides. Code blocks have the colours of their grammar.
var copilotLook = &look{
	Left: copilotLeft, CodePad: "\u00a0",
	Marks: func(s vterm.Style) mark {
		m := plainMarks(s)
		if s.Fg == (vterm.Color{Kind: vterm.ColorPalette, Palette: 7}) {
			m |= markCode
		}
		return m
	},
	Heading: func(l *textLine) int {
		if l.indent == 0 && l.all(func(s vterm.Style) bool { return s.Bold }) {
			return 2
		}
		return 0
	},
	Quote: func(l *textLine) (int, bool) { return l.indent + 2, strings.HasPrefix(l.text[l.indent:], "│ ") },
	Item: func(l *textLine) (item, bool) {
		if rest, ok := strings.CutPrefix(l.text[l.indent:], "✓"); ok && strings.HasPrefix(rest, " ") {
			return l.itemOf(taskDone, -1, 1, rest), true
		}
		return listItem(l)
	},
	Border: func(ls []textLine) bool { return !copilotCode(&ls[0]) },
	Code:   func(ls []textLine) (int, string) { return codeRun(ls, copilotCode), "" },
}

// copilotCode reports whether a line is code: it begins in a colour. Inline code and the lines of
// tables are grey, addresses are links.
func copilotCode(l *textLine) bool {
	s := l.first()
	table := s.Fg.Palette == 8 && strings.ContainsAny(l.text[l.indent:], "┌├│└")
	return s.Fg.Kind == vterm.ColorPalette && s.Fg.Palette != 7 && !table && s.Link == ""
}
