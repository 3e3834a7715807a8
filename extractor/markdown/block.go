package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// blockKind is what a block of a message is.
type blockKind uint8

const (
	paraBlock blockKind = iota
	headingBlock
	itemBlock
	codeBlock
	tableBlock
	quoteBlock
	ruleBlock
	numberedBlock // code with line numbers
)

// block is one block of a message.
type block struct {
	kind  blockKind
	col   int         // the column it begins at, which says what lists it is in; beyond: in all that are open
	pad   string      // before each line: a list item's content is under its text
	mark  string      // itemBlock: "- " or "1. ", before the first line
	lines [2][]string // in each form
	gap   bool        // a blank line stood above
}

// The forms in which a block is written: as plain text, in which list items keep their markers and
// everything else is bare words, and as Markdown.
const (
	plain = iota
	marked
)

// blockReader makes blocks of lines.
type blockReader struct {
	lk    *Style
	ls    []Line      // and a blank one below them
	lists []listLevel // the open ones, behind a level that holds what is in no list
	out   []block
	gap   bool
	bare  int // the last line that was found to begin no block by its look
}

// Render reads the body lines of one message.
func Render(lines []row.Line, lk *Style) (text, markdown string) { return lk.Render(lk.Lines(lines)) }

// Render returns lines as plain text and as Markdown.
func (lk *Style) Render(ls []Line) (text, markdown string) {
	bs := lk.blocks(ls)
	return write(bs, plain), write(bs, marked)
}

// blocks parts lines into blocks.
func (lk *Style) blocks(ls []Line) []block {
	r := blockReader{lk: lk, ls: append(ls, Line{}), lists: []listLevel{noList}, out: make([]block, 0, len(ls)), bare: -1}
	for i := 0; i < len(ls); {
		if ls[i].Blank() {
			r.gap = true
			i++
			continue
		}
		i += r.next(i)
		r.gap = false
	}
	return r.out
}

// next reads the block that begins at line i and returns how many lines it has.
func (r *blockReader) next(i int) int {
	b, n := r.special(i)
	if n == 0 {
		return r.text(i)
	}
	r.close(b.col)
	b.pad = r.list().inner
	r.add(b)
	return n
}

// add adds a block.
func (r *blockReader) add(b block) {
	b.gap = r.gap
	r.out = append(r.out, b)
}

// text reads a paragraph, or a list item, at line i. An item may be another paragraph of the one
// above.
func (r *blockReader) text(i int) int {
	it, ok := r.marker(i)
	if !ok {
		r.close(r.ls[i].Indent)
	}
	b := block{kind: paraBlock, pad: r.list().inner}
	if ok && (r.ls[i].lost || !r.again(it)) {
		b = block{kind: itemBlock, pad: r.open(it), mark: it.Mark + " "}
	}
	n := r.textEnd(i)
	ls := r.ls[i : i+n]
	hang, indent := Edge(ls), ls[0].Indent
	if ok {
		hang, ls[0].Indent = it.Content, it.text // as if blanks were in place of the marker
	}
	lines := r.lk.Unwrap(ls, hang)
	if last := len(lines) - 1; r.cutBelow(i + n) {
		lines[last] = unmarked(lines[last])
	}
	b.lines = written(lines)
	ls[0].Indent = indent
	r.add(b)
	return n
}

// cutBelow reports whether line i, or the next that is not blank, is below rows that were never on
// the screen: the text above may have been half drawn.
func (r *blockReader) cutBelow(i int) bool {
	i += blankLines(r.ls[i:])
	return i < len(r.ls) && r.ls[i].lost
}

// special returns the block that begins at line i by its look alone, and how many lines it has: 0
// if none does.
func (r *blockReader) special(i int) (block, int) {
	if i == r.bare { // the paragraph above has been asked
		return block{}, 0
	}
	for _, read := range [...]func(*blockReader, int) (block, int){
		(*blockReader).numbered, (*blockReader).table, (*blockReader).code, (*blockReader).rule, (*blockReader).quote, (*blockReader).heading,
	} {
		if b, n := read(r, i); n > 0 {
			return b, n
		}
	}
	r.bare = i
	return block{}, 0
}

// starts reports whether a block other than a paragraph begins at line i, which follows text.
func (r *blockReader) starts(i int) bool {
	b, n := r.special(i)
	return n > 0 && (b.kind != codeBlock || r.breaks(i)) || r.interrupts(i)
}

