package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// writer writes blocks under each other: as Markdown, or as plain text, in which list items keep
// their markers and everything else is bare words.
type writer struct{ markdown bool }

// write returns blocks as Markdown or plain text.
func write(bs []block, markdown bool) string {
	w := writer{markdown}
	var out []string
	for i := range bs {
		b := &bs[i]
		if i > 0 && w.apart(&bs[i-1], b) {
			out = append(out, "")
		}
		lead := b.pad + b.mark
		for _, l := range w.lines(b) {
			out = append(out, strings.TrimRight(lead+l, " "))
			lead = b.pad + row.Blanks(len(b.mark))
		}
	}
	return strings.TrimLeft(strings.Join(out, "\n"), "\n")
}

// apart reports whether a blank line is between two blocks. The items of a list are close unless
// they were apart.
func (w writer) apart(a, b *block) bool {
	inList := a.kind == itemBlock && (b.kind == itemBlock || b.pad != "") || b.kind == itemBlock && (a.pad != "" || a.kind == paraBlock)
	return b.gap || !inList && (w.markdown || a.kind != b.kind)
}

// lines returns the lines of a block.
func (w writer) lines(b *block) (out []string) {
	switch b.kind {
	case codeBlock, numberedBlock:
		if !w.markdown {
			return b.code
		}
		f := fence(b.code)
		return append(append([]string{f + b.lang}, b.code...), f)
	case tableBlock:
		for _, r := range b.rows {
			out = append(out, w.row(r))
		}
		if w.markdown {
			out = slices.Insert(out, 1, "|"+strings.Repeat(" --- |", len(b.rows[0])))
		}
	case quoteBlock:
		for l := range strings.SplitSeq(write(b.sub, w.markdown), "\n") {
			if w.markdown {
				l = "> " + l
			}
			out = append(out, l)
		}
	case ruleBlock:
		return []string{"---"}
	case headingBlock:
		if w.markdown {
			var all []row.Span
			for _, l := range b.lines {
				all = joined(all, l)
			}
			return []string{strings.Repeat("#", b.level) + " " + inline(all)}
		}
		fallthrough
	default:
		out = make([]string, len(b.lines))
		for i, l := range b.lines {
			out[i] = w.spans(l)
		}
	}
	return out
}

// spans returns what spans say.
func (w writer) spans(spans []row.Span) string {
	if w.markdown {
		return inline(spans)
	}
	return row.Text(spans)
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

// row returns a table's row.
func (w writer) row(r []Cell) string {
	cells := make([]string, len(r))
	for i, c := range r {
		if cells[i] = w.spans(c); w.markdown {
			cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
		}
	}
	line := strings.Join(cells, " | ")
	if w.markdown {
		return "| " + line + " |"
	}
	return line
}
