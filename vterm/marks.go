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
	l := t.cur()
	marks := make([]Mark, 0, len(l.marks)+1)
	for _, m := range l.marks {
		if m.Kind != kind {
			marks = append(marks, m)
		}
	}
	l.marks = append(marks, Mark{kind, min(t.scr.x, t.cols-1), strings.Clone(text), t.now})
	l.ver++
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
	if slices.ContainsFunc(l.marks, func(m Mark) bool { return m.erasedFrom(from) }) {
		l.marks = slices.DeleteFunc(slices.Clone(l.marks), func(m Mark) bool { return m.erasedFrom(from) })
	}
}

func (m Mark) erasedFrom(col int) bool {
	return (m.Kind == MarkPrompt || m.Kind == MarkInput) && m.Col > col
}
