package extractor

import (
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// opencode is opencode (opentui: all on the alternate screen, each cell painted). A welcome with a
// logo and the version in the last row; then blocks below each other: what the user said and what
// tools printed are behind a thick bar in column 2 on a panel of their own colour, replies from
// column 5 on bare ground, a "▣" line ends each turn; the input box with its own bar is below,
// ended by "╹▀▀▀".
var opencodeAgent = &Agent{
	Name: "opencode", Title: "opencode", Usage: opencodeUsage,
	Resume: resumption("opencode", []string{"--session", ResumeID}, opencodePattern, `opencode (?:-s|--session) `, "--session", "-s"),
	Looks: []agentLook{{
		Versions: "1.0-",
		Begins:   opencodeBegins, Banner: opencodeBanner, Split: opencodeSplit, Parse: opencodeParse, Box: opencodeInputBox,
	}},
}

const (
	opencodeLogo  = "█▀▀█ █▀▀█ █▀▀█ █▀▀▄"
	opencodeBar   = "  ┃"
	opencodeEdge  = "╹▀▀▀"
	opencodeLeft  = 5 // the column where text begins
	opencodeRight = 3 // columns that text leaves free at the right
)

// opencodeBegins reports whether a row may be the first of the logo.
func opencodeBegins(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " "), opencodeLogo)
}

// opencodeBanner reads the welcome: the logo's second row to the last row, which holds the
// directory and the version.
func opencodeBanner(lines []Line) (b Banner, n int) {
	if len(lines) == 0 || !opencodeBegins(lines[0].Text) {
		return Banner{}, 0
	}
	for i, l := range lines {
		t := strings.TrimSpace(l.Text)
		if model, ok := strings.CutPrefix(t, "┃  Build · "); ok {
			b.Model = model
		}
		if f := strings.Fields(t); len(f) >= 2 && isVersion(f[len(f)-1]) {
			b.Cwd, b.Version = f[0], f[len(f)-1]
			return b, i + 1
		}
	}
	return Banner{}, 0
}

// isVersion reports whether a word is three numbers with dots between.
func isVersion(s string) bool {
	parts := strings.Split(s, ".")
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return len(parts) == 3
}

// opencodeSplit finds the input box: its lower edge, and the rows with its bar and its ground above
// that. On the welcome the logo is all there is to read.
func opencodeSplit(s Screen) Split {
	if at := opencodeQuestion(s.Lines); at >= 0 {
		return Split{OK: true, Bottom: at, State: StateAsking}
	}
	edge := len(s.Lines) - 1
	for edge >= 0 && !strings.HasPrefix(strings.TrimSpace(s.Lines[edge].Text), opencodeEdge) {
		edge--
	}
	logo := opencodeLogoRow(s.Lines)
	if edge < 1 || edge < len(s.Lines)-4 && logo < 0 {
		return Split{}
	}
	ground := s.Lines[edge-1].styleAt(opencodeLeft - 1).Bg // what is pasted may have another
	top := edge
	for top > 0 && strings.HasPrefix(s.Lines[top-1].Text, s.Lines[edge-1].Text[:strings.Index(s.Lines[edge-1].Text+"┃", "┃")]+"┃") &&
		s.Lines[top-1].styleAt(opencodeLeft-1).Bg == ground && !opencodeListed(s.Lines[top-1]) {
		top--
	}
	sp := Split{OK: true, Bottom: top, State: StateIdle}
	if logo >= 0 {
		sp.Top, sp.Bottom = logo, len(s.Lines)
		if opencodeModal(s.Lines[:top]) {
			sp.State = StateAsking
		}
		return sp
	}
	for _, l := range s.Lines[edge:] {
		if strings.Contains(l.Text, "esc interrupt") {
			sp.State = StateBusy
		}
	}
	for i := range s.Lines[:top] {
		t := s.Lines[i].Text
		if strings.HasPrefix(t, opencodeBar) && strings.HasSuffix(t[len(opencodeBar):], "┃") { // the menu of commands, over the conversation
			sp.Overlay = true
		}
	}
	if opencodeModal(s.Lines[:top]) {
		sp.Overlay, sp.State = true, StateAsking
	}
	return sp
}

