package claude

import (
	"math/bits"
	"regexp"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
)

// signs are those of Markdown, by kind: headings, fences, quotes, bold words, code, links. As the
// agent draws Markdown without them, a block with several kinds is the source of a document, in a
// fence of its own.
var signs = []*regexp.Regexp{
	regexp.MustCompile("^#+ "), regexp.MustCompile("^```"), regexp.MustCompile("^> "),
	regexp.MustCompile(`\*\*`), regexp.MustCompile("`.*`"), regexp.MustCompile(`\]\(`),
}

// source returns how many lines from the first are the source of a Markdown document: up to
// the last group of lines with signs, where at most one line without any is between two.
func source(ls []markdown.Line) int {
	var kinds uint8
	n, without := 0, 0
	for k := 0; k < len(ls) && without < 2; {
		if ls[k].Blank() {
			k++
			continue
		}
		var own uint8
		end := k
		for ; end < len(ls) && !ls[end].Blank(); end++ {
			if end >= maxGroup {
				return 0
			}
			own |= signsOf(&ls[end])
		}
		without++
		if own != 0 {
			n, without = end, 0
		} else if n == 0 {
			return 0
		}
		kinds |= own
		k = end
	}
	if bits.OnesCount8(kinds) < 2 {
		return 0
	}
	return n
}

// signsOf returns what readSigns reads.
func signsOf(l *markdown.Line) uint8 { return uint8(claudeNote(l) >> noteSigns) }

// readSigns returns the kinds of signs in a line, a bit each.
func readSigns(l *markdown.Line) (kinds uint8) {
	if t := l.Text[l.Indent:]; strings.ContainsAny(t, "#`>*]") {
		for i, sign := range signs {
			if sign.MatchString(t) {
				kinds |= 1 << i
			}
		}
	}
	return kinds
}
