package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

// SearchAll returns the sessions that SearchLabels finds and the messages that Search finds,
// together no more than the query's limit. If there are more, each kind has half of it, or what the
// other kind leaves free. Labels are not searched if the query names roles or one session. Without
// a usable database (see Beside) there are none.
func (s *Store) SearchAll(ctx context.Context, q Query) (labels []*LabelHit, hits []*Hit, err error) {
	if s.cause != nil {
		return nil, nil, nil //nolint:nilerr // it has none
	}
	return SearchBoth(ctx, s, q)
}

// Searcher searches a database's messages and labels.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]*Hit, error)
	SearchLabels(ctx context.Context, q Query) ([]*LabelHit, error)
}

// SearchBoth implements SearchAll.
func SearchBoth(ctx context.Context, s Searcher, q Query) (labels []*LabelHit, hits []*Hit, err error) {
	if hits, err = s.Search(ctx, q); err != nil || len(q.Roles) > 0 || q.Filter.ID != "" {
		return nil, hits, err
	}
	if labels, err = s.SearchLabels(ctx, q); err != nil {
		return nil, nil, err
	}
	labels = slices.DeleteFunc(labels, func(l *LabelHit) bool { // its title quotes a message that was found
		return l.Session.Name == "" && l.Session.Note == "" && len(l.Session.Tags) == 0 &&
			slices.ContainsFunc(hits, func(h *Hit) bool { return h.Session.ID == l.Session.ID })
	})
	limit := q.limit()
	labels = labels[:min(len(labels), max((limit+1)/2, limit-len(hits)))]
	return labels, hits[:min(len(hits), limit-len(labels))], nil
}

// LabelHit is a session whose name, tags, note or title a query found.
type LabelHit struct {
	Session *Info
	Snippet Snippet // of the name, the tags and the note; of the title if there is no name
}

// SearchLabels returns the sessions, newest first, whose name, tags or note match, or whose title
// does if nobody said anything. It accepts the same queries as Search but ignores Roles.
//
// Labels are few and change on their own, so they have no index on disk: each query builds one in
// memory.
func (s *Store) SearchLabels(ctx context.Context, q Query) (hits []*LabelHit, err error) {
	words := parseQuery(q.Text)
	if len(words.terms) == 0 {
		return nil, nil
	}
	labelled, err := s.labelled(ctx, q.Filter)
	if err != nil || len(labelled) == 0 {
		return nil, err
	}
	texts, indexed := make([]string, len(labelled)), make([][2]string, len(labelled))
	for i, info := range labelled {
		texts[i] = info.Labels()
		indexed[i][0] = spaceCJK(texts[i])
	}
	found, err := matching(ctx, words, indexed, q.limit())
	for _, i := range found {
		hits = append(hits, &LabelHit{labelled[i], words.snippetOf(texts[i])})
	}
	return hits, err
}

// Labels returns what SearchLabels searches of a session: title, note and tags.
func (i *Info) Labels() string {
	return strings.Join(append([]string{i.Title, i.Note}, i.Tags...), "\n")
}

// labelled returns the sessions that match the filter and have a label, newest first.
func (s *Store) labelled(ctx context.Context, f Filter) (infos []*Info, err error) {
	where, args := f.where()
	err = s.view(ctx, "search labels", func(tx *sql.Tx) error {
		infos, err = s.infos(ctx, tx, "WHERE "+where+` AND (s.name != '' OR s.note != '' OR s.tags != '[]' OR s.title != '' AND s.turns = 0)
			ORDER BY s.started_at DESC, s.pk DESC`, args...)
		return err
	})
	if !f.Live || err != nil {
		return infos, err
	}
	var live []*Info
	for _, info := range infos {
		if info.Status == Live {
			live = append(live, info)
		}
	}
	return live, nil
}
