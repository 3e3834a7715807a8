package vterm

import (
	"slices"
	"strings"
	"time"
)

// maxMark is the maximum length of a mark's text, in bytes.
const maxMark = maxURI

// SetTime sets the time of the output that follows, for its marks.
func (t *Term) SetTime(at time.Duration) { t.now = at }

// mark adds a shell's mark at the cursor.
func (t *Term) mark(kind MarkKind, text string) {
	if t.scr != &t.main || len(text) > maxMark {
		return
	}
	t.marks++
	t.cur().mark(Mark{kind, min(t.scr.x, t.cols-1), strings.Clone(text), t.now, t.marks})
}

// mark puts a mark on a line, in place of the one of its kind.
func (l *line) mark(m Mark) {
	marks := make([]Mark, 0, len(l.marks)+1)
	for _, old := range l.marks {
		if old.Kind != m.Kind {
			marks = append(marks, old)
		}
	}
	l.marks = append(marks, m)
	l.ver++
}

// Reads returns the number of the MarkReads at which a program has begun to read the line that it
// reads, or has read last; 0 if there was none. on reports whether it still reads.
func (t *Term) Reads() (n int, on bool) { return t.reads, t.bracketedPaste }

// SetTyped says in which column of a row of the screen the line begins that a program reads, or has
// read last: only who sees the screen in time knows where a prompt ends.
func (t *Term) SetTyped(x, y int) {
	if t.Alt() || y >= len(t.scr.rows) {
		return
	}
	for _, l := range t.scr.rows {
		l.dropMarks(func(m Mark) bool { return m.Kind == MarkTyped && m.N == t.reads })
	}
	t.scr.rows[y].mark(Mark{Kind: MarkTyped, Col: x, At: t.now, N: t.reads})
}

// drawnAbove is how many rows above the end of a prompt the erase may be with which it begins.
const drawnAbove = 8

// markReads notes that a program begins to read a line, or has read it. zsh erases the screen where
// its prompt begins, and says so only at the end of the prompt.
func (t *Term) markReads(on bool) {
	switch {
	case t.scr != &t.main:
		return
	case !on:
		t.mark(MarkEnter, "")
	default:
		for y := t.scr.y; y >= max(0, t.scr.y-drawnAbove); y-- {
			if l := t.scr.rows[y]; t.scr.x > 0 && l.drawn.since == t.marks+1 {
				l.mark(Mark{Kind: MarkDrawn, Col: l.drawn.col, At: t.now, N: t.marks})
				break
			}
		}
		t.mark(MarkReads, "")
		t.reads = t.marks
	}
	t.cue(CueReads, 0, "")
}

// Mark returns the row's mark of this kind.
func (r *Row) Mark(kind MarkKind) (m Mark, ok bool) {
	i := slices.IndexFunc(r.Marks, func(m Mark) bool { return m.Kind == kind })
	if i < 0 {
		return Mark{}, false
	}
	return r.Marks[i], true
}

// markShell is OSC 133.
func (t *Term) markShell(text string) {
	kind, rest, _ := strings.Cut(text, ";")
	switch kind {
	case "A", "B", "C", "D":
		t.mark(MarkKind(kind[0]), rest)
	}
}

// unmark removes the marks of prompts from column from on, when that part of the line is erased.
// The mark of a command's end stays.
func (l *line) unmark(from int) {
	l.dropMarks(func(m Mark) bool { return m.Col > from && m.ofPrompt() })
}

// dropMarks forgets marks of a line.
func (l *line) dropMarks(which func(Mark) bool) {
	if slices.ContainsFunc(l.marks, which) {
		l.marks = slices.DeleteFunc(slices.Clone(l.marks), which)
		l.ver++
	}
}

func (m Mark) ofPrompt() bool {
	switch m.Kind {
	case MarkPrompt, MarkInput, MarkReads, MarkTyped:
		return true
	}
	return false
}
