package gemini

import (
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// split finds the composer and what is right above it: spinner, hints, mode and queue.
func split(s chat.Screen) chat.Split {
	sp := splitMain(s)
	if s.Alt && sp.OK && len(s.Lines) > 0 {
		sp.Top, sp.Right = sticky(s.Lines[:sp.Bottom]), s.Lines[0].Cols-1
	}
	return sp
}

// sticky counts the rows at the top that repeat the head of a box which is cut off there: a
// line below tells them from the box itself.
func sticky(lines []row.Line) int {
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

// splitMain is split on the main screen.
func splitMain(s chat.Screen) chat.Split {
	top, ok := inkcli.ComposerAt(s.Lines)
	if !ok {
		return dialog(s.Lines)
	}
	sp := chat.Split{OK: true, State: chat.StateIdle}
	up := top
	for i := top - 1; i >= 0 && i >= top-4; i-- { // nothing of the conversation is below the rule
		if row.IsRule(s.Lines[i].Text) {
			up = i
		}
	}
	for up > 0 && status(s.Lines[up-1]) {
		if up--; strings.Contains(s.Lines[up].Text, "(esc to cancel") {
			sp.State = chat.StateBusy
		}
	}
	if d := dialog(s.Lines[:up]); d.OK {
		return d
	}
	sp.Bottom = up
	return sp
}

// status reports whether a row right above the composer is chrome: blank, spinner, hint, mode
// or queue.
func status(l row.Line) bool {
	t := l.Text
	if t == "" {
		return true
	}
	if row.HasBackground(l.Row) {
		return false
	}
	n := row.Indent(t)
	t = t[n:]
	r, _ := utf8.DecodeRuneInString(t)
	switch {
	case n == 1, n > l.Cols/3:
		return true
	case n == 0 && r >= 0x2800 && r <= 0x28ff, strings.Contains(t, "(esc to cancel"):
		return true
	case row.IsRule(t):
		return true
	case n == 0:
		return hint(t)
	}
	return t != "---" && (l.Runs[0].Style.Dim || len(l.Runs) > 1 && l.Runs[1].Style.Dim) // the queue
}

// hint reports whether a text in the first column, above the composer, is one of its hints.
func hint(t string) bool {
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

// dialog finds an approval at the bottom of the screen: a box with a choice in it. The call
// that it asks for is shown there alone until the user answers, so it stays with the conversation.
func dialog(lines []row.Line) chat.Split {
	end := len(lines)
	for end > 0 && !strings.HasPrefix(lines[end-1].Text, "╰──") {
		end--
		if end == 0 || strings.HasPrefix(lines[end].Text, "✦ ") || inkcli.IsBar(lines[end]) {
			return chat.Split{}
		}
	}
	choice := false
	for i := end - 2; i >= 0; i-- {
		t := lines[i].Text
		in, ok := strings.CutPrefix(t, "│ ")
		switch {
		case choice && ok && strings.HasPrefix(in, "? "):
			return chat.Split{OK: true, Bottom: end, State: chat.StateAsking}
		case strings.HasPrefix(t, "╭──"):
			if !choice {
				return chat.Split{}
			}
			return chat.Split{OK: true, Bottom: i, State: chat.StateAsking} // a menu of the CLI's own
		case !ok:
			return chat.Split{}
		}
		choice = choice || strings.HasPrefix(strings.TrimLeft(in, " "), "● ")
	}
	return chat.Split{}
}
