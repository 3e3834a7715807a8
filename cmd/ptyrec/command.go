package main

import (
	"strings"
)

// joinCommand writes a command line as one would type it to a shell: asciicast keeps it as one
// string.
func joinCommand(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteWord(w)
	}
	return strings.Join(quoted, " ")
}

const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,~"

func quoteWord(w string) string {
	if w != "" && strings.Trim(w, plainCharacters) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// splitCommand returns the words of a command line. Of a shell's syntax it knows only the quotes.
// If a quote is not closed, the line is one word.
func splitCommand(line string) []string {
	words := []string{}
	var word strings.Builder
	begun := false
	for rest := line; rest != ""; {
		c := rest[0]
		rest = rest[1:]
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
			continue
		case c == '\'' || c == '"':
			inner, behind, closed := strings.Cut(rest, string(c))
			if !closed {
				return []string{line}
			}
			word.WriteString(inner)
			rest = behind
		case c == '\\' && rest != "":
			word.WriteByte(rest[0])
			rest = rest[1:]
		default:
			word.WriteByte(c)
		}
		begun = true
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}
