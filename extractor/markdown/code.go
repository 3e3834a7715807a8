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
func blankLines(ls []Line) int { return row.Run(ls, func(l Line) bool { return l.Blank() }) }

// UntilBlank counts the lines up to the next blank one.
func UntilBlank(ls []Line) int { return row.Run(ls, func(l Line) bool { return !l.Blank() }) }

// NextGroup returns the lines behind the next blank ones.
func NextGroup(ls []Line) []Line {
	n := UntilBlank(ls)
	return ls[n+blankLines(ls[n:]):]
}

// code reads a code block. Some agents draw the code of a list item at the body's left edge all the
// same. It belongs to the item where the list goes on right below it, or the item announces it.
func (r *blockReader) code(i int, o opening) int {
	ls := r.ls[i : i+o.lines]
	edge := beyond
	for _, l := range ls {
		if !l.Blank() {
			edge = min(edge, l.Indent)
		}
	}
	if edge >= r.list().Content || !r.listGoesOn(i+o.lines) && !r.itemAsks() {
		r.close(edge)
	}
	o.block.code = r.lk.tabsOf(r.lk.codeLines(ls, min(edge, r.list().Content)), r.lk.Left)
	return r.add(o.block, i, o.lines)
}

// listGoesOn reports whether line i is the next item of an open list.
func (r *blockReader) listGoesOn(i int) bool {
	if i >= len(r.ls) {
		return false
	}
	it, ok := r.marker(i)
	return ok && r.follows(it)
}

// itemAsks reports whether the block above, in a list, is an item that ends with a colon: what
// follows is its.
func (r *blockReader) itemAsks() bool {
	b := &r.out[len(r.out)-1]
	return b.kind == itemBlock && strings.HasSuffix(row.Text(b.lines[len(b.lines)-1]), ":")
}

// codeLines is code from a column on, with wrapped lines joined.
func (lk *Style) codeLines(ls []Line, edge int) []string {
	var out []string
	for i := range ls {
		s := SeamBreak
		if i > 0 {
			s = lk.codeSeam(&ls[i-1], &ls[i], edge)
		}
		out = joinCode(out, s, &ls[i], edge)
	}
	return out
}

// joinCode adds a line, from a column on, to those of code.
func joinCode(out []string, s Seam, l *Line, edge int) []string {
	if s == SeamBreak {
		return append(out, l.Text[min(edge, len(l.Text)):])
	}
	if s == SeamSpace {
		out[len(out)-1] += " "
	}
	out[len(out)-1] += l.Text[l.Indent:]
	return out
}

// tabsOf turns the blanks at the start of code lines back into tabs, where all that are indented
// reach to a tab stop or beyond: seen from the code's edge, which is left columns from the
// window's, the first stop is as much nearer.
func (lk *Style) tabsOf(code []string, left int) []string {
	first, reached := row.TabStop-left%row.TabStop, false
	if !lk.CodeTabs || first == row.TabStop {
		return code
	}
	for _, l := range code {
		n := row.Indent(l)
		if n > 0 && n < first {
			return code
		}
		reached = reached || (n-first)%row.TabStop == 0
	}
	for i, l := range code {
		if n := row.Indent(l); n > 0 && reached {
			code[i] = strings.Repeat("\t", 1+(n-first)/row.TabStop) + row.Blanks((n-first)%row.TabStop) + l[n:]
		}
	}
	return code
}

// codeSeam returns how a code line goes on. Agents wrap code like text but without a hanging
// indent, so a wrapped line begins at the block's edge, and its first word would not have fitted
// above.
// Where the terminal wrapped a line, the agent had left it whole.
func (lk *Style) codeSeam(a, b *Line, edge int) Seam {
	if a.Blank() || b.Blank() || a.Wrapped || b.Indent > edge+1 || prose.Exception(b.Text[b.Indent:]) {
		return SeamBreak
	}
	return lk.exactSeam(a, b, edge)
}

// numbered reads a code block with line numbers, which count up: from 1, unless the screen did not
// show how the message begins.
func (r *blockReader) numbered(i int, o opening) int {
	lk := r.lk
	width, want := lk.Gutter(&r.ls[i])
	var code []string
	var above Line
	for k := i; k < len(r.ls); k++ {
		l := &r.ls[k]
		var in Line
		switch w, num := lk.Gutter(l); {
		case num == want || num == want+1 && r.ls[k-1].Blank():
			if num > want { // a blank line between two pieces, drawn without its number
				code = append(code, "")
			}
			width = w
			want = num + 1
			in = l.From(w)
			code = joinCode(code, SeamBreak, &in, 0)
		case l.Indent >= width && !r.ls[k-1].Blank():
			in = l.From(width)
			code = joinCode(code, max(lk.exactSeam(&above, &in, 0), SeamSpace), &in, 0)
		case l.Blank(): // agents draw a block in pieces while it is written
			continue
		default:
			return r.addNumbered(i, o, code, width)
		}
		above, o.lines = in, k+1-i
	}
	return r.addNumbered(i, o, code, width)
}

// addNumbered adds a code block that had line numbers. Gemini leaves code of a list item the item's
// indentation.
func (r *blockReader) addNumbered(i int, o opening, code []string, width int) int {
	for len(code) > 1 && code[len(code)-1] == "" { // of a line whose end was still to come
		code = code[:len(code)-1]
	}
	if pad := r.list().inner; slices.ContainsFunc(code, func(l string) bool { return l != "" && !strings.HasPrefix(l, pad) }) {
		r.close(r.ls[i].Indent)
	} else {
		for k := range code {
			code[k] = strings.TrimPrefix(code[k], pad)
		}
	}
	o.kind, o.block.code = codeBlock, r.lk.tabsOf(code, r.lk.Left+width)
	return r.add(o.block, i, o.lines)
}
