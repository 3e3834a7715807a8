package codex

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// split divides Codex's screen: the conversation ends above the status line, queued prompts, a
// popup or a dialog, and the composer. On the alternate screen the current prompt may be pinned to
// the first row.
func split(s chat.Screen) chat.Split {
	if at := sideAt(s); at > 0 {
		s.Lines = slices.Clone(s.Lines)
		for i, l := range s.Lines {
			s.Lines[i] = row.CutLine(l, 0, at)
		}
		sp := splitColumn(s)
		sp.Right = at
		return sp
	}
	return splitColumn(s)
}

// sideAt returns the column of the stroke over all rows that parts a side chat, which is another
// conversation, from this one; 0 if there is none.
func sideAt(s chat.Screen) int {
	if !s.Alt || len(s.Lines) < 3 {
		return 0
	}
	last := s.Lines[len(s.Lines)-1] // it has least text
	head, _, ok := strings.Cut(last.Text, "│")
	at := row.Width(head)
	if !ok || at < last.Cols/3 || slices.ContainsFunc(s.Lines, func(l row.Line) bool {
		return row.Text(row.Spans(l.Row, at, at+1, nil)) != "│"
	}) {
		return 0
	}
	return at
}

// splitColumn parts a screen that shows nothing beside the conversation.
func splitColumn(s chat.Screen) chat.Split {
	if slices.ContainsFunc(s.Lines[:min(1, len(s.Lines))], row.Matching(pager)) {
		return chat.Split{OK: true, Overlay: true}
	}
	sp := bottom(s)
	sp.Bottom = popup(s.Lines, sp.Bottom)
	// a pill: the user scrolled back
	if at := row.LastAbove(s.Lines[:sp.Bottom], row.Containing("to bottom · esc"), row.Filled); at >= 0 {
		sp.Bottom, sp.Scrolled = at, true
	}
	for at := sp.Bottom; at >= 0; at = row.LastAbove(s.Lines[:at], queued, unqueued) {
		sp.Bottom = at
	}
	if at := row.LastAbove(s.Lines[:sp.Bottom], statusRow, cells.Begins); at >= 0 {
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
	case s.Alt && starting(s.Lines, sp.Bottom):
		sp.State = chat.StateStarting
	case chat.Spins(row.FirstRune(s.Title)):
		sp.State = chat.StateBusy
	case sp.Scrolled:
		sp.State = chat.StateUnknown
	case s.Alt && answers(s.Lines[sp.Top:sp.Bottom]):
		sp.State = chat.StateBusy
	}
	return sp
}

// pager matches the first row of a pager: "/ T R A N S C R I P T / / / /".
var pager = lazy.Regexp(`^/ [A-Z] [A-Z] `)

// bottom finds the composer, or a dialog in its place.
func bottom(s chat.Screen) chat.Split {
	if at := composer(s.Lines); at >= 0 {
		// what looks like a composer may be a row of a list
		if slices.ContainsFunc(chat.LastLines(s.Lines[at:], 1), chat.KeyHint) {
			return chat.Split{OK: true, Bottom: at, State: chat.StateAsking}
		}
		return chat.Split{OK: true, Bottom: at, State: chat.StateIdle}
	}
	at := dialog(s.Lines)
	if at < 0 {
		return chat.Split{}
	}
	above := s.Lines[:at] // a full-screen question at the start is below nothing of a conversation
	return chat.Split{OK: true, Bottom: at, State: chat.StateAsking,
		Overlay: s.Alt && !slices.ContainsFunc(above, userRow) && !slices.ContainsFunc(above, row.Prefixed(bareTitle))}
}

// shortcuts matches the only hint below the composer before the model is known, or a blank row.
var shortcuts = lazy.Regexp(`^ *(?:\? for shortcuts)?$`)

// starting reports whether Codex shows its composer before it knows whether it must ask a question
// first: about an update, or a login. There has been no prompt yet, and the rows below the
// composer, at lines[at:], name no model, but at most one key.
func starting(lines []row.Line, at int) bool {
	if slices.ContainsFunc(lines[:at], userRow) {
		return false
	}
	at = row.SkipBlank(lines, at)
	at += row.Run(lines[at:], row.Filled) // what is typed
	return !slices.ContainsFunc(lines[at:], row.Not(row.Matching(shortcuts)))
}

