package transcript

import (
	"slices"

	"github.com/ptyrec/ptyrec/session"
)

// align returns, for each item, the entry that it continues or repeats, or nil if it is new. It
// keeps the order and maximises the total likeness. shown are the entries that the document showed
// before.
func align(old []*session.Entry, shown map[*session.Entry]bool, items []session.Sighting) []*session.Entry {
	refs := make([]*session.Entry, len(items))
	like := func(e *session.Entry, it *session.Sighting) float64 {
		if shown[e] {
			return alike(e, it)
		}
		return repeats(e, it)
	}
	k := 0 // the common case: nothing moved
	for k < len(items) && k < len(old) && like(old[k], &items[k]) >= 0.9 {
		refs[k] = old[k]
		k++
	}
	n, m := len(items)-k, len(old)-k
	if n == 0 || m == 0 {
		return refs
	}
	w, best := make([]float64, n*m), make([]float64, (n+1)*(m+1))
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			w[i*m+j] = like(old[k+j], &items[k+i])
			b := max(best[(i+1)*(m+1)+j], best[i*(m+1)+j+1])
			if w[i*m+j] > 0 {
				b = max(b, w[i*m+j]+best[(i+1)*(m+1)+j+1])
			}
			best[i*(m+1)+j] = b
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		b := best[i*(m+1)+j]
		switch {
		case w[i*m+j] > 0 && b == w[i*m+j]+best[(i+1)*(m+1)+j+1]:
			refs[k+i] = old[k+j]
			i, j = i+1, j+1
		case b == best[i*(m+1)+j+1]:
			j++
		default:
			i++
		}
	}
	return refs
}

// back finds the entries of items above the first that the log knows: while the window is resized,
// a document may temporarily lose its beginning.
func (l *Log) back(refs []*session.Entry, items []session.Sighting) {
	n := slices.IndexFunc(refs, func(e *session.Entry) bool { return e != nil })
	top := l.index(l.top)
	if n <= 0 || top < 0 {
		return
	}
	above := l.messages(top)
	if k := slices.Index(above, refs[n]); k > 0 {
		copy(refs, align(above[:k], nil, items[:n]))
	}
}

// growing matches the last item with the last entry if both are a reply below the same message and
// the entry is not complete. Its text may look quite different now, because a reply becomes a table
// once the table's head is there.
func growing(old, refs []*session.Entry, items []session.Sighting) {
	i, j := len(items)-1, len(old)-1
	if i < 0 || j < 0 || refs[i] != nil || (i == 0) != (j == 0) || i > 0 && refs[i-1] != old[j-1] {
		return
	}
	if e := old[j]; e.Role == session.RoleAssistant && items[i].Role == e.Role && e.Status == session.StatusStreaming {
		refs[i] = e
	}
}

// sameStart is how many letters the beginnings or ends of two replies must have in common to be the
// same reply, torn by a resize.
const sameStart = 24

// between matches replies that begin or end alike and are between the same messages, or are the
// last ones below the same message: one of the two is torn.
func between(old, refs []*session.Entry, items []session.Sighting) {
	for i := 1; i < len(items); i++ {
		last := i+1 == len(items)
		if refs[i] != nil || refs[i-1] == nil || !last && refs[i+1] == nil || items[i].Role != session.RoleAssistant {
			continue
		}
		j := slices.Index(old, refs[i-1]) + 1
		if j == 0 || j == len(old) || last != (j+1 == len(old)) || !last && old[j+1] != refs[i+1] {
			continue
		}
		if old[j].Role == items[i].Role && torn(old[j].Text, items[i].Text) {
			refs[i] = old[j]
		}
	}
}