// opencodeModal reports whether a dialog covers the screen: its title has the key beside it
// that closes it.
func opencodeModal(lines []Line) bool {
	for i := range lines {
		if strings.HasSuffix(lines[i].Text, "    esc") {
			return true
		}
	}
	return false
}

// opencodeQuestion finds a question at the end of the screen in place of the input box,
// by its keys in the last row of its panel, and returns its first row; -1 without one: "△
// Permission required", its buttons, "enter confirm".
func opencodeQuestion(lines []Line) int {
	at := len(trim(lines)) - 1
	for at >= 0 && strings.TrimSpace(lines[at].Text) == "┃" {
		at--
	}
	if at < 0 || !strings.HasPrefix(lines[at].Text, opencodeBar) {
		return -1
	}
	keys := strings.Join(strings.Fields(lines[at].Text), " ")
	if !strings.Contains(keys, "enter confirm") && !strings.Contains(keys, "enter submit") && !strings.Contains(keys, "enter select") && !strings.Contains(keys, "enter toggle") {
		return -1
	}
	for at > 0 && strings.HasPrefix(lines[at-1].Text, opencodeBar) {
		at--
	}
	return at
}

// opencodeLogoRow returns the row where the welcome begins, or -1.
func opencodeLogoRow(lines []Line) int {
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l.Text), opencodeLogo) {
			return i
		}
	}
	return -1
}

// opencodeLogoPart reports whether a line is made of the logo's blocks.
func opencodeLogoPart(l Line) bool { return l.Text != "" && strings.Trim(l.Text, "█▀▄ ") == "" }

// opencodeParse reads the blocks of a conversation.
func opencodeParse(lines []Line, last bool) []Item {
	var items []Item
	for i := 0; i < len(lines); {
		_, banner := opencodeBanner(lines[i:])
		switch t := lines[i].Text; {
		case banner > 0:
			i += banner
		case opencodeBegins(t): // of a welcome that was wiped before the conversation came
			i += opencodeRun(lines[i:], opencodeLogoPart)
		case strings.HasPrefix(t, opencodeBar):
			tool := opencodeToolBar(lines[i])
			n := opencodeRun(lines[i:], func(l Line) bool { return strings.HasPrefix(l.Text, opencodeBar) && opencodeToolBar(l) == tool })
			if !tool || !opencodeRest(items, lines[i:i+n], i+n) {
				items = append(items, opencodePanel(lines[i:i+n], i))
			}
			i += n
		case strings.HasPrefix(t, "     ▣"):
			i++
		case opencodeCall(lines[i]):
			it := opencodeTool(lines[i:], i)
			items = append(items, it)
			i = it.End
		case strings.HasPrefix(t, "     "):
			n := opencodeRun(lines[i:], opencodeReply)
			it := opencodeText(lines[i:i+n], i)
			it.Open = last && i+n == len(lines)
			items = append(items, it)
			i += n
		default:
			i++
		}
	}
	return items
}

// opencodeRun counts the lines from the first on that are of a kind.
func opencodeRun(lines []Line, is func(Line) bool) int {
	n := 0
	for n < len(lines) && is(lines[n]) {
		n++
	}
	return n
}

// opencodeReply reports whether a line goes on with a reply: text from column 5 on, or blank.
func opencodeReply(l Line) bool {
	t := l.Text
	return t == "" || strings.HasPrefix(t, "     ") && !strings.HasPrefix(t, "     ▣") && !opencodeCall(l)
}

// opencodeSigns are the signs before calls that have no panel: a file read or written, a search, a
// page, a command, any other tool; "~" while its input is written.
var opencodeSigns = []string{"→ ", "← ", "✱ ", "⚙ ", "% ", "◇ ", "◈ ", "$ ", "~ "}

