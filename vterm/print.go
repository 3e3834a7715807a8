package vterm

import "strings"

// printASCII prints the printable ASCII characters at the start of p, and returns their number. It
// is the hot path.
func (t *Term) printASCII(p []byte) int {
	n := 0
	if p[0] == ' ' && t.blanked() {
		t.joinable, t.blankX, t.blankY = 0, t.scr.x, t.scr.y
		return 1
	}
	if x := t.blankX; x > 0 {
		if t.blankX = 0; x == t.scr.x && t.blankY == t.scr.y && (p[0]|0x20)-'a' < 26 {
			t.printRune(' ')
		}
	}
	if t.charset != nil || t.insert {
		return t.printEach(p)
	}
	sc := t.scr
	l := sc.rows[sc.y]
	t.startRun(l)
	for n < len(p) && printable(p[n]) {
		if sc.x >= t.cols {
			l = t.pastLast()
		}
		var k int
		attr := t.attr
		if l.isText && sc.x == l.used && (sc.x > 0 && attr == l.attr || sc.x == 0 && printable8(p[n:])) {
			k = l.printText(p[n:], attr)
		} else {
			dst, src := l.cells()[sc.x:], p[n:]
			k = min(len(dst), len(src))
			dst, src = dst[:k], src[:k]
			for i, b := range src {
				if !printable(b) {
					k = i
					break
				}
				dst[i] = cell{uint32(b), attr}
			}
		}
		n += k
		sc.x += k
		l.wrote(sc.x)
	}
	l.mendAt(sc.x, t.attr)
	t.joinable = 1
	return n
}

// pastLast goes on after the last column, and returns the row of the cursor.
func (t *Term) pastLast() *line {
	if t.autowrap {
		t.wrapLine()
	} else { // further characters overwrite each other in the last column
		t.scr.x = t.cols - 1
	}
	return t.scr.rows[t.scr.y]
}

// printEach is printASCII where each character may be another one, or moves others.
func (t *Term) printEach(p []byte) (n int) {
	for ; n < len(p) && printable(p[n]); n++ {
		t.printRune(rune(p[n]))
	}
	return n
}

// blanked reports whether a blank at the cursor is the second cell of the emoji before it. Programs
// that draw the alternate screen cell by cell and count such an emoji as two cells (ratatui 0.30)
// write a blank there, and expect the terminal to show the emoji in one cell. If a word follows,
// printASCII prints the blank after all, because multiplexers draw cell by cell what other programs
// wrote.
func (t *Term) blanked() bool {
	return t.widths == Points && t.joinable == 2 && t.scr == &t.alt &&
		strings.Contains(t.cellText(t.beforeCursor()), "\ufe0f")
}

// startRun repairs the wide character in whose middle a run of text starts. Later in the run, only
// characters of the run itself can be cut, which xterm.js ignores.
func (t *Term) startRun(l *line) {
	if !t.inRun {
		t.narrow(l, t.scr.x)
		l.splitAt(t.scr.x, t.attr)
		t.inRun = true
	}
}

// narrow makes a character one column wide again that a variation selector had made two wide, if
// the program writes over its second column: the program ignores the selector.
func (t *Term) narrow(l *line, x int) {
	if x < 1 || l.isText || x > len(l.grid) {
		return
	}
	if c := &l.grid[x-1]; c.ch&chCluster != 0 && c.attr&cellWide != 0 && strings.HasSuffix(t.cellText(*c), "\ufe0f") {
		c.attr &^= cellWide
		l.grid[x] = cell{attr: t.attr}
		l.wrote(x + 1)
	}
}

// printRune prints one character: in cells of its own, or in the cell of the character before it if
// both are one grapheme cluster.
func (t *Term) printRune(r rune) {
	if r < 127 && t.charset != nil {
		r = t.charset.translate(r)
	}
	sc := t.scr
	t.startRun(sc.rows[sc.y])
	w, old, joins := t.measure(r)
	if w < 0 {
		return
	}
	if t.joinable = w; joins && sc.x == 0 {
		t.joinable = 0 // the character is on the row above
	}
	if sc.x+w-old > t.cols && !t.wrapFor(w, old) {
		sc.rows[sc.y].mendAt(sc.x, t.attr)
		return
	}
	l := sc.rows[sc.y]
	if joins {
		t.joinCell(l, r, w)
		for ; old < w; old++ {
			t.put(l, cell{attr: t.attr | cellTail})
		}
	} else {
		t.putWide(l, r, w, old)
	}
	if sc.x < t.cols {
		l.mendAt(sc.x, t.attr)
	}
}

// putWide writes r into w cells at the cursor.
func (t *Term) putWide(l *line, r rune, w, old int) {
	sc := t.scr
	if sc.x >= t.cols {
		return // zero-width character after the last column, with nothing to join
	}
	if t.insert {
		t.insertBlanks(l, sc.x, w-old, t.attr)
		if last := &l.cells()[t.cols-1]; last.attr&cellWide != 0 {
			*last = cell{attr: t.attr}
		}
	}
	t.put(l, cell{uint32(r), t.attr | widthFlags(w)})
	if w == 2 {
		t.put(l, cell{attr: t.attr | cellTail})
	}
}

// put writes one cell at the cursor, and advances the cursor.
func (t *Term) put(l *line, c cell) {
	if cells := l.cells(); t.scr.x < len(cells) {
		cells[t.scr.x] = c
		l.wrote(t.scr.x + 1)
	}
	t.scr.x++
}

// wrapFor makes room at the right margin for a character of w cells. If old of these are already on
// the screen, they move with it. It returns false if the character cannot be shown.
func (t *Term) wrapFor(w, old int) bool {
	sc := t.scr
	if !t.autowrap {
		sc.x = t.cols - 1
		return w != 2
	}
	above, from := sc.rows[sc.y], max(sc.x-old, 0)
	var moved [2]cell
	copy(moved[:old], above.cells()[from:])
	if w == 2 && t.edge == (edge{above, above.ver}) && above.at(t.cols-1).ch == ' ' {
		from = t.cols - 1
	}
	above.fill(from, t.cols, cell{attr: t.attr}) // before the row may move to the scrollback
	t.wrapLine()
	l := sc.rows[sc.y]
	if old > 0 {
		copy(l.cells(), moved[:old])
		l.wrote(old)
	}
	sc.x = old
	return true
}

// wrapLine moves the cursor to the start of the next row, which continues this one.
func (t *Term) wrapLine() {
	sc := t.scr
	sc.x = 0
	switch {
	case sc.y == sc.bottom:
		t.scroll(true)
	case sc.y < t.rows-1:
		sc.y++
		sc.rows[sc.y].setWrapped(true)
	default:
		sc.rows[sc.y].setWrapped(true)
	}
}

// maxRepeat is the maximum number of repetitions of REP, unless the screen has more cells. Like
// xterm, and unlike xterm.js, we limit how long a few bytes can keep the terminal busy.
const maxRepeat = 4096

// repeat is REP: it prints the character before the cursor n more times, if that was just printed.
func (t *Term) repeat(n int) {
	w := t.joinable
	if w == 0 {
		return
	}
	c := t.cur().at(t.scr.x - w)
	text := t.cellText(c)
	n = min(n, max(t.cols*t.rows, maxRepeat))
	t.joinable = 0
	for range n {
		for _, r := range text {
			t.printRune(r)
		}
	}
}
