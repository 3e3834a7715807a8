// Package qwen reads Qwen Code.
package qwen

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// inputBox: "> text" between two rules, or a box like Gemini CLI's.
func inputBox(lines []row.Line) (chat.Box, bool) {
	top, ok := composer(lines)
	if !row.IsRule(lines[top].Text) {
		return inkcli.InputBox(lines)
	}
	return chat.Box{Rows: chat.Between(lines[top+1:], row.IsRuled), Left: 2, Right: -1}, ok
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
		Send: &chat.Sending{Interrupt: []string{"\x1b"}, Typed: true, Completes: true, Denies: true,
			Folds: []string{"[Pasted Content ", "[Pasted Text: "}},
		Looks: []chat.Look{{
			Versions: "0.0.1-",
			Begins:   welcome.Begins, Banner: welcome.Banner, Split: split, Parse: parse, Box: inputBox,
		}},
	}
}

const (
	margin  = 2 // columns to the left of the conversation, since 0.10
	oldLogo = "██████╗ ██╗    ██╗███████╗███╗   ██╗"

	// inBox and boxEnd match what is around the words of a row in the box.
	inBox  = `[^│\n]*│ *`
	boxEnd = ` *│?\n`
)

// parser returns the parser for lines without their margin that leave right columns free at the
// right.
func parser(right int) func(lines []row.Line) []chat.Item {
	a := inkcli.CLI{
		Agent: "qwen", Replies: []string{"✦", "◆"}, Notices: []string{"ℹ", "⚠", "✕", "✖", "●"},
		Style: markdown.Style{Left: 2, Right: right, Slack: 4, Item: item}, Tinted: true,
		Welcome: &welcome, Status: status, Call: chat.Cell{Begin: inkcli.CallAt(0), Rows: inkcli.CallRows("  "),
			Add: inkcli.Call(call)},
	}
	return a.Parse()
}

// The parsers for conversations without a margin, before 0.10, and with one.
var parseOld, parseNew = parser(0), parser(margin)

// item parses a list item, or a task with its sign.
func item(l *markdown.Line) (markdown.Item, bool) {
	return markdown.TaskItem(l, map[string]string{"○\ufe0e": markdown.TaskOpen, "✓": markdown.TaskDone})
}

// qwenBegins reports whether a row may be the first of the welcome.
func qwenBegins(text string) bool {
	return strings.Contains(text, "┌──") || strings.Contains(text, "╭──") || strings.HasSuffix(text, oldLogo)
}

// welcome is the box with the version, model and directory, beside the logo where there is room; or
// the old logo, which has no version.
var welcome = chat.Welcome{Begins: qwenBegins, Titles: []string{">_ Qwen Code", oldLogo}, Forms: []chat.Form{
	{Text: lazy.Regexp(`^.*` + oldLogo + `\n(?:.+\n)*`)},
	{Text: lazy.Regexp(`^.*\n` + inBox + `>_ Qwen Code \(v(?P<version>.*)\)` + boxEnd +
		`(?:` + inBox + boxEnd + `|` + inBox + `(?:[^│\n]* \| )?(?P<model>[^│\n]*) \(/model to change\)` + boxEnd +
		`|` + inBox + `(?P<cwd>[^│\n]*?)` + boxEnd + `|[^│\n]*\n)*?.*[┘╯]\n`)},
}}

// chrome is what is below the conversation.
var chrome = inkcli.Chrome{Composer: composer, Status: status, Dialog: inkcli.Question(lazy.Regexp(`^[│ ]*[›●] 1\. `))}

// split divides the screen. On the alternate one, a scroll bar is beside the conversation.
func split(s chat.Screen) chat.Split {
	sp := chrome.Split(s.Lines)
	if !s.Alt || !sp.OK {
		return sp
	}
	width := s.Lines[0].Cols
	if sp.State != chat.StateAsking {
		top, _ := composer(s.Lines)
		width = row.Extent(s.Lines[top].Row) // after many resizes it may differ from the window's
		if n := barredRows(s.Lines, width); n > 0 {
			sp.Bottom = min(n, top)
			sp.Scrolled = !strings.HasSuffix(s.Lines[n-1].Text, "█")
		}
	}
	sp.Right = width - 1
	return sp
}

