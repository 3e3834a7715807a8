package vterm

// scroll moves the rows between the margins up by one, for a line feed or a wrap at the bottom
// margin. If the region starts at the top of the main screen, its first row goes to the scrollback.
func (t *Term) scroll(wrapped bool) {
	sc := t.scr
	first := sc.rows[sc.top]
	if sc.top == 0 && sc.bottom == len(sc.rows)-1 {
		sc.slide()
	} else {
		copy(sc.rows[sc.top:sc.bottom], sc.rows[sc.top+1:sc.bottom+1])
	}
	switch {
	case sc.top > 0:
		t.release(first)
	case sc == &t.main:
		t.retire(first)
	default:
		t.keepAltScrolled(first)
	}
	l := t.blank(t.erase)
	l.wrapped = wrapped
	sc.rows[sc.bottom] = l
	t.historyCue()
}

// retire moves a row that left the top of the main screen to the scrollback and the history.
func (t *Term) retire(l *line) {
	t.remember(Scrolled, l)
	if old, full := t.sb.push(l); full {
		t.release(old)
	}
}

// keepAltScrolled keeps a row that left the top of the alternate screen, for TakeAltScrolled.
func (t *Term) keepAltScrolled(l *line) {
	if old, full := t.altScrolled.push(l); full {
		t.release(old)
	}
}

// forgetAltScrolled drops these rows, because the rows now on the screen did not follow them.
func (t *Term) forgetAltScrolled() {
	for i := range t.altScrolled.n {
		t.release(t.altScrolled.at(i))
	}
	t.altScrolled.reset()
}

// shiftUp moves the rows from to bottom up by n, for SU and DL. Blank rows enter at the bottom;
// lost takes the rows that leave.
func (t *Term) shiftUp(from, bottom, n int, attr uint32, lost func(*line)) {
	rows := t.scr.rows[from : bottom+1]
	n = min(n, len(rows))
	for _, l := range rows[:n] {
		lost(l)
	}
	copy(rows, rows[n:])
	for i := len(rows) - n; i < len(rows); i++ {
		rows[i] = t.blank(attr)
	}
}

// shiftDown moves the rows from to bottom down by n, for SD, IL and RI. Blank rows enter at the
// top.
func (t *Term) shiftDown(from, bottom, n int, attr uint32) {
	if from == 0 && t.scr == &t.alt {
		t.forgetAltScrolled()
	}
	rows := t.scr.rows[from : bottom+1]
	n = min(n, len(rows))
	for _, l := range rows[len(rows)-n:] {
		t.release(l)
	}
	copy(rows[n:], rows)
	for i := range n {
		rows[i] = t.blank(attr)
	}
}

// scrollUpBy is SU. xterm.js drops the rows that leave; xterm keeps those that leave the top of the
// screen. So does the history, because older Codex versions scroll their transcript with SU.
func (t *Term) scrollUpBy(n int) {
	sc := t.scr
	lost := t.release
	switch {
	case sc.top > 0:
	case sc == &t.main:
		lost = func(l *line) {
			t.remember(Scrolled, l)
			t.release(l)
		}
	default:
		lost = t.keepAltScrolled
	}
	t.shiftUp(sc.top, sc.bottom, n, t.erase, lost)
	t.historyCue()
}

// scrollDownBy is SD. The new rows are in the default style, as in xterm.js.
func (t *Term) scrollDownBy(n int) {
	t.shiftDown(t.scr.top, t.scr.bottom, n, 0)
}

// insideMargins reports whether the cursor is between the margins, as IL, DL and others require.
func (t *Term) insideMargins() bool {
	return t.scr.y >= t.scr.top && t.scr.y <= t.scr.bottom
}

// insertLines is IL, deleteLines is DL. Both move the cursor to the first column.
func (t *Term) insertLines(n int) {
	t.restrict(t.cols - 1)
	if t.insideMargins() {
		t.shiftDown(t.scr.y, t.scr.bottom, n, t.erase)
		t.scr.x = 0
	}
}

func (t *Term) deleteLines(n int) {
	t.restrict(t.cols - 1)
	if t.insideMargins() {
		t.shiftUp(t.scr.y, t.scr.bottom, n, t.erase, t.release)
		t.scr.x = 0
	}
}

// setMargins is DECSTBM. top and bottom count from 1; 0 means the default. It ignores regions of
// fewer than two rows.
func (t *Term) setMargins(top, bottom int) {
	top = max(top, 1)
	if bottom == 0 || bottom > t.rows {
		bottom = t.rows
	}
	if bottom > top {
		t.scr.top, t.scr.bottom = top-1, bottom-1
		t.moveTo(0, 0)
	}
}
