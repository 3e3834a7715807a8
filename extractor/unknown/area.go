package unknown

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// maxInput is the maximum height of an input area, in rows.
const maxInput = 30

// kind is the way in which an input area is set off from the conversation.
type kind uint8

const (
	noArea  kind = iota
	ruled        // between two lines, or in a box
	panel        // on a background of its own
	barred       // to the right of a vertical line
	pointed      // to the right of a sign, with a row of chrome below
)

// area is the input area, in which the user types.
type area struct {
	kind        kind
	top, bottom int        // rows [top, bottom) of the screen, with the lines around it
	rows        []row.Line // rows with text
	first       int        // the screen row of rows[0]
	left, right int        // columns of the text, as in chat.Box
	y, x        int        // position of the cursor
}

// find returns the input area around the cursor; its kind is noArea if there is none.
func find(s chat.Screen) area {
	y, x := cursor(s)
	if y < 0 || y >= len(s.Lines) || isLine(s.Lines[y].Text) {
		return area{}
	}
	for _, around := range []func([]row.Line, int) area{boxAround, panelAround, barAround} {
		if a := around(s.Lines, y); a.kind != noArea && a.bottom-a.top <= max(6, len(s.Lines)/2) {
			a.y, a.x = y, x
			return a
		}
	}
	a := signBefore(s.Lines, y, x)
	a.y, a.x = y, x
	return a
}

// cursor returns the position of the cursor. If the terminal's own is hidden, it is the lowest cell
// that is drawn inverse.
func cursor(s chat.Screen) (y, x int) {
	if s.CursorVisible {
		return s.CursorY, s.CursorX
	}
	for y := len(s.Lines) - 1; y >= 0; y-- {
		for _, run := range s.Lines[y].Runs {
			if run.Style.Inverse && run.Width <= 2 {
				return y, run.Col
			}
		}
	}
	return s.CursorY, s.CursorX
}

// text returns the text that was typed: it is to the left of the cursor.
func (a *area) text() string {
	n := a.y - a.first
	if a.kind == noArea || n < 0 || n >= len(a.rows) {
		return ""
	}
	rows := slices.Clone(a.rows[:n+1])
	rows[n] = row.CutLine(rows[n], 0, max(a.x, 0))
	return chat.Box{Rows: rows, Left: a.left, Right: a.right}.Text()
}

// hints reports whether the area shows a text although nothing was typed.
func (a *area) hints() bool {
	return a.text() == "" && slices.ContainsFunc(a.rows, func(l row.Line) bool {
		return letters(row.Text(row.Spans(l.Row, a.left, a.right, nil))) != ""
	})
}

// boxAround returns the area between two lines of the same length, above and below row y.
func boxAround(lines []row.Line, y int) area {
	top, bottom := y-1, y+1
	for top >= 0 && y-top <= maxInput && !isLine(lines[top].Text) {
		top--
	}
	for bottom < len(lines) && bottom-y <= maxInput && !isLine(lines[bottom].Text) {
		bottom++
	}
	if top < 0 || bottom >= len(lines) || !isLine(lines[top].Text) || !isLine(lines[bottom].Text) {
		return area{}
	}
	above, below := row.Extent(lines[top].Row), row.Extent(lines[bottom].Row)
	if above != below || below < lines[y].Cols/3 {
		return area{}
	}
	a := area{kind: ruled, top: top, bottom: bottom + 1, first: top + 1, rows: lines[top+1 : bottom], right: -1}
	if first := lines[y].Text; isDrawn(row.FirstRune(strings.TrimLeft(first, " "))) {
		a.left = row.Indent(first) + 1
		a.right = below - 1
	}
	a.left += signWidth(lines[top+1], a.left)
	return a
}

// panelAround returns the area with a background of its own around row y.
func panelAround(lines []row.Line, y int) area {
	bg := background(lines[y])
	if bg.Kind == vterm.ColorDefault {
		return area{}
	}
	top, bottom := y, y+1
	for top > 0 && background(lines[top-1]) == bg {
		top--
	}
	for bottom < len(lines) && background(lines[bottom]) == bg {
		bottom++
	}
	if top == 0 {
		return area{}
	}
	a := area{kind: panel, top: top, bottom: bottom, first: top, rows: lines[top:bottom], right: -1}
	for top < y && lines[top].Text == "" {
		top++
	}
	a.left = barWidth(lines[top])
	a.left += signWidth(lines[top], a.left)
	return a
}

