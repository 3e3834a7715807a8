package extractor

import (
	"strings"
	"unicode/utf8"
)

// geminiSplit finds the composer and what is right above it: spinner, hints, mode and queue.
func geminiSplit(s Screen) Split {
	sp := geminiSplitMain(s)
	if s.Alt && sp.OK && len(s.Lines) > 0 {
		sp.Top, sp.Right = geminiSticky(s.Lines[:sp.Bottom]), s.Lines[0].Cols-1
	}
	return sp
}

// geminiSticky counts the rows at the top that repeat the head of a box which is cut off there: a
// line below tells them from the box itself.
func geminiSticky(lines []Line) int {
	for i := 0; i < len(lines) && i < 3; i++ {
		switch t := lines[i].Text; {
		case strings.HasPrefix(t, "│──"):
			return i + 1
		case !strings.HasPrefix(t, "╭─") && !strings.HasPrefix(t, "│ "):
			return 0
		}
	}
	return 0
}

// geminiSplitMain is geminiSplit on the main screen.
func geminiSplitMain(s Screen) Split {
	top, ok := geminiComposer(s.Lines)
	if !ok {
		return geminiDialog(s.Lines)
	}
	sp := Split{OK: true, State: StateIdle}
	up := top
	for i := top - 1; i >= 0 && i >= top-4; i-- { // nothing of the conversation is below the rule
		if isRule(s.Lines[i].Text) {
			up = i
		}
	}
	for up > 0 && geminiStatus(s.Lines[up-1]) {
		if up--; strings.Contains(s.Lines[up].Text, "(esc to cancel") {
			sp.State = StateBusy
		}
	}
	if d := geminiDialog(s.Lines[:up]); d.OK {
		return d
	}
	sp.Bottom = up
	return sp
}

// geminiComposer finds the first row of the input box.
func geminiComposer(lines []Line) (top int, ok bool) {
	for i := len(lines) - 1; i >= 0; i-- {
		if isBar(lines[i]) {
			if i+1 < len(lines) && hasBackground(lines[i+1].Row) && isComposer(lines[i+1:], 1) {
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
func isComposer(lines []Line, col int) bool {
	first := spansText(cutRow(lines[0].Row, col, -1, plainMarks))
	if len(first) < 2 || !strings.ContainsRune(">*!(", rune(first[0])) {
		return false
	}
	if strings.Contains(first, "  Type your message") || strings.Contains(first, "  Type your shell command") {
		return true
	}
	for i := 0; i < len(lines) && !isBar(lines[i]) && !strings.HasPrefix(lines[i].Text, "╰"); i++ {
		if hasInverse(lines[i].Row) {
			return true
		}
	}
	return false
}

// geminiStatus reports whether a row right above the composer is chrome: blank, spinner, hint, mode
// or queue.
func geminiStatus(l Line) bool {
	t := l.Text
	if t == "" {
		return true
	}
	if hasBackground(l.Row) {
		return false
	}
	n := leadingBlanks(t)
	t = t[n:]
	r, _ := utf8.DecodeRuneInString(t)
	switch {
	case n == 1, n > l.Cols/3:
		return true
	case n == 0 && r >= 0x2800 && r <= 0x28ff, strings.Contains(t, "(esc to cancel"):
		return true
	case isRule(t):
		return true
	case n == 0:
		return geminiHint(t)
	}
	return t != "---" && (l.Runs[0].Style.Dim || len(l.Runs) > 1 && l.Runs[1].Style.Dim) // the queue
}

// isRule reports whether a text is the rule between the conversation and the hints around the
// composer.
func isRule(t string) bool {
	return strings.HasPrefix(t, "────────") && t[3:] == t[:len(t)-3]
}

// geminiHint reports whether a text in the first column, above the composer, is one of its hints.
func geminiHint(t string) bool {
	for _, p := range []string{"Using: ", "Press ", "shell mode enabled", "raw markdown mode", "YOLO", "accepting edits", "auto-accept", "|⌐■_■|", "? for shortcuts", "Shift+Tab"} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	i := 0
	for i < len(t) && t[i] >= '0' && t[i] <= '9' { // "1 GEMINI.md file | 2 MCP servers"
		i++
	}
	if i == 0 {
		return false
	}
	for _, s := range []string{" GEMINI.md file", " open file", " MCP server", " skill", " context file"} {
		if strings.HasPrefix(t[i:], s) {
			return true
		}
	}
	return false
}

// geminiDialog finds an approval at the bottom of the screen: a box with a choice in it. The call
// that it asks for is shown there alone until the user answers, so it stays with the conversation.
func geminiDialog(lines []Line) Split {
	end := len(lines)
	for end > 0 && !strings.HasPrefix(lines[end-1].Text, "╰──") {
		end--
		if end == 0 || strings.HasPrefix(lines[end].Text, "✦ ") || isBar(lines[end]) {
			return Split{}
		}
	}
	choice := false
	for i := end - 2; i >= 0; i-- {
		t := lines[i].Text
		in, ok := strings.CutPrefix(t, "│ ")
		switch {
		case choice && ok && strings.HasPrefix(in, "? "):
			return Split{OK: true, Bottom: end, State: StateAsking}
		case strings.HasPrefix(t, "╭──"):
			if !choice {
				return Split{}
			}
			return Split{OK: true, Bottom: i, State: StateAsking} // a menu of the CLI's own
		case !ok:
			return Split{}
		}
		choice = choice || strings.HasPrefix(strings.TrimLeft(in, " "), "● ")
	}
	return Split{}
}
