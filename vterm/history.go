package vterm

// histItem is one item of the history, as TakeHistory will tell it.
type histItem struct {
	kind HistoryKind
	line *line // owned, nil where the kind has no row
	n    int
}

// maxHistory bounds the items that wait for TakeHistory; the oldest are dropped past it.
const maxHistory = 10000

// historyDue is how many items wait for TakeHistory when CueHistory asks for it.
const historyDue = 1000

// historyCue reports that many rows wait. The rows of the screen must be in order when it is
// called.
func (t *Term) historyCue() {
	if t.hist.n >= historyDue {
		t.cue(CueHistory, 0, "")
	}
}

// remember appends l to the history, which becomes one more owner of it.
func (t *Term) remember(kind HistoryKind, l *line) {
	l.refs++
	t.addHistory(histItem{kind: kind, line: l})
}

func (t *Term) addHistory(it histItem) {
	if old, full := t.hist.push(it); full && old.line != nil {
		t.release(old.line)
	}
}

// rememberScreen hands the main screen's rows to the history before they are erased: those down
// to the last one with something on it. Blank lines take their place.
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

// blankLine reports whether l holds nothing but spaces.
func blankLine(l *line) bool {
	for x := range l.used {
		if c := l.at(x); c.ch != 0 && c.ch != ' ' {
			return false
		}
	}
	return true
}

// TakeHistory returns what left the main screen since the last call, oldest first, and forgets it.
// It may be called inside OnCue. If nobody calls it, the newest 10,000 items wait.
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

// maxAltScrolled bounds the rows that wait for TakeAltScrolled.
const maxAltScrolled = 256

// TakeAltScrolled returns the rows that left the top of the alternate screen since the last call,
// oldest first, and forgets them: 256 at most, and none from before the screen was erased or
// resized, or rows came back above. A program that scrolls its text there says how far it went.
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

// Scrollback returns the rows above the main screen, oldest first, as xterm.js keeps it.
func (t *Term) Scrollback() []*Row {
	out := make([]*Row, t.sb.n)
	for i := range out {
		out[i] = t.readLine(t.sb.at(i))
	}
	return out
}
