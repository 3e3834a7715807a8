package agentapi

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/vterm"
)

// area is the input area of a program: the rows at the bottom of the screen in which the user
// writes. It is recognised by how it is drawn; see the kinds.
type area struct {
	top  int    // its first row; the number of rows of the screen if there is no area
	kind string // empty if not known yet
	size int    // width of a box or of rules, in characters
	text string // text of a prompt, without digits, because programs count their prompts
}

// The maximum number of rows in an area, and below it.
const (
	maxInput  = 30
	maxStatus = 6
)

// Kinds of areas.
const (
	areaBox    = "box"
	areaBar    = "bar"    // rows to the right of a vertical line
	areaRules  = "rules"  // rows between two horizontal lines
	areaPanel  = "panel"  // rows with their own background
	areaPrompt = "prompt" // the cursor is after a text
	areaNone   = "none"   // no area
)

// areaOf finds the input area. was is the area when the program last waited for input. waits means
// that it waits for input now, so that text before the cursor is a prompt.
func areaOf(s *vterm.Snapshot, was area, waits bool) area {
	l := layout{s}
	if a, ok := l.around(s.CursorY); ok {
		return a
	}
	lowest, hasLowest := l.lowest()
	hasLowest = hasLowest && (was.kind == "" || lowest.kind == was.kind && lowest.size == was.size)
	if hasLowest && !s.Visible { // a hidden cursor may be anywhere
		return lowest
	}
	if a, set, ok := l.prompt(); ok && (waits || was.kind == "" && set ||
		was.kind == areaPrompt && samePrompt(a.text, was.text)) {
		return a
	}
	if hasLowest {
		return lowest
	}
	return area{top: len(s.Lines), kind: areaNone}
}

// layout finds areas on a screen.
type layout struct{ s *vterm.Snapshot }

// text returns the text of a row, trimmed. It is empty if there is no such row.
func (l layout) text(y int) string {
	if y < 0 || y >= len(l.s.Lines) {
		return ""
	}
	return strings.TrimSpace(l.s.Lines[y].Text)
}

// around returns the area that contains a row.
func (l layout) around(y int) (area, bool) {
	for _, find := range []func(int) (area, bool){l.box, l.rules, l.panel} {
		if a, ok := find(y); ok && y-a.top <= max(maxStatus, len(l.s.Lines)/2) { // a larger one is the conversation
			return a, true
		}
	}
	return area{}, false
}

// lowest returns the lowest area on the screen. At most maxStatus rows with text are below it. It
// does not use the cursor, because many programs hide it and draw their own.
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

// box returns the box that contains a row, or the bar to the left of it.
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

// rules returns the area that contains a row between two horizontal lines of the same width.
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
	if isLine(l.text(y)) || !isLine(above) || !isLine(below) || size < l.s.Cols/2 ||
		utf8.RuneCountInString(above) != size {
		return area{}, false
	}
	return area{top: top, kind: areaRules, size: size}, true
}

// panel returns the panel that contains a row.
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

// background returns the background of more than half of a row, or the default colour if there is
// none.
func (l layout) background(y int) vterm.Color {
	if y < 0 || y >= len(l.s.Lines) {
		return vterm.Color{}
	}
	widths := map[vterm.Color]int{}
	for _, run := range l.s.Lines[y].Runs {
		if widths[run.Style.Bg] += run.Width; widths[run.Style.Bg] > l.s.Cols/2 {
			return run.Style.Bg
		}
	}
	return vterm.Color{}
}

// prompt returns the area of the prompt before the cursor. set reports whether the prompt is
// separated from the conversation: by a rule above it, which belongs to the area, or by rows below
// it.
func (l layout) prompt() (a area, set, ok bool) {
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
		set = true
	}
	return area{top: y, kind: areaPrompt, text: text}, set || below > 0, true
}

// samePrompt reports whether two texts may be prompts of the same program: they are equal, or end
// in the same character, which is not a letter.
func samePrompt(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	return a == b || strings.HasSuffix(b, string(last)) && !unicode.IsLetter(last)
}

// withoutDigits returns text without its digits, because counters change.
func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// The characters that draw lines: those of the Unicode blocks Box Drawing and Block Elements, and
// similar ASCII characters.
const (
	horizontals  = "─━┄┅┈┉╌╍═▀▁▂▃▄▔-=_"
	verticals    = "│┃┆┇┊┋╎╏║▌▍▎▏▐▕|"
	lowerCorners = "└┕┖┗┘┙┚┛╘╙╚╛╜╝╰╯╵╹"
	corners      = "┌┍┎┏┐┑┒┓└┕┖┗┘┙┚┛╒╓╔╕╖╗╘╙╚╛╜╝╭╮╯╰├┤┠┣┫┨╞╟╠╡╢╣╷╵╹╻+"
)

// minLine is the minimum length of a line, in characters.
const minLine = 8

// isLine reports whether a row is a horizontal line, maybe with a title in it.
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
