package prompt

import (
	"strings"
	"unicode"
)

// Clean returns a prompt as it is sent: trimmed, with LF at the ends of lines, and without control
// characters but tab and LF, so that nothing in it ends the paste or presses Enter. It is empty if
// nothing is left.
func Clean(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' {
			return -1
		}
		return r
	}, text)
	return strings.TrimSpace(text)
}

// IsCommand reports whether a prompt is a command of the agent rather than words for its model:
// "/clear", but not "/etc/hosts".
func IsCommand(text string) bool {
	name, ok := strings.CutPrefix(text, "/")
	name, _, _ = strings.Cut(name, "\n")
	name, _, _ = strings.Cut(name, " ")
	return ok && !strings.Contains(name, "/") && name != ""
}

// keysOf returns the keys that type or paste a text.
func keysOf(text string, typed bool) []byte {
	lines := strings.ReplaceAll(text, "\n", "\r")
	if typed {
		return []byte(lines)
	}
	return []byte("\x1b[200~" + lines + "\x1b[201~")
}

// mark is the end of a text, which can be found on a screen wherever lines are cut: its last
// letters and digits or, if it has none, its last characters except blanks.
type mark struct {
	end  string
	part func(rune) bool
}

func markOf(text string) mark {
	const most = 24
	m := mark{part: isWord}
	if keep(text, m.part) == "" {
		m.part = unicode.IsGraphic
	}
	all := []rune(m.of(text))
	m.end = string(all[max(0, len(all)-most):])
	return m
}

// in reports whether a text on the screen holds the mark.
func (m mark) in(text string) bool { return strings.Contains(m.of(text), m.end) }

func (m mark) of(text string) string {
	return keep(text, func(r rune) bool { return m.part(r) && !unicode.IsSpace(r) })
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func keep(text string, wanted func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if wanted(r) {
			return r
		}
		return -1
	}, text)
}
