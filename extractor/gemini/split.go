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
	for top > 0 && s.Lines[top].Wrapped { // the bar was drawn for a wider window
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
	return l.Text == "" || n == 1 || n > l.Cols/3 || chat.Spins(row.FirstRune(l.Text)) || n > 0 && l.DimAt(n) && l.Text[n:] != "---" || hints.MatchString(l.Text)
}

// hints match the rows above the composer: at their beginning, and where they have a spinner, or a
// mode, which is at the right until a window that shrinks wraps its row.
var hints = regexp.MustCompile(`^(Using: |Press |shell mode enabled|raw markdown mode|YOLO|accepting edits|auto-accept|\|⌐■_■\||\? for shortcuts|Shift\+Tab|` +
	`\d+ (GEMINI.md file|open file|MCP server|skill|context file)| *────────)|\(esc to cancel|\((ctrl|shift) ?\+ ?\w+ to \w+\)$`)

// chosen is the choice in a dialog.
var chosen = regexp.MustCompile(`^│ +● `)

// dialog finds an approval at the bottom of the screen: a box with a choice in it. The call
// that it asks for is shown there alone until the user answers, so it stays with the conversation.
// Above a menu of the CLI's own, in a box within the box, the conversation ends.
func dialog(lines []row.Line) chat.Split {
	end := row.Last(lines, func(l row.Line) bool { return chat.Begins(l.Text, "╰──", "✦ ") })
	if end < 0 || !strings.HasPrefix(lines[end].Text, "╰──") {
		return chat.Split{}
	}
	in := lines[1+row.Last(lines[:end], func(l row.Line) bool { return !strings.HasPrefix(l.Text, "│ ") }) : end]
	choice := row.Last(in, func(l row.Line) bool { return chosen.MatchString(l.Text) })
	asks := row.Last(in[:max(choice, 0)], func(l row.Line) bool { return chat.Begins(l.Text, "│ ? ", "│ ╭──") })
	switch {
	case asks < 0:
		return chat.Split{}
	case strings.HasPrefix(in[asks].Text, "│ ? "):
		return chat.Split{OK: true, Bottom: end + 1, State: chat.StateAsking}
	}
	return chat.Split{OK: true, Bottom: end - len(in) + asks, State: chat.StateAsking}
}
