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

// isCommand reports whether a prompt is a command of the agent rather than words for its model:
// "/clear", but not "/etc/hosts".
func isCommand(text string) bool {
	name, ok := strings.CutPrefix(text, "/")
	name, _, _ = strings.Cut(name, "\n")
	name, _, _ = strings.Cut(name, " ")
	return ok && !strings.Contains(name, "/") && name != ""
}

// keys returns the keys that put a text into the input box.
func keys(text string, typed bool) []byte {
	lines := strings.ReplaceAll(text, "\n", "\r")
	if typed {
		return []byte(lines)
	}
	return []byte("\x1b[200~" + lines + "\x1b[201~")
}

// endOf returns the last characters of a text that are visible, by which it is found on a screen
// wherever a line is cut.
func endOf(text string) string {
	const most = 24
	all := []rune(visible(text))
	return string(all[max(0, len(all)-most):])
}

// visible returns the characters of a text that agents show as they are: letters and digits, or, if
// it has none, all but blanks and those that join others.
func visible(text string) string {
	letters := keep(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if letters != "" {
		return letters
	}
	return keep(text, func(r rune) bool { return unicode.IsPrint(r) && r != ' ' })
}

func keep(text string, wanted func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if wanted(r) {
			return r
		}
		return -1
	}, text)
}
