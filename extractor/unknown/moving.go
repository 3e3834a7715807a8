package unknown

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// moving recognises the rows that show that the agent works, such as a spinner. They are a little
// above the input area, and are redrawn in place with another sign or number.
type moving struct {
	words []string      // their letters
	inks  []vterm.Style // styles of their text, other than the style of ordinary text
	last  []string      // texts of the rows above the input area in the previous frame, bottom first
}

const (
	maxMoving  = 64 // maximum length of words and of inks
	movingRows = 8  // number of rows above the input area to look at
)

// see learns from the rows above the input area. A row moves if only its signs and digits change,
// and the row above it does not.
func (m *moving) see(lines []row.Line) {
	var now []row.Line
	for i := len(lines) - 1; i >= 0 && len(now) <= movingRows; i-- {
		if lines[i].Text != "" {
			now = append(now, lines[i])
		}
	}
	for n := range min(len(now), len(m.last)) - 1 {
		l, words := now[n], wordsOf(now[n].Text)
		if words == "" || m.last[n] == l.Text || wordsOf(m.last[n]) != words || m.last[n+1] != now[n+1].Text {
			continue
		}
		if !slices.Contains(m.words, words) && len(m.words) < maxMoving {
			m.words = append(m.words, words)
		}
		if ink := inkOf(l); !row.Plain(ink.Fg) && !slices.Contains(m.inks, ink) && len(m.inks) < maxMoving {
			m.inks = append(m.inks, ink)
		}
	}
	m.last = m.last[:0]
	for _, l := range now {
		m.last = append(m.last, l.Text)
	}
}

// first returns the first of the last rows of lines that shows that the agent works. moves is false
// if there is none. Rows up to the last one for which not holds do not count. A row is recognised
// by its words, or in the last block by its ink.
func (m *moving) first(lines []row.Line, not func(row.Line) bool) (at int, moves bool) {
	inked, from := lastBlock(lines), max(0, len(lines)-movingRows)
	from += 1 + row.Last(lines[from:], not)
	for at := from; at < len(lines); at++ {
		l := lines[at]
		words := wordsOf(l.Text)
		switch {
		case words == "":
		case slices.Contains(m.words, words), at >= inked && signWidth(l, 0) > 0 && slices.Contains(m.inks, inkOf(l)):
			return at, true
		}
	}
	return len(lines), false
}

// lastBlock returns the index of the first row after the last blank one.
func lastBlock(lines []row.Line) int {
	top := len(lines)
	for top > 0 && lines[top-1].Text != "" {
		top--
	}
	return top
}

// inkOf returns the style of a row's text after its sign.
func inkOf(l row.Line) vterm.Style { return l.StyleAt(max(signWidth(l, 0), row.Indent(l.Text))) }

// wordsOf returns the letters of a text.
func wordsOf(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) {
			return c
		}
		return -1
	}, text)
}