// opencodeCall reports whether a line is a tool call without a panel: "⚙ name …", "→ Read main.go",
// "← Edit main.go", in grey.
func opencodeCall(l Line) bool {
	t, ok := strings.CutPrefix(l.Text, "     ")
	if _, runs := opencodeSpins(t); ok && runs {
		return true
	}
	if !ok || !ccGrey(l.styleAt(opencodeLeft)) {
		return false
	}
	for _, sign := range opencodeSigns {
		if strings.HasPrefix(t, sign) {
			return true
		}
	}
	return false
}

// opencodePanel reads a block behind a bar: a tool's, whose bar has the colour of the ground, else
// the user's.
func opencodePanel(lines []Line, at int) Item {
	text := prompt(lines, &look{Left: opencodeLeft, Right: opencodeRight})
	it := Item{Message: session.Message{Role: session.RoleUser, Text: text, Markdown: text}, First: at, End: at + len(lines), Rule: "opencode user"}
	if opencodeToolBar(lines[0]) {
		it.Message, it.Rule = opencodeBlock(text), "opencode tool"
		if opencodeCut(lines) && it.Tool.Status != session.ToolRunning && !strings.HasPrefix(text, "$ ") && !strings.HasPrefix(text, "# ") { // what it did was shown while it ran
			output, folded := opencodeFolded(text)
			it.Message = toolMessage(&session.Tool{Name: "Bash", Output: output, Truncated: folded, Status: session.ToolOK})
		}
		it.Open = it.Tool.Status == session.ToolRunning
	}
	return it
}

// opencodeRest takes a tool's panel that begins without its free row for the rest of the one above,
// whose end the window did not show.
func opencodeRest(items []Item, lines []Line, end int) bool {
	if len(items) == 0 || items[len(items)-1].Rule != "opencode tool" || !opencodeCut(lines) {
		return false
	}
	it := &items[len(items)-1]
	rest, folded := opencodeFolded(prompt(lines, &look{Left: opencodeLeft, Right: opencodeRight}))
	it.Tool.Output = strings.Trim(it.Tool.Output+"\n"+rest, "\n")
	it.Tool.Truncated = it.Tool.Truncated || folded
	it.Tool.Status, it.Open, it.End = session.ToolOK, false, end
	return true
}

// opencodeCut reports whether a panel begins without its free row.
func opencodeCut(lines []Line) bool {
	return strings.TrimSpace(strings.TrimPrefix(lines[0].Text, opencodeBar)) != ""
}

// opencodeToolBar reports whether a row's bar is drawn in the colour of the ground.
func opencodeToolBar(l Line) bool { return l.styleAt(2).Fg == l.styleAt(0).Bg }

// opencodeBlock is the call of a panel: a command, perhaps below a title that the model gave it,
// with what it printed; else the title says what was done. A call that runs has a spinner before
// it.
func opencodeBlock(text string) session.Message {
	t := &session.Tool{Status: session.ToolOK}
	text, t.Truncated = opencodeFolded(text)
	head, output, _ := strings.Cut(text, "\n\n")
	if title, ok := strings.CutPrefix(head, "# "); ok && strings.HasPrefix(output, "$ ") {
		head, output, _ = strings.Cut(output, "\n\n")
	} else if ok {
		head = title
	}
	t.Output = strings.Trim(output, "\n")
	call, runs := opencodeSpins(head)
	input, shell := strings.CutPrefix(call, "$ ")
	switch {
	case shell || runs:
		t.Name, t.Input = "Bash", input
	default:
		for _, sign := range opencodeSigns {
			call = strings.TrimPrefix(call, sign)
		}
		t.Name, t.Input, _ = strings.Cut(call, " ")
	}
	if runs {
		t.Status = session.ToolRunning
	}
	return toolMessage(t)
}

