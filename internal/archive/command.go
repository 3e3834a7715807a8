package archive

import "github.com/kballard/go-shellquote"

// SplitCommand splits a command line into words as a shell does, but expands nothing. If a quote is
// not closed, the whole line is one word.
func SplitCommand(line string) []string {
	words, err := shellquote.Split(line)
	if err != nil {
		return []string{line}
	}
	return append([]string{}, words...)
}
