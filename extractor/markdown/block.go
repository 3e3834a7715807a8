package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
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
	numberedBlock // becomes a codeBlock
)

// block is one block of a message.
type block struct {
	kind  blockKind
	pad   string       // before each line in Markdown: a list item's content is under its text
	mark  string       // itemBlock: "- " or "1. ", before the first line
	level int          // headingBlock
	lines [][]row.Span // paragraph, item, heading: the lines of the text itself, unwrapped
	code  []string
	lang  string
	rows  [][]Cell // tableBlock: the head first
	sub   []block  // quoteBlock
	gap   bool     // a blank line stood above
}

// blockReader makes blocks of lines.
type blockReader struct {
	lk    *Style
	ls    []Line
	lists []listLevel // the open ones, behind a level that holds what is in no list
	out   []block
	gap   bool
}

// Render reads the body lines of one message.
func Render(lines []row.Line, lk *Style) (text, markdown string) { return lk.Render(lk.Lines(lines)) }

// Render returns lines as plain text and as Markdown.
func (lk *Style) Render(ls []Line) (text, markdown string) {
	bs := lk.blocks(ls)
	unpad(bs)
	return write(bs, false), write(bs, true)
}

// unpad drops the hard blanks that some agents draw around inline code.
func unpad(bs []block) {
	line := func(spans []row.Span) {
		for i := range spans {
			if s := &spans[i]; s.Mark&row.MarkCode != 0 {
				s.Text = strings.Trim(s.Text, "\u00a0")
				s.Width = row.Width(s.Text)
			}
		}
	}
	for i := range bs {
		for _, l := range bs[i].lines {
			line(l)
		}
		for _, row := range bs[i].rows {
			for _, c := range row {
				line(c)
			}
		}
		unpad(bs[i].sub)
	}
}

// blocks parts lines into blocks.
func (lk *Style) blocks(ls []Line) []block {
	r := blockReader{lk: lk, ls: ls, lists: []listLevel{noList}}
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
	if o := r.special(i); o.lines > 0 {
		return r.read(i, o)
	}
	if it, ok := r.marker(i); ok {
		return r.item(i, it)
	}
	col := r.ls[i].Indent
	r.close(col)
	n := r.textEnd(i, col)
	for _, l := range r.ls[i : i+n] {
		col = min(col, l.Indent)
	}
	return r.add(block{kind: paraBlock, lines: r.lk.Unwrap(r.ls[i:i+n], col)}, i, n)
}

// item reads a list item, or another paragraph of one, at line i.
func (r *blockReader) item(i int, it Item) int {
	b := block{kind: paraBlock, pad: r.list().inner}
	if !r.again(it) {
		r.open(it)
		b = block{kind: itemBlock, pad: r.list().pad, mark: it.Mark + " "}
	}
	n := r.textEnd(i, it.col)
	ls := append([]Line{}, r.ls[i:i+n]...)
	ls[0] = hangLine(ls[0], it.Content)
	b.lines = r.lk.Unwrap(ls, it.Content)
	b.lines[0] = TrimLeft(b.lines[0])
	return r.put(b, i, n)
}

// hangLine is a line with blanks where its marker stood.
func hangLine(l Line, content int) Line {
	l.Spans = append([]row.Span{{Text: row.Blanks(content), Width: content}}, row.Cut(l.Spans, content, l.Width)...)
	l.Measure()
	return l
}

// opening is the block that begins at a line by its look alone.
type opening struct {
	block
	lines int                                  // that are known to be the block's; 0: no such block begins
	rest  func(*blockReader, int, opening) int // reads the block at line i, and returns how many lines it has; nil: those are all
}

// special returns the block that begins at line i by its look.
func (r *blockReader) special(i int) opening {
	ls, lk := r.ls[i:], r.lk
	if lk.Gutter != nil {
		if _, n := lk.Gutter(&ls[0]); n == 1 || n > 1 && i == 0 {
			return opening{block{kind: numberedBlock}, 1, (*blockReader).numbered}
		}
	}
	if rows, n := lk.tableAt(ls); n > 0 {
		return opening{block{kind: tableBlock, rows: rows}, n, nil}
	}
	if lk.Code != nil {
		if n, lang := lk.Code(ls); n > 0 {
			return opening{block{kind: codeBlock, lang: lang}, min(n, len(ls)), (*blockReader).code}
		}
	}
	if IsRule(&ls[0]) {
		return opening{block{kind: ruleBlock}, 1, nil}
	}
	if lk.Quote != nil {
		if _, ok := lk.Quote(&ls[0]); ok {
			return opening{block{kind: quoteBlock}, 1, (*blockReader).quote}
		}
	}
	if lk.Heading != nil {
		if level := lk.Heading(&ls[0]); level > 0 {
			return opening{block{kind: headingBlock, level: level}, 1, (*blockReader).heading}
		}
	}
	return opening{}
}

