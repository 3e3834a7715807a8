package picker

import (
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// field is an input line. The cursor is always at its end.
type field struct{ text []rune }

// maxField is the maximum length of a field, in characters.
const maxField = 500

// add appends typed or pasted text, as one line without control characters.
func (f *field) add(text string) {
	if strings.TrimFunc(text, unicode.IsSpace) != "" {
		text = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return ' '
			}
			return r
		}, printable.Bare(text))
	} else if text != "" {
		text = " "
	}
	f.text = append(f.text, []rune(text)...)
	f.text = f.text[:min(len(f.text), maxField)]
}

// press edits the field and reports whether the key is an editing key.
func (f *field) press(key string) bool {
	switch key {
	case "backspace", "ctrl+h":
		f.text = f.text[:max(0, len(f.text)-1)]
	case "ctrl+u":
		f.text = nil
	case "ctrl+w", "alt+backspace":
		text := strings.TrimRight(string(f.text), " ")
		f.text = []rune(text[:strings.LastIndexByte(text, ' ')+1])
	default:
		return false
	}
	return true
}