// composer finds the first row of the input box, from the bottom: a prompt sign that is not
// dim, unlike those of the conversation. It returns -1 if there is none.
func composer(lines []row.Line) int {
	i := row.LastAbove(lines, composerRow, userRow)
	for i > 0 && composerRow(lines[i-1]) {
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
	case row.Starts(l.Text, "› "):
		return st.Bold != st.Dim && !st.Inverse && !option(l) // dim: it takes no input now
	case strings.HasPrefix(l.Text, "! "): // a shell command is typed
		return st.Bold
	}
	return false
}

// leftComposer returns the number of rows of an input box that a resize has left, including the dim
// row below it and the blank ones.
func leftComposer(lines []row.Line) int {
	if !composerRow(lines[0]) {
		return 0
	}
	i := row.SkipBlank(lines, 1)
	if i == 1 || i == len(lines) || row.Indent(lines[i].Text) != 2 || !printed(lines[i]) {
		return 0
	}
	return row.SkipBlank(lines, i+1)
}

// options match an option of a dialog.
var options = lazy.Regexp(`^(?:› )?[1-9]\..`)

// option reports whether a row is a selected option of a dialog: "› 1. Yes, proceed (y)".
func option(l row.Line) bool {
	return options().MatchString(l.Text) && l.StyleAt(2) == l.StyleAt(0)
}

// dialog returns the first row of a dialog, or -1. Its options are at the bottom instead of the
// composer, below its bold title.
func dialog(lines []row.Line) int {
	above := lines[:max(0, row.Last(lines, option))]
	top := 1 + row.Last(above, cells.Begins)
	title := slices.IndexFunc(above[top:], func(l row.Line) bool { return l.BoldAt(2) })
	if title < 0 {
		return -1
	}
	return top + title
}

// popup excludes a list of commands or files that is open above the composer of the alternate
// screen. Its selected row is inverse.
func popup(lines []row.Line, bottom int) int {
	i := row.Last(row.Trim(lines[:bottom]), row.Not(row.Prefixed("  ")))
	if i < 0 || !lines[i].StyleAt(0).Inverse {
		return bottom
	}
	return 1 + row.Last(lines[:i], row.Not(row.Prefixed("  /")))
}

// answers reports whether a turn has begun and not ended. On the alternate screen a turn's last
// line says how long it took, and the status line is hidden while a reply arrives. Codex's own
// reply to a command is below that line.
func answers(lines []row.Line) bool {
	said := false
	for _, l := range slices.Backward(lines) {
		switch cell, begins := cells.Of(l); {
		case !begins:
			if strings.HasPrefix(l.Text, "  >_ ") { // the banner, or what /status printed
				return false
			}
		case cell.Role == session.RoleUser:
			return true
		case cell.Role != "":
			said = true
		case !said, footnote(l):
			return false
		}
	}
	return len(lines) > 0
}

// status matches the bracket of a row that says that Codex works; a narrow window cuts it off.
var status = lazy.Regexp(`^\([^(]*s • (?:.* to interrupt\)|(?i:e?s?c?)(?: to? ?[a-z]*)?…?$)`)

// statusRow reports whether a row says that Codex works.
func statusRow(l row.Line) bool {
	if !strings.Contains(l.Text, "s • ") { // as most do not
		return false
	}
	at := 1 + strings.LastIndex(l.Text, " (")
	return status().MatchString(l.Text[at:]) && l.DimAt(row.Width(l.Text[:at]))
}

// queued reports whether a row is of the prompts that wait, above the composer.
var queued = row.Prefixed("• Queued ", "• Messages to be submitted ", "  ↳ ")

// unqueued reports whether a row is above the queued prompts: the status, or the first row of a
// cell. The second row of a title is dim.
func unqueued(l row.Line) bool { return statusRow(l) || !l.DimAt(0) && cells.Begins(l) }

// pinned reports whether the first row is the current prompt, pinned there while its own place is
// out of sight. Prompts in the conversation have a bar of background or, if the window's colours
// are unknown, are above two blank rows and an answer. Some versions pin it without its sign:
// nothing else is in the first column.
func pinned(lines []row.Line) bool {
	switch {
	case len(lines) < 2:
		return false
	case !userRow(lines[0]):
		return bare(lines[0])
	}
	if bg := lines[0].StyleAt(2).Bg; bg.Kind != vterm.ColorDefault {
		return lines[1].StyleAt(0).Bg != bg
	}
	n := 1 + row.Run(lines[1:], func(l row.Line) bool { return l.Text != "" && !cells.Begins(l) })
	below := row.SkipBlank(lines, n)
	return below < len(lines) && below < n+2
}

// bare reports whether a row is plain text from the first column on.
func bare(l row.Line) bool {
	return atEdge.On(l) && l.Runs[0].Style == vterm.Style{}
}
