package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// CodeRun counts the lines of a code block that begins at ls[0]: lines for which is holds, and
// blank lines between them. Where is tells each line by itself (by its colours), that is all that a
// look's Code needs.
func CodeRun(ls []Line, is func(*Line) bool) int {
	n := 0
	for i := range ls {
		if ls[i].Blank() {
			continue
		}
		if !is(&ls[i]) {
			break
		}
		n = i + 1
	}
	return n
}

// CodeGroups counts the lines of a code block that is told by groups of lines: block counts those
// of its first group, more those of a group after blank lines that goes on with it, or 0.
func CodeGroups(ls []Line, block, more func([]Line) int) int {
	n := block(ls)
	for n > 0 {
		k := n + blankLines(ls[n:])
		if k == n || k == len(ls) {
			break
		}
		m := more(ls[k:])
		if m == 0 {
			break
		}
		n = k + m
	}
	return n
}

// blankLines counts the blank lines from the first on.
func blankLines(ls []Line) int {
	if n := slices.IndexFunc(ls, func(l Line) bool { return !l.Blank() }); n >= 0 {
		return n
	}
	return len(ls)
}

// UntilBlank counts the lines up to the next blank one.
func UntilBlank(ls []Line) int {
	for i := range ls {
		if ls[i].Blank() {
			return i
		}
	}
	return len(ls)
}

// addCode adds lines [i, i+n) as a code block.
func (r *blockReader) addCode(i, n int, lang string) {
	ls := r.ls[i : i+n]
	edge := -1
	for k := range ls {
		if !ls[k].Blank() && (edge < 0 || ls[k].Indent < edge) {
			edge = ls[k].Indent
		}
	}
	// Some agents draw the code of a list item at the body's left edge all the same. It belongs to
	// the item where the list goes on right below it, or the item announces it.
	inItem := len(r.lists) > 0 && edge < r.lists[len(r.lists)-1].Content && (r.listGoesOn(i+n) || r.itemAsks())
	if !inItem {
		r.close(edge)
	}
	left := 0
	if len(r.lists) > 0 && !inItem {
		left = r.lists[len(r.lists)-1].Content
	}
	edge = min(edge, left)
	r.add(block{kind: codeBlock, pad: r.pad(), lang: lang, code: r.lk.tabsOf(r.lk.codeLines(ls, edge), r.lk.Left)}, i, n)
}

// listGoesOn reports whether line i is the next item of an open list.
func (r *blockReader) listGoesOn(i int) bool {
	if i >= len(r.ls) || r.ls[i].Blank() {
		return false
	}
	it, ok := r.marker(i)
	return ok && r.follows(it)
}

// itemAsks reports whether the block above is a list item that ends with a colon: what follows is
// its.
func (r *blockReader) itemAsks() bool {
	if len(r.out) == 0 || len(r.lists) == 0 {
		return false
	}
	b := &r.out[len(r.out)-1]
	return b.kind == itemBlock && strings.HasSuffix(row.Text(b.lines[len(b.lines)-1]), ":")
}

// codeLines is code from a column on, with wrapped lines joined.
func (lk *Style) codeLines(ls []Line, edge int) []string {
	var out []string
	for i := range ls {
		l := &ls[i]
		if i > 0 {
			if s := lk.codeSeam(&ls[i-1], l, edge); s != SeamBreak {
				if s == SeamSpace {
					out[len(out)-1] += " "
				}
				out[len(out)-1] += l.Text[l.Indent:]
				continue
			}
		}
		out = append(out, l.Text[min(edge, len(l.Text)):])
	}
	return out
}

// tabsOf turns the blanks at the start of code lines back into tabs, where all that are indented
// reach to a tab stop or beyond: seen from the code's edge, which is left columns from the
// window's, the first stop is as much nearer.
func (lk *Style) tabsOf(code []string, left int) []string {
	if !lk.CodeTabs {
		return code
	}
	first, reached := row.TabStop-left%row.TabStop, false
	for _, l := range code {
		n := len(l) - len(strings.TrimLeft(l, " "))
		if n == 0 || n == len(l) {
			continue
		}
		if n < first {
			return code
		}
		reached = reached || (n-first)%row.TabStop == 0
	}
	if !reached || first == row.TabStop {
		return code
	}
	for i, l := range code {
		rest := strings.TrimLeft(l, " ")
		if n := len(l) - len(rest); n > 0 && rest != "" {
			code[i] = strings.Repeat("\t", 1+(n-first)/row.TabStop) + row.Blanks((n-first)%row.TabStop) + rest
		}
	}
	return code
}

// codeSeam tells how a code line goes on. Agents wrap code like text but without a hanging indent,
// so a wrapped line begins at the block's edge, and its first word would not have fitted above.
// Where the terminal wrapped a line, the agent had left it whole.
func (lk *Style) codeSeam(a, b *Line, edge int) Seam {
	if a.Blank() || b.Blank() || a.Wrapped || b.Indent > edge+1 || prose.Exception(b.Text[b.Indent:]) {
		return SeamBreak
	}
	return lk.exactSeam(a, b, edge)
}

// gutterCode reads a code block with line numbers: it begins with number 1 and goes on as they
// count up.
func (r *blockReader) gutterCode(i int) int {
	lk := r.lk
	width, _, _ := lk.Gutter(&r.ls[i])
	var code []Line
	var starts []bool
	want, n := 1, 0
	for k := i; k < len(r.ls); k++ {
		l := &r.ls[k]
		if w, num, ok := lk.Gutter(l); ok && num == want && w >= width {
			width = w
			want++
			code, starts = append(code, l.From(w)), append(starts, true)
		} else if !l.Blank() && l.Indent >= width {
			code, starts = append(code, l.From(width)), append(starts, false)
		} else if !r.countsOn(k, want, width) {
			break
		} else {
			continue
		}
		n = k + 1 - i
	}
	var out []string
	for k := range code {
		l := &code[k]
		if !starts[k] {
			if s := lk.exactSeam(&code[k-1], l, 0); s != SeamNone {
				out[len(out)-1] += " "
			}
			out[len(out)-1] += l.Text[l.Indent:]
			continue
		}
		out = append(out, l.Text)
	}
	for len(out) > 1 && out[len(out)-1] == "" { // of a line whose end was still to come
		out = out[:len(out)-1]
	}
	if pad := r.pad(); pad == "" || !allIndented(out, pad) { // Gemini leaves code of a list item the item's indentation
		r.close(r.ls[i].Indent)
	} else {
		for k := range out {
			out[k] = strings.TrimPrefix(out[k], pad)
		}
	}
	r.add(block{kind: codeBlock, pad: r.pad(), code: lk.tabsOf(out, lk.Left+width)}, i, n)
	return n
}

// countsOn reports whether line i is a blank one between two pieces of a block with line numbers,
// which agents draw in pieces while it is written: the next number is below.
func (r *blockReader) countsOn(i, want, width int) bool {
	if !r.ls[i].Blank() {
		return false
	}
	next := i + blankLines(r.ls[i:])
	if next == len(r.ls) {
		return false
	}
	w, num, ok := r.lk.Gutter(&r.ls[next])
	return ok && num == want && w == width
}

// allIndented reports whether all lines that are not blank begin with pad.
func allIndented(lines []string, pad string) bool {
	for _, l := range lines {
		if l != "" && !strings.HasPrefix(l, pad) {
			return false
		}
	}
	return true
}
