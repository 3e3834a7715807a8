package opencode

import (
	"regexp"
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
	if part := ls[:markdown.UntilBlank(ls)]; quoted(part) || hasItem(part) || !breaks(part) && !leadsToCode(ls) {
		return 0, ""
	}
	return markdown.CodeGroups(ls, markdown.UntilBlank, func(below []markdown.Line) int {
		if part := below[:markdown.UntilBlank(below)]; continuesCode(part) {
			return len(part)
		}
		return 0
	}), ""
}

// breaks reports whether one of the lines breaks where a word had room.
func breaks(ls []markdown.Line) bool {
	lk := markdown.Style{Left: left, Right: right, Seam: seam}
	for i := 1; i < len(ls); i++ {
		if lk.SeamOf(&ls[i-1], &ls[i], 0) == markdown.SeamBreak {
			return true
		}
	}
	return false
}

// leadsToCode reports whether the first line could not be prose, and what is below the next blank
// line is indented.
func leadsToCode(ls []markdown.Line) bool {
	next := markdown.NextGroup(ls)
	return len(next) > 0 && next[0].Indent > ls[0].Indent && prose.Judge(ls[0].Text[ls[0].Indent:]) == prose.Code
}

// continuesCode reports whether a block of code goes on with lines behind a blank one: they have a
// mark that is concealed outside of code, are indented, a prompt, or could not be prose.
func continuesCode(part []markdown.Line) bool {
	switch text := part[0].Text[part[0].Indent:]; {
	case styled(part):
		return false
	case slices.ContainsFunc(part, func(l markdown.Line) bool { return literal.MatchString(l.Text) }):
		return true
	case quoted(part), hasItem(part), strings.HasPrefix(text, "```"):
		return false
	default:
		kind := prose.Judge(text)
		return breaks(part) || kind == prose.Code || strings.HasPrefix(text, "❯ ") || part[0].Indent > 0 && kind != prose.Prose
	}
}

// literal matches a line with a mark that is concealed outside of code.
var literal = regexp.MustCompile(`^(#{1,6}( |$)|> )`)

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
			if open || marksFollow(markdown.NextGroup(ls[i:])) {
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
		if !hasItem(part[:1]) {
			return false
		}
		ls = markdown.NextGroup(ls)
	}
	return false
}

// fenced matches the first line of Markdown as code; marked, by their styles, the parts of any
// line: "**" in what is bold, "`" in inline code, ">" in italics.
var (
	fenced = regexp.MustCompile("^(```|#{1,6}( |$))")
	marked = map[row.Mark]*regexp.Regexp{row.MarkBold: regexp.MustCompile(`^ *\*\*.+\*\* *$`), row.MarkCode: regexp.MustCompile("^ *`.+` *$"), row.MarkItalic: regexp.MustCompile("^> ")}
)

// showsMarks reports whether lines have Markdown's own marks, in the style that these have in code.
func showsMarks(ls []markdown.Line) bool {
	if slices.ContainsFunc(ls[:min(1, len(ls))], func(l markdown.Line) bool { return fenced.MatchString(l.Text) }) {
		return true
	}
	for i := range ls {
		for _, s := range ls[i].Spans {
			for mark, is := range marked {
				if s.Mark&mark != 0 && is.MatchString(s.Text) {
					return true
				}
			}
		}
	}
	return false
}

// quoted reports whether lines begin with the bar of a quote, which is grey.
func quoted(ls []markdown.Line) bool {
	return strings.HasPrefix(ls[0].Text[ls[0].Indent:], "│") && row.Grey(ls[0].First())
}

// item reads a list item's marker, which has a colour of its own: in code, "- " is text.
func item(l *markdown.Line) (markdown.Item, bool) {
	it, ok := markdown.ListItem(l)
	return it, ok && l.First().Fg != l.StyleOf(len(l.Text)-1).Fg
}

// hasItem reports whether one of the lines begins a list item.
func hasItem(ls []markdown.Line) bool {
	return slices.ContainsFunc(ls, func(l markdown.Line) bool {
		_, ok := item(&l)
		return ok
	})
}

// styled reports whether the lines have the marks of prose.
func styled(ls []markdown.Line) bool {
	return slices.ContainsFunc(ls, func(l markdown.Line) bool {
		return slices.ContainsFunc(l.Spans, func(s row.Span) bool { return s.Mark&(row.MarkBold|row.MarkCode) != 0 })
	})
}
