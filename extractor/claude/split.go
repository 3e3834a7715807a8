package claude

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// split finds the input at the bottom of the screen, or the dialog in its place, and the chrome
// above it: status lines, queued prompts, the spinner with its tips.
func split(s chat.Screen) chat.Split {
	last := s.Lines[max(0, len(s.Lines)-12):]
	if at := slices.IndexFunc(last, row.Containing("Showing detailed transcript")); at >= 0 {
		// Ctrl+O, or Ctrl+R in 1.0: a detailed view of everything.
		bottom := len(s.Lines) - len(last) + at
		if bottom > 0 && frame(s.Lines[bottom-1]) {
			bottom--
		}
		return chat.Split{OK: true, Overlay: true, Bottom: bottom}
	}
	top, asks := claudeInput(s.Lines, s.Alt)
	if top < 0 {
		return chat.Split{}
	}
	bottom, busy := above(s.Lines, top)
	sp := chat.Split{OK: true, State: chat.StateIdle, Bottom: bottom}
	switch {
	case asks:
		sp.State = chat.StateAsking
	case busy || slices.ContainsFunc(s.Lines[top:], row.Containing("esc to interrupt")):
		sp.State = chat.StateBusy
	}
	if s.Alt {
		if overlaid(s.Lines[max(top-1, 0)]) {
			sp.Bottom = min(sp.Bottom, top-1)
		}
		scrolled(s, &sp)
	}
	if menu := claudeMenu(s.Lines, top); menu < sp.Bottom {
		sp.Bottom, sp.Scrolled = menu, true
	}
	return sp
}

// claudeInput returns the first row of the input, or of the dialog in its place, whose upper rule
// is the first below the conversation, or -1 if the screen has neither.
func claudeInput(lines []row.Line, alt bool) (top int, asks bool) {
	top = -1
	for i := len(lines) - 2; i >= 0; i-- {
		switch {
		case !frame(lines[i]):
		case holdsInput(lines[i+1:], alt):
			return i, false
		case slices.ContainsFunc(chat.Between(lines[i+1:], boxEnd), dialog):
			top, asks = i, true
		}
	}
	return top, asks
}

// dialog reports whether a row is a choice of a dialog, or explains how to cancel it.
func dialog(l row.Line) bool {
	return strings.Contains(l.Text, "Esc to cancel") || choice().MatchString(l.Text)
}

// boxEnd reports whether a row ends a box: what is below is not in it.
var boxEnd = row.Prefixed("╰")

// holdsInput reports whether the rows below a rule begin with the live input. On the alternate
// screen of a terminal multiplexer, the rest of a rule may be above it that was drawn for a wider
// window; elsewhere the agent redraws it at once.
func holdsInput(lines []row.Line, alt bool) bool {
	if alt {
		lines = lines[row.Run(lines[:len(lines)-1], row.Matching(strokes)):]
	}
	return input().MatchString(lines[0].Text) && !row.HasBackground(lines[0])
}

var (
	// input matches the first row of the live input, between its rules or in its box.
	input = lazy.Regexp(`^(?:│[ \x{a0}]+)?[>❯!#](?:[ \x{a0}]|$)`)
	// strokes matches a row that consists of a rule.
	strokes = lazy.Regexp(`^─+$`)
	// choice matches a choice of a dialog, with its pointer.
	choice = lazy.Regexp(`^(?:│ *| +)❯(?:[ \x{a0}]|$)`)
)

// frame reports whether a row is a rule from column 0 over (almost) the whole width, maybe with a
// label in it, or the top of such a box without a label.
func frame(l row.Line) bool {
	return row.Starts(l.Text, "───", "╭─") && strings.Count(l.Text, strokeEnd)*10 >= l.Cols*6
}

// strokeEnd is the last byte of "─". Counting single bytes is fast, and labels do not contain it.
const strokeEnd = "\x80"

// above skips the chrome above the input, and returns the row below the conversation's last.
func above(lines []row.Line, top int) (bottom int, busy bool) {
	for bottom = top; ; busy = true {
		bottom = len(row.Trim(lines[:bottom]))
		at := 1 + row.Last(lines[:bottom], row.Blank)
		spinner := slices.IndexFunc(lines[at:bottom], claudeSpinner)
		if spinner < 0 {
			return bottom, busy
		}
		bottom = at + spinner
	}
}

// claudeSpinner reports whether a row is the live line of a running turn: `✽ Cooking… (3s · ↓ 12
// tokens)`. When a turn is done, `✻ Cooked for 3s` stays.
func claudeSpinner(l row.Line) bool {
	glyph, n := utf8.DecodeRuneInString(l.Text)
	head, _, _ := strings.Cut(l.Text[n:], " (")
	return strings.ContainsRune(spinners, glyph) && !row.Plain(l.StyleAt(0).Fg) && strings.Contains(head, "…")
}

// scrolled parses what the alternate screen shows when the user has scrolled back: the prompt's
// first line pinned at the top, a pill with an arrow in the last row of the conversation.
func scrolled(s chat.Screen, sp *chat.Split) {
	if i := row.Last(s.Lines[:sp.Bottom], pill); i >= 0 {
		sp.Bottom, sp.Scrolled = i, true
	}
	// where a message is cut, the first row is kept free
	if s.Lines[0].Text == "" || sp.Scrolled && row.HasBackground(s.Lines[0]) {
		sp.Top = 1
	}
}

// overlaid reports whether the row above the input is a notice that temporarily covers a row of the
// conversation: "tmux detected · scroll with PgUp/PgDn", or "◐ medium · /effort" at the right.
func overlaid(l row.Line) bool {
	indent := row.Indent(l.Text)
	return l.All(row.Grey) && (indent == 2 && row.FirstRune(l.Text[indent:]) != '⎿' || indent > l.Cols/2)
}

// pill reports whether a button such as " Jump to bottom (ctrl+End) ↓ " is on a row.
func pill(l row.Line) bool {
	return slices.ContainsFunc(l.Runs, func(r vterm.Run) bool {
		return row.Highlighted(r.Style) && strings.HasSuffix(strings.TrimRight(r.Text, " "), "↓")
	})
}

// claudeMenu returns the first row of a menu directly above the input that covers what is under it,
// or top if there is no menu.
func claudeMenu(lines []row.Line, top int) int {
	named := false
	for at := top; at > 0; at-- {
		l := lines[at-1]
		n := row.Indent(l.Text)
		st := l.StyleAt(n)
		name := strings.TrimLeft(strings.TrimLeft(l.Text[n:], "❯>"), " ")
		chosen := named && len(name) < len(l.Text[n:]) // with few colours, the chosen row looks like text
		switch {
		// in another colour than text
		case strings.ContainsRune("/@+*…", row.FirstRune(name)) && (!row.Plain(st.Fg) || row.Grey(st) || chosen):
			named = true
		case n >= 12:
		case named:
			return at
		default:
			return top
		}
	}
	return top
}
