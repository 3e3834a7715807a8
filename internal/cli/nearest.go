package cli

import "strings"

// Nearest returns the name that is most similar to key, as a suggestion for a mistyped word, and
// the number of letters to change to make them equal. Names are in lower case; key need not be.
func Nearest(key string, names []string) (best string, changes int) {
	changes = len(key) + len(names)
	for _, name := range names {
		if d := distance(strings.ToLower(key), name); best == "" || d < changes {
			best, changes = name, d
		}
	}
	return best, changes
}

// distance returns the Levenshtein distance of two words, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
