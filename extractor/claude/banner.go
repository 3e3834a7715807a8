package claude

import (
	"cmp"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// The titles of welcomes: without a box in 1.0, and with the version.
const (
	oldWelcome = " ✻ Welcome to Claude Code!"
	title      = "Claude Code v"
)

// claudeBegins reports whether a row may be the first of the welcome.
func claudeBegins(text string) bool {
	return chat.Begins(text, "╭─", oldWelcome) || strings.Contains(text, title)
}

// banner reads the welcome: a box that says "Welcome to Claude Code!" (1.0; without the box in a
// narrow window), a box with the version in its top (2.0 on a wide window), or the logo with three
// lines beside it. There is no box before its bottom is drawn.
func banner(lines []row.Line) (b chat.Banner, n int) {
	switch t := lines[0].Text; {
	case strings.HasPrefix(t, "╭─"):
		n = 2 + row.Run(lines[1:], func(l row.Line) bool { return strings.HasPrefix(l.Text, "│") })
		b.Version = version(t)
		if n > len(lines) || !strings.HasPrefix(lines[n-1].Text, "╰─") || b.Version == "" && !strings.Contains(lines[1].Text, oldWelcome[1:len(oldWelcome)-1]) {
			return chat.Banner{}, 0
		}
	case t == oldWelcome && lines[0].BoldAt(14):
		n = 1 + row.Run(lines[1:], func(l row.Line) bool { return l.Text == "" || l.Wrapped || strings.HasPrefix(l.Text, "   ") })
	default:
		return logo(lines)
	}
	for _, l := range lines[1:n] {
		cell, _, _ := strings.Cut(strings.TrimPrefix(l.Text, "│"), "│")
		setting(&b, strings.TrimSpace(cell))
	}
	return b, n
}

// setting reads a line of the welcome: the directory, or the model and what it is paid by.
func setting(b *chat.Banner, s string) {
	cwd, labelled := strings.CutPrefix(s, "cwd: ")
	model, _, paid := strings.Cut(s, " · ")
	switch {
	case labelled:
		b.Cwd = cwd
	case paid:
		b.Model = cmp.Or(b.Model, model)
	case chat.IsPath(s):
		b.Cwd = cmp.Or(b.Cwd, s)
	}
}

// version reads the version out of "Claude Code v2.1.197".
func version(s string) string {
	_, v, _ := strings.Cut(s, title)
	return row.FirstWord(v)
}

// logo reads the lines beside the logo: name and version, model, directory. The logo moves
// while it greets.
func logo(lines []row.Line) (b chat.Banner, n int) {
	name, _, ok := strings.Cut(lines[0].Text, title)
	if !ok { // as of most rows that are asked
		return b, 0
	}
	col := row.Width(name)
	if !lines[0].BoldAt(col) {
		return b, 0
	}
	b.Version = version(lines[0].Text)
	for n, l := range lines[1:] { // a narrow window wraps the plan's name
		s := strings.TrimSpace(row.CutLine(l, col, -1).Text)
		switch {
		case s == "":
			return chat.Banner{}, 0
		case n == 0:
			b.Model, _, _ = strings.Cut(s, " · ")
		case chat.IsPath(s):
			b.Cwd = s
			return b, n + 2
		}
	}
	return chat.Banner{}, 0
}
