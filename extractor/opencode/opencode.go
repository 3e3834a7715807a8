// Package opencode reads opencode.
package opencode

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Agent returns opencode (opentui: all on the alternate screen, each cell painted). A welcome with
// a logo and the version in the last row; then blocks below each other: what the user said and what
// tools printed are behind a thick bar in column 2 on a panel of their own colour, replies from
// column 5 on bare ground, a "▣" line ends each turn; the input box with its own bar is below,
// ended by "╹▀▀▀".
func Agent() *chat.Agent {
	c := cells()
	return &chat.Agent{
		Name: "opencode", Title: "opencode", Usage: usage,
		Resume: chat.ResumedBy("opencode", []string{"--session", chat.ResumeID}, `ses_[0-9A-Za-z]{10,60}`, `opencode (?:-s|--session) `, "--session", "-s"),
		Send:   &chat.Sending{Interrupt: []string{"\x1b", "\x1b"}, Typed: true, Completes: true, Folds: []string{"[Pasted ~"}},
		Looks: []chat.Look{{
			Versions: "1.0-",
			Begins:   opencodeBegins, Banner: opencodeBanner, Split: split, Box: inputBox,
			Parse: func(lines []row.Line, last bool) []chat.Item { return parse(c, lines, last) },
		}},
	}
}

// usage is shown below the prompt: what it has cost, and how large the context of the last request
// was.
var usage = []chat.Usage{{
	Row:  regexp.MustCompile(`\s(?P<total>` + chat.Figure + `) \(\d+%\)(?: · \$(?P<cost>[\d.]+))?(?:\s|$)`),
	Last: true,
}}

const (
	logo         = "█▀▀█ █▀▀█ █▀▀█ █▀▀▄"
	bar          = "  ┃"
	opencodeEdge = "╹▀▀▀"
	ending       = "     ▣" // of a turn
	left         = 5        // the column where text begins
	right        = 3        // columns that text leaves free at the right
)

// opencodeBegins reports whether a row may be the first of the logo.
func opencodeBegins(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " "), logo)
}

// opencodeBanner reads the welcome: the logo's second row to the last row, which holds the
// directory and the version.
func opencodeBanner(lines []row.Line) (b chat.Banner, n int) {
	if !opencodeBegins(lines[0].Text) {
		return chat.Banner{}, 0
	}
	for i, l := range lines {
		t := strings.TrimSpace(l.Text)
		if model, ok := strings.CutPrefix(t, "┃  Build · "); ok {
			b.Model = model
		}
		if f := strings.Fields(t); len(f) >= 2 && chat.IsVersion(f[len(f)-1]) {
			b.Cwd, b.Version = f[0], f[len(f)-1]
			return b, i + 1
		}
	}
	return chat.Banner{}, 0
}

// split finds the input box: its lower edge, and the rows with its bar and its ground above
// that. On the welcome the logo is all there is to read.
func split(s chat.Screen) chat.Split {
	if at := opencodeQuestion(s.Lines); at >= 0 {
		return chat.Split{OK: true, Bottom: at, Right: sideBar(s.Lines), State: chat.StateAsking}
	}
	top, edge, _ := input(s.Lines)
	logo := slices.IndexFunc(s.Lines, func(l row.Line) bool { return opencodeBegins(l.Text) })
	if edge < 1 || edge < len(s.Lines)-4 && logo < 0 {
		return chat.Split{}
	}
	sp := chat.Split{OK: true, Bottom: top, Right: sideBar(s.Lines), State: chat.StateIdle}
	if slices.ContainsFunc(s.Lines[edge:], func(l row.Line) bool { return strings.Contains(l.Text, "esc interrupt") }) {
		sp.State = chat.StateBusy
	}
	if slices.ContainsFunc(s.Lines[:top], func(l row.Line) bool { return strings.HasSuffix(l.Text, "    esc") }) {
		sp.State = chat.StateAsking // a dialog covers the screen: its title has the key beside it that closes it
	}
	if logo >= 0 {
		sp.Top, sp.Bottom = logo, len(s.Lines)
	} else {
		sp.Overlay = sp.State == chat.StateAsking || slices.ContainsFunc(s.Lines[:top], listed)
	}
	return sp
}

