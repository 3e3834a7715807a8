package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// shelf keeps track of the entries that a client has, by their digests. Its id tells any server
// later which they are: it consists of the number of settled entries at the start, and a digest of
// them.
type shelf struct {
	order []*filed // by number of the entry
	byID  map[string]*filed
}

type filed struct {
	id      string
	seq     int
	sum     [sha256.Size]byte // SHA-256 of its JSON
	settled bool
}

func newShelf() *shelf { return &shelf{byID: map[string]*filed{}} }

// put adds entries, and returns those that are new or changed.
func (s *shelf) put(entries []*session.Entry) []*session.Entry {
	changed := []*session.Entry{}
	for _, e := range entries {
		now := file(e)
		if before := s.byID[e.ID]; before != nil {
			if before.sum == now.sum {
				continue
			}
			*before = *now
		} else {
			s.byID[e.ID] = now
			s.order = append(s.order, now)
		}
		changed = append(changed, e)
	}
	if len(changed) > 0 {
		slices.SortStableFunc(s.order, func(a, b *filed) int { return a.seq - b.seq })
	}
	return changed
}

// drop removes entries.
func (s *shelf) drop(ids []string) {
	for _, id := range ids {
		delete(s.byID, id)
	}
	if len(ids) > 0 {
		s.order = slices.DeleteFunc(s.order, func(f *filed) bool { return s.byID[f.id] != f })
	}
}

func file(e *session.Entry) *filed {
	body, _ := json.Marshal(e) // it was decoded from JSON
	return &filed{
		id: e.ID, seq: e.Seq, sum: sha256.Sum256(body),
		settled: e.Status != session.StatusStreaming && (e.Tool == nil || e.Tool.Status != session.ToolRunning),
	}
}

// id identifies the entries before the first that is not settled.
func (s *shelf) id() string {
	n := 0
	for n < len(s.order) && s.order[n].settled {
		n++
	}
	return name(s.order[:n])
}

func name(order []*filed) string {
	h := sha256.New()
	for _, f := range order {
		_, _ = h.Write(f.sum[:])
	}
	return fmt.Sprintf("%d-%s", len(order), hex.EncodeToString(h.Sum(nil)[:16]))
}

// behind returns the number of entries at the start that an event's id covers. ok is false if they
// have changed since.
func behind(id string, entries []*session.Entry) (n int, ok bool) {
	count, _, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > len(entries) {
		return 0, false
	}
	order := make([]*filed, n)
	for i := range order {
		order[i] = file(entries[i])
	}
	return n, name(order) == id
}