// barAround returns the area to the right of a vertical line around row y.
func barAround(lines []row.Line, y int) area {
	has := func(i int) bool { return barWidth(lines[i]) > 0 && !isLine(lines[i].Text) }
	if !has(y) {
		return area{}
	}
	top, bottom := y, y+1
	for top > 0 && has(top-1) {
		top--
	}
	for bottom < len(lines) && has(bottom) {
		bottom++
	}
	a := area{kind: barred, top: top, bottom: bottom, first: top, rows: lines[top:bottom], left: barWidth(lines[y]),
		right: -1}
	if top > 0 && isLine(lines[top-1].Text) {
		a.top--
	}
	if bottom < len(lines) && isLine(lines[bottom].Text) {
		a.bottom++
	}
	a.left += signWidth(lines[top], a.left)
	return a
}

// signBefore returns the area that begins with a sign, on row y or above it. There must be text
// below the area. Otherwise the cursor may just be at the end of some program's output.
func signBefore(lines []row.Line, y, x int) area {
	top := y
	for top > 0 && y-top < maxInput && signWidth(lines[top], 0) == 0 && lines[top].Text != "" &&
		row.Indent(lines[top].Text) > 0 {
		top--
	}
	n := signWidth(lines[top], 0)
	bottom := y + 1
	for bottom < len(lines) && lines[bottom].Text != "" && row.Indent(lines[bottom].Text) >= n {
		bottom++
	}
	below := row.SkipBlank(lines, y+1)
	if n == 0 || x < n || below == len(lines) || top == 0 {
		return area{}
	}
	if bottom == below+1 || bottom > below { // no blank row parts the text from what is below
		bottom = y + 1
	}
	return area{kind: pointed, top: top, bottom: bottom, first: top, rows: lines[top:bottom], left: n, right: -1}
}

// signWidth returns the width of the sign at column from, in cells and with the blanks around it,
// or 0 if there is none. A sign is one or two characters that are neither letters nor digits.
func signWidth(l row.Line, from int) int {
	text := row.Text(row.Spans(l.Row, from, -1, nil))
	body := strings.TrimLeft(text, " ")
	indent := len(text) - len(body)
	sign, _, _ := strings.Cut(body, " ")
	if n := len([]rune(sign)); n == 0 || n > 2 || indent > 8 || strings.ContainsFunc(sign, isWordy) {
		return 0
	}
	return indent + row.Width(sign) + 1
}

func isWordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isDrawn reports whether a character is in Box Drawing or Block Elements (U+2500 to U+259F).
func isDrawn(r rune) bool { return r >= 0x2500 && r <= 0x259f }

// barWidth returns the number of columns up to and including the vertical line that a row begins
// with, or 0 if there is none.
func barWidth(l row.Line) int {
	n := row.Indent(l.Text)
	if !isDrawn(row.FirstRune(l.Text[n:])) {
		return 0
	}
	return n + 1
}

// isLine reports whether a row is a horizontal line. It may have a title.
func isLine(text string) bool {
	text = strings.TrimSpace(text)
	if !isDrawn(row.FirstRune(text)) {
		return false
	}
	drawn, all := 0, 0
	for _, r := range text {
		all++
		if isDrawn(r) {
			drawn++
		}
	}
	return all >= 8 && 2*drawn > all
}

// isFrame reports whether a row consists of pieces of lines and boxes.
func isFrame(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool { return c != ' ' && !isDrawn(c) })
}

// withoutRight returns a row without a time or a bar at the right edge, apart from its text.
func withoutRight(l row.Line) row.Line {
	i := strings.LastIndex(l.Text, "   ")
	if i < 0 || strings.TrimSpace(l.Text[:i]) == "" || row.Extent(l.Row) < l.Cols-6 {
		return l
	}
	cut := row.CutLine(l, 0, row.Width(l.Text[:i]))
	cut.Cols = l.Cols
	return cut
}

// background returns the background of more than half of a row, or the default colour.
func background(l row.Line) vterm.Color {
	for _, run := range l.Runs {
		if bg := run.Style.Bg; bg.Kind != vterm.ColorDefault {
			width := 0
			for _, r := range l.Runs {
				if r.Style.Bg == bg {
					width += r.Width
				}
			}
			if 2*width > l.Cols {
				return bg
			}
		}
	}
	return vterm.Color{}
}
