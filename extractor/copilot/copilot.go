// Package copilot reads GitHub Copilot CLI.
package copilot

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// inputBox: "❯ text" between two rules.
func inputBox(lines []row.Line) (chat.Box, bool) {
	top, ok := composer(ownRows(lines))
	if !ok {
		return chat.Box{}, false
	}
	return chat.BoxOf(lines[top+1:], 2, rule), true
}

// Agent returns GitHub Copilot CLI, which is on the alternate screen: a row of tabs, the
// conversation with a scroll bar in the last column once it is taller than its window, the
// directory, the input between two rules, and the state of the agent in the last row. Each message
// and call begins with a sign in column 1; its text begins in column 3.
func Agent() *chat.Agent {
	return &chat.Agent{
		Name: "copilot", Title: "GitHub Copilot CLI", Usage: usage,
		Resume: chat.ResumedBy("copilot", []string{"--resume=" + chat.ResumeID}, chat.UUID, `copilot --resume=`, "--resume"),
		Looks: []chat.Look{{
			Versions: "1.0.66-",
			Begins:   welcome.Begins, Banner: welcome.Banner, Split: split, Parse: cells().Parse, Box: inputBox,
		}},
	}
}

// usage describes the token usage that is printed on exit.
var usage = []chat.Usage{{
	Row: lazy.Regexp(`\sTokens\s+↑ (?P<input>` + chat.Figure + `)(?: \((?P<read>` + chat.Figure +
		`) cached\))? • ↓ (?P<output>` + chat.Figure + `)(?: \((?P<reasoning>` + chat.Figure + `) reasoning\))?`),
	Exit: true, Cached: true,
}}

const (
	copilotLeft = 3 // column at which text begins
	right       = 2 // columns that text leaves free: a blank, and the scroll bar
	logo        = "╭─╮╭─╮"
	bar         = "┃"
	thumb       = "█"    // the scroll bar's thumb in a session without colours
	clock       = 6      // width of the time at the right of a prompt, in columns
	apart       = "    " // precedes the time, which was not typed, wherever a resize has put it
)

// welcome is the logo with the version beside it, and the tip below.
var welcome = chat.Welcome{
	Begins: func(text string) bool { return strings.TrimSpace(text) == logo },
	Titles: []string{logo},
	Forms: []chat.Form{{Text: lazy.Regexp(`^.*\n.*Copilot v(?P<version>\S+).*\n(?:.+\n)*(?:\n* ● Tip: ` +
		`/.*\n(?:.+\n)*)?`)}},
}

// split finds the rules around the input, or the dialog in their place.
func split(s chat.Screen) chat.Split {
	lines := ownRows(s.Lines)
	sp := chat.Split{OK: true, State: chat.StateIdle, Top: row.Run(lines, row.Matching(tabs))}
	if len(lines) > 0 {
		sp.Right = max(0, lines[0].Cols-right)
	}
	if at := row.Last(lines, row.Prefixed("╭──")); at >= 0 && strings.HasPrefix(lines[len(lines)-1].Text, "╰──") {
		sp.Bottom, sp.State = at, chat.StateAsking
		return sp
	}
	top, ok := composer(lines)
	if !ok {
		return chat.Split{}
	}
	if status := lines[len(lines)-1].Text; strings.Contains(status, " esc ") { // once, twice or again: what stops it
		sp.State = chat.StateBusy
	}
	sp.Bottom = copilotEnd(lines, sp.Top, top)
	if l := lines[max(0, sp.Bottom-1)]; strings.HasSuffix(l.Text, bar) {
		s := l.StyleAt(l.Cols - 1)
		sp.Scrolled = s == (vterm.Style{}) || !row.Plain(s.Fg)
	}
	return sp
}

// composer finds the upper one of the rules around the input. One row is below them.
func composer(lines []row.Line) (top int, ok bool) {
	low := row.Last(lines, rule)
	top = row.Last(lines[:max(0, low)], rule)
	return top, top >= 1 && low >= len(lines)-2
}

