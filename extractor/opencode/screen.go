package opencode

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// split finds the input box: its lower edge, and the rows above that with its bar and its
// background. On the welcome, there is only the logo to read.
func split(s chat.Screen) chat.Split {
	if at := question(s.Lines); at >= 0 {
		return chat.Split{OK: true, Bottom: at, Right: sideBar(s.Lines), State: chat.StateAsking}
	}
	top, edge, _ := input(s.Lines)
	logo := slices.IndexFunc(s.Lines, logoTop.On)
	right := 0
	if edge < 1 || edge < len(s.Lines)-4 && logo < 0 {
		right = smaller(s.Lines, edge)
		switch {
		case right > 0:
		case unpaintedBox(s.Lines):
			top, edge = len(s.Lines)-boxRows, len(s.Lines)-2
		default:
			return chat.Split{}
		}
	}
	sp := chat.Split{OK: true, Bottom: top, Right: cmp.Or(right, sideBar(s.Lines)), State: chat.StateIdle}
	asks := slices.ContainsFunc(s.Lines[:top], row.Matching(dialog))
	sp.Overlay = asks || slices.ContainsFunc(s.Lines[:top], row.Matching(menu))
	if logo >= 0 {
		sp.Top, sp.Bottom = logo, len(s.Lines)
	}
	switch {
	case asks:
		sp.State = chat.StateAsking
	case slices.ContainsFunc(s.Lines[edge:], row.Matching(working)):
		sp.State = chat.StateBusy
	}
	return sp
}

// smaller returns the width in cells of the smaller window for which the screen is drawn, or 0 if
// it is drawn for the whole window. A busy opencode draws for the old size for many seconds after
// its window has grown. edge is the row of the input box's lower edge; nothing is beside the
// conversation, nor below the box except the row of a multiplexer.
func smaller(lines []row.Line, edge int) (cols int) {
	if edge < 1 || !row.Filled(lines[edge+1]) || slices.ContainsFunc(lines[edge+2:len(lines)-1], row.Filled) {
		return 0
	}
	cols = min(row.Extent(lines[edge].Row)+2, lines[edge].Cols)
	if slices.ContainsFunc(lines[:edge], func(l row.Line) bool { return row.Extent(l.Row) > cols }) {
		return 0
	}
	return cols
}

// boxRows is the number of rows of the input box at the end of the screen, including the row below
// it.
const boxRows = 7

// unpaintedBox reports whether the input box is not painted: after the window was resized several
// times, opencode may assume that it is painted until something is typed.
func unpaintedBox(lines []row.Line) bool {
	bottom, foot := len(lines)-boxRows, len(lines)-2
	return bottom > 0 && footer().MatchString(lines[foot].Text) && !slices.ContainsFunc(lines[bottom:foot], row.Filled)
}

var (
	footer  = lazy.Regexp(`^   (?:[⬝■]+  esc interrupt|[~/]\S*$)`) // below the input box
	boxEdge = lazy.Regexp(`^ *╹▀▀▀`)                               // its lower edge
	working = lazy.Regexp(`esc interrupt`)
	dialog  = lazy.Regexp(`    esc$`) // one covers the screen: its title has the key beside it that closes it
	bareBar = lazy.Regexp(`^ *┃$`)
	menu    = lazy.Regexp(`^ *┃.*┃$`) // a list of commands has a bar at its right, too

	// answer matches the row that shows which key answers a question.
	answer = lazy.Regexp(`^  ┃.*enter +(confirm|submit|select|toggle)`)
)

// sideBar returns the column at which the bar at the right of a wide window begins, with the title
// and the usage, or 0 if there is none. It has its own background from the first row to the last.
// The last row of the screen may belong to a multiplexer.
func sideBar(lines []row.Line) int {
	at := lines[0].Cols - 42
	for _, l := range []row.Line{lines[0], lines[max(0, len(lines)-2)]} {
		if l.StyleAt(at).Bg == l.StyleAt(at-1).Bg {
			return 0
		}
	}
	return at
}

// question returns the first row of a question at the end of the screen, in place of the input box,
// or -1.
func question(lines []row.Line) int {
	at := row.LastAbove(row.Trim(lines), row.Matching(answer), row.Not(row.Matching(bareBar)))
	if at < 0 {
		return -1
	}
	return 1 + row.Last(lines[:at], row.Not(row.Prefixed(bar)))
}

// inputBox finds the input: rows right of a bar, of which the last names the model.
func inputBox(lines []row.Line) (chat.Box, bool) {
	top, edge, left := input(lines)
	if top == edge {
		return chat.Box{}, false
	}
	return chat.Box{Rows: lines[top : edge-1], Left: left, Right: cmp.Or(sideBar(lines), -1)}, true
}

// input finds the rows [top, edge) of the input box, which have its bar and its background, and the
// column at which its text begins. Pasted text may have another background.
func input(lines []row.Line) (top, edge, left int) {
	edge = row.Last(lines, row.Matching(boxEdge))
	if edge < 1 {
		return edge, edge, 0
	}
	margin := row.Blanks(row.Indent(lines[edge-1].Text))
	left = len(margin) + 3
	ground := lines[edge-1].StyleAt(left - 1).Bg
	return 1 + row.Last(lines[:edge], func(l row.Line) bool {
		return !strings.HasPrefix(l.Text, margin+"┃") || l.StyleAt(left-1).Bg != ground || menu().MatchString(l.Text)
	}), edge, left
}