// barredRows returns the number of rows at the top that end with a scroll bar in the last of width
// columns.
func barredRows(lines []row.Line, width int) int {
	return row.Run(lines, func(l row.Line) bool {
		return row.Extent(l.Row) == width && (strings.HasSuffix(l.Text, "│") || strings.HasSuffix(l.Text, "█"))
	})
}

// composer finds the first row of the input: the rule above it, or its box.
func composer(lines []row.Line) (top int, ok bool) {
	below := row.Last(lines, row.IsRuled)
	if top = row.Last(lines[:max(below, 0)], row.IsRuled); top < 0 {
		return inkcli.ComposerAt(lines)
	}
	return top, row.Starts(lines[top+1].Text, ">", "*", "!", "?")
}

// hints reports whether a row above the composer is chrome: blank, a spinner, a hint or a
// prompt in the queue.
var hints = inkcli.Hints(lazy.Regexp(`^ *($|[⠁-⣿])`), lazy.Regexp(`\(.*esc to cancel`), lazy.Regexp(`^ *[╭│╰]`))

// dots matches the spinner of some terminals. Its text has another colour.
var dots = lazy.Regexp(`^  \.{1,3} *$`)

// status reports whether a row above the composer is chrome.
func status(l row.Line) bool {
	return hints(l) || len(l.Runs) > 1 && dots().MatchString(l.Runs[0].Text)
}

// parse parses the items in conversation lines, without their margin or, before 0.10, without that
// of boxes.
func parse(lines []row.Line) []chat.Item {
	read, cut := parseNew, margin
	if !qwenIndented(lines) {
		read, cut = parseOld, 1
	}
	in := slices.Clone(lines)
	for i, l := range lines {
		// what the terminal wrapped begins in the first column
		if cut == 1 && !strings.ContainsRune("╭│╰", row.FirstRune(strings.TrimPrefix(l.Text, " "))) || l.Wrapped {
			continue
		}
		if in[i] = row.CutLine(l, cut, -1); !strings.HasPrefix(l.Text, row.Blanks(cut)) {
			in[i].Row = &vterm.Row{} // chrome that a resize has left
		}
		in[i].Lost, in[i].Omitted = l.Lost, l.Omitted
	}
	return read(in)
}

// qwenIndented reports whether the conversation has a margin: its first sign is after one. Without
// colours, any is.
func qwenIndented(lines []row.Line) bool {
	plain := false
	for _, l := range lines {
		n := row.Indent(l.Text)
		switch {
		case !strings.ContainsRune("✦◆>", row.FirstRune(l.Text[n:])):
		case l.StyleAt(n).Fg.Kind != vterm.ColorDefault:
			return n == margin
		default:
			plain = plain || n == margin
		}
	}
	return plain || !slices.ContainsFunc(lines, row.Prefixed("╭"))
}

// elapsed matches how long a tool has been running, after its input.
var elapsed = lazy.Regexp(`(^| +)([0-9]+[hms] ?)+$`)

// call parses a tool without a box: its line, which may be wrapped, and its output.
func call(lines []row.Line) *session.Tool {
	l := lines[0]
	t := inkcli.Named(l, 2)
	if t.Status == session.ToolRunning {
		t.Input = elapsed().ReplaceAllString(t.Input, "")
		t.Name = elapsed().ReplaceAllString(t.Name, "")
	}
	if t.Input == "" {
		t.Name, t.Input, _ = strings.Cut(t.Name, " ")
	}
	if t.Name == "Reading" {
		t.Name, t.Input = "Read", strings.TrimSuffix(t.Input, "…")
	}
	style := l.StyleAt(row.Extent(l.Row) - 1)
	head := chat.Until(lines, func(k int) bool { return !qwenGoesOn(lines[k-1], lines[k], style) })
	for k, l := range lines[1:head] {
		text := strings.TrimSpace(l.Text)
		if row.Width(row.LastWord(lines[k].Text))+row.Width(row.FirstWord(text)) <= l.Cols-4 {
			// Otherwise a long word was cut.
			text = " " + text
		}
		t.Input += text
	}
	inkcli.Output(t, lines[head:], 2)
	return t
}

// qwenGoesOn reports whether a tool's input, drawn in a style, continues from line a to line b.
func qwenGoesOn(a, b row.Line, style vterm.Style) bool {
	return inkcli.DrawnIn(style)(b) && row.Indent(b.Text) == 2 && !inkcli.Hidden(b) &&
		row.Extent(a.Row)+row.Width(row.FirstWord(b.Text)) >= a.Cols-4
}
