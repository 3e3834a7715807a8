package unknown

import (
	"strconv"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// slack is the number of cells by which a wrapped line may be shorter than the window.
const slack = 8

// styleOf returns the style of replies whose text begins in column left.
func styleOf(left int) *markdown.Style {
	return &markdown.Style{Left: left, Slack: slack, Code: code, Gutter: gutter}
}

// code returns the number of lines of the code block at the start of ls. It consists of groups in
// which more lines look like code or have a number than look like prose.
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

// gutter parses the number of a code line. The number is in another ink than the code.
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
