package opencode

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// code finds the code block that begins at the first line. Code has neither a fence nor a frame,
// and no colour if there is no grammar for it. Then its lines break although words would have
// fitted, or are indented, and blank lines may separate them. Marks of Markdown are hidden, except
// in a code block.
func (t *theme) code(ls []markdown.Line) int {
	goesOn := t.continuesCode
	switch first := ls[:markdown.UntilBlank(ls)]; {
	case showsMarks(first):
		goesOn = marksFollow
	case linked(first), tag(first):
		return 0
	case t.highlighted(first):
	case styled(first), t.structured(first), !lone(first) && (isText(first) || !breaks(first) && !t.leadsToCode(ls)):
		return 0
	}
	return markdown.CodeGroups(ls, group, func(below []markdown.Line) int {
		if goesOn(below) {
			return group(below)
		}
		return 0
	})
}

// group returns the number of lines up to the next blank one. In Markdown as code, a fence extends
// to its closing fence.
func group(ls []markdown.Line) int {
	open := false
	return row.Run(ls, func(l markdown.Line) bool {
		if strings.HasPrefix(l.Text, "```") {
			open = !open
		}
		return open || !l.Blank()
	})
}

// breaks reports whether one of the lines breaks where a word had room.
func breaks(ls []markdown.Line) bool {
	lk := markdown.Style{Left: left, Right: right, Seam: seam}
	return len(lk.Unwrap(ls, 0)) > 1
}

// isText reports whether lines are a paragraph with line breaks of its author: more of them read
// like prose than like code, or all of them together do, and all begin at the same column.
func isText(ls []markdown.Line) bool {
	prosaic := 0
	var words []string
	for i := range ls {
		if ls[i].Indent != ls[0].Indent {
			return false
		}
		switch judge(&ls[i]) {
		case prose.Prose:
			prosaic++
		case prose.Code:
			prosaic--
		}
		words = append(words, ls[i].Text[ls[i].Indent:])
	}
	all := strings.Join(words, " ")
	return prosaic > 0 || prosaic == 0 && prose.Judge(all) == prose.Prose &&
		strings.ContainsAny(all[len(all)-1:], ".!?:,;)")
}

// lone reports whether a single line is code: a command, or neither a sentence nor only words.
func lone(ls []markdown.Line) bool {
	if len(ls) > 1 {
		return false
	}
	t := ls[0].Text[ls[0].Indent:]
	return prose.Command(t) || judge(&ls[0]) == prose.Code && prose.Fragment(t) && strings.ContainsAny(t, "./_-=:@$()[]{}")
}

// announced counts the lines of code below a line that ends with a colon: a single one that has no
// style and is no sentence.
func (t *theme) announced(ls []markdown.Line) int {
	first := ls[:markdown.UntilBlank(ls)]
	if len(first) != 1 || linked(first) || tag(first) || styled(first) || t.structured(first) || t.heading(&first[0]) > 0 {
		return 0
	}
	text := first[0].Text[first[0].Indent:]
	if _, listed := markdown.ListItem(&first[0]); listed {
		return 0
	}
	if prose.Fragment(text) || judge(&first[0]) == prose.Code && !strings.ContainsAny(text[len(text)-1:], ".!?:,;") {
		return 1
	}
	return 0
}

// leadsToCode reports whether the first line could not be prose, and what is below the next blank
// line is indented, or continues as code does after a line that is not a sentence: "package main".
func (t *theme) leadsToCode(ls []markdown.Line) bool {
	next := markdown.NextGroup(ls)
	if len(next) == 0 || judge(&ls[0]) != prose.Code {
		return false
	}
	return next[0].Indent > ls[0].Indent || prose.Fragment(ls[0].Text[ls[0].Indent:]) && t.continuesCode(next)
}

// judge distinguishes code from prose by the words of a line.
func judge(l *markdown.Line) prose.Kind { return prose.Judge(l.Text[l.Indent:]) }

// tag reports whether a single line is markup of a text, such as an anchor.
func tag(ls []markdown.Line) bool { return len(ls) == 1 && prose.Markup(ls[0].Text[ls[0].Indent:]) }

// highlighted reports whether lines have colours that only the grammar of code uses.
func (t *theme) highlighted(ls []markdown.Line) bool {
	return judge(&ls[0]) != prose.Prose && hasSpan(ls, t.ofGrammar)
}

