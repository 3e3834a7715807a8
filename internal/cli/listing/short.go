package listing

import (
	"slices"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// MinPrefix is the minimum length of a short id, in characters.
const MinPrefix = 8

// ShortIDs shortens ids to beginnings that are unique in the database.
type ShortIDs []string // sorted

// NewShortIDs returns the ShortIDs for the ids of a database, in any order.
func NewShortIDs(ids []string) ShortIDs { return ShortIDs(slices.Sorted(slices.Values(ids))) }

// Of returns the short form of an id, which may be missing in the database.
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