// opencodeSpins cuts the spinner off a call that runs.
func opencodeSpins(s string) (string, bool) {
	if r, n := utf8.DecodeRuneInString(s); r >= 0x2800 && r < 0x2900 && strings.HasPrefix(s[n:], " ") {
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

func toolMessage(t *session.Tool) session.Message {
	text := t.Name + "(" + t.Input + ")"
	return session.Message{Role: session.RoleTool, Text: text, Markdown: text, Tool: t}
}

// opencodeTool reads a call that has no panel: a sign, the tool's name and its input, which goes on
// from column 7; what went wrong is below it in red.
func opencodeTool(lines []Line, at int) Item {
	sign, call, _ := strings.Cut(strings.TrimSpace(lines[0].Text), " ")
	_, running := opencodeSpins(sign + " ")
	running = running || sign == "~"
	t := &session.Tool{Status: session.ToolOK}
	var failure []string
	n := 1
	for ; n < len(lines) && lines[n].Text != ""; n++ {
		text := strings.TrimSpace(lines[n].Text)
		switch indent := ccIndentOf(lines[n].Text); {
		case ccReddish(lines[n].styleAt(indent).Fg):
			failure = append(failure, text)
			continue
		case indent >= opencodeLeft+2 && ccGrey(lines[n].styleAt(indent)) && len(failure) == 0:
			call += " " + text
			continue
		}
		break
	}
	t.Name, t.Input, _ = strings.Cut(call, " ")
	switch {
	case sign == "$":
		t.Name, t.Input = "Bash", call
	case running:
		t.Status = session.ToolRunning
	}
	if len(failure) > 0 {
		t.Status, t.Output = session.ToolError, strings.Join(failure, "\n")
	}
	return Item{Message: toolMessage(t), First: at, End: at + n, Open: running, Rule: "opencode call"}
}

// opencodeText reads a reply.
func opencodeText(lines []Line, at int) Item {
	n := len(trim(lines))
	text, markdown := body(lines[:n], opencodeLook)
	return Item{
		Message: session.Message{Role: session.RoleAssistant, Text: text, Markdown: markdown},
		First:   at, End: at + len(lines), Rule: "opencode reply",
	}
}

// opencodeLook is how replies are drawn: Markdown in the colours of the theme. Code has no colour
// where its grammar is not at hand; its lines break where words would have gone on.
var opencodeLook = &look{
	Left: opencodeLeft, Right: opencodeRight, Marks: opencodeMarks, QuoteMarks: markItalic,
	Heading: func(l *textLine) int {
		if l.indent == 0 && l.all(func(s vterm.Style) bool { return s.Bold && s.Fg.Kind == vterm.ColorRGB }) {
			return 2
		}
		return 0
	},
	Quote: func(l *textLine) (int, bool) { return l.indent + 2, strings.HasPrefix(l.text[l.indent:], "│ ") },
	Code:  opencodeCode,
}

// opencodeGreen is the colour of inline code in the default theme.
var opencodeGreen = vterm.Color{Kind: vterm.ColorRGB, R: 0x7f, G: 0xd8, B: 0x8f}

func opencodeMarks(s vterm.Style) mark {
	m := plainMarks(s)
	if s.Fg == opencodeGreen && !s.Bold && !s.Italic {
		m |= markCode
	}
	return m
}

// opencodeCode takes a block of lines for code where a line broke that had room for the next word.
func opencodeCode(ls []textLine) (n int, lang string) {
	if _, ok := listItem(&ls[0]); ok || ls[0].blank() {
		return 0, ""
	}
	n = untilBlank(ls)
	lk := look{Left: opencodeLeft, Right: opencodeRight}
	for i := 1; i < n; i++ {
		if _, ok := listItem(&ls[i]); ok {
			return 0, ""
		}
		if lk.seam(&ls[i-1], &ls[i], 0) == seamBreak {
			return n, ""
		}
	}
	return 0, ""
}
