package unknown

import (
	"strconv"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// slack is how much shorter than the window a line may be that was wrapped.
const slack = 8

// styleOf returns how replies are drawn whose text begins in a column.
func styleOf(left int) *markdown.Style {
	return &markdown.Style{Left: left, Slack: slack, Code: code, Gutter: gutter}
}

// code counts the lines of the code block that lines begin with: groups in which a line is code by
// its words, or has a number, and few are prose.
func code(ls []markdown.Line) int {
	return markdown.CodeGroups(ls, codeGroup, codeGroup)
}

func codeGroup(ls []markdown.Line) int {
	n := markdown.UntilBlank(ls)
	codes, others := 0, 0
	for i := range ls[:n] {
		l := &ls[i]
		if _, number := gutter(l); number > 0 {
			codes += 2
			continue
		}
		if _, ok := markdown.ListItem(l); ok || markdown.IsRule(l) {
			return 0
		}
		switch prose.Judge(l.Text) {
		case prose.Prose:
			others++
		case prose.Code:
			if n > 1 || l.Indent > 0 || !l.All(func(s vterm.Style) bool { return s == l.First() }) {
				codes++
			}
		}
	}
	if codes <= others {
		return 0
	}
	return n
}

// number matches the number of a code line.
var number = lazy.Regexp(`^ *(\d+)(?: |$)`)

// gutter reads the number of a code line: it is in another ink than what follows.
func gutter(l *markdown.Line) (width, n int) {
	m := number().FindStringSubmatch(l.Text)
	if m == nil {
		return 0, 0
	}
	width = len(m[0])
	if width < len(l.Text) && l.StyleOf(width) == l.First() {
		return 0, 0
	}
	n, _ = strconv.Atoi(m[1])
	return width, n
}