// ownRows returns the rows of a screen up to the last one that Copilot has drawn.
func ownRows(lines []row.Line) []row.Line {
	lines = row.Trim(lines)
	return row.Trim(lines[:1+row.Last(lines, func(l row.Line) bool { return !ofTerminal(l, lines[0]) })])
}

// ofTerminal reports whether a row is a bar over the whole width, such as that of tmux, whose
// background differs from the first row's. Copilot paints none at the end.
func ofTerminal(l, first row.Line) bool {
	bg := l.StyleAt(0).Bg
	return bg != first.StyleAt(0).Bg && l.StyleAt(l.Cols-1).Bg == bg
}

var (
	// the row of tabs, the first in brackets or painted, an objective, or a blank one
	tabs  = lazy.Regexp(`^(?: (?:\[| \pL).*)?$`)
	empty = lazy.Regexp(`^ *[` + bar + thumb + `]?$`) // nothing but the scroll bar
)

// beside reports whether a row is blank, or has only the scroll bar and something beside it.
func beside(l row.Line) bool {
	return strings.Trim(l.Text, " ") == "" || strings.HasSuffix(l.Text, bar) ||
		strings.HasSuffix(l.Text, thumb) && row.Extent(l.Row) == l.Cols
}

// copilotEnd returns the end of the conversation above the row bottom. The directory is between
// them, or a menu with its choice marked in column 2, below a blank row.
func copilotEnd(lines []row.Line, top, bottom int) int {
	end := top + 1 + row.Last(lines[top:bottom], row.Not(row.Matching(empty)))
	start := top + 1 + row.Last(lines[top:end], beside)
	if end == bottom || slices.ContainsFunc(lines[start:end], row.Prefixed("  ❯ ")) {
		return start
	}
	return bottom
}

// rule reports whether a row is a rule over the whole width.
func rule(l row.Line) bool { return row.IsRule(l.Text) && row.Extent(l.Row) == l.Cols }

// notices matches other texts with the sign of a reply: certain words, or a tree below a title.
var notices = lazy.Regexp(`^(MCP Servers reloaded: \d+ servers? connected|Shell "[^\n]+" completed|Rewound the ` +
	`conversation\. [^\n]+|Response was interrupted due to a server error\. Retrying\.\.\.|Tip: /[a-z-]+)$|^Activity · ` +
	`last \d+ days · |^\pL[^\n]*\n[│└] `)

// notice reports whether a cell with the sign of a reply is a notice.
func notice(lines []row.Line, _ []chat.Item) bool {
	return notices().MatchString(markdown.Prompt(lines[:1+row.Run(lines[1:], indented)], copilotLook))
}

// anything matches any sign: a word of at most two characters.
var anything = chat.Mark{Col: 1,
	Row: func(l row.Line) bool { return utf8.RuneCountInString(row.FirstWord(l.Text)) <= 2 }}

// cells returns the messages and calls. A call has its bold name after the sign, which is green for
// a file, or shows its kind.
func cells() *chat.Cells {
	prompt, reply := chat.Mark{Col: 1, Signs: []string{"❯ "}}, chat.Mark{Col: 1, Signs: []string{"● "}}
	file := chat.Mark{Col: 1, Signs: reply.Signs, Ink: func(s vterm.Style) bool { return row.Green(s.Fg) }}
	return &chat.Cells{Agent: "copilot", Cells: []chat.Cell{
		{Begin: &chat.Mark{Text: welcome.Begins}, Rows: welcome.Rows},
		// how long the model thought
		{Begin: &prompt, When: chat.First(func(l row.Line) bool { return l.StyleAt(copilotLeft).Italic })},
		{Begin: &prompt, When: queued},
		{Rule: "prompt", Begin: &prompt, Read: readPrompt},
		{Rule: "call", Begin: &file, When: chat.First(named), Read: tool},
		{Rule: "clear", Begin: &chat.Mark{Col: 1, Signs: []string{"● Started a fresh session. "}}, Event: session.EventClear},
		{Rule: "interrupted", Begin: &chat.Mark{Col: 1, Signs: []string{"● Operation cancelled by user "}},
			Event: session.EventInterrupted},
		{Rule: "notice", Begin: &reply, When: notice, Role: session.RoleSystem, Style: copilotLook},
		{Rule: "reply", Begin: &reply, Role: session.RoleAssistant, Style: copilotLook},
		{Rule: "call", Begin: &anything, When: chat.First(named), Read: tool},
		{Rule: "notice", Begin: &anything, Role: session.RoleSystem, Style: copilotLook},
		{Headless: true, When: chat.First(row.Not(indented))},
		{Rule: "notice", Headless: true, When: ofUsage, Role: session.RoleSystem, Style: copilotLook},
		{Rule: "prompt", Headless: true, When: headless, Read: readPrompt},
		{Rule: "reply", Headless: true, Role: session.RoleAssistant, Style: copilotLook},
	}}
}

