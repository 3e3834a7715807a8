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

// Agent returns GitHub Copilot CLI (all on the alternate screen): a row of tabs, the conversation
// with a scroll bar in the last column once it is taller than its window, the directory, what the
// user types between two rules, and what the agent does in the last row. Whatever is said or done
// begins with a sign in column 1; its text begins in column 3.
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

// usage is how the tokens are printed when it is left.
var usage = []chat.Usage{{
	Row:  lazy.Regexp(`\sTokens\s+↑ (?P<input>` + chat.Figure + `)(?: \((?P<read>` + chat.Figure + `) cached\))? • ↓ (?P<output>` + chat.Figure + `)(?: \((?P<reasoning>` + chat.Figure + `) reasoning\))?`),
	Exit: true, Cached: true,
}}

const (
	copilotLeft = 3 // the column where text begins
	right       = 2 // columns that text leaves free: a blank, and the scroll bar
	logo        = "╭─╮╭─╮"
	bar         = "┃"
	thumb       = "█"    // the scroll bar's thumb in a session without colours
	clock       = 6      // columns at the right of a prompt that the time takes
	apart       = "    " // before the time: nobody typed it, wherever a resize has put it
)

// welcome is the logo with the version beside it, and the tip below.
var welcome = chat.Welcome{
	Begins: func(text string) bool { return strings.TrimSpace(text) == logo },
	Titles: []string{logo},
	Forms:  []chat.Form{{Text: lazy.Regexp(`^.*\n.*Copilot v(?P<version>\S+).*\n(?:.+\n)*(?:\n* ● Tip: /.*\n(?:.+\n)*)?`)}},
}

// split finds the rules around what the user types, or the dialog in their place.
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

// composer finds the upper one of the rules around what the user types. One row is below them.
func composer(lines []row.Line) (top int, ok bool) {
	low := row.Last(lines, rule)
	top = row.Last(lines[:max(0, low)], rule)
	return top, top >= 1 && low >= len(lines)-2
}

// ownRows returns the rows of a screen down to the last that Copilot has drawn.
func ownRows(lines []row.Line) []row.Line {
	lines = row.Trim(lines)
	return row.Trim(lines[:1+row.Last(lines, func(l row.Line) bool { return !ofTerminal(l, lines[0]) })])
}

// ofTerminal reports whether a row is a bar over the whole width, such as that of tmux, in another
// colour than the screen from its first row on: Copilot paints none at the end.
func ofTerminal(l, first row.Line) bool {
	bg := l.StyleAt(0).Bg
	return bg != first.StyleAt(0).Bg && l.StyleAt(l.Cols-1).Bg == bg
}

var (
	// the row of tabs, the first in brackets or painted, an objective, or a blank one
	tabs  = lazy.Regexp(`^(?: (?:\[| \pL).*)?$`)
	empty = lazy.Regexp(`^ *[` + bar + thumb + `]?$`) // nothing but the scroll bar
)

// beside reports whether a row has nothing, or anything beside the scroll bar.
func beside(l row.Line) bool {
	return strings.Trim(l.Text, " ") == "" || strings.HasSuffix(l.Text, bar) ||
		strings.HasSuffix(l.Text, thumb) && row.Extent(l.Row) == l.Cols
}

// copilotEnd returns the end of the conversation above the row bottom: the directory is between
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

// notices are what else is said with the sign of a reply: such words, or a tree below a title.
var notices = lazy.Regexp(`^(MCP Servers reloaded: \d+ servers? connected|Shell "[^\n]+" completed|Rewound the conversation\. [^\n]+|Response was interrupted due to a server error\. Retrying\.\.\.|Tip: /[a-z-]+)$|^Activity · last \d+ days · |^\pL[^\n]*\n[│└] `)

// notice reports whether what begins with the sign of a reply is a notice.
func notice(lines []row.Line, _ []chat.Item) bool {
	return notices().MatchString(markdown.Prompt(lines[:1+row.Run(lines[1:], indented)], copilotLook))
}

// anything begins with a sign: a word of at most two characters.
var anything = chat.Mark{Col: 1, Row: func(l row.Line) bool { return utf8.RuneCountInString(row.FirstWord(l.Text)) <= 2 }}

