package extractor

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// qwen is Qwen Code, which descends from the Gemini CLI and draws like it, but:
//
//	to 0.5    a logo of its own, prompts in grey
//	from 0.10 all is two columns further in; the name and the version in a box beside the logo;
//	          the composer between two rules
//	from 0.21 ◆ before replies, tools without a box: "✓ Read main.go" with the output below
//	0.24      on the alternate screen, with a scroll bar in the last column once the
//	          conversation is taller than its window
var qwenAgent = &Agent{
	Name: "qwen", Title: "Qwen Code", Usage: inkUsageLooks,
	Resume: resumption("qwen", []string{"--resume", ResumeID}, uuidPattern, `qwen --resume `, "--resume", "-r"),
	Looks: []agentLook{{
		Versions: "0.0.1-",
		Begins:   qwenBegins, Banner: qwenBanner, Split: qwenSplit, Parse: qwenParse, Box: qwenInputBox,
	}},
}

const (
	qwenMargin  = 2 // columns left of the conversation, from 0.10 on
	qwenName    = ">_ Qwen Code (v"
	qwenOldLogo = "██████╗ ██╗    ██╗███████╗███╗   ██╗"
)

// qwenCLI is what Qwen Code draws in its own way. Its margin is cut off before.
var qwenCLI = inkAgent{name: "qwen", replies: "✦◆", notices: "ℹ⚠✕✖●", right: 2, tinted: true, banner: qwenBanner, status: qwenStatus, isCall: isQwenCall, call: qwenCall}

// qwenBegins reports whether a row may be the first of the welcome.
func qwenBegins(text string) bool {
	return strings.Contains(text, "┌──") || strings.Contains(text, "╭──") || strings.HasSuffix(text, qwenOldLogo)
}

// qwenBanner reads the welcome: the box with the version, model and directory, beside the logo
// where there is room; or the old logo, which has no version.
func qwenBanner(lines []Line) (b Banner, n int) {
	if strings.HasSuffix(lines[0].Text, qwenOldLogo) {
		for n < len(lines) && lines[n].Text != "" {
			n++
		}
		return b, n + geminiTips(lines[n:])
	}
	if len(lines) < 2 || !qwenBegins(lines[0].Text) || !strings.Contains(lines[1].Text, qwenName) {
		return b, 0
	}
	var in []string
	for n = 1; n < len(lines); n++ {
		t := lines[n].Text
		if strings.HasSuffix(t, "┘") || strings.HasSuffix(t, "╯") {
			break
		}
		if i := strings.LastIndex(strings.TrimSuffix(t, "│"), "│ "); i >= 0 {
			in = append(in, strings.Trim(t[i:], "│ "))
		}
	}
	if n == len(lines) || len(in) < 3 {
		return b, 0
	}
	b.Version = strings.TrimSuffix(strings.TrimPrefix(in[0], qwenName), ")")
	in = slices.DeleteFunc(in[1:], func(s string) bool { return s == "" })
	if len(in) == 0 {
		return b, n + 1
	}
	if model, ok := strings.CutSuffix(in[0], " (/model to change)"); ok {
		if _, name, ok := strings.Cut(model, " | "); ok {
			model = name
		}
		b.Model = model
	}
	b.Cwd = in[len(in)-1]
	return b, n + 1
}

// qwenSplit finds the composer and the chrome above it.
func qwenSplit(s Screen) Split {
	top, ok := qwenComposer(s.Lines)
	if !ok {
		return qwenDialog(s)
	}
	sp := Split{OK: true, State: StateIdle}
	bottom := top
	for bottom > 0 && qwenStatus(s.Lines[bottom-1]) {
		bottom--
	}
	width := qwenWidth(s.Lines[top])
	if n := barredRows(s.Lines, width); n > 0 && s.Alt {
		bottom = min(n, top)
		sp.Scrolled = !strings.HasSuffix(s.Lines[n-1].Text, "█")
	}
	for _, l := range s.Lines[bottom:top] {
		if strings.Contains(l.Text, "esc to cancel") {
			sp.State = StateBusy
		}
	}
	if d := qwenDialog(Screen{Lines: s.Lines[:bottom], Alt: s.Alt}); d.OK {
		return d
	}
	sp.Bottom = bottom
	if s.Alt {
		sp.Right = width - 1
	}
	return sp
}

// qwenWidth returns the width that the screen is laid out for, by the composer's first row: after a
// storm of resizes it may stay another than the window's.
func qwenWidth(composer Line) int {
	if isRule(composer.Text) {
		return rowWidth(composer.Row)
	}
	return composer.Cols
}

// barredRows counts the rows at the top that end in a scroll bar, in the last of so many columns.
func barredRows(lines []Line, width int) int {
	n := 0
	for n < len(lines) && rowWidth(lines[n].Row) == width && (strings.HasSuffix(lines[n].Text, "│") || strings.HasSuffix(lines[n].Text, "█")) {
		n++
	}
	return n
}

// qwenComposer finds the first row of what the user types into: the rule above it, or its box.
func qwenComposer(lines []Line) (top int, ok bool) {
	for i := len(lines) - 1; i > 1; i-- {
		if !isRule(lines[i].Text) {
			continue
		}
		for k := i - 1; k > 0; k-- {
			if isRule(lines[k-1].Text) {
				prompt, _, _ := strings.Cut(lines[k].Text, " ")
				return k - 1, slices.Contains([]string{">", "*", "!", "?"}, prompt) && rowWidth(lines[i].Row) == rowWidth(lines[k-1].Row)
			}
		}
		return 0, false
	}
	return geminiComposer(lines)
}

