// Package codex reads the Codex CLI.
package codex

import (
	"cmp"
	"slices"
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
	if n := row.Last(rows, row.Blank); n > 0 { // the footer is below
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
		Send: &chat.Sending{Interrupt: []string{"\x1b"}, Shell: true, Completes: true, Clear: "\x03",
			Folds: []string{"[Pasted Content "}},
		Looks: []chat.Look{{
			Versions: "0.20-",
			Begins:   welcome.Begins, Banner: banner, Split: split, Parse: cells.Parse, Box: inputBox,
		}},
	}
}

// What welcomes begin with: a line in 0.2x, a box later, two lines on the alternate screen.
const (
	oldTitle  = ">_ You are using OpenAI Codex in "
	boxTop    = "╭─"
	bareTitle = "  >_ OpenAI Codex (v"
)

// Pieces of a boxed welcome: rows that say nothing, and what a row says, with a hint behind it.
const (
	boxRows = `[^╭╰]*?`
	inBox   = `[^│]+?)(?:   [^│]*)?│`
)

// welcome is a line; a box, whose rows a narrow window wraps; or a title, the directory, perhaps
// the permissions. What /status prints begins with the same titles, but labels the rows of its box
// otherwise, and has a blank line below a title without one.
var welcome = chat.Welcome{
	Begins: func(text string) bool { return row.Starts(text, boxTop, bareTitle, oldTitle) },
	Titles: []string{"OpenAI Codex"},
	Forms: []chat.Form{
		{Text: lazy.Regexp(`^╭─[─\s]*╮\n│ *>_ OpenAI Codex \(v(?P<version>[^)│]+)\)` + boxRows + `│ *model: +(?P<model>` +
			inBox + boxRows + `│ *directory: +(?P<cwd>` + inBox + `[^╭╮╯]*╰─[─\s]*╯\n`)},
		{Text: lazy.Regexp(`^  >_ OpenAI Codex \(v(?P<version>[^)\n]+).*\n(?:.+\n)*     (?P<cwd>.+)\n(?:.+\n)*`),
			Bold: "OpenAI"},
		{Text: lazy.Regexp(`^>_ You are using OpenAI Codex in (?P<cwd>.*)\n`)},
	},
}

// loading is shown in a welcome that is not complete: it will be redrawn.
const loading = "loading"

// banner reads the welcome. On the alternate screen, the row below the composer names the model:
// "  gpt-5 high · ~/shop".
func banner(lines []row.Line) (chat.Banner, int) {
	b, n := welcome.Banner(lines)
	if slices.Contains([]string{b.Model, b.Cwd}, loading) {
		return chat.Banner{}, 0
	}
	for _, l := range lines[max(0, len(lines)-3):] {
		if model, ok := strings.CutSuffix(l.Text, " · "+b.Cwd); ok {
			b.Model = cmp.Or(b.Model, strings.TrimSpace(model))
		}
	}
	return b, n
}
