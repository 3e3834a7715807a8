package vterm

import "slices"

// screen is one of the two screens: its rows, cursor, margins, tab stops and saved cursor.
// Coordinates count from 0; x == cols is a pending wrap.
type screen struct {
	rows        []*line // top to bottom; empty while the alternate screen is not shown
	room        []*line // backing array of rows, with room to slide them
	x, y        int
	top, bottom int // margins (DECSTBM), inclusive
	tabs        map[int]bool
	defaultTabs int // width in columns for which tabs has the default stops; 0 if a program has set stops
	saved       savedCursor
}

// slide moves all rows up by one; the caller sets the last one. It rarely has to move them in
// memory.
func (sc *screen) slide() {
	n := len(sc.rows)
	if cap(sc.rows) == n {
		if len(sc.room) < 8*n {
			sc.room = make([]*line, 8*n)
		}
		copy(sc.room, sc.rows)
		sc.rows = sc.room[:n]
	}
	sc.rows = sc.rows[1 : n+1]
}

// savedCursor is the state that DECSC saves. y counts from the top of the scrollback: like
// xterm.js, and unlike the VT manuals, DECRC returns to the text at the cursor, not to its row on
// the screen.
type savedCursor struct {
	x, y    int
	brush   brush
	charset *charset
}

// base returns the number of rows above the screen.
func (t *Term) base() int {
	if t.scr == &t.main {
		return t.sb.n
	}
	return 0
}

// cur returns the line of the cursor.
func (t *Term) cur() *line { return t.scr.rows[t.scr.y] }

// blank returns an empty line with the background of attr.
func (t *Term) blank(attr uint32) *line {
	var l *line
	if n := len(t.spare); n > 0 {
		l, t.spare = t.spare[n-1], t.spare[:n-1]
	} else {
		l = &line{grid: make([]cell, t.cols), text: make([]byte, 0, t.cols)}
	}
	l.reset()
	l.refs = 1
	if attr != 0 {
		l.fill(0, t.cols, cell{attr: attr})
	}
	return l
}

// maxSpare is the maximum number of unused lines that are kept for reuse.
const maxSpare = 64

// release removes a reference to l. After the last one, l is kept for reuse.
func (t *Term) release(l *line) {
	l.refs--
	if l.refs == 0 && len(l.grid) == t.cols && len(t.spare) < maxSpare {
		t.spare = append(t.spare, l)
	}
}

// blankRows fills sc with empty rows.
func (t *Term) blankRows(sc *screen, attr uint32) {
	sc.rows = slices.Grow(sc.rows[:0], t.rows)[:t.rows]
	for i := range sc.rows {
		sc.rows[i] = t.blank(attr)
	}
}

// clearScreen resets sc, except for the saved cursor, which survives a switch of screens.
func (t *Term) clearScreen(sc *screen) {
	for _, l := range sc.rows {
		t.release(l)
	}
	clear(sc.rows)
	sc.rows = sc.rows[:0]
	sc.x, sc.y, sc.top, sc.bottom = 0, 0, 0, t.rows-1
	sc.resetTabs(t.cols)
}

// useAlt switches to the alternate screen, which is empty, and keeps the cursor's position (DECSET
// 47, 1047, 1049).
func (t *Term) useAlt() {
	if t.scr == &t.alt {
		return
	}
	t.cue(CueAlt, 1, "")
	t.blankRows(&t.alt, t.erase)
	t.alt.x, t.alt.y = t.main.x, t.main.y
	t.scr = &t.alt
}

// useMain switches to the main screen and discards the alternate one.
func (t *Term) useMain() {
	if t.scr == &t.main {
		return
	}
	t.cue(CueAlt, 0, "")
	t.main.x, t.main.y = t.alt.x, t.alt.y
	t.clearScreen(&t.alt)
	t.forgetAltScrolled()
	t.scr = &t.main
}