// waits matches the row below a prompt that waits for the running turn to end.
var waits = lazy.Regexp(`^   └ \[pending( · ↑ recall)?\]$`)

// queued reports whether a prompt waits. It is drawn again when it is sent.
func queued(lines []row.Line, _ []chat.Item) bool {
	return slices.ContainsFunc(upToSign(lines), row.Matching(waits))
}

// named reports whether a call's name follows the sign of a row.
func named(l row.Line) bool { return l.BoldAt(afterSign(l)) }

// afterSign returns the column after the sign of a row.
func afterSign(l row.Line) int { return 2 + row.Width(row.FirstWord(l.Text)) }

// indented reports whether a row may belong to an item above.
var indented = row.Prefixed("   ")

// upToSign returns the rows up to the next that begins with a sign.
func upToSign(lines []row.Line) []row.Line {
	return lines[:1+row.Run(lines[1:], row.Not(anything.On))]
}

// legend matches the legend below the chart of /usage: patterns, or squares that differ in colour.
var legend = lazy.Regexp(`Less( [□▤▦▩■]){5} +More`)

// ofUsage reports whether a cell without its first rows is the rest of the output of /usage.
func ofUsage(lines []row.Line, _ []chat.Item) bool {
	return slices.ContainsFunc(upToSign(lines), row.Matching(legend))
}

// headless reports whether a cell without its first rows is a prompt: it has its own background, as
// prompts have in a theme; or there is none directly above or below it, none of its rows begins in
// a colour, as code does, and if it is at the end of the conversation and may continue, no reply is
// above it.
func headless(lines []row.Line, earlier []chat.Item) bool {
	above, item := chat.Last(earlier).Role, upToSign(lines)
	coloured := func(l row.Line) bool { return tinted(l.StyleAt(copilotLeft)) }
	switch {
	case lines[0].StyleAt(1).Bg != lines[0].StyleAt(0).Bg:
		return true
	case above == session.RoleUser, slices.ContainsFunc(item, coloured):
		return false
	case len(item) == len(lines):
		return above != session.RoleAssistant
	}
	return row.FirstWord(lines[len(item)].Text) != "❯"
}

// time matches the time at which a prompt was sent, at the right edge of its first row.
var time = lazy.Regexp(` +\d?\d:\d\d( [AP]M)?$`)

// readPrompt parses what the user typed.
func readPrompt(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	first := lines[0]
	m := time().FindStringIndex(first.Text)
	if m != nil && (row.Extent(first.Row) >= first.Cols-1 || strings.HasPrefix(first.Text[m[0]:], apart)) {
		lines = slices.Clone(lines)
		lines[0] = row.CutLine(first, 0, row.Width(first.Text[:m[0]]))
		lines[0].Cols = first.Cols
	}
	return chat.Typed(lines, &markdown.Style{Left: copilotLeft, Right: clock})
}

