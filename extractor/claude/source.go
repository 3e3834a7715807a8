package claude

import (
	"math/bits"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
)

// claudeSigns are signs of Markdown that are shown literally: as the agent draws Markdown without
// them, a block with several kinds is the source of a document, in a fence of its own.
type claudeSigns uint8

const (
	headingSign claudeSigns = 1 << iota
	fenceSign
	quoteSign
	boldSign
	codeSign
	linkSign
)

// source returns how many lines from the first are the source of a Markdown document: up to
// the last group of lines with signs, where at most one line without any is between two.
func source(ls []markdown.Line) int {
	var signs claudeSigns
	n, without := 0, 0
	for k := 0; k < len(ls) && without < 2; {
		if ls[k].Blank() {
			k++
			continue
		}
		var own claudeSigns
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
		signs |= own
		k = end
	}
	if bits.OnesCount8(uint8(signs)) < 2 {
		return 0
	}
	return n
}

// signsOf returns what readSigns reads.
func signsOf(l *markdown.Line) claudeSigns {
	return claudeSigns(claudeNote(l) >> noteSigns)
}

// readSigns returns the signs in a line.
func readSigns(l *markdown.Line) claudeSigns {
	var signs claudeSigns
	t := l.Text[l.Indent:]
	switch {
	case strings.HasPrefix(strings.TrimLeft(t, "#"), " "):
		signs |= headingSign
	case strings.HasPrefix(t, "```"):
		signs |= fenceSign
	case strings.HasPrefix(t, "> "):
		signs |= quoteSign
	}
	for _, s := range l.Spans {
		if strings.HasPrefix(s.Text, "**") {
			signs |= boldSign
		}
		if strings.Count(s.Text, "`") >= 2 {
			signs |= codeSign
		}
	}
	if strings.Contains(t, "](") {
		signs |= linkSign
	}
	return signs
}
