package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// claudeBegins reports whether a row may be the first of the welcome.
func claudeBegins(text string) bool {
	return strings.HasPrefix(text, "╭─") || text == oldWelcome || strings.Contains(text, "Claude Code v")
}

// banner reads the welcome: a box that says "Welcome to Claude Code!" (1.0; without the box
// in a narrow window), a box with the version in its top (2.0 on a wide window), or the logo with
// three lines beside it.
func banner(lines []row.Line) (chat.Banner, int) {
	switch t := lines[0].Text; {
	case strings.HasPrefix(t, "╭─"):
		return box(lines)
	case t == oldWelcome && lines[0].BoldAt(14):
		return bare(lines)
	}
	return logo(lines)
}

// oldWelcome is the title of a welcome without a box.
const oldWelcome = " ✻ Welcome to Claude Code!"

// bare reads a welcome without a box: what hangs below its title, up to the directory, and
// the settings behind that.
func bare(lines []row.Line) (b chat.Banner, n int) {
	n = 1 + row.Run(lines[1:], func(l row.Line) bool { return l.Text == "" || l.Wrapped || strings.HasPrefix(l.Text, "   ") })
	for _, l := range lines[1:n] {
		if cwd, ok := strings.CutPrefix(l.Text, "   cwd: "); ok {
			b.Cwd = cwd
		}
	}
	return b, n
}

// box reads a welcome in a box; there is none before its bottom is drawn.
func box(lines []row.Line) (b chat.Banner, n int) {
	n = 1 + row.Run(lines[1:], func(l row.Line) bool { return strings.HasPrefix(l.Text, "│") })
	b.Version = version(strings.Trim(lines[0].Text, "╭─╮ "))
	if n == len(lines) || !strings.HasPrefix(lines[n].Text, "╰─") || b.Version == "" && !strings.Contains(lines[1].Text, "✻ Welcome to Claude Code") {
		return chat.Banner{}, 0
	}
	for _, l := range lines[1:n] {
		cell, _, _ := strings.Cut(strings.TrimPrefix(l.Text, "│"), "│")
		cell = strings.TrimSpace(cell)
		switch cwd, ok := strings.CutPrefix(cell, "cwd: "); {
		case ok:
			b.Cwd = cwd
		case b.Model == "" && strings.Contains(cell, " · "):
			b.Model, _, _ = strings.Cut(cell, " · ")
		case b.Cwd == "" && chat.IsPath(cell):
			b.Cwd = cell
		}
	}
	return b, n + 1
}

// version reads the version out of "Claude Code v2.1.197".
func version(s string) string {
	_, v, _ := strings.Cut(s, "Claude Code v")
	v, _, _ = strings.Cut(v, " ")
	return v
}

// logo reads the lines beside the logo: name and version, model, directory. The logo moves
// while it greets.
func logo(lines []row.Line) (chat.Banner, int) {
	t := lines[0].Text
	at := strings.Index(t, "Claude Code v")
	if at < 0 || len(lines) < 3 {
		return chat.Banner{}, 0
	}
	col := row.Width(t[:at])
	if !lines[0].StyleAt(col).Bold {
		return chat.Banner{}, 0
	}
	b := chat.Banner{Version: version(t)}
	b.Model, _, _ = strings.Cut(besideLogo(lines[1], col), " · ")
	for n := 2; n < len(lines); n++ { // a narrow window wraps the plan's name
		s := besideLogo(lines[n], col)
		if s == "" {
			return chat.Banner{}, 0
		}
		if chat.IsPath(s) {
			b.Cwd = s
			return b, n + 1
		}
	}
	return chat.Banner{}, 0
}

// besideLogo returns the text to the right of the logo.
func besideLogo(l row.Line, col int) string {
	return strings.TrimSpace(row.Text(row.Spans(l.Row, col, -1, row.PlainMarks)))
}
