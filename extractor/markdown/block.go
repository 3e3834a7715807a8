package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// blockKind is the kind of a block of a message.
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
	col   int         // column at which it begins, which determines the lists that contain it; beyond: all open ones
	pad   string      // put before each line, because a list item's content is below its text
	mark  string      // itemBlock: "- " or "1. ", put before the first line
	lines [2][]string // by form
	gap   bool        // whether a blank line precedes it
}

// A block is written in two forms.
const (
	plain  = iota // text without markup, except the markers of list items
	marked        // Markdown
)

// blockReader parses lines into blocks.
type blockReader struct {
	lk    *Style
	ls    []Line      // followed by a blank one
	lists []listLevel // the open lists, after a level for what is outside lists
	out   []block
	gap   bool
	bare  int // index of the last line that begins no special block
}

// Render converts the body lines of one message to plain text and to Markdown.
func Render(lines []row.Line, lk *Style) (text, markdown string) { return lk.Render(lk.Lines(lines)) }

// Render converts lines to plain text and to Markdown.
func (lk *Style) Render(ls []Line) (text, markdown string) {
	bs := lk.blocks(ls)
	return write(bs, plain), write(bs, marked)
}

// blocks parses lines into blocks.
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

// next parses the block that begins at line i and returns its number of lines.
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

// text parses a paragraph or a list item at line i. An item may be another paragraph of the
// previous one.
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
		hang, ls[0].Indent = it.Content, it.text // as if the marker were blanks
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

// cutBelow reports whether line i, or the next one with text, is below rows that were never on the
// screen, so that the text above may be incomplete.
func (r *blockReader) cutBelow(i int) bool {
	i += blankLines(r.ls[i:])
	return i < len(r.ls) && r.ls[i].lost
}

// special returns the block that begins at line i judged by its style, and its number of lines, or
// 0 if there is none.
func (r *blockReader) special(i int) (block, int) {
	if i == r.bare { // it was already checked for the paragraph above
		return block{}, 0
	}
	for _, read := range [...]func(*blockReader, int) (block, int){
		(*blockReader).numbered, (*blockReader).table, (*blockReader).code, (*blockReader).rule, (*blockReader).quote,
		(*blockReader).heading,
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

// breaks reports whether line i does not continue the previous line.
func (r *blockReader) breaks(i int) bool {
	return r.lk.SeamOf(&r.ls[i-1], &r.ls[i], r.ls[i].Indent) == SeamBreak
}

// textEnd returns the number of lines of the paragraph or item at line i. It ends at a blank line,
// at rows that were never on the screen, at another block, or at a line further to the left.
func (r *blockReader) textEnd(i int) int {
	n := 1
	for l := &r.ls[i+n]; !l.Blank() && !l.lost && !r.starts(i+n) &&
		(l.Indent >= r.ls[i].Indent || !r.breaks(i+n)); l = &r.ls[i+n] {
		n++
	}
	return n
}

// rule parses a horizontal rule.
func (r *blockReader) rule(i int) (b block, n int) {
	if IsRule(&r.ls[i]) {
		n = 1
	}
	return block{kind: ruleBlock, col: r.ls[i].Indent, lines: ruleLines}, n
}

// quote parses a quote. Its lines without their marks are parsed as separate blocks.
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
	return block{kind: quoteBlock, col: r.ls[i].Indent,
		lines: [2][]string{strings.Split(text, "\n"), strings.Split(quoted, "\n")}}, len(inner)
}

// QuoteSign returns a Style.Quote for quotes in which each line begins with a sign.
func QuoteSign(sign string) func(l *Line) (width int, ok bool) {
	return func(l *Line) (int, bool) { return l.Indent + row.Width(sign), row.Starts(l.Text[l.Indent:], sign) }
}

// heading parses a heading, which may be wrapped.
func (r *blockReader) heading(i int) (b block, n int) {
	lk, first := r.lk, &r.ls[i]
	if lk.Heading == nil {
		return b, 0
	}
	level := lk.Heading(first)
	if level == 0 {
		return b, 0
	}
	for n = 1; (lk.Heading(&r.ls[i+n]) == level || r.spanGoesOn(i+n)) && !r.breaks(i+n); {
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

// spanGoesOn reports whether line i begins with the rest of a code span with which the line above
// ends.
func (r *blockReader) spanGoesOn(i int) bool {
	a, b := &r.ls[i-1], &r.ls[i]
	if b.Blank() {
		return false
	}
	end, first := a.Spans[len(a.Spans)-1], row.Cut(b.Spans, b.Indent, b.Width)[0]
	return end.Mark&row.MarkCode != 0 && end.Style == first.Style
}

// Hashes returns the number of # signs of a heading that shows them, else 0.
func Hashes(s string) int { return strings.Count(hashes().FindString(s), "#") }

// hashes match the signs of a heading.
var hashes = lazy.Regexp(`^ *#{1,6}(?: |$)`)

// rules matches a horizontal rule: --- or a line across the width.
var rules = lazy.Regexp(`^ *(---|───+|━━━+|———+)$`)

var ruleLines = [2][]string{{"---"}, {"---"}}

// IsRule reports whether a line is a horizontal rule, and not a code span with such characters.
func IsRule(l *Line) bool {
	// Starts is a quick check.
	return row.Starts(l.Text[l.Indent:], "---", "─", "━", "—") && rules().MatchString(l.Text) &&
		l.content()[0].Mark&row.MarkCode == 0
}
