package extractor

import (
	"fmt"
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

// printed is the output of a shell command. Rows that the window cannot change any more move into
// text; the others are read off the tape when somebody asks for them, so that a snapshot costs no
// more than what it changed.
type printed struct {
	text longText
	size int // counts up with each change

	tape      *tape  // nil: text is all
	from, end int    // the lines of the tape that are not in text yet
	shown     int    // the line behind the last of them that is not blank
	more      string // what is on the row of the next prompt, before that
	joined    bool   // which continues the row above
}

var _ session.LongOutput = (*printed)(nil)

// Size counts the changes so far.
func (p *printed) Size() int { return p.size }

// Text returns the output as it is now, and what is left out of its middle.
func (p *printed) Text() (string, session.Gap) {
	if p.tape == nil {
		return p.text.String(), p.text.omitted()
	}
	lines := p.rest()
	var t longText
	t.copy(&p.text)
	t.add(lines)
	s := withoutSign(strings.TrimRight(t.String(), "\n"), lines)
	switch {
	case p.joined && p.more != "":
		s += row.Blanks(t.blank) + p.more
	case p.more != "":
		s += "\n" + p.more
	}
	return strings.Trim(s, "\n"), t.omitted()
}

// rest returns the lines that are not in text yet.
func (p *printed) rest() []row.Line {
	end := min(p.end, len(p.tape.lines))
	return p.tape.lines[min(p.from, end):end]
}

// extend notes that the output goes up to line end of the tape, of which the lines from dirty on
// are new.
func (p *printed) extend(end int, more string, joined bool, dirty int) {
	shown := end
	for shown > p.from && p.tape.lines[shown-1].Text == "" {
		shown--
	}
	if dirty < p.shown || shown != p.shown || more != p.more {
		p.size++
	}
	p.end, p.shown, p.more, p.joined = end, shown, more, joined
}

// clear takes the output back.
func (p *printed) clear() {
	if s, _ := p.Text(); s != "" {
		p.size++
	}
	p.text, p.tape = longText{}, nil
}

// commit moves the lines up to line n of the tape into text.
func (p *printed) commit(n int) {
	if n > p.from {
		p.text.add(p.tape.lines[p.from:n])
		p.from = n
	}
}

// moved notes that the tape lost its first n lines, which are in text.
func (p *printed) moved(n int) {
	p.from, p.end, p.shown = max(0, p.from-n), max(0, p.end-n), max(0, p.shown-n)
}

// gone keeps what a command had printed of which nothing is left on the tape.
func (p *printed) gone() {
	if p.tape != nil {
		p.tape = &tape{lines: p.tape.before(p.from, p.end)}
		p.from, p.end = 0, len(p.tape.lines)
		p.freeze()
	}
}

// freeze lets go of the tape.
func (p *printed) freeze() {
	if p.tape != nil {
		s, gap := p.Text()
		p.text = longText{gap: gap}
		p.text.head.WriteString(s)
		p.tape = nil
	}
}

// longText is a text of rows of which the middle is left out where it is too long.
type longText struct {
	head  strings.Builder
	lines int // of head
	full  bool
	tail  []textRow
	first int // the first of tail that is kept
	size  int // of tail from there on, in bytes
	count int // and in lines
	gap   session.Gap
	blank int  // blanks at the end of the last row, which belong to its line where the next row continues it
	begun bool // something that is not blank was added
}

// textRow is a row, with the line break before it unless it continues the row above.
type textRow struct {
	text   string
	breaks bool
}

// add appends rows: soft wraps are joined, blank lines before the first text are dropped.
func (t *longText) add(lines []row.Line) {
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
			if t.blank > 0 && l.Text != "" {
				t.put(row.Blanks(t.blank), false)
			}
			t.put(l.Text, false)
		default:
			t.put(l.Text, true)
		}
		t.blank = l.Blanks
	}
}

func (t *longText) put(text string, breaks bool) {
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
func (t *longText) continues() bool { return t.first < len(t.tail) && !t.tail[t.first].breaks }

// omitted returns what is left out; of the lines those of which nothing is kept.
func (t *longText) omitted() session.Gap {
	g := t.gap
	if g.Lines > 0 && t.continues() {
		g.Lines--
	}
	return g
}

// drop leaves out the first row of the tail.
func (t *longText) drop() {
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

// copy makes t a copy of an other that can be appended to.
func (t *longText) copy(o *longText) {
	*t = longText{lines: o.lines, full: o.full, size: o.size, count: o.count, gap: o.gap, blank: o.blank, begun: o.begun}
	t.head.WriteString(o.head.String())
	t.tail = append(t.tail, o.tail[o.first:]...)
}

// String returns the head, a line that says what is left out, and the tail.
func (t *longText) String() string {
	if !t.full {
		return t.head.String()
	}
	var b strings.Builder
	b.Grow(t.head.Len() + t.size + 64)
	b.WriteString(t.head.String())
	for i, p := range t.tail[t.first:] {
		if i == 0 && t.gap.Bytes > 0 {
			b.WriteString("\n" + gapText(t.omitted()) + "\n")
		} else if p.breaks {
			b.WriteByte('\n')
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// gapText says what is left out.
func gapText(g session.Gap) string {
	if g.Lines == 0 {
		return fmt.Sprintf("[… %d bytes left out …]", g.Bytes)
	}
	return fmt.Sprintf("[… %d lines left out …]", g.Lines)
}
