package listing

import (
	"slices"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// MinPrefix is the length of a short id, in characters, where that is enough to be unique.
const MinPrefix = 8

// ShortIDs shortens ids as far as no other session of the database has the same beginning.
type ShortIDs []string // sorted

// NewShortIDs returns the short forms of the ids of a database, in any order.
func NewShortIDs(ids []string) ShortIDs { return ShortIDs(slices.Sorted(slices.Values(ids))) }

// Of returns the short form of an id, which need not be among the ids.
func (s ShortIDs) Of(id string) string {
	at, _ := slices.BinarySearch(s, id)
	n := MinPrefix
	for _, other := range []int{at - 1, at + 1} {
		if other >= 0 && other < len(s) {
			n = max(n, commonPrefix(id, s[other])+1)
		}
	}
	return printable.Line(id[:min(n, len(id))])
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
