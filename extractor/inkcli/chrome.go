package inkcli

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// InputBox finds what the user types: " > text" between two bars, or "│ > text │" in a box.
func InputBox(lines []row.Line) (chat.Box, bool) {
	top, ok := ComposerAt(lines)
	if !ok {
		return chat.Box{}, false
	}
	rows := chat.Between(lines[top+1:], func(l row.Line) bool { return IsBar(l) || strings.HasPrefix(l.Text, "╰") })
	if strings.HasPrefix(rows[0].Text, "│") {
		return chat.Box{Rows: rows, Left: 4, Right: rows[0].Cols - 1}, true
	}
	return chat.Box{Rows: rows, Left: 3, Right: -1}, true
}

// Tips counts the lines of the tips, with the notices between logo and tips.
func Tips(lines []row.Line) int {
	for i := 0; i < len(lines) && i < 24; i++ {
		if lines[i].Text == "Tips for getting started:" {
			for i++; i < len(lines) && lines[i].Text != "" && !isTalk(lines[i]) && !strings.HasPrefix(lines[i].Text, "╭"); {
				i++
			}
			return i
		}
		if isTalk(lines[i]) {
			break
		}
	}
	return 0
}

// isTalk reports whether a prompt or a reply begins on a row.
func isTalk(l row.Line) bool {
	return strings.HasPrefix(l.Text, "✦ ") || strings.HasPrefix(l.Text, "> ") || IsBar(l)
}

// IsBar reports whether a row is one of the half-block bars above and below a prompt, over the
// whole width.
func IsBar(l row.Line) bool {
	t := l.Text
	if len(t) < 3*8 || t[:3] != "▄" && t[:3] != "▀" {
		return false
	}
	return t[3:] == t[:len(t)-3]
}

// ComposerAt finds the first row of the input box.
func ComposerAt(lines []row.Line) (top int, ok bool) {
	for i := len(lines) - 1; i >= 0; i-- {
		if IsBar(lines[i]) {
			if i+1 < len(lines) && row.HasBackground(lines[i+1].Row) && isComposer(lines[i+1:], 1) {
				return i, true
			}
			continue
		}
		if strings.HasPrefix(lines[i].Text, "╭──") && i+1 < len(lines) && strings.HasPrefix(lines[i+1].Text, "│ ") && isComposer(lines[i+1:], 2) {
			return i, true
		}
	}
	return 0, false
}

// isComposer reports whether the rows in a box are what the user types: a prompt sign, and the
// cursor or the hint.
func isComposer(lines []row.Line, col int) bool {
	first := row.Text(row.Spans(lines[0].Row, col, -1, row.PlainMarks))
	if len(first) < 2 || !strings.ContainsRune(">*!(", rune(first[0])) {
		return false
	}
	if strings.Contains(first, "  Type your message") || strings.Contains(first, "  Type your shell command") {
		return true
	}
	for i := 0; i < len(lines) && !IsBar(lines[i]) && !strings.HasPrefix(lines[i].Text, "╰"); i++ {
		if row.HasInverse(lines[i].Row) {
			return true
		}
	}
	return false
}
