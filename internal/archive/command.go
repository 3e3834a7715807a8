package archive

import "github.com/kballard/go-shellquote"

// SplitCommand returns the words of a command line, without what a shell would expand. If a quote
// is not closed, the line is one word.
func SplitCommand(line string) []string {
	words, err := shellquote.Split(line)
	if err != nil {
		return []string{line}
	}
	return append([]string{}, words...)
}
