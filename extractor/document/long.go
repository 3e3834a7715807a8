package document

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// Limits of what is kept of the beginning and of the end of a long output, in lines and in bytes.
const (
	headLines = 10000
	tailLines = 10000
	headBytes = 5 << 19
	tailBytes = 2 << 20
)

// LongText is the text of rows, without its middle if it is too long.
type LongText struct {
	head   []byte
	lines  int // number of lines in head
	full   bool
	tail   []string // rows, with a line break before those that do not continue the previous row
	size   int      // size of tail, in bytes
	count  int      // number of lines in tail
	gap    session.Gap
	blanks int  // blanks at the end of the last row, which belong to its line if the next row continues it
	begun  bool // whether anything but blanks was added
}

// Set sets t to a text that does not grow any more. gap is what was left out of it.
func (t *LongText) Set(text string, gap session.Gap) { *t = LongText{head: []byte(text), gap: gap} }

// Add appends rows. Soft wraps are joined, and blank lines before the first text are dropped.
func (t *LongText) Add(lines []row.Line) {
	for _, l := range lines {
		switch {
		case !t.begun:
			t.begun = l.Text != ""
			t.put(l.Text)
		case !l.Wrapped:
			t.put("\n" + l.Text)
		case l.Text != "":
			t.put(row.Blanks(t.blanks) + l.Text)
		}
		t.blanks = l.Blanks
	}
}

func (t *LongText) put(text string) {
	breaks := strings.Count(text, "\n")
	t.full = t.full || len(t.head)+len(text) > headBytes || t.lines+breaks >= headLines
	if !t.full {
		t.head = append(t.head, text...)
		t.lines += breaks
		return
	}
	t.tail = append(t.tail, text)
	t.size += len(text)
	t.count += breaks
	for t.size > tailBytes {
		t.drop()
	}
	for t.count > tailLines { // by whole lines
		for t.drop(); t.continues(); {
			t.drop()
		}
	}
}

// continues reports whether the tail begins within a line.
func (t *LongText) continues() bool { return len(t.tail) > 0 && !strings.HasPrefix(t.tail[0], "\n") }

// Omitted returns what is left out. Its lines are those of which nothing is kept.
func (t *LongText) Omitted() session.Gap {
	g := t.gap
	if g.Lines > 0 && t.continues() {
		g.Lines--
	}
	return g
}

// drop removes the first row of the tail.
func (t *LongText) drop() {
	n, breaks := len(t.tail[0]), strings.Count(t.tail[0], "\n")
	t.tail = t.tail[1:]
	t.size -= n
	t.count -= breaks
	t.gap.Bytes += n
	t.gap.Lines += breaks
}

// Copy sets t to a copy of o that can be appended to.
func (t *LongText) Copy(o *LongText) {
	*t = *o
	t.head, t.tail = slices.Clip(o.head), slices.Clip(o.tail)
}

// String returns the head, a line that describes the gap, and the tail.
func (t *LongText) String() string {
	tail := strings.Join(t.tail, "")
	if t.gap.Bytes > 0 && t.full {
		tail = "\n" + GapText(t.Omitted()) + "\n" + strings.TrimPrefix(tail, "\n")
	}
	return string(t.head) + tail
}
