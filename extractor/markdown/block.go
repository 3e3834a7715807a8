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
)

// block is one block of a message.
type block struct {
	kind  blockKind
	pad   string       // before each line in Markdown: a list item's content is under its text
	mark  string       // itemBlock: "- " or "1. ", before the first line
	shown string       // itemBlock: the same as it was drawn, where Markdown has no such marker: "a. "
	level int          // headingBlock
	lines [][]row.Span // paragraph, item, heading: the lines of the text itself, unwrapped
	code  []string
	lang  string
	rows  [][]Cell // tableBlock: the head first
	sub   []block  // quoteBlock
	gap   bool     // a blank line stood above
	first int      // its lines among those given
	end   int
}

// reader makes blocks of lines.
type blockReader struct {
	lk    *Style
	ls    []Line
	lists []listLevel
	out   []block
	gap   bool
}

// Render reads the body lines of one message.
func Render(lines []row.Line, lk *Style) (text, markdown string) { return lk.Render(lk.Lines(lines)) }

// Render returns lines as plain text and as Markdown.
func (lk *Style) Render(ls []Line) (text, markdown string) {
	bs := lk.blocks(ls)
	unpad(bs)
	return writeText(bs), writeMarkdown(bs, 0)
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
	r := blockReader{lk: lk, ls: ls}
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
	l := &r.ls[i]
	if o := r.special(i); o.lines > 0 {
		return r.read(i, o)
	}
	if it, ok := r.itemAt(i, r.gap || !r.afterPara(i)); ok {
		return r.item(i, it)
	}
	r.close(l.Indent)
	n := r.textEnd(i, l.Indent)
	hang := l.Indent
	for k := i; k < i+n; k++ {
		hang = min(hang, r.ls[k].Indent)
	}
	r.add(block{kind: paraBlock, pad: r.pad(), lines: r.lk.Unwrap(r.ls[i:i+n], hang)}, i, n)
	return n
}

// item reads a list item, or another paragraph of one, at line i.
func (r *blockReader) item(i int, it Item) int {
	b := block{kind: paraBlock}
	if r.again(it) {
		b.pad = r.pad()
	} else {
		r.open(it)
		b = block{kind: itemBlock, pad: r.lists[len(r.lists)-1].pad, mark: it.markdown() + " ", shown: it.Mark + " "}
	}
	n := r.textEnd(i, it.col)
	ls := append([]Line{}, r.ls[i:i+n]...)
	ls[0] = hangLine(ls[0], it.Content)
	b.lines = r.lk.Unwrap(ls, r.hang(ls, it))
	b.lines[0] = TrimLeft(b.lines[0])
	r.add(b, i, n)
	return n
}

// hang is the column that an item's wrapped lines begin at: under its text, or as with Claude Code
// under its marker.
func (r *blockReader) hang(ls []Line, it Item) int {
	if len(ls) > 1 && ls[1].Indent < it.Content {
		return ls[1].Indent
	}
	return it.Content
}

// hangLine is a line with blanks where its marker stood.
func hangLine(l Line, content int) Line {
	l.Spans = append([]row.Span{{Text: row.Blanks(content), Width: content}}, row.Cut(l.Spans, content, l.Width)...)
	l.Measure()
	if l.Blank() {
		l.Width, l.Indent = content, content
	}
	return l
}

// opening is what begins a block that its look alone tells.
type opening struct {
	kind     blockKind
	lines    int // that are known to be the block's; 0: no such block begins
	numbered bool
	lang     string
	rows     [][]Cell
	level    int
}

