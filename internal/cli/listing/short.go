package listing

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

const (
	minShort = 4 // minimum length of a short id, in characters
	// aloneShort is the length of a short id if the other ids are not known. Among 10,000 sessions,
	// another one has the same end with a probability of 1 to 400,000.
	aloneShort = 8
)

// ShortIDs shortens ids to their ends, which are random, so that each matches only one session.
type ShortIDs struct {
	ids  []string // sorted
	ends []string // ids in reverse, sorted
}

// NewShortIDs returns the ShortIDs for the ids of a database, in any order.
func NewShortIDs(ids []string) ShortIDs {
	s := ShortIDs{ids: slices.Sorted(slices.Values(ids)), ends: make([]string, 0, len(ids))}
	for _, id := range ids {
		s.ends = append(s.ends, reversed(id))
	}
	slices.Sort(s.ends)
	return s
}

// ShortID returns a short form of an id if the other ids are not known.
func ShortID(id string) string {
	n := min(aloneShort, len(id))
	if n < len(id) && id[len(id)-n] == '-' {
		n++
	}
	return printable.Line(id[len(id)-n:])
}

// Of returns the short form of an id: the shortest end of at least 4 characters that is neither the
// end nor the beginning of another id. The database may lack the id.
func (s ShortIDs) Of(id string) string {
	n := minShort
	back := reversed(id)
	at, _ := slices.BinarySearch(s.ends, back)
	for _, other := range []int{at - 1, at, at + 1} {
		if other >= 0 && other < len(s.ends) && s.ends[other] != back {
			n = max(n, commonPrefix(back, s.ends[other])+1)
		}
	}
	n = min(n, len(id))
	for n < len(id) && (id[len(id)-n] == '-' || s.begins(id[len(id)-n:], id)) {
		n++
	}
	return printable.Line(id[len(id)-n:])
}

// begins reports whether an id other than this one begins with a text.
func (s ShortIDs) begins(text, id string) bool {
	at, _ := slices.BinarySearch(s.ids, text)
	for ; at < len(s.ids) && strings.HasPrefix(s.ids[at], text); at++ {
		if s.ids[at] != id {
			return true
		}
	}
	return false
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
