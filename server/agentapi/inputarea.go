package agentapi

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/vterm"
)

// area is the part of a screen, at its bottom, in which a program takes what is typed. It is known
// by how it is drawn: a box, a place between two rules, a panel of another colour, or the row of
// the cursor behind a prompt.
type area struct {
	top  int    // its first row; the number of rows if there is none
	kind string // how it is drawn; areaNone: there is none; empty: it is not known
	size int    // its width, in characters, where it is drawn with lines
	text string // of the cursor's row, without digits, which may count prompts
}

// The rows that an area may have, and that may be below it.
const (
	maxInput  = 30
	maxStatus = 6
)

// Kinds of areas.
const (
	areaBox    = "box"
	areaBar    = "bar"
	areaRules  = "rules"
	areaPanel  = "panel"
	areaPrompt = "prompt"
	areaNone   = "none"
)

// areaOf finds the area. was is the one that the program had when it last waited for input. waits
// is whether it does now, and so what is behind the cursor is a prompt.
func areaOf(s *vterm.Snapshot, was area, waits bool) area {
	l := layout{s}
	if a, ok := l.around(s.CursorY); ok {
		return a
	}
	lowest, hasLowest := l.lowest()
	hasLowest = hasLowest && (was.kind == "" || lowest.kind == was.kind && lowest.size == was.size)
	if hasLowest && !s.Visible { // the cursor is not where one types
		return lowest
	}
	if a, drawn, ok := l.prompt(); ok && (waits || was.kind == "" && drawn || was.kind == areaPrompt && samePrompt(a.text, was.text)) {
		return a
	}
	if hasLowest {
		return lowest
	}
	return area{top: len(s.Lines), kind: areaNone}
}

// layout finds areas on a screen.
type layout struct{ s *vterm.Snapshot }

func (l layout) text(y int) string {
	if y < 0 || y >= len(l.s.Lines) {
		return ""
	}
	return strings.TrimSpace(l.s.Lines[y].Text)
}

// around returns the area that is drawn around a row.
func (l layout) around(y int) (area, bool) {
	for _, find := range []func(int) (area, bool){l.box, l.rules, l.panel} {
		if a, ok := find(y); ok && y-a.top <= max(maxStatus, len(l.s.Lines)/2) { // a larger one holds the conversation
			return a, true
		}
	}
	return area{}, false
}

// lowest returns the area that is drawn at the bottom of the screen, above some rows of a status.
// The cursor may be anywhere: many programs hide it, and draw one of their own.
func (l layout) lowest() (area, bool) {
	status := 0
	for y := len(l.s.Lines) - 1; y > 0 && status <= maxStatus; y-- {
		if a, ok := l.around(y - 1); ok && (isLine(l.text(y)) || a.kind == areaBar || a.kind == areaPanel) {
			return a, true
		}
		if l.text(y) != "" {
			status++
		}
	}
	return area{}, false
}

// box returns the box around a row: rows between two vertical lines, or behind one.
func (l layout) box(y int) (area, bool) {
	if !isSide(l.text(y)) {
		return area{}, false
	}
	top, bottom := y, y
	for top > 0 && y-top < maxInput && isSide(l.text(top-1)) {
		top--
	}
	for bottom+1 < len(l.s.Lines) && isSide(l.text(bottom+1)) {
		bottom++
	}
	if isLine(l.text(top-1)) && !strings.ContainsAny(l.text(top-1), lowerCorners) && isLine(l.text(bottom+1)) {
		return area{top: top - 1, kind: areaBox, size: utf8.RuneCountInString(l.text(bottom + 1))}, true
	}
	if isRule(l.text(top - 1)) {
		top--
	}
	return area{top: top, kind: areaBar}, true
}

// rules returns the place between two rules of the same width around a row.
func (l layout) rules(y int) (area, bool) {
	top, bottom := y-1, y+1
	for y-top <= maxInput && top >= 0 && !isLine(l.text(top)) {
		top--
	}
	for bottom-y <= maxInput && bottom < len(l.s.Lines) && !isLine(l.text(bottom)) {
		bottom++
	}
	above, below := l.text(top), l.text(bottom)
	size := utf8.RuneCountInString(below)
	if isLine(l.text(y)) || !isLine(above) || !isLine(below) || size < l.s.Cols/2 || utf8.RuneCountInString(above) != size {
		return area{}, false
	}
	return area{top: top, kind: areaRules, size: size}, true
}

