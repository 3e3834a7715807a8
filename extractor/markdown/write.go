package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// write returns blocks in a form.
func write(bs []block, form int) string {
	out := make([]string, 0, 2*len(bs))
	above := &block{}
	for i := range bs {
		b := &bs[i]
		if apart(above, b, form) {
			out = append(out, "")
		}
		above = b
		lead := b.pad + b.mark
		for _, l := range b.lines[form] {
			out = append(out, strings.TrimRight(lead+l, " "))
			lead = b.pad + row.Blanks(len(b.mark))
		}
	}
	return strings.TrimLeft(strings.Join(out, "\n"), "\n")
}

// apart reports whether a blank line separates two blocks. The items of a list are adjacent unless
// they were separated.
func apart(a, b *block, form int) bool {
	inList := a.kind == itemBlock && (b.kind == itemBlock || b.pad != "") ||
		b.kind == itemBlock && (a.pad != "" || a.kind == paraBlock)
	return b.gap || !inList && (form == marked || a.kind != b.kind)
}

// written returns the lines of a text in each form.
func written(lines [][]row.Span) (out [2][]string) {
	out[plain], out[marked] = make([]string, len(lines)), make([]string, len(lines))
	for i, l := range lines {
		out[plain][i], out[marked][i] = inForms(l)
	}
	return out
}

// codeOf returns the lines of code in each form.
func codeOf(code []string, lang string) [2][]string {
	f := fence(code)
	return [2][]string{code, slices.Concat([]string{f + lang}, code, []string{f})}
}

// fence returns a code fence that is longer than any in the code.
func fence(code []string) string {
	f := "```"
	for _, l := range code {
		for strings.HasPrefix(strings.TrimLeft(l, " "), f) {
			f += "`"
		}
	}
	return f
}

// tableOf returns the rows of a table, the head first, in each form.
func tableOf(rows [][]Cell) (out [2][]string) {
	for _, r := range rows {
		cells := make([]string, len(r))
		line := "|"
		for c, cell := range r {
			text, markdown := inForms(cell)
			cells[c] = text
			line += " " + strings.ReplaceAll(markdown, "|", `\|`) + " |"
		}
		if strings.Join(cells, "") != "" { // unless the head was not on the screen
			out[plain] = append(out[plain], strings.Join(cells, " | "))
		}
		out[marked] = append(out[marked], line)
	}
	out[marked] = slices.Insert(out[marked], 1, "|"+strings.Repeat(" --- |", len(rows[0])))
	return out
}
