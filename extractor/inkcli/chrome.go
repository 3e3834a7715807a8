package inkcli

import (
	"slices"
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
	for i := len(lines) - 2; i >= 0; i-- {
		below := lines[i+1:]
		if IsBar(lines[i]) && isComposer(below, 1) || strings.HasPrefix(lines[i].Text, "╭──") && isComposer(below, 2) {
			return i, true
		}
	}
	return 0, false
}

// composerSigns begin what is typed.
const composerSigns = ">*!("

// isComposer reports whether the rows below the first of a box are what the user types: a prompt
// sign at a column, and the cursor or a hint.
func isComposer(lines []row.Line, col int) bool {
	if t := strings.TrimLeft(lines[0].Text, " │"); t == "" || !strings.ContainsRune(composerSigns, rune(t[0])) {
		return false // most rows are none, and need not be cut
	}
	first := row.Text(row.Spans(lines[0].Row, col, -1, nil))
	if len(first) < 2 || !strings.ContainsRune(composerSigns, rune(first[0])) {
		return false
	}
	rows := chat.Between(lines, IsBar)
	return strings.Contains(first, "  Type your ") || slices.ContainsFunc(rows, func(l row.Line) bool { return row.HasInverse(l.Row) })
}
