package document

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// These bound what is kept of a long output: its beginning and its end, in lines and in bytes.
const (
	headLines = 10000
	tailLines = 10000
	headBytes = 5 << 19
	tailBytes = 2 << 20
)

// LongText is a text of rows of which the middle is left out where it is too long.
type LongText struct {
	head  strings.Builder
	lines int // of head
	full  bool
	tail  []textRow
	first int // the first of tail that is kept
	size  int // of tail from there on, in bytes
	count int // and in lines
	gap   session.Gap
	Blank int  // blanks at the end of the last row, which belong to its line where the next row continues it
	begun bool // something that is not blank was added
}

// Set makes t a text that does not grow any more, and what was left out of it.
func (t *LongText) Set(text string, gap session.Gap) {
	*t = LongText{gap: gap}
	t.head.WriteString(text)
}

// textRow is a row, with the line break before it unless it continues the row above.
type textRow struct {
	text   string
	breaks bool
}

// Add appends rows: soft wraps are joined, blank lines before the first text are dropped.
func (t *LongText) Add(lines []row.Line) {
	for _, l := range lines {
		if l.Row == nil {
			continue
		}
		switch {
		case !t.begun:
			t.begun = l.Text != ""
			if t.begun {
				t.put(l.Text, false)
			}
		case l.Wrapped:
			if t.Blank > 0 && l.Text != "" {
				t.put(row.Blanks(t.Blank), false)
			}
			t.put(l.Text, false)
		default:
			t.put(l.Text, true)
		}
		t.Blank = l.Blanks
	}
}

func (t *LongText) put(text string, breaks bool) {
	n := len(text)
	if breaks {
		n++
	}
	if !t.full && (t.head.Len()+n > headBytes || breaks && t.lines+1 >= headLines) {
		t.full = true
	}
	if !t.full {
		if breaks {
			t.head.WriteByte('\n')
			t.lines++
		}
		t.head.WriteString(text)
		return
	}
	t.tail = append(t.tail, textRow{text, breaks})
	t.size += n
	if breaks {
		t.count++
	}
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
func (t *LongText) continues() bool { return t.first < len(t.tail) && !t.tail[t.first].breaks }

// Omitted returns what is left out; of the lines those of which nothing is kept.
func (t *LongText) Omitted() session.Gap {
	g := t.gap
	if g.Lines > 0 && t.continues() {
		g.Lines--
	}
	return g
}

// drop leaves out the first row of the tail.
func (t *LongText) drop() {
	p := t.tail[t.first]
	t.tail[t.first] = textRow{}
	t.first++
	n := len(p.text)
	if p.breaks {
		n++
		t.count--
		t.gap.Lines++
	}
	t.size -= n
	t.gap.Bytes += n
	if t.first > len(t.tail)/2 {
		t.tail = append(t.tail[:0], t.tail[t.first:]...)
		clear(t.tail[len(t.tail):cap(t.tail)])
		t.first = 0
	}
}

// Copy makes t a copy of o that can be appended to.
func (t *LongText) Copy(o *LongText) {
	*t = LongText{lines: o.lines, full: o.full, size: o.size, count: o.count, gap: o.gap, Blank: o.Blank, begun: o.begun}
	t.head.WriteString(o.head.String())
	t.tail = append(t.tail, o.tail[o.first:]...)
}

// String returns the head, a line that says what is left out, and the tail.
func (t *LongText) String() string {
	if !t.full {
		return t.head.String()
	}
	var b strings.Builder
	b.Grow(t.head.Len() + t.size + 64)
	b.WriteString(t.head.String())
	for i, p := range t.tail[t.first:] {
		if i == 0 && t.gap.Bytes > 0 {
			b.WriteString("\n" + GapText(t.Omitted()) + "\n")
		} else if p.breaks {
			b.WriteByte('\n')
		}
		b.WriteString(p.text)
	}
	return b.String()
}
