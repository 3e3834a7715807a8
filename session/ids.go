package session

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
