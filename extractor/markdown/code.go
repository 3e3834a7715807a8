package markdown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// CodeRun returns the number of lines of a code block that begins at ls[0]: lines for which is
// returns true, and blank lines between them. It suffices for agents whose code has its own
// colours.
func CodeRun(ls []Line, is func(*Line) bool) int {
	group := func(ls []Line) int { return row.Run(ls, func(l Line) bool { return !l.Blank() && is(&l) }) }
	return CodeGroups(ls, group, group)
}

// CodeGroups returns the number of lines of a code block that is recognised by groups of lines.
// block returns the number of lines of its first group; more returns that of a group after blank
// lines that continues it, or 0.
func CodeGroups(ls []Line, block, more func([]Line) int) int {
	n, at := 0, 0
	for m := block(ls); m > 0; m = more(ls[at:]) {
		n = at + m
		if at = n + blankLines(ls[n:]); at == n || at == len(ls) {
			break
		}
	}
	return n
}

// blankLines returns the number of blank lines at the start.
func blankLines(ls []Line) int { return row.Run(ls, func(l Line) bool { return l.Blank() }) }

// UntilBlank returns the number of lines up to the next blank one.
func UntilBlank(ls []Line) int { return row.Run(ls, func(l Line) bool { return !l.Blank() }) }

// NextGroup returns the lines after the next blank ones.
func NextGroup(ls []Line) []Line {
	n := UntilBlank(ls)
	return ls[n+blankLines(ls[n:]):]
}

// Edge returns the column of the leftmost of the lines.
func Edge(ls []Line) int {
	edge := beyond
	for i := range ls {
		if !ls[i].Blank() {
			edge = min(edge, ls[i].Indent)
		}
	}
	return edge
}

// code parses a code block. Some agents draw the code of a list item at the body's left edge. It
// belongs to the item if the list continues directly below it, or if the item announces it.
func (r *blockReader) code(i int) (b block, n int) {
	if r.lk.Fence != nil {
		return r.fenced(i)
	}
	if r.lk.Code == nil {
		return b, 0
	}
	n = r.lk.Code(r.ls[i:])
	if n == 0 && r.lk.Announced != nil && r.announced() {
		n = r.lk.Announced(r.ls[i:])
	}
	if n == 0 {
		return b, 0
	}
	n = min(n, len(r.ls)-1-i)
	for k := i + 1; k < i+n; k++ {
		if r.ls[k].lost && r.isTable(k) { // the rest of a table
			n = k - i
		}
	}
	ls, lang := r.ls[i:i+n], ""
	if r.lk.Language != nil && r.lk.Language(ls) {
		lang, ls = strings.TrimSpace(ls[0].Text), ls[1:]
	}
	edge := Edge(ls)
	col := edge
	if r.listGoesOn(i+n) || r.itemAsks() {
		col = beyond
	}
	lists := r.within(col)
	code := r.lk.tabsOf(r.lk.codeLines(ls, min(edge, lists[len(lists)-1].Content)), r.lk.Left)
	return block{kind: codeBlock, col: col, lines: codeOf(code, lang)}, n
}

// fenceIndent is how far code is to the right of the fences around it, in cells.
const fenceIndent = 2

// fenced parses a code block that is drawn with its fences. A line to the left of the code
// continues the one above.
func (r *blockReader) fenced(i int) (b block, n int) {
	first := &r.ls[i]
	if !r.lk.Fence(first) {
		return b, 0
	}
	var code []string
	above := &Line{}
	for n = 1; i+n < len(r.ls)-1; n++ {
		l := &r.ls[i+n]
		if l.Indent == first.Indent && l.Text[l.Indent:] == "```" && r.lk.Fence(l) {
			n++
			break
		}
		seam, edge := SeamBreak, first.Indent+fenceIndent
		if l.Indent < edge && !l.Blank() && len(code) > 0 {
			seam = max(r.lk.exactSeam(above, l, 0), SeamSpace)
		}
		code = joinCode(code, seam, l, edge)
		above = l
	}
	col := first.Indent
	for _, l := range r.lists {
		if l.col < first.Indent { // right of an item's marker, it belongs to the item
			col = max(col, l.Content)
		}
	}
	return block{kind: codeBlock, col: col,
		lines: codeOf(tabsFor(code, r.lk.FenceTab), strings.TrimPrefix(first.Text[first.Indent:], "```"))}, n
}

