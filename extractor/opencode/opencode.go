// Package opencode reads opencode.
package opencode

import (
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
	return &chat.Agent{
		Name: "opencode", Title: "opencode", Usage: usage,
		Resume: chat.ResumedBy("opencode", []string{"--session", chat.ResumeID}, chat.OpencodePattern, `opencode (?:-s|--session) `, "--session", "-s"),
		Looks: []chat.Look{{
			Versions: "1.0-",
			Begins:   opencodeBegins, Banner: opencodeBanner, Split: split, Parse: parse, Box: inputBox,
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
	edge := len(s.Lines) - 1
	for edge >= 0 && !strings.HasPrefix(strings.TrimSpace(s.Lines[edge].Text), opencodeEdge) {
		edge--
	}
	logo := logoRow(s.Lines)
	if edge < 1 || edge < len(s.Lines)-4 && logo < 0 {
		return chat.Split{}
	}
	ground := s.Lines[edge-1].StyleAt(left - 1).Bg // what is pasted may have another
	top := edge
	for top > 0 && strings.HasPrefix(s.Lines[top-1].Text, s.Lines[edge-1].Text[:strings.Index(s.Lines[edge-1].Text+"┃", "┃")]+"┃") &&
		s.Lines[top-1].StyleAt(left-1).Bg == ground && !listed(s.Lines[top-1]) {
		top--
	}
	sp := chat.Split{OK: true, Bottom: top, State: chat.StateIdle}
	if logo >= 0 {
		sp.Top, sp.Bottom = logo, len(s.Lines)
		if modal(s.Lines[:top]) {
			sp.State = chat.StateAsking
		}
		return sp
	}
	for _, l := range s.Lines[edge:] {
		if strings.Contains(l.Text, "esc interrupt") {
			sp.State = chat.StateBusy
		}
	}
	for i := range s.Lines[:top] {
		t := s.Lines[i].Text
		if strings.HasPrefix(t, bar) && strings.HasSuffix(t[len(bar):], "┃") { // the menu of commands, over the conversation
			sp.Overlay = true
		}
	}
	if modal(s.Lines[:top]) {
		sp.Overlay, sp.State = true, chat.StateAsking
	}
	return sp
}

// modal reports whether a dialog covers the screen: its title has the key beside it
// that closes it.
func modal(lines []row.Line) bool {
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
func opencodeQuestion(lines []row.Line) int {
	at := len(row.Trim(lines)) - 1
	for at >= 0 && strings.TrimSpace(lines[at].Text) == "┃" {
		at--
	}
	if at < 0 || !strings.HasPrefix(lines[at].Text, bar) {
		return -1
	}
	keys := strings.Join(strings.Fields(lines[at].Text), " ")
	if !strings.Contains(keys, "enter confirm") && !strings.Contains(keys, "enter submit") && !strings.Contains(keys, "enter select") && !strings.Contains(keys, "enter toggle") {
		return -1
	}
	for at > 0 && strings.HasPrefix(lines[at-1].Text, bar) {
		at--
	}
	return at
}

// logoRow returns the row where the welcome begins, or -1.
func logoRow(lines []row.Line) int {
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l.Text), logo) {
			return i
		}
	}
	return -1
}

// logoPart reports whether a line is made of the logo's blocks.
func logoPart(l row.Line) bool { return l.Text != "" && strings.Trim(l.Text, "█▀▄ ") == "" }

// parse reads the blocks of a conversation.
func parse(lines []row.Line, last bool) []chat.Item {
	var items []chat.Item
	for i := 0; i < len(lines); {
		_, banner := opencodeBanner(lines[i:])
		switch t := lines[i].Text; {
		case banner > 0:
			i += banner
		case opencodeBegins(t): // of a welcome that was wiped before the conversation came
			i += run(lines[i:], logoPart)
		case strings.HasPrefix(t, bar):
			tool := toolBar(lines[i])
			n := run(lines[i:], func(l row.Line) bool { return strings.HasPrefix(l.Text, bar) && toolBar(l) == tool })
			if !tool || !opencodeRest(items, lines[i:i+n], i+n) {
				items = append(items, panel(lines[i:i+n], i))
			}
			i += n
		case strings.HasPrefix(t, "     ▣"):
			i++
		case call(lines[i]):
			it := tool(lines[i:], i)
			items = append(items, it)
			i = it.End
		case strings.HasPrefix(t, "     "):
			n := run(lines[i:], reply)
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

// run counts the lines from the first on that are of a kind.
func run(lines []row.Line, is func(row.Line) bool) int {
	n := 0
	for n < len(lines) && is(lines[n]) {
		n++
	}
	return n
}

// reply reports whether a line goes on with a reply: text from column 5 on, or blank.
func reply(l row.Line) bool {
	t := l.Text
	return t == "" || strings.HasPrefix(t, "     ") && !strings.HasPrefix(t, "     ▣") && !call(l)
}

// signs are the signs before calls that have no panel: a file read or written, a search, a
// page, a command, any other tool; "~" while its input is written.
var signs = []string{"→ ", "← ", "✱ ", "⚙ ", "% ", "◇ ", "◈ ", "$ ", "~ "}

// call reports whether a line is a tool call without a panel: "⚙ name …", "→ Read main.go",
// "← Edit main.go", in grey.
func call(l row.Line) bool {
	t, ok := strings.CutPrefix(l.Text, "     ")
	if _, runs := spins(t); ok && runs {
		return true
	}
	if !ok || !row.Grey(l.StyleAt(left)) {
		return false
	}
	for _, sign := range signs {
		if strings.HasPrefix(t, sign) {
			return true
		}
	}
	return false
}

// panel reads a block behind a bar: a tool's, whose bar has the colour of the ground, else
// the user's.
func panel(lines []row.Line, at int) chat.Item {
	text := markdown.Prompt(lines, &markdown.Style{Left: left, Right: right})
	it := chat.Item{Message: session.Message{Role: session.RoleUser, Text: text, Markdown: text}, First: at, End: at + len(lines), Rule: "opencode user"}
	if toolBar(lines[0]) {
		it.Message, it.Rule = opencodeBlock(text), "opencode tool"
		if cut(lines) && it.Tool.Status != session.ToolRunning && !strings.HasPrefix(text, "$ ") && !strings.HasPrefix(text, "# ") { // what it did was shown while it ran
			output, folded := opencodeFolded(text)
			it.Message = chat.ToolMessage(&session.Tool{Name: "Bash", Output: output, Truncated: folded, Status: session.ToolOK})
		}
		it.Open = it.Tool.Status == session.ToolRunning
	}
	return it
}

// opencodeRest takes a tool's panel that begins without its free row for the rest of the one above,
// whose end the window did not show.
func opencodeRest(items []chat.Item, lines []row.Line, end int) bool {
	if len(items) == 0 || items[len(items)-1].Rule != "opencode tool" || !cut(lines) {
		return false
	}
	it := &items[len(items)-1]
	rest, folded := opencodeFolded(markdown.Prompt(lines, &markdown.Style{Left: left, Right: right}))
	it.Tool.Output = strings.Trim(it.Tool.Output+"\n"+rest, "\n")
	it.Tool.Truncated = it.Tool.Truncated || folded
	it.Tool.Status, it.Open, it.End = session.ToolOK, false, end
	return true
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
	return chat.ToolMessage(t)
}

// spins cuts the spinner off a call that runs.
func spins(s string) (string, bool) {
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

// tool reads a call that has no panel: a sign, the tool's name and its input, which goes on
// from column 7; what went wrong is below it in red.
func tool(lines []row.Line, at int) chat.Item {
	sign, call, _ := strings.Cut(strings.TrimSpace(lines[0].Text), " ")
	_, running := spins(sign + " ")
	running = running || sign == "~"
	t := &session.Tool{Status: session.ToolOK}
	var failure []string
	n := 1
	for ; n < len(lines) && lines[n].Text != ""; n++ {
		text := strings.TrimSpace(lines[n].Text)
		switch indent := row.Indent(lines[n].Text); {
		case row.Red(lines[n].StyleAt(indent).Fg):
			failure = append(failure, text)
			continue
		case indent >= left+2 && row.Grey(lines[n].StyleAt(indent)) && len(failure) == 0:
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
	return chat.Item{Message: chat.ToolMessage(t), First: at, End: at + n, Open: running, Rule: "opencode call"}
}

// opencodeText reads a reply.
func opencodeText(lines []row.Line, at int) chat.Item {
	n := len(row.Trim(lines))
	text, markdown := markdown.Render(lines[:n], opencodeLook)
	return chat.Item{
		Message: session.Message{Role: session.RoleAssistant, Text: text, Markdown: markdown},
		First:   at, End: at + len(lines), Rule: "opencode reply",
	}
}

// opencodeLook is how replies are drawn: Markdown in the colours of the theme. Code has no colour
// where its grammar is not at hand; its lines break where words would have gone on.
var opencodeLook = &markdown.Style{
	Left: left, Right: right, Marks: marks, QuoteMarks: row.MarkItalic,
	Heading: func(l *markdown.Line) int {
		if l.Indent == 0 && l.All(func(s vterm.Style) bool { return s.Bold && s.Fg.Kind == vterm.ColorRGB }) {
			return 2
		}
		return 0
	},
	Quote: func(l *markdown.Line) (int, bool) { return l.Indent + 2, strings.HasPrefix(l.Text[l.Indent:], "│ ") },
	Code:  code,
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

// code takes a block of lines for code where a line broke that had room for the next word.
func code(ls []markdown.Line) (n int, lang string) {
	if _, ok := markdown.ListItem(&ls[0]); ok || ls[0].Blank() {
		return 0, ""
	}
	n = markdown.UntilBlank(ls)
	lk := markdown.Style{Left: left, Right: right}
	for i := 1; i < n; i++ {
		if _, ok := markdown.ListItem(&ls[i]); ok {
			return 0, ""
		}
		if lk.SeamOf(&ls[i-1], &ls[i], 0) == markdown.SeamBreak {
			return n, ""
		}
	}
	return 0, ""
}
