package server

import (
	"net/http"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// listEntries answers with a part of the conversation.
func (s *Server) listEntries(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	span := q.span()
	if q.err != nil {
		return q.err
	}
	info, err := s.find(r)
	if err != nil {
		return err
	}
	page, err := s.Past.Page(r.Context(), info, span)
	if err != nil {
		return err
	}
	answer := map[string]any{"entries": append([]*session.Entry{}, page.Entries...), "start": page.Start, "total": page.Total}
	if n := len(page.Entries); n > 0 && page.Start > 0 {
		answer["previous"] = page.Entries[0].Seq
	}
	if n := len(page.Entries); n > 0 && page.Start+n < page.Total {
		answer["next"] = page.Entries[n-1].Seq
	}
	return writeJSON(w, http.StatusOK, answer)
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
	wanted.Filter.Limit = q.limit()
	switch {
	case q.err != nil:
		return q.err
	case wanted.Text == "" || len(wanted.Text) > 1000:
		return badRequest("q holds the words that are looked for, up to 1000 bytes")
	}
	if ref := q.values.Get("session"); ref != "" {
		info, err := s.Store.Find(r.Context(), ref)
		if err != nil {
			return err
		}
		wanted.Filter.ID = info.ID
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