// tabsFor replaces the blanks at the start of code lines by tabs if all of them are a multiple of
// width.
func tabsFor(code []string, width int) []string {
	between := func(l string) bool { return row.Indent(l)%width != 0 }
	if width == 0 || slices.ContainsFunc(code, between) {
		return code
	}
	for i, l := range code {
		n := row.Indent(l)
		code[i] = strings.Repeat("\t", n/width) + l[n:]
	}
	return code
}

// isTable reports whether a table begins at line i.
func (r *blockReader) isTable(i int) bool {
	_, n := r.table(i)
	return n > 0
}

// listGoesOn reports whether line i is the next item of an open list.
func (r *blockReader) listGoesOn(i int) bool {
	it, ok := r.marker(i)
	return ok && r.follows(it)
}

// itemAsks reports whether the previous block is a list item that ends with a colon, so that what
// follows belongs to it.
func (r *blockReader) itemAsks() bool {
	return r.announced() && r.out[len(r.out)-1].kind == itemBlock
}

// announced reports whether the block above ends with a colon.
func (r *blockReader) announced() bool {
	if len(r.out) == 0 {
		return false
	}
	text := r.out[len(r.out)-1].lines[plain]
	return len(text) > 0 && strings.HasSuffix(text[len(text)-1], ":")
}

// codeLines returns code from a column on, with wrapped lines joined. Blank rows above lost ones
// were free space in a window.
func (lk *Style) codeLines(ls []Line, edge int) []string {
	var out []string
	above := &Line{}
	for i := range ls {
		l := &ls[i]
		for l.lost && len(out) > 0 && out[len(out)-1] == "" {
			out = out[:len(out)-1]
		}
		seam := lk.codeSeam(above, l, edge)
		if seam != SeamBreak && (prose.Statements(out[len(out)-1], l.Text[l.Indent:]) || alike(ls, i)) {
			seam = SeamBreak
		}
		out = joinCode(out, seam, l, edge)
		above = l
	}
	return out
}

// alike reports whether line i begins with the same letters as a line beside it: both are rows of
// what a program has printed, such as a log or a list.
func alike(ls []Line, i int) bool {
	word := func(i int) string {
		if i < 0 || i == len(ls) {
			return ""
		}
		return row.FirstWord(ls[i].Text)
	}
	w := word(i)
	if len(w) < sameStart {
		return false
	}
	return strings.HasPrefix(word(i-1), w[:sameStart]) || strings.HasPrefix(word(i+1), w[:sameStart])
}

// sameStart is how many letters rows that begin alike have in common.
const sameStart = 8

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

// tabsOf converts the blanks at the start of code lines to tabs, if the style allows that: if all
// indented lines reach a tab stop of the terminal or beyond, or if all reach one that counts from
// the code's edge. This edge is left columns from the window's edge, so the terminal's first tab
// stop is that much nearer.
func (lk *Style) tabsOf(code []string, left int) []string {
	stops := func(first int) func(string) bool {
		return func(l string) bool { n := row.Indent(l); return n > 0 && (n-first)%row.TabStop == 0 }
	}
	first := row.TabStop - left%row.TabStop
	short := func(l string) bool { n := row.Indent(l); return n > 0 && n < first }
	if lk.CodeTabs && first < row.TabStop && !slices.ContainsFunc(code, short) && slices.ContainsFunc(code, stops(first)) {
		return tabbed(code, first)
	}
	between := func(l string) bool { return row.Indent(l)%row.TabStop != 0 }
	if lk.CodeBlanks && !slices.ContainsFunc(code, between) && slices.ContainsFunc(code, stops(0)) {
		return tabbed(code, row.TabStop)
	}
	return code
}

// tabbed replaces the blanks at the start of code lines by tabs. first is the column of the first
// tab stop.
func tabbed(code []string, first int) []string {
	for i, l := range code {
		if n := row.Indent(l) - first; n >= 0 {
			code[i] = strings.Repeat("\t", 1+n/row.TabStop) + row.Blanks(n%row.TabStop) + l[first+n:]
		}
	}
	return code
}

// codeSeam returns how a code line continues. Agents wrap code like text but without a hanging
// indent, so a wrapped line begins at the block's edge, and its first word would not have fitted on
// the line above. Some agents indent it and continue in the same colour. If the terminal wrapped a
// line, the agent had not.
func (lk *Style) codeSeam(a, b *Line, edge int) Seam {
	if a.Blank() || b.Blank() || a.Wrapped || prose.Exception(b.Text[b.Indent:]) || comment(a, b) {
		return SeamBreak
	}
	if b.Indent > edge+1 {
		fits := row.Width(row.FirstWord(b.Text))+1 <= a.Room-a.Width
		if edge = b.Indent; !lk.CodeHangs || fits || a.Indent != edge || a.StyleOf(len(a.Text)-1).Fg != b.First().Fg {
			return SeamBreak
		}
	}
	return lk.wrappedCode(a, b, edge)
}

