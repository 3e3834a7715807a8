package server

import (
	"context"
	"net/http"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// listEntries responds with a page of the conversation.
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
	page, reading, err := s.Past.Page(r.Context(), info, span)
	if err != nil {
		return err
	}
	answer := map[string]any{"entries": append([]*session.Entry{}, page.Entries...), "start": page.Start,
		"total": page.Total}
	if n := len(page.Entries); n > 0 && page.Start > 0 {
		answer["previous"] = page.Entries[0].Seq
	}
	if n := len(page.Entries); n > 0 && page.Start+n < page.Total {
		answer["next"] = page.Entries[n-1].Seq
	}
	if reading != nil {
		answer["reading"] = reading
	}
	return writeJSON(w, http.StatusOK, answer)
}

// wholePage returns a page of a session. It waits until the raw log is completely extracted.
func wholePage(ctx context.Context, past Past, info *store.Info, span store.Span) (store.Page, error) {
	page, reading, err := past.Page(ctx, info, span)
	for err == nil && reading != nil {
		for err == nil && reading != nil {
			_, reading, err = past.Page(ctx, info, store.Span{Limit: 1}) // may take long
		}
		if err == nil {
			page, reading, err = past.Page(ctx, info, span)
		}
	}
	return page, err
}

// hit is a message, or a session with labels, that matches a search.
type hit struct {
	Session store.Overview `json:"session"`
	Entry   *session.Entry `json:"entry,omitempty"` // nil if the session's name, title, note or tags match
	Snippet string         `json:"snippet"`
	Marks   [][2]int       `json:"marks"`
}

// search searches messages, and the labels of sessions.
func (s *Server) search(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	wanted := store.Query{Text: q.values.Get("q"), Roles: q.values["role"], Filter: q.filter()}
	wanted.Filter.Limit = q.limit()
	switch {
	case q.err != nil:
		return q.err
	case wanted.Text == "" || len(wanted.Text) > 1000:
		return badRequest("q must have words, and at most 1000 bytes")
	}
	if ref := q.values.Get("session"); ref != "" {
		info, err := s.Store.Find(r.Context(), ref)
		if err != nil {
			return err
		}
		wanted.Filter.ID = info.ID
	}
	labels, messages, err := s.Store.SearchAll(r.Context(), wanted)
	if err != nil {
		return err
	}
	infos := make([]*store.Info, 0, len(labels)+len(messages))
	hits := make([]hit, 0, cap(infos))
	for _, l := range labels {
		infos = append(infos, l.Session)
		hits = append(hits, newHit(nil, l.Snippet))
	}
	for _, m := range messages {
		infos = append(infos, m.Session)
		hits = append(hits, newHit(m.Entry, m.Snippet))
	}
	items, err := s.items(r.Context(), infos)
	if err != nil {
		return err
	}
	for i := range hits {
		hits[i].Session = items[i]
	}
	return writeJSON(w, http.StatusOK, map[string]any{"hits": hits})
}

func newHit(e *session.Entry, snippet store.Snippet) hit {
	return hit{Entry: e, Snippet: snippet.Text, Marks: append([][2]int{}, snippet.Marks...)}
}