// read reads the block that begins at line i, and returns how many lines it has.
func (r *blockReader) read(i int, o opening) int {
	if o.rest != nil {
		return o.rest(r, i, o)
	}
	r.close(r.ls[i].Indent)
	return r.add(o.block, i, o.lines)
}

// starts reports whether a block other than a paragraph begins at line i, which follows text.
func (r *blockReader) starts(i int) bool {
	o := r.special(i)
	return o.lines > 0 && (o.kind != codeBlock || r.lk.SeamOf(&r.ls[i-1], &r.ls[i], r.ls[i].Indent) == SeamBreak) || r.interrupts(i)
}

// textEnd counts the lines of a paragraph or item that begins at line i: up to a blank line, rows
// that were never on the screen, or another block.
func (r *blockReader) textEnd(i, col int) int {
	n := 1
	for i+n < len(r.ls) && !r.ls[i+n].Blank() && !r.ls[i+n].lost && !r.starts(i+n) {
		l := &r.ls[i+n]
		if l.Indent < col && r.lk.SeamOf(&r.ls[i+n-1], l, l.Indent) == SeamBreak {
			break
		}
		n++
	}
	return n
}

// add adds a block of n lines from line i on to the innermost open list, and returns n.
func (r *blockReader) add(b block, i, n int) int {
	b.pad = r.list().inner
	return r.put(b, i, n)
}

// put adds a block of n lines from line i on as it is, and returns n.
func (r *blockReader) put(b block, i, n int) int {
	b.gap = r.gap
	r.out = append(r.out, b)
	return n
}

// quote reads a quote: its lines without their marks are blocks of their own.
func (r *blockReader) quote(i int, o opening) int {
	q := *r.lk
	q.Quote = nil
	var inner []Line
	for _, l := range r.ls[i:] {
		w, ok := r.lk.Quote(&l)
		if !ok {
			break
		}
		in := l.From(w)
		for s := range in.Spans {
			in.Spans[s].Mark &^= q.QuoteMarks
		}
		inner = append(inner, in)
	}
	o.sub = q.blocks(inner)
	r.close(r.ls[i].Indent)
	return r.add(o.block, i, len(inner))
}

// heading reads a heading, which may be wrapped.
func (r *blockReader) heading(i int, o opening) int {
	lk, first, n := r.lk, r.ls[i], 1
	for i+n < len(r.ls) && lk.Heading(&r.ls[i+n]) == o.level && lk.SeamOf(&r.ls[i+n-1], &r.ls[i+n], first.Indent) != SeamBreak {
		n++
	}
	ls := append([]Line{}, r.ls[i:i+n]...)
	if signs := Hashes(first.Text); signs > 0 {
		o.level = signs
		ls[0] = hangLine(first, first.Indent+signs+1)
	}
	o.block.lines = lk.Unwrap(ls, first.Indent)
	o.block.lines[0] = TrimLeft(o.block.lines[0])
	r.close(first.Indent)
	return r.add(o.block, i, n)
}

// Hashes counts the # signs of a heading that shows them, 0 where it shows none.
func Hashes(s string) int {
	signs := row.FirstWord(s)
	if n := len(signs); n <= 6 && strings.Trim(signs, "#") == "" {
		return n
	}
	return 0
}

// TrimLeft returns spans without the blanks at their start.
func TrimLeft(spans []row.Span) []row.Span {
	for len(spans) > 0 && strings.TrimLeft(spans[0].Text, " ") == "" {
		spans = spans[1:]
	}
	if len(spans) > 0 && spans[0].Text[0] == ' ' {
		s := spans[0]
		t := strings.TrimLeft(s.Text, " ")
		s.Width -= len(s.Text) - len(t)
		s.Text = t
		spans = append([]row.Span{s}, spans[1:]...)
	}
	return spans
}

// IsRule reports whether a line is a horizontal rule: --- or a line over the width.
func IsRule(l *Line) bool {
	t := l.Text[l.Indent:]
	is := t == "---" || slices.ContainsFunc([]string{"─", "━", "—"}, func(c string) bool {
		return strings.HasPrefix(t, c+c+c) && strings.Trim(t, c) == ""
	})
	return is && commonMarks(l.Spans)&row.MarkCode == 0 // else a code span of such signs
}
