package vterm

// histItem is an item of the history. TakeHistory makes a HistoryRow of it.
type histItem struct {
	kind HistoryKind
	line *line // has a reference; nil for kinds without a row
	n    int
}

// maxHistory is the maximum number of items that wait for TakeHistory. Older ones are dropped.
const maxHistory = 10000

// historyDue is the number of waiting items at which CueHistory is sent.
const historyDue = 1000

// historyCue sends CueHistory if many rows wait. The screen must be consistent when it is called.
func (t *Term) historyCue() {
	if t.hist.n >= historyDue {
		t.cue(CueHistory, 0, "")
	}
}

// remember appends l to the history, which takes a reference to it.
func (t *Term) remember(kind HistoryKind, l *line) {
	l.refs++
	t.addHistory(histItem{kind: kind, line: l})
}

func (t *Term) addHistory(it histItem) {
	if old, full := t.hist.push(it); full && old.line != nil {
		t.release(old.line)
	}
}

// rememberScreen moves the rows of the main screen to the history before they are erased, down to
// the last one that is not empty, and puts blank lines in their place.
func (t *Term) rememberScreen() {
	rows := t.main.rows
	last := len(rows) - 1
	for last >= 0 && blankLine(rows[last]) {
		last--
	}
	for i, l := range rows[:last+1] {
		t.remember(Erased, l)
		t.release(l)
		rows[i] = t.blank(0)
	}
}

// blankLine reports whether l has only spaces.
func blankLine(l *line) bool {
	for x := range l.used {
		if c := l.at(x); c.ch != 0 && c.ch != ' ' {
			return false
		}
	}
	return true
}

// TakeHistory returns the rows that left the main screen since the last call, oldest first. It may
// be called in OnCue. At most the newest 10,000 items are kept between calls.
func (t *Term) TakeHistory() []HistoryRow {
	if t.hist.n == 0 {
		return nil
	}
	out := make([]HistoryRow, t.hist.n)
	for i := range out {
		it := t.hist.at(i)
		out[i] = HistoryRow{Kind: it.kind, N: it.n}
		if it.line != nil {
			out[i].Row = t.readLine(it.line)
			t.release(it.line)
		}
	}
	t.hist.reset()
	return out
}

// maxAltScrolled is the maximum number of rows that wait for TakeAltScrolled.
const maxAltScrolled = 256

// TakeAltScrolled returns the rows that left the top of the alternate screen since the last call,
// oldest first, at most 256. It returns none from before the screen was erased or resized, or was
// scrolled down. The rows tell how far a program scrolled its text.
func (t *Term) TakeAltScrolled() []*Row {
	if t.altScrolled.n == 0 {
		return nil
	}
	out := make([]*Row, t.altScrolled.n)
	for i := range out {
		out[i] = t.readLine(t.altScrolled.at(i))
	}
	t.forgetAltScrolled()
	return out
}

// Scrollback returns the rows above the main screen, oldest first, as in xterm.js.
func (t *Term) Scrollback() []*Row {
	out := make([]*Row, t.sb.n)
	for i := range out {
		out[i] = t.readLine(t.sb.at(i))
	}
	return out
}
