package vterm

import (
	"fmt"
	"slices"
	"strings"
)

// RefAttrs and RefWidths tell the rows' styles and cell widths in xtref.mjs's words, from the cells
// themselves: what a Row leaves out as invisible is compared, too.
func (t *Term) RefAttrs() (screen, scrollback []string) {
	return t.refRows(t.refAttrs)
}

// RefWidths is empty for a row whose cells are all one column wide.
func (t *Term) RefWidths() (screen, scrollback []string) {
	return t.refRows(t.refWidths)
}

func (t *Term) refRows(of func(*line) string) (screen, scrollback []string) {
	screen, scrollback = []string{}, []string{}
	for _, l := range t.scr.rows {
		screen = append(screen, of(l))
	}
	for i := range t.sb.n {
		scrollback = append(scrollback, of(t.sb.at(i)))
	}
	return screen, scrollback
}

func (t *Term) refAttrs(l *line) string {
	var out []string
	n, last := 0, ""
	number, s := uint32(0), refStyle(Style{})
	for x := range t.cols {
		if at := l.at(x).attr & styleMask; at != number {
			number, s = at, refStyle(t.styles.styles[at])
		}
		if n > 0 && s != last {
			out = append(out, fmt.Sprintf("%d*%s", n, last))
			n = 0
		}
		n, last = n+1, s
	}
	if last != "-/-/" {
		out = append(out, fmt.Sprintf("%d*%s", n, last))
	}
	return strings.Join(out, " ")
}

// refStyle is a style as xtref.mjs writes it. xterm.js underlines links.
func refStyle(s Style) string {
	var b strings.Builder
	b.WriteString(refColor(s.Fg) + "/" + refColor(s.Bg) + "/")
	for _, f := range []struct {
		on   bool
		name string
	}{
		{s.Bold, "b"}, {s.Dim, "d"}, {s.Italic, "i"}, {s.Underline != 0 || s.Link != "", "u"}, {s.Blink, "k"},
		{s.Inverse, "v"}, {s.Invisible, "h"}, {s.Strikethrough, "s"}, {s.Overline, "o"},
	} {
		if f.on {
			b.WriteString(f.name)
		}
	}
	return b.String()
}

func refColor(c Color) string {
	switch c.Kind {
	case ColorPalette:
		return fmt.Sprintf("p%d", c.Palette)
	case ColorRGB:
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return "-"
}

func (t *Term) refWidths(l *line) string {
	var b strings.Builder
	last, odd := 0, false
	for x := range t.cols {
		c := l.at(x)
		w := c.width()
		b.WriteByte(byte('0' + w))
		odd = odd || w != 1
		if c.ch != 0 && c.ch != ' ' {
			last = x + max(w, 1)
		}
	}
	if !odd {
		return ""
	}
	return b.String()[:min(last, t.cols)]
}

// MemoryStore makes t keep its screen in a store that only remembers.
func (t *Term) MemoryStore() { t.view.store = &memoryStore{} }

// DirectStore makes t keep its screen in a vt10x that is written cell by cell.
func (t *Term) DirectStore() { t.view.store = &directStore{} }

// WriteThrough writes p, and each change to the store at once.
func (t *Term) WriteThrough(p []byte) {
	for i := range p {
		_, _ = t.Write(p[i : i+1])
		t.sync()
	}
}

// StoreCells reads the screen's cells out of the store, and, beside them, what they should be.
func (t *Term) StoreCells() (got, want [][]Cell) {
	t.sync()
	row := make([]cell, t.cols)
	for y, l := range t.scr.rows {
		t.view.store.read(0, y, row)
		got = append(got, append([]Cell(nil), row...))
		want = append(want, append([]Cell(nil), l.cells()...))
	}
	return got, want
}

// Cell is a cell for tests to compare.
type Cell = cell

// Held counts what t keeps: rows, styles, clusters and links.
func (t *Term) Held() (rows, styles, clusters, links int) {
	return t.sb.n + t.hist.n + len(t.main.rows) + len(t.alt.rows) + len(t.spare),
		len(t.styles.pens), len(t.clusters.texts), len(t.links.texts)
}

// WronglyUnused counts the rows that hold something past what they say that is used of them.
func (t *Term) WronglyUnused() int {
	n := 0
	count := func(l *line) {
		if !allBlank(l.grid[l.used:]) || l.isText && (!allBlank(l.grid) || l.used != len(l.text)) {
			n++
		}
	}
	t.eachLine(count)
	for _, l := range t.spare {
		count(l)
	}
	return n
}

// memoryStore is the twin of vt10xStore that the tests hold it against.
type memoryStore struct{ rows [][]cell }

func (s *memoryStore) resize(cols, rows int) {
	s.rows = make([][]cell, rows)
	for y := range s.rows {
		s.rows[y] = make([]cell, cols)
	}
}

func (s *memoryStore) shift(top, bottom, n int) {
	blank := make([][]cell, max(n, -n))
	for y := range blank {
		blank[y] = make([]cell, len(s.rows[0]))
	}
	if n > 0 {
		copy(s.rows[top:], append(s.rows[top+n:bottom+1:bottom+1], blank...))
	} else {
		copy(s.rows[top:], append(blank, s.rows[top:bottom+1+n]...))
	}
}

func (s *memoryStore) write(x, y int, cells []cell) { copy(s.rows[y][x:], cells) }
func (s *memoryStore) read(x, y int, cells []cell)  { copy(cells, s.rows[y][x:]) }
func (s *memoryStore) setCursor(int, int, bool)     {}
func (s *memoryStore) flush()                       {}

// OddCharset reports whether the character set in use is none of G0 to G3, as after DECRC:
// sequences cannot say that.
func (t *Term) OddCharset() bool { return t.charset != t.charsets[t.level] }

// directStore is the other twin: vt10x, to which each cell goes at once, told in full.
type directStore struct {
	vt10xStore
	shown bool // the cursor is where setCursor put it last
}

func (s *directStore) shift(top, bottom, n int) {
	was := make([][]cell, bottom-top+1)
	for y := range was {
		was[y] = make([]cell, s.cols)
		s.read(0, top+y, was[y])
	}
	for y := range was {
		now := make([]cell, s.cols)
		if from := y + n; from >= 0 && from < len(was) {
			now = was[from]
		}
		if !slices.Equal(now, was[y]) {
			s.write(0, top+y, now)
		}
	}
}

func (s *directStore) write(x, y int, cells []cell) {
	for i := range cells {
		r, fg, bg := vtGlyph(cells, i)
		s.shown = false
		fmt.Fprintf(s.term, "\x1b[%d;%dH\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm%c", y+1, x+i+1,
			fg>>16, fg>>8&0xFF, fg&0xFF, bg>>16, bg>>8&0xFF, bg&0xFF, r)
	}
}

func (s *directStore) setCursor(x, y int, visible bool) {
	if s.shown && x == s.x && y == s.y && visible != s.hidden {
		return
	}
	s.shown, s.x, s.y, s.hidden = true, x, y, !visible
	show := 'l'
	if visible {
		show = 'h'
	}
	fmt.Fprintf(s.term, "\x1b[%d;%dH\x1b[?25%c", y+1, x+1, show)
}

func (s *directStore) flush() {}

// Keyboard tells the keyboard flags of both screens, modifyOtherKeys and the cursor's shape.
func (t *Term) Keyboard() string {
	stacks := t.keyboard.stacks
	if t.scr == &t.main {
		stacks[1] = nil // nobody can tell
	}
	return fmt.Sprint(stacks, t.keyboard.other, t.keyboard.shape)
}
