// Package qwen reads Qwen Code.
package qwen

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// inputBox: "> text" between two rules, or a box like Gemini CLI's.
func inputBox(lines []row.Line) (chat.Box, bool) {
	top, ok := composer(lines)
	if !ok {
		return chat.Box{}, false
	}
	if !row.IsRule(lines[top].Text) {
		return inkcli.InputBox(lines)
	}
	return chat.Box{Rows: chat.Between(lines[top+1:], func(l row.Line) bool { return row.IsRule(l.Text) }), Left: 2, Right: -1}, true
}

// Agent returns Qwen Code, which descends from the Gemini CLI and draws like it, but:
//
//	to 0.5    a logo of its own, prompts in grey
//	from 0.10 all is two columns further in; the name and the version in a box beside the logo;
//	          the composer between two rules
//	from 0.21 ◆ before replies, tools without a box: "✓ Read main.go" with the output below
//	0.24      on the alternate screen, with a scroll bar in the last column once the
//	          conversation is taller than its window
func Agent() *chat.Agent {
	return &chat.Agent{
		Name: "qwen", Title: "Qwen Code", Usage: inkcli.Usage(),
		Resume: chat.ResumedBy("qwen", []string{"--resume", chat.ResumeID}, chat.UUID, `qwen --resume `, "--resume", "-r"),
		Looks: []chat.Look{{
			Versions: "0.0.1-",
			Begins:   qwenBegins, Banner: banner, Split: split, Parse: parse, Box: inputBox,
		}},
	}
}

const (
	margin  = 2 // columns left of the conversation, from 0.10 on
	name    = ">_ Qwen Code (v"
	oldLogo = "██████╗ ██╗    ██╗███████╗███╗   ██╗"
)

// cLI is what Qwen Code draws in its own way. Its margin is cut off before.
var cLI = inkcli.CLI{Name: "qwen", Replies: "✦◆", Notices: "ℹ⚠✕✖●", Right: 2, Tinted: true, Banner: banner, Status: status, IsCall: isQwenCall, Call: call}

// qwenBegins reports whether a row may be the first of the welcome.
func qwenBegins(text string) bool {
	return strings.Contains(text, "┌──") || strings.Contains(text, "╭──") || strings.HasSuffix(text, oldLogo)
}

