package markdown

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// writeText writes blocks as plain text: list items keep their markers, everything else is bare
// words.
func writeText(bs []block) string {
	var w blockWriter
	w.Grow(blocksLen(bs))
	for i := range bs {
		b := &bs[i]
		w.between(bs, i, false)
		switch b.kind {
		case codeBlock:
			w.lines(b.pad, "", b.code)
		case tableBlock:
			for _, r := range b.rows {
				w.line(b.pad, rowText(r))
			}
		case quoteBlock:
			w.lines(b.pad, "", strings.Split(writeText(b.sub), "\n"))
		case ruleBlock:
			w.line(b.pad, "---")
		default:
			w.lines(b.pad, b.shown, plainLines(b.lines))
		}
	}
	return w.String()
}

// writeMarkdown writes blocks as Markdown; drop are marks that are not to be said again.
func writeMarkdown(bs []block, drop row.Mark) string {
	var w blockWriter
	w.Grow(blocksLen(bs))
	for i := range bs {
		b := &bs[i]
		w.between(bs, i, true)
		switch b.kind {
		case codeBlock:
			f := fence(b.code)
			w.line(b.pad, f+b.lang)
			w.lines(b.pad, "", b.code)
			w.line(b.pad, f)
		case tableBlock:
			for k, r := range b.rows {
				w.line(b.pad, rowMarkdown(r, k == 0))
				if k == 0 {
					w.line(b.pad, "|"+strings.Repeat(" --- |", len(r)))
				}
			}
		case quoteBlock:
			w.lines(b.pad+"> ", "", strings.Split(writeMarkdown(b.sub, drop), "\n"))
		case ruleBlock:
			w.line(b.pad, "---")
		case headingBlock:
			var all []row.Span
			for _, l := range b.lines {
				all = joined(all, l)
			}
			w.line(b.pad, strings.Repeat("#", b.level)+" "+inline(all, drop|headingMarks(all)))
		default:
			lines := make([]string, len(b.lines))
			for k, l := range b.lines {
				lines[k] = inline(l, drop)
			}
			w.lines(b.pad, b.mark, lines)
		}
	}
	return w.String()
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

// blockWriter puts blocks under each other.
type blockWriter struct{ strings.Builder }

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
func (w *blockWriter) between(bs []block, i int, markdown bool) {
	if i == 0 {
		return
	}
	a, b := &bs[i-1], &bs[i]
	inList := a.kind == itemBlock && (b.kind == itemBlock || b.pad != "") || b.kind == itemBlock && (a.pad != "" || a.kind == paraBlock)
	if b.gap || !inList && (markdown || a.kind != b.kind) {
		w.WriteByte('\n')
	}
}

func (w *blockWriter) line(pad, s string) {
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
func (w *blockWriter) lines(pad, mark string, ls []string) {
	for i, l := range ls {
		if i == 0 {
			w.line(pad+mark, l)
			continue
		}
		w.line(pad+row.Blanks(len(mark)), l)
	}
}

func plainLines(ls [][]row.Span) []string {
	out := make([]string, len(ls))
	for i, l := range ls {
		out[i] = row.Text(l)
	}
	return out
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

func rowText(r []Cell) string {
	cells := make([]string, len(r))
	for i, c := range r {
		cells[i] = row.Text(c)
	}
	return strings.Join(cells, " | ")
}

// rowMarkdown writes a table's row. A head's cells are bold by themselves.
func rowMarkdown(r []Cell, head bool) string {
	var b strings.Builder
	b.WriteByte('|')
	for _, c := range r {
		drop := row.Mark(0)
		if head {
			drop = commonMarks(c)
		}
		b.WriteString(" " + strings.ReplaceAll(inline(c, drop), "|", `\|`) + " |")
	}
	return b.String()
}
