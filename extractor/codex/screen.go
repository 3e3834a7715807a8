package codex

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// split parts Codex's screen: the conversation ends above the status line, what is queued, a
// popup or a dialog, and the composer. On the alternate screen the prompt in force may be pinned to
// the first row.
func split(s chat.Screen) chat.Split {
	if s.Alt && pager(s.Lines) {
		return chat.Split{OK: true, Overlay: true}
	}
	sp := chat.Split{State: chat.StateIdle}
	if at := composer(s.Lines); at >= 0 {
		sp.OK, sp.Bottom = true, at
		if slices.ContainsFunc(chat.LastLines(s.Lines[at:], 1), chat.KeyHint) {
			sp.State = chat.StateAsking // what looks like a composer may be a row of a list
		}
	} else if at := dialog(s.Lines); at >= 0 {
		sp.OK, sp.Bottom = true, at
		if slices.ContainsFunc(s.Lines[at:], option) { // the rest are completions of what is being typed
			sp.State = chat.StateAsking
		}
		if sp.Overlay = s.Alt && !talk(s.Lines[:at]); sp.Overlay && sp.State == chat.StateIdle {
			sp.State = chat.StateUnknown
		}
	} else {
		return chat.Split{}
	}
	if s.Alt {
		sp.Bottom = popup(s.Lines, sp.Bottom)
	}
	if at := pill(s, sp.Bottom); at >= 0 {
		sp.Bottom, sp.Scrolled = at, true
	}
	sp.Bottom = queued(s.Lines, sp.Bottom)
	if at, ok := status(s.Lines, sp.Bottom); ok {
		sp.Bottom = at
		if sp.State == chat.StateIdle {
			sp.State = chat.StateBusy
		}
	}
	if s.Alt && pinned(s.Lines[:sp.Bottom]) {
		sp.Top = 1
	}
	sp.Bottom = max(sp.Top, len(row.Trim(s.Lines[:sp.Bottom])))
	switch {
	case sp.State != chat.StateIdle:
	case s.Alt && codexStarts(s.Lines, sp.Bottom):
		sp.State = chat.StateStarting
	case spins(s.Title):
		sp.State = chat.StateBusy
	case sp.Scrolled:
		sp.State = chat.StateUnknown
	case s.Alt && answers(s.Lines[sp.Top:sp.Bottom]):
		sp.State = chat.StateBusy
	}
	return sp
}

// talk reports whether lines show something of a conversation: a full-screen question at the
// start does not.
func talk(lines []row.Line) bool {
	for i := range lines {
		if userRow(lines[i]) {
			return true
		}
		if _, n := banner(lines[i:]); n > 0 {
			return true
		}
	}
	return false
}

// codexStarts reports whether Codex shows its composer before it knows whether it must ask
// something: an update, a login. No prompt has been given yet, and the rows below the composer, at
// lines[at:], name no model, but at most one key.
func codexStarts(lines []row.Line, at int) bool {
	if slices.ContainsFunc(lines[:at], userRow) {
		return false
	}
	at = row.SkipBlank(lines, at)
	at += chat.Run(lines[at:], func(l row.Line) bool { return l.Text != "" }) // what is typed
	return !slices.ContainsFunc(lines[at:], func(l row.Line) bool { return l.Text != "" && strings.TrimSpace(l.Text) != "? for shortcuts" })
}

// pager reports whether a pager covers the screen: "/ T R A N S C R I P T / / / /".
func pager(lines []row.Line) bool {
	return len(lines) > 0 && strings.HasPrefix(lines[0].Text, "/ ")
}

// composer finds the first row of the input box, from the bottom: a prompt sign that is not
// dim, unlike those of the conversation. It returns -1 if there is none.
func composer(lines []row.Line) int {
	i := len(lines) - 1
	for i >= 0 && !composerRow(lines[i]) {
		if userRow(lines[i]) {
			return -1
		}
		i--
	}
	for i > 0 && strings.HasPrefix(lines[i].Text, "▌") && composerRow(lines[i-1]) {
		i--
	}
	return i
}

// composerRow reports whether a row is the first of an input box, perhaps of one that is gone.
func composerRow(l row.Line) bool {
	st := l.StyleAt(0)
	switch {
	case strings.HasPrefix(l.Text, "▌"):
		return !st.Dim
	case strings.HasPrefix(l.Text+" ", "› "):
		return st.Bold != st.Dim && !st.Inverse && !option(l) // dim: it takes no input now
	case strings.HasPrefix(l.Text, "! "): // a shell command is typed
		return st.Bold
	}
	return false
}

// numbered is an option of a dialog, chosen or not.
var numbered = regexp.MustCompile(`^(› )?[1-9]\..`)

// option reports whether a row is an option of a dialog that is chosen: "› 1. Yes, proceed
// (y)".
func option(l row.Line) bool {
	return numbered.MatchString(l.Text) && l.StyleAt(2) == l.StyleAt(0)
}

