package session

import "iter"

// lookAhead is how many old entries in a row may be missing from the new reading.
const lookAhead = 64

// KeepIDs copies the ids of old, an earlier reading of a session, to the equal entries of now, so
// that references to entries stay valid when a newer version of ptyrec reads the session again. It
// modifies the entries of now, keeps their order, and makes their ids unique.
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

// sameEntry reports whether a and b, from two readings of a session, are the same entry. It ignores
// ids, times and all details but the text.
func sameEntry(a, b *Entry) bool {
	return a.Type == b.Type && a.Event == b.Event && a.Role == b.Role && a.Agent == b.Agent &&
		a.Conversation == b.Conversation &&
		a.Text == b.Text
}

// KeepIDsOf is KeepIDs for sessions that are too long for memory. It returns now with the ids of
// old. It iterates over both several times, and they must yield the same entries each time. It
// holds the old entries from the first changed one on, and about as many new ones.
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

// sameStart returns the number of leading entries that are the same and have the same ids.
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

// part returns at most n entries, starting at index from. If n is negative, it returns all of them.
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