// sideBar returns the column where the bar at the right of a wide window begins, with the title and
// the usage: it has a ground of its own from the first row to the last. 0: there is none.
func sideBar(lines []row.Line) int {
	at := lines[0].Cols - 42
	for _, l := range []row.Line{lines[0], lines[len(lines)-1]} {
		if l.StyleAt(at).Bg == l.StyleAt(at-1).Bg {
			return 0
		}
	}
	return at
}

// answerKeys says which key answers a question.
var answerKeys = regexp.MustCompile(`enter +(confirm|submit|select|toggle)`)

// opencodeQuestion finds a question at the end of the screen in place of the input box,
// by its keys in the last row of its panel, and returns its first row; -1 without one: "△
// Permission required", its buttons, "enter confirm".
func opencodeQuestion(lines []row.Line) int {
	at := row.Last(row.Trim(lines), func(l row.Line) bool { return strings.TrimSpace(l.Text) != "┃" })
	if at < 0 || !strings.HasPrefix(lines[at].Text, bar) || !answerKeys.MatchString(lines[at].Text) {
		return -1
	}
	return 1 + row.Last(lines[:at], func(l row.Line) bool { return !strings.HasPrefix(l.Text, bar) })
}

// cells are the blocks of a conversation.
func cells() *chat.Cells {
	panel := chat.Mark{Col: 2, Signs: []string{"┃"}}
	return &chat.Cells{Agent: "opencode", Cells: []chat.Cell{
		{Begin: chat.Mark{Text: opencodeBegins}, Rows: logoRows},
		{Rule: "tool", Begin: panel, When: chat.First(toolBar), Rows: panelRows, Read: readPanel},
		{Rule: "user", Begin: panel, Rows: panelRows, Role: session.RoleUser, Style: &markdown.Style{Left: left, Right: right}},
		{Begin: chat.Mark{Text: chrome.MatchString}, Rows: func([]row.Line) int { return 1 }},
		{Rule: "call", When: chat.First(call), Rows: callRows, Read: readCall},
		{Rule: "reply", Headless: true, When: chat.First(row.Filled), Rows: replyRows, Role: session.RoleAssistant, Style: opencodeLook},
		{Rule: "reply", When: chat.First(row.Filled), Rows: replyRows, Role: session.RoleAssistant, Style: opencodeLook},
	}}
}

// parse reads the items off lines. No row goes on with the one above it, though the terminal may
// say so: a frame that was painted for a wider window wraps, and the next one is painted over it.
func parse(c *chat.Cells, lines []row.Line, last bool) []chat.Item {
	lines = slices.Clone(lines)
	for i := range lines {
		if unpainted(lines, i) {
			lines[i].Lost = true
		}
		if next := row.SkipBlank(lines, i+1); running(lines[i]) && next < len(lines) && lines[next].Lost {
			lines[i] = row.Line{Row: &vterm.Row{}} // the turn went on out of sight
		}
		if lines[i].Wrapped {
			r := *lines[i].Row
			r.Wrapped = false
			lines[i].Row = &r
		}
	}
	items := c.Parse(lines, last)
	if n := len(items) - 1; n >= 0 && last && items[n].Role == session.RoleAssistant {
		items[n].Open = !slices.ContainsFunc(lines[items[n].End:], ended)
	}
	return items
}

// took is how long a turn took, or that it was interrupted, at the end of the row below it.
var took = regexp.MustCompile(` · ([0-9.hms ]+|interrupted)$`)

// running reports whether a row is that of a turn that goes on: it has no time yet.
func running(l row.Line) bool { return strings.HasPrefix(l.Text, ending) && !took.MatchString(l.Text) }

// ended reports whether a row below a reply says that it is whole: its turn's row has no time while
// it is written.
func ended(l row.Line) bool {
	return l.Text != "" && !running(l)
}

// unpainted reports whether the rows above line i are those of a reply that was not painted yet
// when they left the window: one blank row parts blocks, never more.
func unpainted(lines []row.Line, i int) bool {
	if row.Indent(lines[i].Text) != left {
		return false
	}
	above := row.Last(lines[:i], row.Filled)
	return above >= 0 && above < i-2 && chat.Begins(lines[above].Text, bar, ending)
}

// chrome matches the end of a turn, the row of a call whose input is still written, in grey or not,
// and the one that says how long the model thought, with what it thought folded up or not.
var chrome = regexp.MustCompile(`^     (?:▣|~ [A-Z][a-z]+ing\b.*(?:…|\.\.\.)$|[+-] Thought: .*\d(?:ms|[smh])$)`)

