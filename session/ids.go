package session

// lookAhead is how many old entries in a row may have no counterpart before those behind them are given up.
const lookAhead = 64

// KeepIDs gives the entries now the ids of the old entries of the same session that they are still equal to, so that
// what refers to an entry goes on to find it after a newer version has read the session again. Entries keep their
// order; the ids stay unique.
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

// sameEntry tells whether two readings of a session mean the same entry.
func sameEntry(a, b *Entry) bool {
	return a.Type == b.Type && a.Event == b.Event && a.Role == b.Role && a.Agent == b.Agent && a.Conversation == b.Conversation &&
		a.Text == b.Text
}
