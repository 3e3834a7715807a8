package server

import (
	"math"
	"net/http"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// listEntries gives a page of the conversation.
func (s *Server) listEntries(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	since, limit := q.number("since", 0, 0, math.MaxInt32), q.number("limit", pageSize, 1, maxPageSize)
	if q.err != nil {
		return q.err
	}
	info, err := s.find(r)
	if err != nil {
		return err
	}
	entries, err := s.Past.Entries(r.Context(), info)
	if err != nil {
		return err
	}
	page := entriesAfter(entries, since)
	answer := map[string]any{}
	if len(page) > limit {
		page = page[:limit]
		answer["next"] = page[limit-1].Seq
	}
	answer["entries"] = page
	return writeJSON(w, http.StatusOK, answer)
}

// entriesAfter gives those with a greater number; none is an empty list.
func entriesAfter(entries []*session.Entry, seq int) []*session.Entry {
	page := []*session.Entry{}
	for _, e := range entries {
		if e.Seq > seq {
			page = append(page, e)
		}
	}
	return page
}

// hit is what a search found.
type hit struct {
	Session item           `json:"session"`
	Entry   *session.Entry `json:"entry"`
	Snippet string         `json:"snippet"`
	Marks   [][2]int       `json:"marks"`
}

// search looks for messages.
func (s *Server) search(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	wanted := store.Query{Text: q.values.Get("q"), Roles: q.values["role"], Filter: q.filter()}
	switch {
	case q.err != nil:
		return q.err
	case wanted.Text == "" || len(wanted.Text) > 1000:
		return badRequest("q holds the words that are looked for, up to 1000 bytes")
	}
	found, err := s.Store.Search(r.Context(), wanted)
	if err != nil {
		return err
	}
	infos := make([]*store.Info, len(found))
	for i, h := range found {
		infos[i] = h.Session
	}
	items, err := s.items(r.Context(), infos)
	if err != nil {
		return err
	}
	hits := make([]hit, len(found))
	for i, h := range found {
		hits[i] = hit{items[i], h.Entry, h.Snippet.Text, append([][2]int{}, h.Snippet.Marks...)}
	}
	return writeJSON(w, http.StatusOK, map[string]any{"hits": hits})
}
