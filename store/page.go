package store

import (
	"github.com/ptyrec/ptyrec/session"
)

// Span selects consecutive entries of a session. At most one of Since, Before and Around is set.
// The zero value selects all entries.
type Span struct {
	Since  int // only entries with greater numbers
	Before int // only entries with smaller numbers; Limit keeps the last ones
	Around int // this entry, with equally many before and after it
	Limit  int // maximum number of entries; 0: no limit
}

// Page is a part of a session's entries.
type Page struct {
	Entries []*session.Entry
	Start   int // number of entries before the page
	Total   int // number of entries in the session
}

// Bounds returns the index of the span's first entry and the number of its entries. total is the
// number of all entries; below returns how many have smaller numbers than seq.
func (s Span) Bounds(total int, below func(seq int) (int, error)) (start, n int, err error) {
	limit := s.Limit
	if limit == 0 {
		limit = total
	}
	end := total
	switch {
	case s.Before > 0:
		if end, err = below(s.Before); err == nil {
			start = end - limit
		}
	case s.Around > 0:
		if start, err = below(s.Around); err == nil {
			start = min(start-limit/2, total-limit)
		}
	case s.Since > 0:
		start, err = below(s.Since + 1)
	}
	start = max(0, start)
	return start, min(limit, end-start), err
}

// Reading is how much of a session's raw log has been extracted, in bytes of its output.
type Reading struct {
	Bytes int64 `json:"bytes"`
	Of    int64 `json:"of"`
}

// PageOf returns a span of entries, which must be in order.
func PageOf(entries []*session.Entry, span Span) Page {
	below := func(seq int) (n int, _ error) {
		for n < len(entries) && entries[n].Seq < seq {
			n++
		}
		return n, nil
	}
	start, n, _ := span.Bounds(len(entries), below) // below never fails
	return Page{entries[start : start+n], start, len(entries)}
}

// PageFrom returns a span of entries that are numbered from 1 to total. read returns the entries
// with the indices [from, to).
func PageFrom(total int, span Span, read func(from, to int) ([]*session.Entry, error)) (Page, error) {
	start, n, _ := span.Bounds(total, func(seq int) (int, error) { return max(0, min(seq-1, total)), nil })
	entries, err := read(start, start+n)
	return Page{entries, start, total}, err
}