// qwenStatus reports whether a row above the composer is chrome: blank, a spinner, a hint or a
// prompt in the queue.
func qwenStatus(l Line) bool {
	t := strings.TrimLeft(l.Text, " ")
	n := len(l.Text) - len(t)
	r, _ := utf8.DecodeRuneInString(t)
	switch {
	case t == "", n > l.Cols/3, r >= 0x2800 && r <= 0x28ff, strings.Contains(t, "esc to cancel"), isRule(t):
		return true
	}
	return n <= qwenMargin && l.styleAt(n).Dim && !strings.HasPrefix(t, "╭") && !strings.HasPrefix(t, "│") && !strings.HasPrefix(t, "╰")
}

// qwenDialog finds a question at the end of the screen: a choice of numbered answers.
func qwenDialog(s Screen) Split {
	lines := trim(s.Lines)
	for i := len(lines) - 1; i >= 0 && i > len(lines)-12; i-- {
		if t := strings.Trim(lines[i].Text, "│ "); strings.HasPrefix(t, "› 1. ") || strings.HasPrefix(t, "● 1. ") {
			return Split{OK: true, Bottom: len(lines), State: StateAsking}
		}
	}
	return Split{}
}

// qwenParse reads the items off conversation lines.
func qwenParse(lines []Line, last bool) []Item {
	a := qwenCLI
	in := make([]Line, len(lines))
	if !qwenIndented(lines) {
		a.right = 0
		for i, l := range lines {
			if in[i] = l; strings.HasPrefix(l.Text, " ╭") || strings.HasPrefix(l.Text, " │") || strings.HasPrefix(l.Text, " ╰") {
				in[i] = cutLine(l, 1, -1)
				in[i].lost, in[i].omitted = l.lost, l.omitted
			}
		}
		return a.parse(in, last)
	}
	for i, l := range lines {
		if in[i] = l; l.Text == "" {
			continue
		}
		if in[i] = cutLine(l, qwenMargin, -1); strings.TrimLeft(l.Text[:min(len(l.Text), qwenMargin)], " ") != "" && !l.Wrapped {
			in[i].Row = &vterm.Row{} // chrome that a resize left behind
		}
		in[i].lost, in[i].omitted = l.lost, l.omitted
	}
	return a.parse(in, last)
}

// qwenIndented reports whether the conversation has a margin: its first sign is behind one.
func qwenIndented(lines []Line) bool {
	for _, l := range lines {
		t := strings.TrimLeft(l.Text, " ")
		if n := len(l.Text) - len(t); n <= qwenMargin && (strings.HasPrefix(t, "✦") || strings.HasPrefix(t, "◆") || strings.HasPrefix(t, "> ")) && l.styleAt(n).Fg.Kind != vterm.ColorDefault {
			return n == qwenMargin
		}
	}
	return !slices.ContainsFunc(lines, func(l Line) bool { return strings.HasPrefix(l.Text, "╭") })
}

// qwenElapsed is how long a tool has been running, behind what it does.
var qwenElapsed = regexp.MustCompile(`(^| +)([0-9]+[hms] ?)+$`)

// isQwenCall reports whether a line is a tool's without a box: a sign, its name in bold, what it
// does.
func isQwenCall(l Line) bool {
	r, size := utf8.DecodeRuneInString(l.Text)
	_, ok := inkStatusOf(r)
	return ok && len(l.Text) > size+1 && l.Text[size] == ' ' && l.Text[size+1] != ' ' && l.boldAt(2)
}

// qwenCall reads a tool without a box: its line, which may be wrapped, and its output.
func qwenCall(p *inkParser, i int) int {
	l := p.lines[i]
	r, _ := utf8.DecodeRuneInString(l.Text)
	t := &session.Tool{}
	t.Status, _ = inkStatusOf(r)
	t.Name, t.Input = inkNamed(l, 2)
	if t.Status == session.ToolRunning {
		t.Input = qwenElapsed.ReplaceAllString(t.Input, "")
		t.Name = qwenElapsed.ReplaceAllString(t.Name, "")
	}
	if name, input, ok := strings.Cut(t.Name, " "); ok && t.Input == "" {
		if full, doing := strings.CutSuffix(input, "…"); doing && name == "Reading" {
			name, input = "Read", full
		}
		t.Name, t.Input = name, input
	}
	style := l.Runs[len(l.Runs)-1].Style
	at := i + 1
	for t.Input != "" && at < len(p.lines) && qwenGoesOn(p.lines[at-1], p.lines[at], style) {
		t.Input += " " + strings.TrimSpace(p.lines[at].Text)
		at++
	}
	end := at
	for end < len(p.lines) && (p.lines[end].Text == "" || strings.HasPrefix(p.lines[end].Text, "  ") || p.lines[end].Wrapped) {
		end++
	}
	for end > at && p.lines[end-1].Text == "" {
		end--
	}
	t.Output, t.Truncated = inkOutput(cutLines(p.lines[at:end], 2, -1))
	p.asked()
	text := strings.TrimSpace(t.Name + " " + t.Input)
	p.add(Item{Message: session.Message{Role: session.RoleTool, Text: text, Markdown: text, Tool: t}, First: i, End: end, Open: t.Status == session.ToolRunning || p.open(end), Rule: "qwen call"})
	return end - i
}

// qwenGoesOn reports whether what a tool does, drawn in a style, goes on from line a to line b.
func qwenGoesOn(a, b Line, style vterm.Style) bool {
	if !strings.HasPrefix(b.Text, "  ") || strings.HasPrefix(b.Text, "   ") || inkHidden(b.Text) || style.Fg.Kind == vterm.ColorDefault {
		return false
	}
	for i := range b.Runs {
		if r := &b.Runs[i]; strings.TrimLeft(r.Text, " ") != "" && r.Style != style {
			return false
		}
	}
	return rowWidth(a.Row)+textWidth(firstWord(b.Text)) >= a.Cols-4
}