// special returns the block that begins at line i by its look.
func (r *blockReader) special(i int) opening {
	ls, lk := r.ls[i:], r.lk
	if lk.Gutter != nil {
		if _, n, ok := lk.Gutter(&ls[0]); ok && n == 1 {
			return opening{kind: codeBlock, lines: 1, numbered: true}
		}
	}
	if rows, n := lk.tableAt(ls); n > 0 {
		return opening{kind: tableBlock, lines: n, rows: rows}
	}
	if lk.Code != nil {
		if n, lang := lk.Code(ls); n > 0 {
			return opening{kind: codeBlock, lines: min(n, len(ls)), lang: lang}
		}
	}
	if IsRule(&ls[0]) {
		return opening{kind: ruleBlock, lines: 1}
	}
	if lk.Quote != nil {
		if _, ok := lk.Quote(&ls[0]); ok {
			return opening{kind: quoteBlock, lines: 1}
		}
	}
	if lk.Heading != nil {
		if level := lk.Heading(&ls[0]); level > 0 {
			return opening{kind: headingBlock, lines: 1, level: level}
		}
	}
	return opening{}
}

// read reads the block that begins at line i, and returns how many lines it has.
func (r *blockReader) read(i int, o opening) int {
	switch o.kind {
	case codeBlock:
		if o.numbered {
			return r.gutterCode(i)
		}
		r.addCode(i, o.lines, o.lang)
	case quoteBlock:
		return r.quote(i)
	case headingBlock:
		return r.heading(i, o.level)
	default:
		r.close(r.ls[i].Indent)
		r.add(block{kind: o.kind, pad: r.pad(), rows: o.rows}, i, o.lines)
	}
	return o.lines
}

// starts reports whether a block other than a paragraph begins at line i, which follows text.
func (r *blockReader) starts(i int) bool {
	o := r.special(i)
	if o.lines > 0 && (o.kind != codeBlock || o.numbered || r.lk.SeamOf(&r.ls[i-1], &r.ls[i], r.ls[i].Indent) == SeamBreak) {
		return true
	}
	_, ok := r.itemAt(i, false)
	return ok
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

func (r *blockReader) add(b block, i, n int) {
	b.gap, b.first, b.end = r.gap, i, i+n
	r.out = append(r.out, b)
}

// afterPara reports whether the line above i is text of a paragraph, which line i may go on with.
func (r *blockReader) afterPara(i int) bool {
	return len(r.out) > 0 && r.out[len(r.out)-1].end == i && r.out[len(r.out)-1].kind == paraBlock
}

// quote reads a quote: its lines without their marks are blocks of their own.
func (r *blockReader) quote(i int) int {
	lk := r.lk
	var inner []Line
	for k := i; k < len(r.ls); k++ {
		l := &r.ls[k]
		w, ok := lk.Quote(l)
		if !ok {
			break
		}
		in := l.From(w)
		for s := range in.Spans {
			in.Spans[s].Mark &^= lk.QuoteMarks
		}
		inner = append(inner, in)
	}
	r.close(r.ls[i].Indent)
	q := *lk
	q.Quote = nil
	r.add(block{kind: quoteBlock, pad: r.pad(), sub: q.blocks(inner)}, i, len(inner))
	return len(inner)
}

// heading reads a heading, which may be wrapped.
func (r *blockReader) heading(i, level int) int {
	lk := r.lk
	n := 1
	for i+n < len(r.ls) && !r.ls[i+n].Blank() && lk.Heading(&r.ls[i+n]) == level && lk.SeamOf(&r.ls[i+n-1], &r.ls[i+n], r.ls[i].Indent) != SeamBreak {
		n++
	}
	first := r.ls[i]
	lines := append([]Line{}, r.ls[i:i+n]...)
	if signs := Hashes(first.Text); signs > 0 {
		level = signs
		lines[0] = hangLine(first, first.Indent+signs+1)
		lines[0].Indent = first.Indent
	}
	out := lk.Unwrap(lines, first.Indent)
	if len(out) > 0 {
		out[0] = TrimLeft(out[0])
	}
	r.close(first.Indent)
	r.add(block{kind: headingBlock, pad: r.pad(), level: level, lines: out}, i, n)
	return n
}

// Hashes counts the # signs of a heading that shows them, 0 where it shows none.
func Hashes(s string) int {
	s = strings.TrimLeft(s, " ")
	n := 0
	for n < len(s) && s[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || n < len(s) && s[n] != ' ' {
		return 0
	}
	return n
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