// breaks reports whether line i does not go on with the line above.
func (r *blockReader) breaks(i int) bool {
	return r.lk.SeamOf(&r.ls[i-1], &r.ls[i], r.ls[i].Indent) == SeamBreak
}

// textEnd counts the lines of a paragraph or item that begins at line i: up to a blank line, rows
// that were never on the screen, another block, or a line further left.
func (r *blockReader) textEnd(i int) int {
	n := 1
	for l := &r.ls[i+n]; !l.Blank() && !l.lost && !r.starts(i+n) && (l.Indent >= r.ls[i].Indent || !r.breaks(i+n)); l = &r.ls[i+n] {
		n++
	}
	return n
}

// rule reads a horizontal rule.
func (r *blockReader) rule(i int) (b block, n int) {
	if IsRule(&r.ls[i]) {
		n = 1
	}
	return block{kind: ruleBlock, col: r.ls[i].Indent, lines: ruleLines}, n
}

// quote reads a quote: its lines without their marks are blocks of their own.
func (r *blockReader) quote(i int) (b block, n int) {
	if r.lk.Quote == nil {
		return b, 0
	}
	var inner []Line
	for k := range r.ls[i:] {
		l := &r.ls[i+k]
		w, ok := r.lk.Quote(l)
		if !ok {
			break
		}
		in := l.From(w)
		unmark(in.Spans, r.lk.QuoteMarks)
		inner = append(inner, in)
	}
	if len(inner) == 0 {
		return b, 0
	}
	q := *r.lk
	q.Quote = nil
	text, quoted := q.Render(inner)
	quoted = "> " + strings.ReplaceAll(quoted, "\n", "\n> ")
	return block{kind: quoteBlock, col: r.ls[i].Indent, lines: [2][]string{strings.Split(text, "\n"), strings.Split(quoted, "\n")}}, len(inner)
}

// QuoteSign returns a Style.Quote: each line of a quote begins with a sign.
func QuoteSign(sign string) func(l *Line) (width int, ok bool) {
	return func(l *Line) (int, bool) { return l.Indent + row.Width(sign), row.Starts(l.Text[l.Indent:], sign) }
}

// heading reads a heading, which may be wrapped.
func (r *blockReader) heading(i int) (b block, n int) {
	lk, first := r.lk, &r.ls[i]
	if lk.Heading == nil {
		return b, 0
	}
	level := lk.Heading(first)
	if level == 0 {
		return b, 0
	}
	for n = 1; lk.Heading(&r.ls[i+n]) == level && !r.breaks(i+n); {
		n++
	}
	if lk.HeadingGap && !r.ls[i+n].Blank() {
		return b, 0
	}
	ls := slices.Clone(r.ls[i : i+n])
	if signs := Hashes(first.Text); signs > 0 {
		level = signs
		text := first.Indent + signs + 1
		ls[0] = first.Indented(text, text)
	}
	lines := lk.Unwrap(ls, first.Indent)
	lines[0] = cellOf(lines[0])
	drop := commonMarks(slices.Concat(lines...), row.MarkCode)
	var all []row.Span
	for _, l := range lines {
		unmark(l, drop)
		all = joined(all, l)
	}
	b = block{kind: headingBlock, col: first.Indent, lines: written(lines)}
	b.lines[marked] = []string{strings.Repeat("#", level) + " " + inline(all)}
	return b, n
}

// Hashes counts the # signs of a heading that shows them, 0 where it shows none.
func Hashes(s string) int { return strings.Count(hashes().FindString(s), "#") }

// hashes match the signs of a heading.
var hashes = lazy.Regexp(`^ *#{1,6}(?: |$)`)

// rules match a horizontal rule: --- or a line over the width.
var rules = lazy.Regexp(`^ *(---|───+|━━━+|———+)$`)

var ruleLines = [2][]string{{"---"}, {"---"}}

// IsRule reports whether a line is a horizontal rule, and no code span of such signs.
func IsRule(l *Line) bool {
	// The first saves time.
	return row.Starts(l.Text[l.Indent:], "---", "─", "━", "—") && rules().MatchString(l.Text) && l.content()[0].Mark&row.MarkCode == 0
}
