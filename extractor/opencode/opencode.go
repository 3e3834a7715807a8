// Package opencode reads opencode.
package opencode

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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

const (
	logo         = "█▀▀█ █▀▀█ █▀▀█ █▀▀▄"
	bar          = "  ┃"
	opencodeEdge = "╹▀▀▀"
	left         = 5 // the column where text begins
	right        = 3 // columns that text leaves free at the right
)

// opencodeBegins reports whether a row may be the first of the logo.
func opencodeBegins(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " "), logo)
}

// opencodeBanner reads the welcome: the logo's second row to the last row, which holds the
// directory and the version.
func opencodeBanner(lines []row.Line) (b chat.Banner, n int) {
	if len(lines) == 0 || !opencodeBegins(lines[0].Text) {
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
		return chat.Split{OK: true, Bottom: at, State: chat.StateAsking}
	}
	top, edge, _ := input(s.Lines)
	logo := slices.IndexFunc(s.Lines, func(l row.Line) bool { return opencodeBegins(l.Text) })
	if edge < 1 || edge < len(s.Lines)-4 && logo < 0 {
		return chat.Split{}
	}
	sp := chat.Split{OK: true, Bottom: top, State: chat.StateIdle}
	if logo >= 0 {
		sp.Top, sp.Bottom = logo, len(s.Lines)
		if modal(s.Lines[:top]) {
			sp.State = chat.StateAsking
		}
		return sp
	}
	if slices.ContainsFunc(s.Lines[edge:], func(l row.Line) bool { return strings.Contains(l.Text, "esc interrupt") }) {
		sp.State = chat.StateBusy
	}
	sp.Overlay = slices.ContainsFunc(s.Lines[:top], func(l row.Line) bool { // the menu of commands, over the conversation
		return strings.HasPrefix(l.Text, bar) && strings.HasSuffix(l.Text[len(bar):], "┃")
	})
	if modal(s.Lines[:top]) {
		sp.Overlay, sp.State = true, chat.StateAsking
	}
	return sp
}

