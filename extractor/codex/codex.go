// Package codex reads the Codex CLI.
package codex

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
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
	end := len(lines)
	for end > at+1 && lines[end-1].Text != "" { // the footer
		end--
	}
	if end == at+1 && len(lines) > end {
		end = len(lines) // there is none
	}
	return chat.Box{Rows: row.Trim(lines[at:max(end, at+1)]), Left: 2, Right: -1}, true
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
		Looks: []chat.Look{{
			Versions: "0.20-",
			Begins:   codexBegins, Banner: banner, Split: split, Parse: parse, Box: inputBox,
		}},
	}
}

// codexBegins reports whether a row may be the first of the welcome.
func codexBegins(text string) bool {
	return strings.HasPrefix(text, "╭─") || strings.HasPrefix(text, "  >_ OpenAI Codex (v") || strings.HasPrefix(text, ">_ You are using OpenAI Codex in ")
}

// banner reads the welcome: a line in 0.2x, a box later, two lines on the alternate screen.
func banner(lines []row.Line) (chat.Banner, int) {
	switch t := lines[0].Text; {
	case strings.HasPrefix(t, "╭─"):
		return boxBanner(lines)
	case strings.HasPrefix(t, "  >_ OpenAI Codex (v"):
		return bareBanner(lines)
	case strings.HasPrefix(t, ">_ You are using OpenAI Codex in "):
		return lineBanner(lines)
	}
	return chat.Banner{}, 0
}

// boxBanner reads the boxed welcome. /status prints a box with the same title, but labels its
// lines otherwise.
func boxBanner(lines []row.Line) (b chat.Banner, n int) {
	model := false
	_, n = boxRow(lines, "╭─", "╮")
	for first := true; n < len(lines) && !strings.HasPrefix(lines[n].Text, "╰─"); first = false {
		in, rows := boxRow(lines[n:], "│", "│")
		if rows == 0 {
			return chat.Banner{}, 0
		}
		switch {
		case first:
			v, ok := strings.CutPrefix(in, ">_ OpenAI Codex (v")
			if !ok {
				return chat.Banner{}, 0
			}
			b.Version, _, _ = strings.Cut(v, ")")
		case strings.HasPrefix(in, "model:"):
			b.Model, model = field(in, "model:"), true
		case strings.HasPrefix(in, "directory:"):
			b.Cwd = field(in, "directory:")
		}
		n += rows
	}
	_, rows := boxRow(lines[min(n, len(lines)):], "╰─", "╯")
	if rows == 0 || !model || b.Model == loading {
		return chat.Banner{}, 0
	}
	return b, n + rows
}

// boxRow reads a row of a box that begins and ends with those, and of how many lines it is: a
// narrow window wraps it. It is of none where it has no end.
func boxRow(lines []row.Line, begin, end string) (in string, rows int) {
	var text strings.Builder
	for rows < min(len(lines), 4) {
		text.WriteString(lines[rows].Text + " ")
		rows++
		if in, ok := strings.CutPrefix(text.String(), begin); !ok {
			break
		} else if in, ok = strings.CutSuffix(strings.TrimSpace(in), end); ok {
			return strings.TrimSpace(in), rows
		}
	}
	return "", 0
}

// loading is shown in a welcome that is not complete: it will be redrawn.
const loading = "loading"

// field returns the value after a label, up to the hint that follows it.
func field(t, label string) string {
	v := strings.TrimSpace(strings.TrimPrefix(t, label))
	v, _, _ = strings.Cut(v, "   ")
	return v
}

// bareBanner reads the welcome of the alternate screen: a title, the directory, perhaps the
// permissions. What /status prints begins with the same title, but a blank line follows.
func bareBanner(lines []row.Line) (b chat.Banner, n int) {
	b.Version, _, _ = strings.Cut(strings.TrimPrefix(lines[0].Text, "  >_ OpenAI Codex (v"), ")")
	if !lines[0].BoldAt(len("  >_ ")) {
		return chat.Banner{}, 0
	}
	n = chat.Run(lines, func(l row.Line) bool { return l.Text != "" })
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

// lineBanner reads the welcome of 0.2x.
func lineBanner(lines []row.Line) (b chat.Banner, n int) {
	b.Cwd = strings.TrimPrefix(lines[0].Text, ">_ You are using OpenAI Codex in ")
	return b, 1
}
