package inkcli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// Chrome describes what a program draws below the conversation.
type Chrome struct {
	Composer func(lines []row.Line) (top int, ok bool) // finds the first row of the input box
	Status   func(l row.Line) bool                     // reports whether a row directly above that is chrome
	Dialog   func(lines []row.Line) chat.Split         // finds a question at the end of the screen
}

// Split divides a screen.
func (c *Chrome) Split(lines []row.Line) chat.Split {
	top, ok := c.Composer(lines)
	if !ok {
		return c.Dialog(lines)
	}
	bottom := 1 + row.Last(lines[:top], row.Not(c.Status))
	if d := c.Dialog(lines[:bottom]); d.OK {
		return d
	}
	sp := chat.Split{OK: true, Bottom: bottom, State: chat.StateIdle}
	if slices.ContainsFunc(lines[bottom:top], row.Containing("esc to cancel")) {
		sp.State = chat.StateBusy
	}
	return sp
}

// questionRows is the maximum number of rows of a question from its first answer to the end of the
// screen.
const questionRows = 12

// Question returns a Dialog that finds a question by its first answer, which answer matches. The
// question belongs to the conversation.
func Question(answer func() *regexp.Regexp) func(lines []row.Line) chat.Split {
	return func(lines []row.Line) chat.Split {
		lines = row.Trim(lines)
		if !slices.ContainsFunc(lines[max(0, len(lines)-questionRows):], row.Matching(answer)) {
			return chat.Split{}
		}
		return chat.Split{OK: true, Bottom: len(lines), State: chat.StateAsking}
	}
}

// Hints returns a Status. A row is chrome if it matches heads or keys, is indented like texts at
// the right, or is dim and does not match kept. Keys are in brackets or have a question mark.
func Hints(heads, keys, kept func() *regexp.Regexp) func(l row.Line) bool {
	return func(l row.Line) bool {
		n := row.Indent(l.Text)
		return n > l.Cols/3 || l.DimAt(n) && !kept().MatchString(l.Text) || heads().MatchString(l.Text) ||
			strings.ContainsAny(l.Text, "(?") && keys().MatchString(l.Text)
	}
}

// InputBox finds the input: " > text" between two bars, or "│ > text │" in a box.
func InputBox(lines []row.Line) (chat.Box, bool) {
	top, ok := ComposerAt(lines)
	if !ok {
		return chat.Box{}, false
	}
	return chat.BoxOf(lines[top+1:], 3, row.IsBar), true
}

// ComposerAt finds the first row of the input box.
func ComposerAt(lines []row.Line) (top int, ok bool) {
	for i := len(lines) - 2; i >= 0; i-- {
		if isComposer(lines[i+1:]) && row.Starts(lines[i].Text, "▄▄▄", "▀▀▀", "╭──") {
			return i, true
		}
	}
	return 0, false
}

// isComposer reports whether the rows below the first row of a box are the input: a prompt sign,
// and the cursor or a hint.
func isComposer(lines []row.Line) bool {
	typed := strings.TrimPrefix(lines[0].Text, "│")
	return row.Starts(typed, " >", " *", " !", " (") &&
		(strings.Contains(typed, "  Type your ") || slices.ContainsFunc(chat.Between(lines, row.IsBar), row.HasInverse))
}