// logoRows counts the rows of the welcome, or of one that was wiped before the conversation came.
func logoRows(lines []row.Line) int {
	if _, n := opencodeBanner(lines); n > 0 {
		return n
	}
	return row.Run(lines, func(l row.Line) bool { return strings.Trim(l.Text, "█▀▄ ") == "" })
}

// panelRows counts the rows behind bars of one kind.
func panelRows(lines []row.Line) int {
	tool := toolBar(lines[0])
	return row.Run(lines, func(l row.Line) bool { return strings.HasPrefix(l.Text, bar) && toolBar(l) == tool })
}

// replyRows counts the rows of a reply: text from column 5 on, or blank.
func replyRows(lines []row.Line) int {
	return row.Run(lines, func(l row.Line) bool {
		t := l.Text
		return t == "" || strings.HasPrefix(t, "     ") && !chrome.MatchString(t) && !call(l)
	})
}

// signs are the signs before calls that have no panel: a file read or written, a search, a page, a
// command, any other tool.
var signs = regexp.MustCompile(`^[→←✱⚙%◇◈$] `)

// spinner is before a call that runs.
var spinner = regexp.MustCompile(`^[⠁-⣿] `)

// call reports whether a line is a tool call without a panel: "⚙ name …", "→ Read main.go",
// "← Edit main.go", in grey.
func call(l row.Line) bool {
	t, ok := strings.CutPrefix(l.Text, "     ")
	return ok && (spinner.MatchString(t) || row.Grey(l.StyleAt(left)) && signs.MatchString(t))
}

// readPanel reads a tool's block. One that begins without its free row is the rest of the one
// above, whose end the window did not show, or what it did was shown while it ran.
func readPanel(lines []row.Line, earlier []chat.Item) (chat.Item, bool) {
	text := markdown.Prompt(lines, &markdown.Style{Left: left, Right: right})
	output, folded := unfold(text)
	if n := len(earlier); n > 0 && earlier[n-1].Rule == "opencode tool" && cut(lines) {
		it := &earlier[n-1]
		it.Tool.Output = strings.Trim(it.Tool.Output+"\n"+output, "\n")
		it.Tool.Truncated = folded
		it.Tool.Status, it.Open = session.ToolOK, false
		return chat.Item{End: len(lines)}, false
	}
	t := opencodeBlock(text)
	if cut(lines) && t.Status != session.ToolRunning && !strings.HasPrefix(text, "$ ") && !strings.HasPrefix(text, "# ") {
		t = &session.Tool{Name: "Bash", Output: output, Truncated: folded, Status: session.ToolOK}
	}
	return chat.Called(t), true
}

// cut reports whether a panel begins without its free row.
func cut(lines []row.Line) bool {
	return strings.TrimSpace(strings.TrimPrefix(lines[0].Text, bar)) != ""
}

// toolBar reports whether a row's bar is drawn in the colour of the ground.
func toolBar(l row.Line) bool { return l.StyleAt(2).Fg == l.StyleAt(0).Bg }

// opencodeBlock is the call of a panel: a command, perhaps below a title that the model gave it,
// with what it printed; else the title says what was done. Only commands are shown while they run.
func opencodeBlock(text string) *session.Tool {
	text, folded := unfold(text)
	head, output, _ := strings.Cut(text, "\n\n")
	if strings.HasPrefix(head, "# ") && strings.HasPrefix(output, "$ ") {
		head, output, _ = strings.Cut(output, "\n\n")
	}
	t := toolOf(strings.TrimPrefix(head, "# "))
	if t.Status == session.ToolRunning && t.Name != "Bash" {
		t.Name, t.Input = "Bash", strings.TrimSpace(t.Name+" "+t.Input)
	}
	t.Output, t.Truncated = strings.Trim(output, "\n"), folded
	return t
}

// toolOf is the tool that a text names: "$ ls", "→ Read main.go"; it runs if a spinner is before
// it.
func toolOf(call string) *session.Tool {
	t := &session.Tool{Status: session.ToolOK}
	if spinner.MatchString(call) {
		t.Status, call = session.ToolRunning, spinner.ReplaceAllString(call, "")
	}
	if command, shell := strings.CutPrefix(call, "$ "); shell {
		t.Name, t.Input = "Bash", command
	} else {
		t.Name, t.Input, _ = strings.Cut(signs.ReplaceAllString(call, ""), " ")
	}
	return t
}