// wrappedCode is exactSeam for lines of code.
func (lk *Style) wrappedCode(a, b *Line, hang int) Seam {
	s := lk.exactSeam(a, b, hang)
	if s == SeamSpace && inBrackets(a.Text, row.FirstWord(b.Text)) {
		return SeamNone
	}
	return s
}

// inBrackets reports whether a bracket shows that no blank was between a line of code and the word
// that did not fit on it: the line ends with one that is opened, or the word closes one that is
// open above, without a blank behind it.
func inBrackets(above, word string) bool {
	if strings.HasSuffix(above, "(") || strings.HasSuffix(above, "[") {
		return true
	}
	at := strings.IndexRune(")]}", row.FirstRune(word))
	if at < 0 {
		return false
	}
	opening, closing, open := "([{"[at], word[0], 1
	for i := len(above) - 1; i >= 0; i-- {
		switch above[i] {
		case closing:
			open++
		case opening:
			open--
		}
		if open == 0 {
			return i+1 < len(above) && above[i+1] != ' '
		}
	}
	return false
}

// numberedSlack is how many columns more than a word needs may be free in a numbered line that is
// continued below.
const numberedSlack = 8

// comment reports whether a line is a comment, all in one colour, and the line below it begins in
// another colour. A comment that is wrapped keeps its colour.
func comment(a, b *Line) bool {
	ink := a.First().Fg
	same := func(s vterm.Style) bool { return s.Fg == ink }
	return b.First().Fg != ink && prose.Comment(a.Text[a.Indent:]) && a.All(same)
}

// numbered parses a code block with line numbers. They count up from 1, unless the start of the
// block was not on the screen, and without gaps, except for lines that were not on the screen. Some
// agents indent the code of a list item like the item.
func (r *blockReader) numbered(i int) (b block, n int) {
	lk := r.lk
	if lk.Gutter == nil {
		return b, 0
	}
	width, want := lk.Gutter(&r.ls[i])
	if want != 1 && (want == 0 || i > 0 && !r.ls[i].lost) {
		return b, 0
	}
	var code []string
	var above Line
lines:
	for k := i; k < len(r.ls); k++ {
		l, apart, seam := &r.ls[k], r.ls[max(k-1, 0)].Blank(), SeamBreak
		switch w, number := lk.Gutter(l); {
		case l.Blank(): // agents draw a block in pieces while it is being written
			continue
		case number == want+1 && apart: // a blank line between two pieces, drawn without its number
			code = append(code, "")
			fallthrough
		case number == want, number > want && l.lost:
			width, want = w, number+1
		case number == 1 && len(l.Text) < w && innerFence(code): // the closing fence was drawn as the start of another block
			code, n = append(code, "```"), k+1-i
			break lines
		case apart || l.Indent < width:
			break lines
		default:
			goesOn := l.From(width)
			if above.Width+row.Width(row.FirstWord(goesOn.Text)) < above.Room-numberedSlack {
				break lines // text directly below it with the same indentation
			}
			seam = max(lk.wrappedCode(&above, &goesOn, 0), SeamSpace)
		}
		above = l.From(width)
		code, n = joinCode(code, seam, &above, 0), k+1-i
	}
	code = withoutEnd(code)
	col := r.ls[i].Indent
	if unpad(code, r.list().inner) {
		col = beyond
	}
	return block{kind: numberedBlock, col: col, lines: codeOf(lk.tabsOf(code, lk.Left+width), "")}, n
}

// withoutEnd returns code without empty lines at its end.
func withoutEnd(code []string) []string {
	for len(code) > 1 && code[len(code)-1] == "" {
		code = code[:len(code)-1]
	}
	return code
}

// unpad removes an indentation from all lines, and reports whether all have it.
func unpad(code []string, pad string) bool {
	if slices.ContainsFunc(code, func(l string) bool { return l != "" && !strings.HasPrefix(l, pad) }) {
		return false
	}
	for k := range code {
		code[k] = strings.TrimPrefix(code[k], pad)
	}
	return true
}

// innerFence reports whether code contains a fence that is not closed. Agents that split a long
// reply after it draw its closing fence as the start of an empty block.
func innerFence(code []string) bool {
	open := false
	for _, l := range code {
		open = open != strings.HasPrefix(l, "```")
	}
	return open
}