// continuesCode reports whether a code block continues with the lines up to a blank one: they have
// a mark that is hidden outside of code, are indented, a prompt, or could not be prose.
func (t *theme) continuesCode(below []markdown.Line) bool {
	part := below[:markdown.UntilBlank(below)]
	switch {
	case linked(part), tag(part):
		return false
	case t.highlighted(part):
		return true
	case styled(part):
		return false
	case slices.ContainsFunc(part, func(l markdown.Line) bool { return literal().MatchString(l.Text) }):
		return true
	}
	kind := judge(&part[0])
	likely := kind == prose.Code || part[0].Indent > 0 && kind != prose.Prose || breaks(part) && !isText(part)
	return likely && !t.structured(part) && !strings.HasPrefix(part[0].Text, "```")
}

// literal matches a line with a mark that is hidden outside of code, or a prompt.
var literal = lazy.Regexp(`^(#{1,6}( |$)|> | *❯ )`)

// marksFollow reports whether a block of Markdown as code continues: maybe with lists, and then
// with lines that show their marks.
func marksFollow(ls []markdown.Line) bool {
	part := ls[:markdown.UntilBlank(ls)]
	return showsMarks(part) || hasItem(part[:min(1, len(part))]) && marksFollow(markdown.NextGroup(ls))
}

// fenced matches the first line of Markdown as code. marked matches, by style, the parts of any
// line: "**" in bold text, "`" in inline code, ">" in italics.
var (
	fenced = lazy.Regexp("^(```|#{1,6}( |$))")
	marked = map[row.Mark]*regexp.Regexp{row.MarkBold: regexp.MustCompile(`^ *\*\*.+\*\* *$`),
		row.MarkCode: regexp.MustCompile("^ *`.+` *$"), row.MarkItalic: regexp.MustCompile("^> ")}
)

// showsMarks reports whether lines show marks of Markdown, in the style that these have in code.
func showsMarks(ls []markdown.Line) bool {
	return len(ls) > 0 && fenced().MatchString(ls[0].Text) || hasSpan(ls, func(s row.Span) bool {
		is := marked[s.Mark]
		return is != nil && is.MatchString(s.Text)
	})
}

// linked reports whether lines contain a link: only links and tasks are underlined.
func linked(ls []markdown.Line) bool {
	return hasSpan(ls, func(s row.Span) bool { return s.Style.Underline != vterm.UnderlineNone })
}

// styled reports whether the lines contain styles of prose: bold words, or inline code, which has
// the colour of strings.
func styled(ls []markdown.Line) bool {
	return hasSpan(ls, func(s row.Span) bool {
		return s.Mark&row.MarkBold != 0 || s.Mark&row.MarkCode != 0 && !quoted(s.Text)
	})
}

// quoted reports whether a text begins with a quotation mark, as strings do.
func quoted(t string) bool {
	t = strings.TrimLeft(t, " ")
	return t != "" && strings.Contains("\"'`", t[:1])
}

// hasSpan reports whether a part of the lines is of a kind.
func hasSpan(ls []markdown.Line, is func(row.Span) bool) bool {
	return slices.ContainsFunc(ls, func(l markdown.Line) bool { return slices.ContainsFunc(l.Spans, is) })
}

// structured reports whether lines are a quote, recognised by its grey bar, or contain items of a
// list.
func (t *theme) structured(ls []markdown.Line) bool {
	return strings.HasPrefix(ls[0].Text[ls[0].Indent:], "│") && t.subdued(ls[0].First()) || hasItem(ls)
}

// hasItem reports whether one of the lines begins a list item.
func hasItem(ls []markdown.Line) bool {
	return slices.ContainsFunc(ls, func(l markdown.Line) bool {
		_, ok := item(&l)
		return ok
	})
}

// item parses a list item's marker, which has a colour of its own, or that of an address at the
// end: in code, "- " is text. The box of a task is an underlined character after it.
func item(l *markdown.Line) (markdown.Item, bool) {
	it, ok := markdown.ListItem(l)
	lined := func(at int) bool { return l.StyleOf(at).Underline != vterm.UnderlineNone }
	if box := l.Indent + len("- "); lined(box) && !lined(box+1) {
		mark := markdown.TaskDone
		if l.Text[box] == ' ' {
			mark = markdown.TaskOpen
		}
		it = l.ItemOf(mark, -1, len("- x"), l.Text[box+1:])
	}
	end := l.StyleOf(len(l.Text) - 1)
	return it, ok && (it.Content > l.Width || l.First().Fg != end.Fg || end.Underline != l.First().Underline)
}