// fold is what says that a tool's output is folded up, or can be.
var fold = regexp.MustCompile(`\n*…?\n*Click to (expand|collapse)$`)

// unfold cuts that off, and reports whether the output is folded up.
func unfold(output string) (string, bool) {
	note := fold.FindString(output)
	return strings.TrimSuffix(output, note), strings.HasSuffix(note, "expand")
}

// callRows counts the rows of a call without a panel: its input goes on from column 7, what went
// wrong is below it in red.
func callRows(lines []row.Line) int {
	n := 1 + row.Run(lines[1:], func(l row.Line) bool {
		indent := row.Indent(l.Text)
		return indent >= left+2 && row.Grey(l.StyleAt(indent))
	})
	return n + row.Run(lines[n:], red)
}

// red reports whether a row is red.
func red(l row.Line) bool { return row.Red(l.StyleAt(row.Indent(l.Text)).Fg) }

// readCall reads a call without a panel: a sign, the tool's name and its input.
func readCall(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	call, failure := strings.TrimSpace(lines[0].Text), ""
	for _, l := range lines[1:] {
		if text := strings.TrimSpace(l.Text); red(l) {
			failure += "\n" + text
		} else {
			call += " " + text
		}
	}
	t := toolOf(call)
	if failure != "" {
		t.Status, t.Output = session.ToolError, failure[1:]
	}
	return chat.Called(t), true
}

// opencodeLook is how replies are drawn: Markdown in the colours of the theme.
var opencodeLook = &markdown.Style{
	Left: left, Right: right, Marks: marks, QuoteMarks: row.MarkItalic, Seam: seam,
	Heading: func(l *markdown.Line) int {
		if l.Indent == 0 && l.All(func(s vterm.Style) bool { return s.Bold && s.Fg.Kind == vterm.ColorRGB && s.Fg != strong }) {
			return 2
		}
		return 0
	},
	Quote:  func(l *markdown.Line) (int, bool) { return l.Indent + 2, row.Starts(l.Text[l.Indent:], "│ ") },
	Item:   item,
	Code:   code,
	Border: func(ls []markdown.Line) bool { return row.Grey(ls[0].First()) },
}

// hyphened ends in a part of a word, cjkEnd in punctuation of Chinese or Japanese.
var (
	hyphened = regexp.MustCompile(`[\pL\p{Nd}]-$`)
	cjkEnd   = regexp.MustCompile(`[，。、；：！？]$`)
)

// seam knows by the blank where lines were wrapped: it is painted at the end of the row, or at the
// start of the next one if there is no room. Words are cut behind a hyphen or a point, and in the
// cells of tables, where blanks say nothing, behind a hyphen: the rest had no room, up to two free
// columns. Chinese and Japanese are cut behind their punctuation.
func seam(a, b *markdown.Line) (markdown.Seam, bool) {
	word := row.FirstWord(b.Text)
	switch first := slices.IndexFunc(b.Spans, func(s row.Span) bool { return strings.Trim(s.Text, " ") != "" }); {
	case a.Spaced:
		return markdown.SeamSpace, true
	case !a.Cell && a.Width >= a.Room && first >= 0 && !strings.HasPrefix(b.Spans[first].Text, " "):
		return markdown.SeamNone, true
	case cjkEnd.MatchString(a.Text) && row.Width(string(row.FirstRune(word))) == 2:
		return markdown.SeamNone, row.Width(word) >= a.Room-a.Width
	case !hyphened.MatchString(a.Text) || !markdown.WordRune(row.FirstRune(word)) || slices.Contains([]string{"and", "or", "to"}, word):
		return 0, false
	}
	return markdown.SeamNone, row.Width(word) > a.Room-a.Width-2
}

// The default theme has inline code in green, and words in bold in orange: headings are violet.
var (
	green  = vterm.Color{Kind: vterm.ColorRGB, R: 0x7f, G: 0xd8, B: 0x8f}
	strong = vterm.Color{Kind: vterm.ColorRGB, R: 0xf5, G: 0xa7, B: 0x42}
)

func marks(s vterm.Style) row.Mark {
	m := row.PlainMarks(s)
	if s.Fg == green && !s.Bold && !s.Italic {
		m |= row.MarkCode
	}
	return m
}
