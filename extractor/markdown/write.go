package markdown

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// writer writes blocks under each other: as Markdown, or as plain text, in which list items keep
// their markers and everything else is bare words.
type writer struct {
	strings.Builder
	markdown bool
}

// write returns blocks as Markdown or plain text.
func write(bs []block, markdown bool) string {
	w := writer{markdown: markdown}
	w.Grow(blocksLen(bs))
	for i := range bs {
		w.between(bs, i)
		w.block(&bs[i])
	}
	return w.String()
}

// block writes one block.
func (w *writer) block(b *block) {
	switch b.kind {
	case codeBlock:
		f := fence(b.code)
		w.extra(b.pad, f+b.lang)
		w.lines(b.pad, "", b.code)
		w.extra(b.pad, f)
	case tableBlock:
		for i, r := range b.rows {
			w.line(b.pad, w.row(r, i == 0))
			if i == 0 {
				w.extra(b.pad, "|"+strings.Repeat(" --- |", len(r)))
			}
		}
	case quoteBlock:
		pad := b.pad
		if w.markdown {
			pad += "> "
		}
		w.lines(pad, "", strings.Split(write(b.sub, w.markdown), "\n"))
	case ruleBlock:
		w.line(b.pad, "---")
	case headingBlock:
		if w.markdown {
			var all []row.Span
			for _, l := range b.lines {
				all = joined(all, l)
			}
			w.line(b.pad, strings.Repeat("#", b.level)+" "+inline(all, headingMarks(all)))
			return
		}
		fallthrough
	default:
		lines := make([]string, len(b.lines))
		for i, l := range b.lines {
			lines[i] = w.spans(l, 0)
		}
		w.lines(b.pad, b.mark, lines)
	}
}

// spans returns spans without the marks in drop.
func (w *writer) spans(spans []row.Span, drop row.Mark) string {
	if w.markdown {
		return inline(spans, drop)
	}
	return row.Text(spans)
}

// headingMarks are the marks that a heading has by itself: those of all its words but code.
func headingMarks(spans []row.Span) row.Mark {
	text := make([]row.Span, 0, len(spans))
	for _, s := range spans {
		if s.Mark&row.MarkCode == 0 {
			text = append(text, s)
		}
	}
	return commonMarks(text) &^ row.MarkCode
}

// blocksLen returns about how long the text of blocks is, in bytes.
func blocksLen(bs []block) int {
	n := 0
	for i := range bs {
		for _, l := range bs[i].lines {
			n += len(bs[i].pad) + row.Len(l) + 1
		}
		for _, l := range bs[i].code {
			n += len(bs[i].pad) + len(l) + 1
		}
	}
	return n
}

// between writes the blank line between blocks i-1 and i. The items of a list are close unless they
// were apart.
func (w *writer) between(bs []block, i int) {
	if i == 0 {
		return
	}
	a, b := &bs[i-1], &bs[i]
	inList := a.kind == itemBlock && (b.kind == itemBlock || b.pad != "") || b.kind == itemBlock && (a.pad != "" || a.kind == paraBlock)
	if b.gap || !inList && (w.markdown || a.kind != b.kind) {
		w.WriteByte('\n')
	}
}

// extra writes a line that only Markdown has.
func (w *writer) extra(pad, s string) {
	if w.markdown {
		w.line(pad, s)
	}
}

func (w *writer) line(pad, s string) {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	if s = strings.TrimRight(s, " "); s == "" {
		pad = strings.TrimRight(pad, " ")
	}
	w.WriteString(pad)
	w.WriteString(s)
}

// lines writes lines, the first behind a list item's marker, the others under its text.
func (w *writer) lines(pad, mark string, ls []string) {
	for _, l := range ls {
		w.line(pad+mark, l)
		mark = row.Blanks(len(mark))
	}
}

// fence is a code fence longer than any in the code.
func fence(code []string) string {
	f := "```"
	for _, l := range code {
		for strings.HasPrefix(strings.TrimLeft(l, " "), f) {
			f += "`"
		}
	}
	return f
}

// row returns a table's row. A head's cells are bold by themselves.
func (w *writer) row(r []Cell, head bool) string {
	cells := make([]string, len(r))
	for i, c := range r {
		drop := row.Mark(0)
		if head {
			drop = commonMarks(c)
		}
		cells[i] = w.spans(c, drop)
		if w.markdown {
			cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
		}
	}
	if w.markdown {
		return "| " + strings.Join(cells, " | ") + " |"
	}
	return strings.Join(cells, " | ")
}
