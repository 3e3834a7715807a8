package opencode

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// code finds the code block that begins at the first line. Code has neither a fence nor a frame,
// and no colour where its grammar is not at hand. Its lines break where words would have gone on,
// or are indented, and blank lines may part them. Markdown's own marks are concealed, but not those
// in a block of code.
func code(ls []markdown.Line) (n int, lang string) {
	if n := markedCode(ls); n > 0 {
		return n, ""
	}
	if !codePart(ls[:markdown.UntilBlank(ls)]) && !leadsToCode(ls) {
		return 0, ""
	}
	for {
		n += markdown.UntilBlank(ls[n:])
		next := blanks(ls, n)
		if next == len(ls) || !continuesCode(ls[next:]) {
			return n, ""
		}
		n = next
	}
}

// blanks returns the first line from n on that is not blank.
func blanks(ls []markdown.Line, n int) int {
	for n < len(ls) && ls[n].Blank() {
		n++
	}
	return n
}

// codePart reports whether lines without a blank one between them are code by themselves.
func codePart(ls []markdown.Line) bool {
	if len(ls) == 0 || hasItem(ls) {
		return false
	}
	lk := markdown.Style{Left: left, Right: right}
	for i := 1; i < len(ls); i++ {
		if lk.SeamOf(&ls[i-1], &ls[i], 0) == markdown.SeamBreak {
			return true
		}
	}
	return false
}

// leadsToCode reports whether the first line, alone between blank ones, is code because what is
// below it is: it is indented, and the first line could not be prose.
func leadsToCode(ls []markdown.Line) bool {
	if markdown.UntilBlank(ls) != 1 || hasItem(ls[:1]) || prose.Judge(ls[0].Text[ls[0].Indent:]) != prose.Code {
		return false
	}
	next := blanks(ls, 1)
	return next < len(ls) && ls[next].Indent > ls[0].Indent && continuesCode(ls[next:])
}

// continuesCode reports whether a block of code goes on with the lines up to the next blank one:
// they are indented, a prompt, or could not be prose.
func continuesCode(ls []markdown.Line) bool {
	part := ls[:markdown.UntilBlank(ls)]
	if literal(part) && !styled(part) {
		return true
	}
	if hasItem(part) || markedCode(part) > 0 || strings.HasPrefix(part[0].Text, "│ ") || styled(part) {
		return false
	}
	text := part[0].Text[part[0].Indent:]
	return codePart(part) || prose.Judge(text) == prose.Code || strings.HasPrefix(text, "❯ ") ||
		part[0].Indent > 0 && prose.Judge(text) != prose.Prose
}

// markedCode counts the lines of a block of Markdown as code: its marks are there to be read. A
// fence in it reaches to the fence that closes it.
func markedCode(ls []markdown.Line) int {
	if !showsMarks(ls[:markdown.UntilBlank(ls)]) {
		return 0
	}
	end, open := 0, false
	for i := range ls {
		switch {
		case strings.HasPrefix(ls[i].Text, "```"):
			open = !open
		case ls[i].Blank():
			if open || marksFollow(ls[blanks(ls, i):]) {
				continue
			}
			return i
		}
		end = i + 1
	}
	return end
}

// marksFollow reports whether a block of Markdown as code goes on: with lists, perhaps, and then
// with lines that show their marks.
func marksFollow(ls []markdown.Line) bool {
	for len(ls) > 0 {
		part := ls[:markdown.UntilBlank(ls)]
		if showsMarks(part) {
			return true
		}
		if _, ok := markdown.ListItem(&part[0]); !ok {
			return false
		}
		ls = ls[blanks(ls, len(part)):]
	}
	return false
}

// showsMarks reports whether lines have Markdown's own marks, in the style that these have in code:
// a fence, the signs of a heading, "**" in what is bold, "`" in inline code, ">" in italics.
func showsMarks(ls []markdown.Line) bool {
	for i := range ls {
		l := &ls[i]
		if i == 0 && (strings.HasPrefix(l.Text, "```") || l.Indent == 0 && markdown.Hashes(l.Text) > 0) {
			return true
		}
		for _, s := range l.Spans {
			t := strings.TrimSpace(s.Text)
			if s.Mark&row.MarkBold != 0 && len(t) > 4 && strings.HasPrefix(t, "**") && strings.HasSuffix(t, "**") ||
				s.Mark&row.MarkCode != 0 && len(t) > 2 && t[0] == '`' && t[len(t)-1] == '`' ||
				s.Mark&row.MarkItalic != 0 && strings.HasPrefix(s.Text, "> ") {
				return true
			}
		}
	}
	return false
}

// literal reports whether one of the lines begins with a mark that is concealed outside of code.
func literal(ls []markdown.Line) bool {
	return slices.ContainsFunc(ls, func(l markdown.Line) bool {
		return l.Indent == 0 && (markdown.Hashes(l.Text) > 0 || strings.HasPrefix(l.Text, "> "))
	})
}

// hasItem reports whether one of the lines begins a list item.
func hasItem(ls []markdown.Line) bool {
	for i := range ls {
		if _, ok := markdown.ListItem(&ls[i]); ok {
			return true
		}
	}
	return false
}

// styled reports whether the lines have the marks of prose.
func styled(ls []markdown.Line) bool {
	for i := range ls {
		for _, s := range ls[i].Spans {
			if s.Mark&(row.MarkBold|row.MarkCode) != 0 {
				return true
			}
		}
	}
	return false
}
