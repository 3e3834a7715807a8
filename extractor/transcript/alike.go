package transcript

import (
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// openMarks are the signs of Markdown with which a streaming text begins until the marked text is
// drawn in its style.
const openMarks = "`*_#> "

// torn reports whether one of two replies may be what a resize has left of the other.
func torn(a, b string) bool {
	a, b = words(a), words(b)
	return common(a, b) >= sameStart || min(len(a), len(b)) >= sameStart &&
		(strings.HasSuffix(a, b) || strings.HasSuffix(b, a))
}

// alike rates how much an item in the same document looks like an entry. It returns 0 if it is
// another one.
func alike(e *session.Entry, it *session.Sighting) float64 {
	start := strings.TrimLeft(e.Text, openMarks)
	switch {
	case e.Event != it.Event || e.Role != it.Role:
		return 0
	case it.Event != "" || e.Text == it.Text:
		return 1
	case e.Tool != nil && it.Tool != nil:
		return sameCall(e.Tool, it.Tool)
	case start != "" && strings.HasPrefix(it.Text, start), sameRest(e, it), it.Shortened && sameAround(e.Text, it.Text):
		return 0.9
	}
	a, b := wordsLen(e.Text), wordsLen(it.Text)
	n := commonWords(e.Text, it.Text)
	switch {
	case a == 0 || b == 0:
		return 0.3
	case n == min(a, b):
		return 0.9
	case it.Role == session.RoleUser && n*2 < max(a, b): // another prompt, in place of one that was rewound
		return 0
	}
	return float64(n) / float64(max(a, b)) * 0.8
}

// sameCall rates how much two sights of a tool call look alike. A call that is folded into a
// summary has no input, and may be any.
func sameCall(a, b *session.Tool) float64 {
	switch {
	case a.Input == b.Input && a.Name == b.Name:
		return 1
	case a.Input == "" || b.Input == "":
		if a.Name != b.Name {
			return 0.45
		}
		return 0.5
	case a.Input == b.Input, strings.HasPrefix(a.Input, b.Input), strings.HasPrefix(b.Input, a.Input):
		if a.Name != b.Name { // a file that is read and then changed
			return 0.4
		}
		return 0.9
	case a.Name != b.Name:
		return 0
	case words(a.Input) == words(b.Input): // wrapped differently
		return 0.9
	case isEnd(a.Input, b.Input) || isEnd(b.Input, a.Input):
		return 0.9
	case a.Status == session.ToolRunning && strings.HasSuffix(a.Input, "…"):
		// And renamed when it is finished.
		return 0.5
	}
	return 0
}

// isEnd reports whether a tool's input is one end of another.
func isEnd(part, whole string) bool { return isTail(part, whole) || isHead(part, whole) }

// isTail reports whether a tool's input is the end of another, as a file's name is of its path.
func isTail(tail, input string) bool {
	rest, ok := strings.CutSuffix(input, tail)
	return ok && tail != "" && (strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, " "))
}

// isHead reports whether a tool's input is the beginning of another, cut off for lack of space.
func isHead(head, input string) bool {
	h, ok := strings.CutSuffix(head, "…")
	return ok && strings.HasPrefix(input, h) && len(h) < len(strings.TrimSuffix(input, "…"))
}

// repeats rates how much an item looks like an entry of the log shown again, maybe rewrapped or
// partly drawn. It returns 0 if it is another one.
func repeats(e *session.Entry, it *session.Sighting) float64 {
	switch {
	case e.Event != it.Event || e.Role != it.Role || e.Agent != it.Agent:
		return 0
	case it.Event != "" || e.Text == it.Text:
		return 0.95
	case e.Tool != nil && it.Tool != nil:
		return 0.9 * sameCall(e.Tool, it.Tool)
	case e.Text != "" && strings.HasPrefix(it.Text, e.Text), sameRest(e, it), it.Shortened && sameAround(e.Text, it.Text):
		return 0.9
	}
	return repeatsText(e, it.Text)
}

// repeatsText rates how much the text of an item looks like that of an entry.
func repeatsText(e *session.Entry, text string) float64 {
	a, b := words(e.Text), words(text)
	n := common(a, b)
	switch {
	case n == 0:
		return 0
	case n == len(a), n == len(b), n*10 >= 9*max(len(a), len(b)):
		return 0.9
	case holed(a, b):
		return 0.8
	case e.Status == session.StatusStreaming &&
		(n*3 >= min(len(a), len(b)) || n >= max(24, len(words(firstLine(e.Text))))):
		return 0.5 // its incomplete end is drawn differently now
	}
	return 0
}

// sameRest reports whether the beginning of the message is missing in the entry or the item, and
// the other ends with what is there.
func sameRest(e *session.Entry, it *session.Sighting) bool {
	if it.TruncatedAt != session.TruncatedHead && e.TruncatedAt != session.TruncatedHead {
		return false
	}
	a, b := words(e.Text), words(it.Text)
	return it.TruncatedAt == session.TruncatedHead && b != "" && strings.HasSuffix(a, b) ||
		e.TruncatedAt == session.TruncatedHead && a != "" && strings.HasSuffix(b, a)
}

// holed reports whether one of two texts without white space is the other without some rows in its
// middle. An agent that miscounts the rows it redraws erases such rows, and shows them again only
// when it redraws everything.
func holed(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) < holedText || len(a)*4 < len(b)*3 {
		return false
	}
	n := common(a, b)
	return strings.HasSuffix(b, a[n:])
}

// holedText is the minimum length of a text in which a hole is possible, in bytes.
const holedText = 200

// firstLine returns a text up to its first line break.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