// cells are what is said and done. A call has its name in bold behind the sign: green for a file,
// or the sign of its kind.
func cells() *chat.Cells {
	prompt, reply := chat.Mark{Col: 1, Signs: []string{"❯ "}}, chat.Mark{Col: 1, Signs: []string{"● "}}
	file := chat.Mark{Col: 1, Signs: reply.Signs, Ink: func(s vterm.Style) bool { return row.Green(s.Fg) }}
	return &chat.Cells{Agent: "copilot", Cells: []chat.Cell{
		{Begin: &chat.Mark{Text: welcome.Begins}, Rows: welcome.Rows},
		{Begin: &prompt, When: chat.First(func(l row.Line) bool { return l.StyleAt(copilotLeft).Italic })}, // how long the model thought
		{Begin: &prompt, When: queued},
		{Rule: "prompt", Begin: &prompt, Read: readPrompt},
		{Rule: "call", Begin: &file, When: chat.First(named), Read: tool},
		{Rule: "clear", Begin: &chat.Mark{Col: 1, Signs: []string{"● Started a fresh session. "}}, Event: session.EventClear},
		{Rule: "interrupted", Begin: &chat.Mark{Col: 1, Signs: []string{"● Operation cancelled by user "}}, Event: session.EventInterrupted},
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

// waits is below a prompt that waits for the running turn to end.
var waits = lazy.Regexp(`^   └ \[pending( · ↑ recall)?\]$`)

// queued reports whether a prompt waits: it is drawn again where it is sent.
func queued(lines []row.Line, _ []chat.Item) bool {
	return slices.ContainsFunc(upToSign(lines), row.Matching(waits))
}

// named reports whether the name of a call is behind the sign of a row.
func named(l row.Line) bool { return l.BoldAt(afterSign(l)) }

// afterSign returns the column of what is behind the sign of a row.
func afterSign(l row.Line) int { return 2 + row.Width(row.FirstWord(l.Text)) }

// indented reports whether a row may belong to an item above.
var indented = row.Prefixed("   ")

// upToSign returns the rows up to the next that begins with a sign.
func upToSign(lines []row.Line) []row.Line {
	return lines[:1+row.Run(lines[1:], row.Not(anything.On))]
}

// legend is below the chart in what /usage shows: patterns, or squares that differ in colour.
var legend = lazy.Regexp(`Less( [□▤▦▩■]){5} +More`)

// ofUsage reports whether what begins without its first rows is the rest of what /usage shows.
func ofUsage(lines []row.Line, _ []chat.Item) bool {
	return slices.ContainsFunc(upToSign(lines), row.Matching(legend))
}

// headless reports whether what begins without its first rows is a prompt: it has a background of
// its own, as prompts have in a theme, or there is none just above it or below, no row of it begins
// in a colour, as code does, and what is at the end of the conversation, perhaps to go on, is below
// no reply.
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

// time is when a prompt was sent, at the right edge of its first row.
var time = lazy.Regexp(` +\d?\d:\d\d( [AP]M)?$`)

// readPrompt reads what the user typed.
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

// copilotCount is how much a tool call has shown or changed, behind what it was called with.
var copilotCount = lazy.Regexp(`(^| )(\d+ lines?(…| read| found)?|(\+\d+ ?)?(-\d+)?)$`)

// tool reads a call: its name in bold, what it was called with, how much came of it. What
// is below it belongs to a command: the command itself. What went wrong is red.
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

// copilotLook is how replies are drawn: Markdown in the terminal's own colours, or in those of a
// theme (1.0.80). Inline code is grey, or white in a theme, with a hard blank on both sides. Code
// blocks have the colours of their grammar.
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

// codeGroup counts the lines of code from the first up to a blank one. A line may begin with the
// rest of an address that was cut at the end of the line above.
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

// drawnRule reports whether the first line is a horizontal rule, which is grey and apart.
func drawnRule(ls []markdown.Line) bool {
	return markdown.IsRule(&ls[0]) && row.Grey(ls[0].First()) && markdown.UntilBlank(ls) == 1
}

// image begins what is shown of an image, in a colour, before the link to it.
const image = "Image: "

// code reports whether a line is code: it begins in a colour. The lines of tables are grey,
// addresses are links, and so are images.
func code(l *markdown.Line) bool {
	s := l.First()
	text := l.Text[l.Indent:]
	table := row.Grey(s) && strings.ContainsAny(text, "┌├│└")
	linked := func(s row.Span) bool { return s.Style.Link != "" }
	return tinted(s) && !table && s.Link == "" && !(strings.HasPrefix(text, image) && slices.ContainsFunc(l.Spans, linked))
}

// tinted reports whether text is in a colour. Other text is in the default colour, white, or light
// grey.
func tinted(s vterm.Style) bool {
	r, _, _ := row.Rgb(s.Fg)
	return !row.Plain(s.Fg) && (!row.Grey(s) || r <= 0xa0)
}

// white reports whether a colour is all white. Other text is less bright.
func white(c vterm.Color) bool {
	r, g, b := row.Rgb(c)
	return r&g&b == 0xff
}
