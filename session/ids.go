package session

import "iter"

// lookAhead is how many old entries in a row may have no counterpart before those behind them are
// given up.
const lookAhead = 64

// KeepIDs copies to now the ids of equal entries in old, an earlier reading of the same session. So
// references to an entry stay valid after a newer version has read the session again. Entries keep
// their order; the ids stay unique.
func KeepIDs(old, now []*Entry) {
	ids := make(map[*Entry]string, len(now))
	used := map[string]bool{}
	j := 0
	for _, e := range now {
		for k := j; k < min(j+lookAhead, len(old)); k++ {
			if sameEntry(old[k], e) {
				ids[e], used[old[k].ID] = old[k].ID, true
				j = k + 1
				break
			}
		}
	}
	for _, e := range now {
		if id, ok := ids[e]; ok {
			e.ID = id
			continue
		}
		for used[e.ID] {
			e.ID += "x"
		}
		used[e.ID] = true
	}
}

// sameEntry reports whether a and b, of two readings of a session, are the same entry.
func sameEntry(a, b *Entry) bool {
	return a.Type == b.Type && a.Event == b.Event && a.Role == b.Role && a.Agent == b.Agent && a.Conversation == b.Conversation &&
		a.Text == b.Text
}

// KeepIDsOf is KeepIDs for more entries than memory should hold. It returns now with the ids of
// old; both must return the same entries each time. It holds the old entries behind the first that
// has changed, and as many new ones.
func KeepIDsOf(old, now iter.Seq2[*Entry, error]) (iter.Seq2[*Entry, error], error) {
	same, err := sameStart(old, now)
	if err != nil {
		return nil, err
	}
	rest, err := part(old, same, -1)
	if len(rest) == 0 || err != nil {
		return now, err
	}
	changed, err := part(now, same, len(rest)+lookAhead)
	if err != nil {
		return nil, err
	}
	KeepIDs(rest, changed)
	used := map[string]bool{}
	for _, e := range changed {
		used[e.ID] = true
	}
	return func(yield func(*Entry, error) bool) {
		i := 0
		for e, err := range now {
			switch {
			case err != nil || i < same:
			case i < same+len(changed):
				e = changed[i-same]
			default:
				for used[e.ID] {
					e.ID += "x"
				}
			}
			if i++; !yield(e, err) {
				return
			}
		}
	}, nil
}

// sameStart returns how many of the first entries are the same, with the same ids.
func sameStart(old, now iter.Seq2[*Entry, error]) (n int, err error) {
	next, stop := iter.Pull2(now)
	defer stop()
	for a, err := range old {
		if err != nil {
			return 0, err
		}
		b, err, ok := next()
		if err != nil {
			return 0, err
		}
		if !ok || a.ID != b.ID || !sameEntry(a, b) {
			return n, nil
		}
		n++
	}
	return n, nil
}

// part returns at most n entries from index from on; n < 0: all of them.
func part(entries iter.Seq2[*Entry, error], from, n int) (out []*Entry, err error) {
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		if from--; from < 0 {
			out = append(out, e)
		}
		if len(out) == n {
			break
		}
	}
	return out, nil
}