// panel returns the rows around a row that have its background, unless that is the screen's.
func (l layout) panel(y int) (area, bool) {
	color := l.background(y)
	if color.Kind == vterm.ColorDefault {
		return area{}, false
	}
	top := y
	for top > 0 && l.background(top-1) == color {
		top--
	}
	if top == 0 || y-top > maxInput {
		return area{}, false
	}
	return area{top: top, kind: areaPanel}, true
}

// background returns the background of most of a row; the default colour if it has none.
func (l layout) background(y int) vterm.Color {
	if y < 0 || y >= len(l.s.Lines) {
		return vterm.Color{}
	}
	for _, run := range l.s.Lines[y].Runs {
		if run.Width > l.s.Cols/2 {
			return run.Style.Bg
		}
	}
	widths := map[vterm.Color]int{}
	for _, run := range l.s.Lines[y].Runs {
		if widths[run.Style.Bg] += run.Width; widths[run.Style.Bg] > l.s.Cols/2 {
			return run.Style.Bg
		}
	}
	return vterm.Color{}
}

// prompt returns the row of the cursor if that is behind an unfinished line, with the rule above
// it, and the rows below. drawn is whether there are such a rule or rows.
func (l layout) prompt() (a area, drawn, ok bool) {
	y := l.s.CursorY
	text := l.text(y)
	for y > 0 && l.s.Lines[y].Wrapped {
		y--
		text = l.text(y) + text
	}
	text = withoutDigits(text)
	below := 0
	for i := l.s.CursorY + 1; i < len(l.s.Lines); i++ {
		if l.text(i) != "" {
			below++
		}
	}
	if text == "" || l.s.CursorX == 0 || below > maxStatus {
		return area{}, false, false
	}
	if above := l.text(y - 1); isRule(above) && utf8.RuneCountInString(above) >= l.s.Cols/2 {
		y--
		drawn = true
	}
	return area{top: y, kind: areaPrompt, text: text}, drawn || below > 0, true
}

// samePrompt reports whether two texts are a program's prompt: the same, or ending with the same
// sign.
func samePrompt(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	return a == b || strings.HasSuffix(b, string(last)) && !unicode.IsLetter(last)
}

func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// Characters of which lines are drawn: those of the blocks Box Drawing and Block Elements, and
// their like in ASCII.
const (
	horizontals  = "─━┄┅┈┉╌╍═▀▁▂▃▄▔-=_"
	verticals    = "│┃┆┇┊┋╎╏║▌▍▎▏▐▕|"
	lowerCorners = "└┕┖┗┘┙┚┛╘╙╚╛╜╝╰╯╵╹" // of a box that ends
	corners      = "┌┍┎┏┐┑┒┓└┕┖┗┘┙┚┛╒╓╔╕╖╗╘╙╚╛╜╝╭╮╯╰├┤┠┣┫┨╞╟╠╡╢╣╷╵╹╻+"
)

// minLine is how long a line is at least, in characters.
const minLine = 8

// isLine reports whether a row is drawn as a horizontal line, perhaps with a title in it.
func isLine(text string) bool {
	if strings.ContainsAny(text[:min(len(text), utf8.UTFMax)], verticals) {
		return false
	}
	drawn, all := 0, 0
	for _, r := range text {
		all++
		if strings.ContainsRune(horizontals, r) || strings.ContainsRune(corners, r) {
			drawn++
		}
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	ends := strings.ContainsRune(horizontals+corners, first) && strings.ContainsRune(horizontals+corners, last)
	return ends && all >= minLine && 2*drawn > all
}

// isRule reports whether a row is a line without corners.
func isRule(text string) bool { return isLine(text) && !strings.ContainsAny(text, corners) }

// isSide reports whether a row begins with a vertical line.
func isSide(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return text != "" && strings.ContainsRune(verticals, first)
}