// banner reads the welcome: the box with the version, model and directory, beside the logo
// where there is room; or the old logo, which has no version.
func banner(lines []row.Line) (b chat.Banner, n int) {
	if strings.HasSuffix(lines[0].Text, oldLogo) {
		for n < len(lines) && lines[n].Text != "" {
			n++
		}
		return b, n + inkcli.Tips(lines[n:])
	}
	if len(lines) < 2 || !qwenBegins(lines[0].Text) || !strings.Contains(lines[1].Text, name) {
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
	b.Version = strings.TrimSuffix(strings.TrimPrefix(in[0], name), ")")
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

// split finds the composer and the chrome above it.
func split(s chat.Screen) chat.Split {
	top, ok := composer(s.Lines)
	if !ok {
		return dialog(s)
	}
	sp := chat.Split{OK: true, State: chat.StateIdle}
	bottom := top
	for bottom > 0 && status(s.Lines[bottom-1]) {
		bottom--
	}
	width := qwenWidth(s.Lines[top])
	if n := barredRows(s.Lines, width); n > 0 && s.Alt {
		bottom = min(n, top)
		sp.Scrolled = !strings.HasSuffix(s.Lines[n-1].Text, "█")
	}
	for _, l := range s.Lines[bottom:top] {
		if strings.Contains(l.Text, "esc to cancel") {
			sp.State = chat.StateBusy
		}
	}
	if d := dialog(chat.Screen{Lines: s.Lines[:bottom], Alt: s.Alt}); d.OK {
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
func qwenWidth(composer row.Line) int {
	if row.IsRule(composer.Text) {
		return row.Extent(composer.Row)
	}
	return composer.Cols
}

// barredRows counts the rows at the top that end in a scroll bar, in the last of so many columns.
func barredRows(lines []row.Line, width int) int {
	n := 0
	for n < len(lines) && row.Extent(lines[n].Row) == width && (strings.HasSuffix(lines[n].Text, "│") || strings.HasSuffix(lines[n].Text, "█")) {
		n++
	}
	return n
}

// composer finds the first row of what the user types into: the rule above it, or its box.
func composer(lines []row.Line) (top int, ok bool) {
	for i := len(lines) - 1; i > 1; i-- {
		if !row.IsRule(lines[i].Text) {
			continue
		}
		for k := i - 1; k > 0; k-- {
			if row.IsRule(lines[k-1].Text) {
				prompt, _, _ := strings.Cut(lines[k].Text, " ")
				return k - 1, slices.Contains([]string{">", "*", "!", "?"}, prompt) && row.Extent(lines[i].Row) == row.Extent(lines[k-1].Row)
			}
		}
		return 0, false
	}
	return inkcli.ComposerAt(lines)
}

// status reports whether a row above the composer is chrome: blank, a spinner, a hint or a
// prompt in the queue.
func status(l row.Line) bool {
	t := strings.TrimLeft(l.Text, " ")
	n := len(l.Text) - len(t)
	r, _ := utf8.DecodeRuneInString(t)
	switch {
	case t == "", n > l.Cols/3, r >= 0x2800 && r <= 0x28ff, strings.Contains(t, "esc to cancel"), row.IsRule(t):
		return true
	}
	return n <= margin && l.StyleAt(n).Dim && !strings.HasPrefix(t, "╭") && !strings.HasPrefix(t, "│") && !strings.HasPrefix(t, "╰")
}

// dialog finds a question at the end of the screen: a choice of numbered answers.
func dialog(s chat.Screen) chat.Split {
	lines := row.Trim(s.Lines)
	for i := len(lines) - 1; i >= 0 && i > len(lines)-12; i-- {
		if t := strings.Trim(lines[i].Text, "│ "); strings.HasPrefix(t, "› 1. ") || strings.HasPrefix(t, "● 1. ") {
			return chat.Split{OK: true, Bottom: len(lines), State: chat.StateAsking}
		}
	}
	return chat.Split{}
}

// parse reads the items off conversation lines.
func parse(lines []row.Line, last bool) []chat.Item {
	a := cLI
	in := make([]row.Line, len(lines))
	if !qwenIndented(lines) {
		a.Right = 0
		for i, l := range lines {
			if in[i] = l; strings.HasPrefix(l.Text, " ╭") || strings.HasPrefix(l.Text, " │") || strings.HasPrefix(l.Text, " ╰") {
				in[i] = row.CutLine(l, 1, -1)
				in[i].Lost, in[i].Omitted = l.Lost, l.Omitted
			}
		}
		return a.Parse(in, last)
	}
	for i, l := range lines {
		if in[i] = l; l.Text == "" {
			continue
		}
		if in[i] = row.CutLine(l, margin, -1); strings.TrimLeft(l.Text[:min(len(l.Text), margin)], " ") != "" && !l.Wrapped {
			in[i].Row = &vterm.Row{} // chrome that a resize left behind
		}
		in[i].Lost, in[i].Omitted = l.Lost, l.Omitted
	}
	return a.Parse(in, last)
}

// qwenIndented reports whether the conversation has a margin: its first sign is behind one.
func qwenIndented(lines []row.Line) bool {
	for _, l := range lines {
		t := strings.TrimLeft(l.Text, " ")
		if n := len(l.Text) - len(t); n <= margin && (strings.HasPrefix(t, "✦") || strings.HasPrefix(t, "◆") || strings.HasPrefix(t, "> ")) && l.StyleAt(n).Fg.Kind != vterm.ColorDefault {
			return n == margin
		}
	}
	return !slices.ContainsFunc(lines, func(l row.Line) bool { return strings.HasPrefix(l.Text, "╭") })
}

// elapsed is how long a tool has been running, behind what it does.
var elapsed = regexp.MustCompile(`(^| +)([0-9]+[hms] ?)+$`)

// isQwenCall reports whether a line is a tool's without a box: a sign, its name in bold, what it
// does.
func isQwenCall(l row.Line) bool {
	r, size := utf8.DecodeRuneInString(l.Text)
	_, ok := inkcli.StatusOf(r)
	return ok && len(l.Text) > size+1 && l.Text[size] == ' ' && l.Text[size+1] != ' ' && l.BoldAt(2)
}

// call reads a tool without a box: its line, which may be wrapped, and its output.
func call(p *inkcli.Parser, i int) int {
	l := p.Lines[i]
	r, _ := utf8.DecodeRuneInString(l.Text)
	t := &session.Tool{}
	t.Status, _ = inkcli.StatusOf(r)
	t.Name, t.Input = inkcli.Named(l, 2)
	if t.Status == session.ToolRunning {
		t.Input = elapsed.ReplaceAllString(t.Input, "")
		t.Name = elapsed.ReplaceAllString(t.Name, "")
	}
	if name, input, ok := strings.Cut(t.Name, " "); ok && t.Input == "" {
		if full, doing := strings.CutSuffix(input, "…"); doing && name == "Reading" {
			name, input = "Read", full
		}
		t.Name, t.Input = name, input
	}
	style := l.Runs[len(l.Runs)-1].Style
	at := i + 1
	for t.Input != "" && at < len(p.Lines) && qwenGoesOn(p.Lines[at-1], p.Lines[at], style) {
		t.Input += " " + strings.TrimSpace(p.Lines[at].Text)
		at++
	}
	end := at
	for end < len(p.Lines) && (p.Lines[end].Text == "" || strings.HasPrefix(p.Lines[end].Text, "  ") || p.Lines[end].Wrapped) {
		end++
	}
	for end > at && p.Lines[end-1].Text == "" {
		end--
	}
	t.Output, t.Truncated = inkcli.ToolOutput(row.CutLines(p.Lines[at:end], 2, -1))
	p.Asked()
	text := strings.TrimSpace(t.Name + " " + t.Input)
	p.Add(chat.Item{Message: session.Message{Role: session.RoleTool, Text: text, Markdown: text, Tool: t}, First: i, End: end, Open: t.Status == session.ToolRunning || p.Open(end), Rule: "qwen call"})
	return end - i
}

// qwenGoesOn reports whether what a tool does, drawn in a style, goes on from line a to line b.
func qwenGoesOn(a, b row.Line, style vterm.Style) bool {
	if !strings.HasPrefix(b.Text, "  ") || strings.HasPrefix(b.Text, "   ") || inkcli.Hidden(b.Text) || style.Fg.Kind == vterm.ColorDefault {
		return false
	}
	for i := range b.Runs {
		if r := &b.Runs[i]; strings.TrimLeft(r.Text, " ") != "" && r.Style != style {
			return false
		}
	}
	return row.Extent(a.Row)+row.Width(row.FirstWord(b.Text)) >= a.Cols-4
}
