package extractor

import (
	"strings"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// opencode is opencode (opentui: all on the alternate screen, each cell painted). A welcome with a logo and the version in
// the last row; then blocks below each other: what the user said and what tools printed stand behind a thick bar in
// column 2 on a panel of their own colour, replies from column 5 on bare ground, a "▣" line ends each turn; the input
// box with its own bar stands below, ended by "╹▀▀▀".
var _ = register(&Profile{Name: "opencode", Banner: opencodeBanner, Split: opencodeSplit, Parse: opencodeParse})

const (
	opencodeLogo  = "█▀▀█ █▀▀█ █▀▀█ █▀▀▄"
	opencodeBar   = "  ┃"
	opencodeEdge  = "╹▀▀▀"
	opencodeLeft  = 5 // the column where text begins
	opencodeRight = 3 // columns that text leaves free at the right
)

// opencodeBanner reads the welcome: the logo's second row to the last row, which holds the directory and the version.
func opencodeBanner(lines []Line) (b Banner, n int) {
	if len(lines) == 0 || !strings.HasPrefix(strings.TrimSpace(lines[0].Text), opencodeLogo) {
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

// isVersion tells whether a word is three numbers with dots between.
func isVersion(s string) bool {
	parts := strings.Split(s, ".")
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return len(parts) == 3
}

// opencodeSplit finds the input box: its lower edge, and the rows with its bar and its ground above that. On the welcome
// the logo is all there is to read.
func opencodeSplit(s Screen) Split {
	edge := len(s.Lines) - 1
	for edge >= 0 && !strings.HasPrefix(strings.TrimSpace(s.Lines[edge].Text), opencodeEdge) {
		edge--
	}
	logo := opencodeLogoRow(s.Lines)
	if edge < 1 || edge < len(s.Lines)-4 && logo < 0 {
		return Split{}
	}
	ground := s.Lines[edge-1].styleAt(opencodeLeft).Bg
	top := edge
	for top > 0 && strings.HasPrefix(s.Lines[top-1].Text, s.Lines[edge-1].Text[:strings.Index(s.Lines[edge-1].Text+"┃", "┃")]+"┃") &&
		s.Lines[top-1].styleAt(opencodeLeft).Bg == ground {
		top--
	}
	sp := Split{OK: true, Bottom: top, State: StateIdle}
	if logo >= 0 {
		sp.Top, sp.Bottom = logo, len(s.Lines)
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
		if strings.HasPrefix(strings.TrimSpace(t), "┃  △ Permission required") {
			sp.State = StateAsking
		}
	}
	return sp
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

// opencodeParse reads the blocks of a conversation.
func opencodeParse(lines []Line, last bool) []Item {
	var items []Item
	for i := 0; i < len(lines); {
		_, banner := opencodeBanner(lines[i:])
		switch t := lines[i].Text; {
		case banner > 0:
			i += banner
		case strings.HasPrefix(t, opencodeBar):
			n := opencodeRun(lines[i:], func(l Line) bool { return strings.HasPrefix(l.Text, opencodeBar) })
			items = append(items, opencodePanel(lines[i:i+n], i))
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

// opencodeReply tells whether a line goes on with a reply: text from column 5 on, or blank.
func opencodeReply(l Line) bool {
	t := l.Text
	return t == "" || strings.HasPrefix(t, "     ") && !strings.HasPrefix(t, "     ▣") && !opencodeCall(l)
}

// opencodeSigns stand before calls that have no panel: a file read or written, a search, a page, a command, any other tool; "~"
// while its input is written.
var opencodeSigns = []string{"→ ", "← ", "✱ ", "⚙ ", "% ", "◇ ", "◈ ", "$ ", "~ "}

// opencodeCall tells whether a line is a tool call without a panel: "⚙ name …", "→ Read main.go", "← Edit main.go", in grey.
func opencodeCall(l Line) bool {
	t, ok := strings.CutPrefix(l.Text, "     ")
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

// opencodePanel reads a block behind a bar: a tool's, if it begins with a grey title, else the user's.
func opencodePanel(lines []Line, at int) Item {
	text := prompt(lines, &look{Left: opencodeLeft, Right: opencodeRight})
	it := Item{Message: session.Message{Role: session.RoleUser, Text: text, Markdown: text}, First: at, End: at + len(lines), Rule: "opencode user"}
	title, rest, _ := strings.Cut(text, "\n")
	name, ok := strings.CutPrefix(title, "# ")
	for _, sign := range opencodeSigns {
		if !ok {
			name, ok = strings.CutPrefix(title, sign)
		}
	}
	if ok && opencodeTitled(lines) {
		it.Message, it.Rule = opencodeBlock(name, strings.Trim(rest, "\n")), "opencode tool"
	}
	return it
}

// opencodeTitled tells whether a panel's first line of text is grey.
func opencodeTitled(lines []Line) bool {
	for _, l := range lines {
		if t := strings.TrimPrefix(l.Text, opencodeBar); strings.TrimSpace(t) != "" {
			return ccGrey(l.styleAt(opencodeLeft))
		}
	}
	return false
}

// opencodeBlock is the call of a panel: a command below a title that the model gave it, else the title says what was done.
func opencodeBlock(title, rest string) session.Message {
	t := &session.Tool{Status: session.ToolOK}
	rest, t.Truncated = opencodeFolded(rest)
	command, output, _ := strings.Cut(rest, "\n")
	if input, ok := strings.CutPrefix(command, "$ "); ok {
		t.Name, t.Input, t.Output = "Bash", input, strings.Trim(output, "\n")
	} else {
		name, input, _ := strings.Cut(title, " ")
		t.Name, t.Input, t.Output = name, input, rest
	}
	return toolMessage(t)
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

// opencodeTool reads a call that has no panel: a sign, the tool's name and its input, which goes on from column 7; what went
// wrong stands below it in red.
func opencodeTool(lines []Line, at int) Item {
	sign, call, _ := strings.Cut(strings.TrimSpace(lines[0].Text), " ")
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
	case sign == "~":
		t.Status = session.ToolRunning
	}
	if len(failure) > 0 {
		t.Status, t.Output = session.ToolError, strings.Join(failure, "\n")
	}
	return Item{Message: toolMessage(t), First: at, End: at + n, Open: sign == "~", Rule: "opencode call"}
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

// opencodeLook is how replies are drawn: Markdown in the colours of the theme. Code has no colour where its grammar is not
// at hand; its lines break where words would have gone on.
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
