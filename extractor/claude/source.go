package claude

import (
	"math/bits"
	"regexp"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// signs are the signs of Markdown by kind: headings, fences, quotes, bold words, code, links. The
// agent draws Markdown without them, so a block with several kinds is the source of a document in a
// fence.
var signs = []func() *regexp.Regexp{
	lazy.Regexp("^#+ "), lazy.Regexp("^```"), lazy.Regexp("^> "),
	lazy.Regexp(`\*\*`), lazy.Regexp("`.*`"), lazy.Regexp(`\]\(`),
}

// source returns how many lines from the first are the source of a Markdown document: up to the
// last group of lines with signs, where at most one line without signs may be between two.
func source(ls []markdown.Line) int {
	var kinds uint8
	n, without := 0, 0
	for rest := ls; without < 2; rest = markdown.NextGroup(rest) {
		end := markdown.UntilBlank(rest[:min(len(rest), maxGroup)])
		var own uint8
		for k := range rest[:end] {
			own |= signsOf(&rest[k])
		}
		kinds |= own
		switch without++; {
		case end == maxGroup, n == 0 && own == 0:
			return 0
		case own != 0:
			n, without = len(ls)-len(rest)+end, 0
		}
	}
	if bits.OnesCount8(kinds) < 2 {
		return 0
	}
	return n
}

// signsOf returns the cached result of readSigns.
func signsOf(l *markdown.Line) uint8 { return uint8(claudeNote(l) >> noteSigns) }

// readSigns returns the kinds of signs in a line, one bit each.
func readSigns(l *markdown.Line) (kinds uint8) {
	if t := l.Text[l.Indent:]; strings.ContainsAny(t, "#`>*]") {
		for i, sign := range signs {
			if sign().MatchString(t) {
				kinds |= 1 << i
			}
		}
	}
	return kinds
}
