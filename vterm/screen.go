package vterm

import "slices"

// screen is one of the two screens: its rows, cursor, margins, tab stops and saved cursor.
// Coordinates count from 0; x may be cols, which is the pending wrap.
type screen struct {
	rows        []*line // top to bottom; empty while the alternate screen is not shown
	room        []*line // backing array of rows, longer than they are, so that they can slide
	x, y        int
	top, bottom int // margins (DECSTBM), inclusive
	tabs        map[int]bool
	defaultTabs int // the width in columns that tabs has the default stops for; 0: a program has set them
	saved       savedCursor
}

// slide moves all rows up by one, except the last, which the caller sets. It seldom has to move
// them in memory.
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

// savedCursor is what DECSC keeps. y counts from the top of the scrollback: like xterm.js, and
// unlike the VT manuals, DECRC goes back to the text that the cursor stood on, not to its row.
type savedCursor struct {
	x, y    int
	brush   brush
	charset *charset
}

// base is the number of rows above the screen.
func (t *Term) base() int {
	if t.scr == &t.main {
		return t.sb.n
	}
	return 0
}

// cur is the line the cursor is on.
func (t *Term) cur() *line { return t.scr.rows[t.scr.y] }

// blank is an empty line, drawn with the background of attr.
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

// maxSpare bounds the lines kept for another use.
const maxSpare = 64

// release takes one owner away from l; after the last one, it is kept to be used again.
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

// clearScreen puts sc back to its first state, but for the saved cursor, which outlives a switch
// of screens.
func (t *Term) clearScreen(sc *screen) {
	for _, l := range sc.rows {
		t.release(l)
	}
	clear(sc.rows)
	sc.rows = sc.rows[:0]
	sc.x, sc.y, sc.top, sc.bottom = 0, 0, 0, t.rows-1
	sc.resetTabs(t.cols)
}

// useAlt shows the alternate screen, empty, with the cursor where it is (DECSET 47, 1047, 1049).
func (t *Term) useAlt() {
	if t.scr == &t.alt {
		return
	}
	t.cue(CueAlt, 1, "")
	t.blankRows(&t.alt, t.erase)
	t.alt.x, t.alt.y = t.main.x, t.main.y
	t.scr = &t.alt
}

// useMain goes back to the main screen and forgets the alternate one.
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