// copilotCount matches how much a tool call has shown or changed, after its input.
var copilotCount = lazy.Regexp(`(^| )(\d+ lines?(…| read| found)?|(\+\d+ ?)?(-\d+)?)$`)

// tool parses a call: its bold name, its input, and a count of its output. For a command, the rows
// below are the command itself. Errors are red.
func tool(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	t := &session.Tool{Status: session.ToolOK}
	for _, s := range row.Spans(lines[0].Row, afterSign(lines[0]), -1, row.PlainMarks) {
		switch {
		case s.Style.Bold:
			t.Name += s.Text
		case row.Red(s.Style.Fg) && !strings.HasPrefix(s.Text, "-"):
			t.Output += s.Text
		default:
			t.Input += s.Text
		}
	}
	t.Name, t.Input, t.Output = strings.TrimSpace(t.Name), strings.TrimSpace(t.Input), strings.TrimSpace(t.Output)
	count := copilotCount().FindString(t.Input)
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

// copilotLook describes how replies are drawn: Markdown in the terminal's own colours, or in those
// of a theme (1.0.80). Inline code is grey, or white in a theme, with a hard blank on both sides.
// Code blocks have the colours of their grammar.
var copilotLook = &markdown.Style{
	Left: copilotLeft,
	Marks: func(s vterm.Style) row.Mark {
		return row.Marks(s, s.Fg.Palette == 7 || white(s.Fg))
	},
	Heading: func(l *markdown.Line) int { // bold alone on a line is drawn alike, but it may end in a colon
		if l.Indent == 0 && !strings.HasSuffix(l.Text, ":") && l.All(row.Bold) {
			return 2
		}
		return 0
	},
	Quote: markdown.QuoteSign("│ "),
	Item: func(l *markdown.Line) (markdown.Item, bool) {
		if row.FirstRune(l.Text[l.Indent:]) == '*' { // the text's own: bullets are drawn as •
			return markdown.Item{}, false
		}
		return markdown.TaskItem(l, map[string]string{"✓": markdown.TaskDone})
	},
	WholeCells: true,
	Border:     func(ls []markdown.Line) bool { return !code(&ls[0]) },
	Code:       func(ls []markdown.Line) int { return markdown.CodeGroups(ls, codeGroup, codeGroup) },
}

// codeGroup returns the number of lines of code up to a blank one. A line may begin with the rest
// of an address that was cut at the end of the line above.
func codeGroup(ls []markdown.Line) int {
	if drawnRule(ls) {
		return 0
	}
	link := "" // at the end of the line above
	return row.Run(ls, func(l markdown.Line) bool {
		first := l.First().Link
		rest := first != "" && first == link
		link = l.StyleOf(len(l.Text) - 1).Link
		return !l.Blank() && (rest || code(&l))
	})
}

// drawnRule reports whether the first line is a horizontal rule, which is grey and separate.
func drawnRule(ls []markdown.Line) bool {
	return markdown.IsRule(&ls[0]) && row.Grey(ls[0].First()) && markdown.UntilBlank(ls) == 1
}

// image is the coloured text before the link to an image.
const image = "Image: "

// code reports whether a line is code: it begins in a colour. The lines of tables are grey,
// addresses and images are links.
func code(l *markdown.Line) bool {
	s := l.First()
	text := l.Text[l.Indent:]
	table := row.Grey(s) && strings.ContainsAny(text, "┌├│└")
	linked := func(s row.Span) bool { return s.Style.Link != "" }
	return tinted(s) && !table && s.Link == "" && !(strings.HasPrefix(text, image) && slices.ContainsFunc(l.Spans, linked))
}

// tinted reports whether text has a colour other than the default colour, white, and light grey.
func tinted(s vterm.Style) bool {
	r, _, _ := row.Rgb(s.Fg)
	return !row.Plain(s.Fg) && (!row.Grey(s) || r <= 0xa0)
}

// white reports whether a colour is pure white. Other text is less bright.
func white(c vterm.Color) bool {
	r, g, b := row.Rgb(c)
	return r&g&b == 0xff
}
