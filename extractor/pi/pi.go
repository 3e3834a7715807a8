// Package pi reads pi, a coding agent.
package pi

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// Agent returns pi, which draws on the main screen: the conversation, a spinner while it works, the
// input between two rules, menus, the directory, and a row of figures. Prompts and calls are panels
// over the whole width, with a blank row at the top and at the bottom; the colour of a call's panel
// shows its result. All other text begins in column 1. OSC 133 marks the first and the last row of
// each prompt.
func Agent() *chat.Agent {
	return &chat.Agent{
		Name: "pi", Title: "pi", Usage: usage,
		Resume: chat.ResumedBy("pi", []string{"--session", chat.ResumeID}, chat.UUID, `pi --session `, "--session"),
		Send:   &chat.Sending{Interrupt: []string{"\x1b"}, Typed: true, Completes: true, Denies: true},
		Looks: []chat.Look{{
			Versions: "0.73-",
			Begins:   welcome.Begins, Banner: welcome.Banner, Split: split, Box: inputBox, Clears: clears,
			Parse: cells().Parse,
		}},
	}
}

// usage is in the last row: the sums of the session, the cost, and how full the context is.
var usage = []chat.Usage{{
	Row: lazy.Regexp(`^(?:↑(?P<input>` + chat.Figure + `) )?(?:↓(?P<output>` + chat.Figure + `) )?(?:R(?P<read>` +
		chat.Figure + `) )?(?:W(?P<write>` + chat.Figure + `) )?(?:\$(?P<cost>[\d.]+)(?: \(sub\))? )?[\d.?]+%?/` +
		chat.Figure + `(?: \(auto\))?(?: |$)`),
}}

const (
	left  = 1 // column at which text begins
	right = 1 // columns that text leaves free at the right
)

// welcome is the name and the version, the keys below them, and a tip.
var welcome = chat.Welcome{
	Begins: func(text string) bool { return strings.HasPrefix(text, " pi v") },
	Titles: []string{" pi v"},
	Forms: []chat.Form{{Bold: "pi",
		Text: lazy.Regexp(`^ pi v(?P<version>\d+\.\d+\S*)\n(?: .+\n)+(?:\n Pi can (?:.+\n)+)?`)}},
}

// clears reports whether a row is what /new prints.
func clears(l row.Line) bool { return strings.HasPrefix(l.Text, " ✓ New session started") }

// edges returns the rules above and below the input.
func edges(lines []row.Line) (top, bottom int, ok bool) {
	bottom = row.Last(lines, edge)
	top = row.Last(lines[:max(0, bottom)], edge)
	return top, bottom, top >= 0
}

// edge reports whether a row is a rule over the whole width. It may say how many rows are hidden.
func edge(l row.Line) bool {
	return strings.HasPrefix(l.Text, "───") && strings.HasSuffix(l.Text, "─") && row.Extent(l.Row) == l.Cols
}

// inputBox finds the input, from the first column on.
func inputBox(lines []row.Line) (chat.Box, bool) {
	top, bottom, ok := edges(lines)
	if !ok {
		return chat.Box{}, false
	}
	return chat.Box{Rows: lines[top+1 : bottom], Right: -1}, true
}

var (
	// spins matches the row above the input while pi works
	spins = lazy.Regexp(`^ [⠁-⣿] `)
	// waits matches the rows above the input for prompts in the queue
	waits = lazy.Regexp(`^ (?:Steering|Follow-up): |^ ↳ \S+ to edit all queued messages`)
)

// split parts the screen at the upper rule of the input. Other agents draw such rules, too, but not
// the row of figures below.
func split(s chat.Screen) chat.Split {
	top, bottom, ok := edges(s.Lines)
	if !ok || !slices.ContainsFunc(s.Lines[bottom+1:], row.Matching(usage[0].Row)) {
		return chat.Split{}
	}
	sp := chat.Split{OK: true, State: chat.StateIdle, Bottom: top}
	for ; sp.Bottom > 0; sp.Bottom-- {
		switch l := s.Lines[sp.Bottom-1]; {
		case spins().MatchString(l.Text):
			sp.State = chat.StateBusy
		case panelled(l) || !row.Blank(l) && !waits().MatchString(l.Text):
			return sp
		}
	}
	return sp
}

// cells are the panels, what the user's own commands printed, notices, thinking, and replies.
func cells() *chat.Cells {
	return &chat.Cells{Agent: "pi", Ended: row.Filled, Cells: []chat.Cell{
		{Begin: &chat.Mark{Text: welcome.Begins}, Rows: welcome.Rows},
		{Rule: "call", When: is(call), Rows: panelRows, Read: readCall},
		{Rule: "prompt", When: chat.First(panelled), Rows: panelRows, Role: session.RoleUser, Style: panelStyle},
		{Rule: "shell", When: is(shell), Rows: betweenRules, Read: readShell},
		{Rule: "notice", When: chat.First(edge), Rows: betweenRules, Read: readRuled},
		{When: chat.First(clears), Rows: one},
		{Rule: "interrupted", When: is(aborted), Rows: one, Add: interrupt},
		{Rule: "notice", When: is(notice), Rows: textRows(notice), Role: session.RoleSystem, Style: panelStyle},
		{Rule: "thinking", When: is(thinks), Rows: textRows(thinks), Role: session.RoleThinking, Style: panelStyle},
		{Rule: "reply", When: chat.First(row.Filled), Rows: replyRows, Role: session.RoleAssistant, Style: replyStyle},
	}}
}

// is returns a condition on the rows from the first one on, for chat.Cell.When.
func is(of func(lines []row.Line) bool) func([]row.Line, []chat.Item) bool {
	return func(lines []row.Line, _ []chat.Item) bool { return of(lines) }
}

// one is the number of rows of a cell that always has one.
func one([]row.Line) int { return 1 }
