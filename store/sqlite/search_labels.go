package sqlite

import (
	"context"
	"database/sql"

	"github.com/ptyrec/ptyrec/store"
)

// SearchAll returns the sessions that SearchLabels finds and the messages that Search finds.
// Together they do not exceed the query's limit: each kind may use half of it, and what the other
// kind does not use. Labels are not searched if the query names roles or one session. Without a
// usable database (see Beside) there are no results.
func (s *Store) SearchAll(ctx context.Context, q store.Query) (labels []*store.LabelHit, hits []*store.Hit, err error) {
	if s.cause != nil {
		return nil, nil, nil //nolint:nilerr // no usable database
	}
	return store.SearchBoth(ctx, s, q)
}

// SearchLabels returns the sessions whose name, tags or note match, newest first. If a session has
// no labels, its title is searched. It accepts the same queries as Search but ignores Roles.
//
// Labels are few and change on their own, so they have no index on disk: each query builds one in
// memory.
func (s *Store) SearchLabels(ctx context.Context, q store.Query) (hits []*store.LabelHit, err error) {
	words := store.ParseWords(q.Text)
	if len(words.Terms) == 0 {
		return nil, nil
	}
	labelled, err := s.labelled(ctx, q.Filter)
	if err != nil || len(labelled) == 0 {
		return nil, err
	}
	texts, indexed := make([]string, len(labelled)), make([][2]string, len(labelled))
	for i, info := range labelled {
		texts[i] = info.Labels()
		indexed[i][0] = store.SpaceCJK(texts[i])
	}
	found, err := matching(ctx, words, indexed, q.Limit())
	for _, i := range found {
		hits = append(hits, &store.LabelHit{Session: labelled[i], Snippet: words.SnippetOf(texts[i])})
	}
	return hits, err
}

// labelled returns the sessions that match the filter and have a label, newest first.
func (s *Store) labelled(ctx context.Context, f store.Filter) (infos []*store.Info, err error) {
	where, args := whereOf(f)
	err = s.view(ctx, "search labels", func(tx *sql.Tx) error {
		infos, err = s.infos(ctx, tx,
			"WHERE "+where+` AND (s.name != '' OR s.note != '' OR s.tags != '[]' OR s.title != '' AND s.turns = 0)
			ORDER BY s.started_at DESC, s.pk DESC`, args...)
		return err
	})
	if !f.Live || err != nil {
		return infos, err
	}
	var live []*store.Info
	for _, info := range infos {
		if info.Status == store.Live {
			live = append(live, info)
		}
	}
	return live, nil
}