// dialog returns the first row of a dialog, or -1: its options are at the bottom in place of
// the composer, its bold title above.
func dialog(lines []row.Line) int {
	first, options := -1, false
	for i := len(lines) - 1; i >= 0; i-- {
		switch l := lines[i]; {
		case !options:
			options = option(l)
		case head(l):
			return first
		case row.Indent(l.Text) == 2 && l.BoldAt(2):
			first = i
		}
	}
	return first
}

// popup cuts off a list of commands or files that is open above the composer of the alternate
// screen: its chosen row is inverse.
func popup(lines []row.Line, bottom int) int {
	n := len(row.Trim(lines[:bottom]))
	for i := n - 1; i >= 0; i-- {
		l := lines[i]
		switch {
		case strings.HasPrefix(l.Text, "› ") && l.StyleAt(0).Inverse:
			for i > 0 && strings.HasPrefix(lines[i-1].Text, "  /") {
				i--
			}
			return i
		case !strings.HasPrefix(l.Text, "  "):
			return bottom
		}
	}
	return bottom
}

// pill finds the row "↓ Back to bottom · esc", in the middle of the row above the composer:
// the user scrolled back.
func pill(s chat.Screen, bottom int) int {
	n := len(row.Trim(s.Lines[:bottom])) - 1
	if n < 0 || !strings.HasPrefix(strings.TrimLeft(s.Lines[n].Text, " "), "↓ ") || !strings.HasSuffix(s.Lines[n].Text, "· esc") {
		return -1
	}
	return n
}

// spins reports whether the window's title says that Codex works: it begins with a spinner of
// Braille dots.
func spins(title string) bool {
	r := row.FirstRune(title)
	return r > '⠀' && r <= '⣿'
}

// answers reports whether a turn has begun and not ended: on the alternate screen a turn's
// last line says how long it took, and the status line is gone while a reply comes in. What Codex
// itself says to a command is below that line.
func answers(lines []row.Line) bool {
	text, says := false, false
	for i := len(lines) - 1; i >= 0; i-- {
		switch codexCell(lines[i]) {
		case codexUser:
			return true
		case codexSays, codexTool:
			says = true
		case codexText:
			if strings.HasPrefix(lines[i].Text, "  >_ ") { // the banner, or what /status printed
				return false
			}
			text = text || lines[i].Text != ""
		default:
			if !says || footnote(lines[i]) {
				return false
			}
		}
	}
	return text || says
}

// status finds the row which says that Codex works, right above the composer: "• Working (3s •
// esc to interrupt)", with details under it.
func status(lines []row.Line, bottom int) (int, bool) {
	for i := bottom - 1; i >= 0; i-- {
		if statusRow(lines[i]) {
			return i, true
		}
		if head(lines[i]) {
			break
		}
	}
	return 0, false
}

// statusRow reports whether a row says that Codex works.
func statusRow(l row.Line) bool {
	t := l.Text
	at := strings.LastIndex(t, " (")
	if at < 0 {
		return false
	}
	_, hint, ok := strings.Cut(t[at:], "s • ")
	cut := row.Width(t) >= l.Cols-1 && strings.HasPrefix("esc to interrupt)", strings.ToLower(strings.TrimSuffix(hint, "…"))) // in a narrow window
	if !ok || !cut && !strings.Contains(hint, " to interrupt)") {
		return false
	}
	return l.DimAt(row.Width(t[:at]) + 1)
}

// queued cuts off the prompts that wait, above the composer.
func queued(lines []row.Line, bottom int) int {
	for i := bottom - 1; i >= 0; i-- {
		t := lines[i].Text
		switch {
		case statusRow(lines[i]):
			return bottom
		case strings.HasPrefix(t, "• Queued ") || strings.HasPrefix(t, "• Messages to be submitted "):
			return i
		case strings.HasPrefix(t, "  ↳ "):
			bottom = i
		case lines[i].DimAt(0): // the title's second row
		case head(lines[i]):
			return bottom
		}
	}
	return bottom
}

// pinned reports whether the first row is the prompt in force, pinned there while its own
// place is out of sight. The conversation's own prompts are in a bar of their background or, if the
// window's colours are not known, above two blank rows and an answer. Some versions pin it without
// its sign: nothing else is in the first column.
func pinned(lines []row.Line) bool {
	if len(lines) > 1 && bare(lines[0]) {
		return true
	}
	if len(lines) < 2 || !strings.HasPrefix(lines[0].Text, "› ") || !userRow(lines[0]) {
		return false
	}
	if bg := lines[0].StyleAt(2).Bg; bg.Kind != vterm.ColorDefault {
		return lines[1].StyleAt(0).Bg != bg
	}
	n := 1
	for n < len(lines) && lines[n].Text != "" {
		if head(lines[n]) {
			return true
		}
		n++
	}
	return n+1 < len(lines) && lines[n+1].Text != ""
}

// bare reports whether a row is plain text from the first column on.
func bare(l row.Line) bool {
	return codexCell(l) == chrome && !strings.HasPrefix(l.Text, " ") && len(l.Runs) == 1 && l.Runs[0].Style == vterm.Style{}
}
