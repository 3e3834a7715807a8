// Package codex reads the Codex CLI.
package codex

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// inputBox: "› text", and rows that are indented like it. A blank row and those of the footer
// follow.
func inputBox(lines []row.Line) (chat.Box, bool) {
	lines = row.Trim(lines)
	at := composer(lines)
	if at < 0 {
		return chat.Box{}, false
	}
	rows := lines[at:]
	if n := row.Last(rows, func(l row.Line) bool { return l.Text == "" }); n > 0 { // the footer is below
		rows = row.Trim(rows[:n])
	}
	return chat.Box{Rows: rows, Left: 2, Right: -1}, true
}

// Agent returns the Codex CLI. It is drawn by ratatui: a conversation is a list of cells, each of
// which begins with a marker in column 0 and is indented below it; the composer and its hints are
// below the cells. Its looks:
//
//	0.2x        "▌" before each line of the user, "> " before replies, "•" before tools; code
//	            has no blank lines around it
//	0.34-0.42   the same, code between blank lines, a boxed banner
//	0.44-0.9x   "› " before the user, "• " before replies and tools; code spans dim, later cyan
//	0.10x-0.15x code in the colours of a syntax theme, tables drawn: in boxes at first, with
//	            rulers from 0.14x on
//	0.16x-      all that on the alternate screen, with a scrolling of its own and the last
//	            prompt pinned to the top
func Agent() *chat.Agent {
	return &chat.Agent{
		Name: "codex", Title: "OpenAI Codex", Widths: vterm.Points,
		Usage:  usage,
		Resume: chat.ResumedBy("codex", []string{"resume", chat.ResumeID}, chat.UUID, `codex resume `, "resume"),
		Send:   &chat.Sending{Interrupt: []string{"\x1b"}, Shell: true, Completes: true, Clear: "\x03", Folds: []string{"[Pasted Content "}},
		Looks: []chat.Look{{
			Versions: "0.20-",
			Begins:   begins, Banner: banner, Split: split, Parse: cells.Parse, Box: inputBox,
		}},
	}
}

// What welcomes begin with: a line in 0.2x, a box later, two lines on the alternate screen.
const (
	oldTitle = ">_ You are using OpenAI Codex in "
	boxTop   = "╭─"
	welcome  = ">_ OpenAI Codex (v"
)

// begins reports whether a row may be the first of the welcome.
func begins(text string) bool { return chat.Begins(text, boxTop, "  "+welcome, oldTitle) }

// banner reads the welcome.
func banner(lines []row.Line) (chat.Banner, int) {
	switch t := lines[0].Text; {
	case strings.HasPrefix(t, boxTop):
		return boxBanner(lines)
	case strings.HasPrefix(t, "  "+welcome) && lines[0].BoldAt(len("  >_ ")):
		return bareBanner(lines)
	case strings.HasPrefix(t, oldTitle):
		return chat.Banner{Cwd: t[len(oldTitle):]}, 1
	}
	return chat.Banner{}, 0
}

// boxed matches a boxed welcome, its rows joined by blanks: a narrow window wraps them. A hint may
// follow what a row says. /status prints a box with the same title, but labels its rows otherwise.
var boxed = lazy.Regexp(`^╭─[─ ]*╮ │ *>_ OpenAI Codex \(v([^)│]+)\)` + boxRows + `│ *model: +` + boxValue + `│` + boxRows + `│ *directory: +` + boxValue + `│[^╭╮]*╰─[─ ]*╯$`)

const (
	boxRows  = `[^╭╰]*?`
	boxValue = `([^│]+?)(?:   [^│]*)?`
)

// boxBanner reads the boxed welcome.
func boxBanner(lines []row.Line) (b chat.Banner, n int) {
	n = min(1+row.Run(lines, func(l row.Line) bool { return !strings.HasSuffix(l.Text, "╯") }), len(lines), 24)
	texts := make([]string, n)
	for i, l := range lines[:n] {
		texts[i] = l.Text
	}
	m := boxed().FindStringSubmatch(strings.Join(texts, " "))
	if m == nil || strings.TrimSpace(m[2]) == loading {
		return chat.Banner{}, 0
	}
	return chat.Banner{Version: m[1], Model: strings.TrimSpace(m[2]), Cwd: strings.TrimSpace(m[3])}, n
}

// loading is shown in a welcome that is not complete: it will be redrawn.
const loading = "loading"

// bareBanner reads the welcome of the alternate screen: a title, the directory, perhaps the
// permissions. What /status prints begins with the same title, but a blank line follows.
func bareBanner(lines []row.Line) (b chat.Banner, n int) {
	b.Version, _, _ = strings.Cut(strings.TrimPrefix(lines[0].Text, "  "+welcome), ")")
	n = row.Run(lines, row.Filled)
	for _, l := range lines[1:n] {
		if cwd, ok := strings.CutPrefix(l.Text, "     "); ok {
			b.Cwd = cwd
		}
	}
	if b.Cwd == "" || b.Cwd == loading {
		return chat.Banner{}, 0
	}
	for _, l := range lines[max(0, len(lines)-3):] { // "  gpt-5 high · ~/shop" below the composer
		if m, ok := strings.CutSuffix(l.Text, " · "+b.Cwd); ok {
			b.Model = strings.TrimSpace(m)
		}
	}
	return b, n
}
