package gemini

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// split finds the composer and what is right above it: spinner, hints, mode and queue. A scroll bar
// is at the right of the alternate screen.
func split(s chat.Screen) chat.Split {
	sp := splitMain(s)
	if s.Alt && sp.OK {
		sp.Right = s.Lines[0].Cols - 1
	}
	return sp
}

// splitMain is split on the main screen.
func splitMain(s chat.Screen) chat.Split {
	top, ok := inkcli.ComposerAt(s.Lines)
	if !ok {
		return dialog(s.Lines)
	}
	for top > 0 && s.Lines[top].Wrapped && inkcli.IsBar(s.Lines[top-1]) { // the bar was drawn for a wider window
		top--
	}
	sp := chat.Split{OK: true, State: chat.StateIdle}
	up := top
	if i := slices.IndexFunc(s.Lines[max(0, top-4):top], func(l row.Line) bool { return row.IsRule(l.Text) }); i >= 0 { // nothing of the conversation is below the rule
		up = max(0, top-4) + i
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

// status reports whether a row right above the composer is chrome: blank, a spinner, a hint, the
// mode or a prompt in the queue, which is dim.
func status(l row.Line) bool {
	n := row.Indent(l.Text)
	t := l.Text[n:]
	switch {
	case t == "":
		return true
	case row.HasBackground(l.Row):
		return false
	case n == 1, n > l.Cols/3, strings.Contains(t, "(esc to cancel"), row.IsRule(t), toggled.MatchString(t):
		return true
	case n == 0:
		return chat.Spins(row.FirstRune(t)) || chat.Begins(t, hints...) || counted.MatchString(t)
	}
	return t != "---" && l.DimAt(n)
}

// hints begin the rows above the composer.
var hints = []string{"Using: ", "Press ", "shell mode enabled", "raw markdown mode", "YOLO", "accepting edits", "auto-accept", "|⌐■_■|", "? for shortcuts", "Shift+Tab"}

// toggled ends the mode, which is at the right until a window that shrinks wraps its row.
var toggled = regexp.MustCompile(`\((ctrl|shift) ?\+ ?\w+ to \w+\)$`)

// counted follow a number there: "1 GEMINI.md file | 2 MCP servers".
var counted = regexp.MustCompile(`^\d+ (GEMINI.md file|open file|MCP server|skill|context file)`)

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
		in, ok := strings.CutPrefix(lines[i].Text, "│ ")
		switch {
		case choice && strings.HasPrefix(in, "? "):
			return chat.Split{OK: true, Bottom: end, State: chat.StateAsking}
		case choice && strings.HasPrefix(in, "╭──"):
			return chat.Split{OK: true, Bottom: i, State: chat.StateAsking} // a menu of the CLI's own
		case !ok:
			return chat.Split{}
		}
		choice = choice || strings.HasPrefix(strings.TrimLeft(in, " "), "● ")
	}
	return chat.Split{}
}