// modal reports whether a dialog covers the screen: its title has the key beside it
// that closes it.
func modal(lines []row.Line) bool {
	return slices.ContainsFunc(lines, func(l row.Line) bool { return strings.HasSuffix(l.Text, "    esc") })
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

// logoPart reports whether a line is made of the logo's blocks.
func logoPart(l row.Line) bool { return l.Text != "" && strings.Trim(l.Text, "█▀▄ ") == "" }

// cells are the blocks of a conversation.
func cells() *chat.Cells {
	panel := chat.Mark{Col: 2, Signs: []string{"┃"}}
	return &chat.Cells{Agent: "opencode", Cells: []chat.Cell{
		{Begin: chat.Mark{Text: opencodeBegins}, Rows: logoRows},
		{Rule: "tool", Begin: panel, When: chat.First(toolBar), Rows: panelRows, Read: readPanel},
		{Rule: "user", Begin: panel, Rows: panelRows, Role: session.RoleUser, Style: &markdown.Style{Left: left, Right: right}},
		{Begin: chat.Mark{Col: left, Signs: []string{"▣"}}, Rows: func([]row.Line) int { return 1 }},
		{Begin: chat.Mark{Text: pending.MatchString}, Rows: func([]row.Line) int { return 1 }},
		{Rule: "call", When: chat.First(call), Rows: callRows, Read: readCall},
		{Rule: "reply", Headless: true, When: chat.First(text), Rows: replyRows, Role: session.RoleAssistant, Style: opencodeLook},
		{Rule: "reply", When: chat.First(text), Rows: replyRows, Role: session.RoleAssistant, Style: opencodeLook},
	}}
}

// parse reads the items off lines. No row goes on with the one above it, though the terminal may
// say so: a frame that was painted for a wider window wraps, and the next one is painted over it.
func parse(c *chat.Cells, lines []row.Line, last bool) []chat.Item {
	for i := range lines {
		if lines[i].Wrapped || unpainted(lines, i) {
			lines = repaired(lines)
			break
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

// ended reports whether a row below a reply says that it is whole: its turn's row has no time while
// it is written.
func ended(l row.Line) bool {
	return l.Text != "" && (!strings.HasPrefix(l.Text, "     ▣") || took.MatchString(l.Text))
}

// repaired returns lines of which none goes on with the one above it, with a mark where rows were
// not painted.
func repaired(lines []row.Line) []row.Line {
	lines = slices.Clone(lines)
	for i := range lines {
		if lines[i].Wrapped {
			r := *lines[i].Row
			r.Wrapped = false
			lines[i].Row = &r
		}
		lines[i].Lost = lines[i].Lost || unpainted(lines, i)
	}
	return lines
}

// unpainted reports whether the rows above line i are those of a reply that was not painted yet
// when they left the window: one blank row parts blocks, never more.
func unpainted(lines []row.Line, i int) bool {
	if i < 2 || lines[i].Text == "" || lines[i-1].Text != "" || lines[i-2].Text != "" || row.Indent(lines[i].Text) != left {
		return false
	}
	for i--; i >= 0 && lines[i].Text == ""; i-- {
	}
	return i >= 0 && (strings.HasPrefix(lines[i].Text, bar) || strings.HasPrefix(lines[i].Text, "     ▣"))
}

// text reports whether a row is not blank.
func text(l row.Line) bool { return l.Text != "" }

// pending matches the row of a call whose input is still written, in grey or not.
var pending = regexp.MustCompile(`^     ~ [A-Z][a-z]+ing .*(?:…|\.\.\.)$`)

// logoRows counts the rows of the welcome, or of one that was wiped before the conversation came.
func logoRows(lines []row.Line) int {
	if _, n := opencodeBanner(lines); n > 0 {
		return n
	}
	return chat.Run(lines, logoPart)
}

// panelRows counts the rows behind bars of one kind.
func panelRows(lines []row.Line) int {
	tool := toolBar(lines[0])
	return chat.Run(lines, func(l row.Line) bool { return strings.HasPrefix(l.Text, bar) && toolBar(l) == tool })
}

// replyRows counts the rows of a reply: text from column 5 on, or blank.
func replyRows(lines []row.Line) int {
	return chat.Run(lines, func(l row.Line) bool {
		t := l.Text
		return t == "" || strings.HasPrefix(t, "     ") && !strings.HasPrefix(t, "     ▣") && !pending.MatchString(t) && !call(l)
	})
}

// signs are the signs before calls that have no panel: a file read or written, a search, a
// page, a command, any other tool; "~" while its input is written.
var signs = []string{"→ ", "← ", "✱ ", "⚙ ", "% ", "◇ ", "◈ ", "$ ", "~ "}

// call reports whether a line is a tool call without a panel: "⚙ name …", "→ Read main.go",
// "← Edit main.go", in grey.
func call(l row.Line) bool {
	t, ok := strings.CutPrefix(l.Text, "     ")
	_, runs := spins(t)
	return ok && (runs || row.Grey(l.StyleAt(left)) && chat.Begins(t, signs...))
}

// readPanel reads a tool's block. One that begins without its free row is the rest of the one
// above, whose end the window did not show, or what it did was shown while it ran.
func readPanel(lines []row.Line, earlier []chat.Item) (chat.Item, bool) {
	text := markdown.Prompt(lines, &markdown.Style{Left: left, Right: right})
	output, folded := opencodeFolded(text)
	if n := len(earlier); n > 0 && earlier[n-1].Rule == "opencode tool" && cut(lines) {
		it := &earlier[n-1]
		it.Tool.Output = strings.Trim(it.Tool.Output+"\n"+output, "\n")
		it.Tool.Truncated = it.Tool.Truncated || folded
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
// with what it printed; else the title says what was done. A call that runs has a spinner before
// it.
func opencodeBlock(text string) *session.Tool {
	t := &session.Tool{Status: session.ToolOK}
	text, t.Truncated = opencodeFolded(text)
	head, output, _ := strings.Cut(text, "\n\n")
	if title, ok := strings.CutPrefix(head, "# "); ok && strings.HasPrefix(output, "$ ") {
		head, output, _ = strings.Cut(output, "\n\n")
	} else if ok {
		head = title
	}
	t.Output = strings.Trim(output, "\n")
	call, runs := spins(head)
	input, shell := strings.CutPrefix(call, "$ ")
	switch {
	case shell || runs:
		t.Name, t.Input = "Bash", input
	default:
		for _, sign := range signs {
			call = strings.TrimPrefix(call, sign)
		}
		t.Name, t.Input, _ = strings.Cut(call, " ")
	}
	if runs {
		t.Status = session.ToolRunning
	}
	return t
}

// spins cuts the spinner off a call that runs.
func spins(s string) (string, bool) {
	if r, n := utf8.DecodeRuneInString(s); chat.Spins(r) && strings.HasPrefix(s[n:], " ") {
		return s[n+1:], true
	}
	return s, false
}

// opencodeFolded cuts off what says that a tool's output is folded up.
func opencodeFolded(output string) (string, bool) {
	for _, note := range []string{"Click to expand", "Click to collapse"} {
		if rest, ok := strings.CutSuffix(output, note); ok {
			rest = strings.TrimRight(rest, "\n")
			return strings.TrimRight(strings.TrimSuffix(rest, "…"), "\n"), note == "Click to expand"
		}
	}
	return output, false
}

// callRows counts the rows of a call without a panel: its input goes on from column 7, what went
// wrong is below it in red.
func callRows(lines []row.Line) int {
	n, failed := 1, false
	for ; n < len(lines) && lines[n].Text != ""; n++ {
		indent := row.Indent(lines[n].Text)
		red := row.Red(lines[n].StyleAt(indent).Fg)
		if failed = failed || red; !red && (failed || indent < left+2 || !row.Grey(lines[n].StyleAt(indent))) {
			break
		}
	}
	return n
}

// readCall reads a call without a panel: a sign, the tool's name and its input.
func readCall(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	sign, call, _ := strings.Cut(strings.TrimSpace(lines[0].Text), " ")
	t := &session.Tool{Status: session.ToolOK}
	for _, l := range lines[1:] {
		if text := strings.TrimSpace(l.Text); row.Red(l.StyleAt(row.Indent(l.Text)).Fg) {
			t.Status, t.Output = session.ToolError, strings.TrimPrefix(t.Output+"\n"+text, "\n")
		} else {
			call += " " + text
		}
	}
	_, running := spins(sign + " ")
	if t.Name, t.Input, _ = strings.Cut(call, " "); sign == "$" {
		t.Name, t.Input = "Bash", call
	} else if (running || sign == "~") && t.Status == session.ToolOK {
		t.Status = session.ToolRunning
	}
	return chat.Called(t), true
}

// opencodeLook is how replies are drawn: Markdown in the colours of the theme.
var opencodeLook = &markdown.Style{
	Left: left, Right: right, Marks: marks, QuoteMarks: row.MarkItalic, Seam: seam,
	Heading: func(l *markdown.Line) int {
		if l.Indent == 0 && l.All(func(s vterm.Style) bool { return s.Bold && s.Fg.Kind == vterm.ColorRGB }) {
			return 2
		}
		return 0
	},
	Quote:  func(l *markdown.Line) (int, bool) { return l.Indent + 2, strings.HasPrefix(l.Text[l.Indent:], "│ ") },
	Code:   code,
	Border: func(ls []markdown.Line) bool { return row.Grey(ls[0].First()) },
}

// seam knows a word that was cut behind its hyphen, as words are in the cells of tables: the rest
// had no room, up to two free columns.
func seam(a, b *markdown.Line) (markdown.Seam, bool) {
	stem, cut := strings.CutSuffix(row.LastWord(a.Text), "-")
	last, _ := utf8.DecodeLastRuneInString(stem)
	word := row.FirstWord(b.Text)
	if !cut || !markdown.WordRune(last) || !markdown.WordRune(row.FirstRune(word)) || slices.Contains([]string{"and", "or", "to"}, word) {
		return 0, false
	}
	return markdown.SeamNone, row.Width(word) > a.Room-a.Width-2
}

// green is the colour of inline code in the default theme.
var green = vterm.Color{Kind: vterm.ColorRGB, R: 0x7f, G: 0xd8, B: 0x8f}

func marks(s vterm.Style) row.Mark {
	m := row.PlainMarks(s)
	if s.Fg == green && !s.Bold && !s.Italic {
		m |= row.MarkCode
	}
	return m
}
