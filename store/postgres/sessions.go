package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// infoColumns are the columns of the table s that a row scans.
const infoColumns = `s.id, s.received::text, s.description, CASE WHEN s.name = '' THEN s.title ELSE s.name END, ` +
	`s.name, s.note, s.tags,
		s.ended_at, s.live_at, s.prompt, s.messages, s.turns, s.raw_bytes, s.stored_bytes, s.raw_end, s.owner, s.forked_from,
		coalesce((SELECT u.name FROM users AS u WHERE u.id = s.owner), ''), coalesce((SELECT p.name FROM spaces AS p ` +
	`WHERE p.id = s.space), '')`

// row is a row of the table of sessions.
type row struct {
	info        store.Info
	id          string
	received    string
	description []byte
	title       string
	endedAt     *int64
	liveAt      int64
	rawEnd      int64
	owner       int64
}

// targets returns the Scan targets of infoColumns.
func (r *row) targets() []any {
	i := &r.info
	return []any{&r.id, &r.received, &r.description, &r.title, &i.Name, &i.Note, &i.Tags, &r.endedAt, &r.liveAt,
		&i.Prompt, &i.Messages, &i.Turns,
		&i.RawBytes, &i.StoredBytes, &r.rawEnd, &r.owner, &i.ForkedFrom, &i.Owner, &i.Space}
}

// session returns the row as a session, without ContinuedBy.
func (r *row) session() (*store.Info, error) {
	info := r.info
	if err := json.Unmarshal(r.description, &info.Session); err != nil {
		return nil, fmt.Errorf("session %s: %w: %w", r.id, session.ErrCorrupt, err)
	}
	info.ID, info.Title, info.Duration = r.id, r.title, time.Duration(r.rawEnd)
	switch info.Status = store.Interrupted; {
	case r.liveAt > liveSince():
		info.Status = store.Live
	case r.endedAt != nil:
		info.Status = store.Ended
	}
	return &info, nil
}

// Sessions returns the sessions that the filter chooses, the newest first.
func (s *Store) Sessions(ctx context.Context, f store.Filter) (infos []*store.Info, err error) {
	var a args
	query := "WHERE " + where(ctx, f, &a) + " ORDER BY s.started_at DESC, s.id DESC"
	if f.Limit > 0 {
		query += " LIMIT " + a.add(f.Limit)
	}
	err = s.inTx(ctx, "list sessions", func(tx pgx.Tx) error {
		if infos, _, err = sessionsOf(ctx, tx, query, a); err == nil {
			err = noteList(ctx, tx)
		}
		return err
	})
	return infos, err
}

// sessionsOf returns the sessions that a query selects, and their owners. rest is the end of the
// query.
func sessionsOf(ctx context.Context, tx pgx.Tx, rest string, a args) (infos []*store.Info, owners []int64, err error) {
	rows, err := tx.Query(ctx, "SELECT "+infoColumns+" FROM sessions AS s "+rest, a...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r row
		if err := rows.Scan(r.targets()...); err != nil {
			return nil, nil, err
		}
		info, err := r.session()
		if err != nil {
			return nil, nil, err
		}
		infos, owners = append(infos, info), append(owners, r.owner)
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	return infos, owners, setContinued(ctx, tx, infos)
}

// setContinued sets ContinuedBy of all infos with one statement. With a statement for each,
// PostgreSQL would read the description of every session each time if the table is small.
func setContinued(ctx context.Context, tx pgx.Tx, infos []*store.Info) error {
	of := map[string][]*store.Info{}
	for _, info := range infos {
		of[info.ID] = append(of[info.ID], info)
	}
	if len(of) == 0 {
		return nil
	}
	a := args{slices.Collect(maps.Keys(of))}
	cond := visible(ctx, "c", &a)
	rows, err := tx.Query(ctx,
		`SELECT c.description ->> 'continues', c.id FROM sessions AS c WHERE c.description ->> 'continues' = ANY ($1)
		AND c.description ->> 'continues' <> '' AND c.deleted_at IS NULL AND `+cond+" ORDER BY c.started_at, c.id", a...)
	if err != nil {
		return err
	}
	var first, next string
	_, err = pgx.ForEachRow(rows, []any{&first, &next}, func() error {
		for _, info := range of[first] {
			info.ContinuedBy = append(info.ContinuedBy, next)
		}
		return nil
	})
	return err
}

// idLength is the length of ids, in characters.
const idLength = 36

// Find returns the session that ref names: an id, a beginning or end that no other id has, or
// "last". Sessions that the viewer may not read count as not found. The error wraps
// session.ErrNotFound or session.ErrAmbiguous.
func (s *Store) Find(ctx context.Context, ref string) (*store.Info, error) {
	part, altered := clean(strings.ToLower(ref))
	if part == "" || altered {
		return nil, s.notFound(ref)
	}
	var a args
	query := "WHERE " + where(ctx, store.Filter{}, &a)
	if ref == "last" {
		query += " ORDER BY s.started_at DESC, s.id DESC LIMIT 1"
	} else {
		id := a.add(part)
		ids := "SELECT x.id FROM sessions AS x WHERE x.id >= " + id + " AND x.id < " + a.add(part+"~")
		if len(part) < idLength { // reads the index of ids only
			ids += " UNION SELECT x.id FROM sessions AS x WHERE right(x.id, length(" + id + ")) = " + id
		}
		query += " AND s.id IN (" + ids + ") ORDER BY s.id <> " + id + ", s.id LIMIT 2"
	}
	var infos []*store.Info
	err := s.inTx(ctx, "find session", func(tx pgx.Tx) (err error) {
		var owners []int64
		infos, owners, err = sessionsOf(ctx, tx, query, a)
		if err == nil && len(infos) > 0 && (len(infos) == 1 || infos[0].ID == part) {
			err = noteRead(ctx, tx, infos[0].ID, owners[0])
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case len(infos) == 0:
		return nil, s.notFound(ref)
	case len(infos) > 1 && infos[0].ID != part && ref != "last":
		return nil, s.failed("find session", fmt.Errorf("session %q could be %s or %s: %w", ref, infos[0].ID, infos[1].ID,
			session.ErrAmbiguous))
	}
	return infos[0], nil
}

func (s *Store) notFound(ref string) error {
	return s.failed("find session", fmt.Errorf("session %q: %w", ref, session.ErrNotFound))
}

// key locates the rows of a session.
type key struct {
	id, received             string
	generation, owner, space int64
}

// keyOf returns the key of a session that the viewer may read.
func (s *Store) keyOf(ctx context.Context, tx pgx.Tx, id string) (k key, err error) {
	if _, altered := clean(id); altered {
		return k, fmt.Errorf("session %q: %w", id, session.ErrNotFound)
	}
	a := args{}
	err = tx.QueryRow(ctx,
		"SELECT s.id, s.received::text, s.generation, s.owner, s.space FROM sessions AS s WHERE "+where(ctx,
			store.Filter{ID: id}, &a), a...).
		Scan(&k.id, &k.received, &k.generation, &k.owner, &k.space)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("session %q: %w", id, session.ErrNotFound)
	}
	return k, err
}

// readKey is keyOf for reading the session, which is audited.
func (s *Store) readKey(ctx context.Context, tx pgx.Tx, id string) (key, error) {
	k, err := s.keyOf(ctx, tx, id)
	if err == nil {
		err = noteRead(ctx, tx, k.id, k.owner)
	}
	return k, err
}

// Count returns the number of sessions that match the filter, ignoring its Limit and After.
func (s *Store) Count(ctx context.Context, f store.Filter) (n int, err error) {
	f.After = store.Position{}
	var a args
	query := "SELECT count(*) FROM sessions AS s WHERE " + where(ctx, f, &a)
	err = s.inTx(ctx, "count sessions", func(tx pgx.Tx) error { return tx.QueryRow(ctx, query, a...).Scan(&n) })
	return n, err
}

// maxFacets is the maximum number of values that Facets returns for a filter.
const maxFacets = 200

// facetValues are the table and column of each filter's values.
var facetValues = [3]struct{ table, value string }{
	{"sessions AS s CROSS JOIN json_array_elements(s.description -> 'agents') AS facet", "facet ->> 'name'"},
	{"sessions AS s", "s.cwd"},
	{"sessions AS s CROSS JOIN unnest(s.tags) AS facet", "facet"},
}

// Facets counts the sessions that match the filter, ignoring its Limit and After. Each list is
// sorted by descending count and has at most 200 values.
func (s *Store) Facets(ctx context.Context, f store.Filter) (facets store.Facets, err error) {
	f.After = store.Position{}
	var a args
	cond := where(ctx, f, &a)
	err = s.inTx(ctx, "count sessions", func(tx pgx.Tx) error {
		facets = store.Facets{}
		var first, last *int64
		err := tx.QueryRow(ctx, "SELECT count(*), min(s.started_at), max(s.started_at) FROM sessions AS s WHERE "+cond, a...).
			Scan(&facets.Sessions, &first, &last)
		if err != nil {
			return err
		}
		if first != nil {
			facets.First, facets.Last = timeOf(*first), timeOf(*last)
		}
		for i, list := range []*[]store.Facet{&facets.Agents, &facets.Folders, &facets.Tags} {
			v := facetValues[i]
			rows, err := tx.Query(ctx,
				fmt.Sprintf(`SELECT v, n FROM (SELECT %s AS v, count(DISTINCT s.id) AS n FROM %s WHERE %s GROUP BY 1) AS counts
				WHERE v <> '' ORDER BY n DESC, v COLLATE "C" LIMIT %d`, v.value, v.table, cond, maxFacets), a...)
			if err != nil {
				return err
			}
			if *list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[store.Facet]); err != nil {
				return err
			}
		}
		return noteList(ctx, tx)
	})
	return facets, err
}

// Rename sets a session's name, which is shown instead of its title. An empty name restores the
// title.
func (s *Store) Rename(ctx context.Context, id, name string) error {
	return s.label(ctx, "rename", id, "name", name)
}

// SetNote sets a session's note. An empty note removes it.
func (s *Store) SetNote(ctx context.Context, id, note string) error {
	return s.label(ctx, "set note", id, "note", note)
}

func (s *Store) label(ctx context.Context, what, id, column, text string) error {
	text, _ = clean(text)
	return s.inTx(ctx, what, func(tx pgx.Tx) error {
		k, err := s.keyOf(ctx, tx, id)
		if err == nil {
			err = mayChange(ctx, k)
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE sessions SET "+column+" = $1 WHERE id = $2", text, k.id)
		return err
	})
}

// Tag adds and removes tags. It returns the session's tags afterwards, sorted.
func (s *Store) Tag(ctx context.Context, id string, add, remove []string) (tags []string, err error) {
	err = s.inTx(ctx, "tag", func(tx pgx.Tx) error {
		k, err := s.keyOf(ctx, tx, id)
		if err == nil {
			err = mayTag(ctx, tx, k)
		}
		if err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "SELECT tags FROM sessions WHERE id = $1 FOR UPDATE", k.id).Scan(&tags); err != nil {
			return err
		}
		tags = slices.DeleteFunc(append(tags, add...), func(t string) bool { return slices.Contains(remove, t) })
		slices.Sort(tags)
		tags = slices.Compact(tags)
		_, err = tx.Exec(ctx, "UPDATE sessions SET tags = $1 WHERE id = $2", append([]string{}, tags...), k.id)
		return err
	})
	return tags, err
}

// DeleteSession deletes a session and everything that belongs to it, except for its id. PostgreSQL
// frees the space when it vacuums the tables.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	return s.inTx(ctx, "delete session", func(tx pgx.Tx) error {
		k, err := s.keyOf(ctx, tx, id)
		if err == nil {
			err = mayChange(ctx, k)
		}
		if err == nil {
			err = s.remove(ctx, tx, k)
		}
		if err != nil {
			return err
		}
		return note(ctx, tx, didDelete, k.id, "")
	})
}

// remove deletes all rows of a session except for its id.
func (s *Store) remove(ctx context.Context, tx pgx.Tx, k key) error {
	return s.removeAll(ctx, tx, []string{k.id}, []string{k.received})
}
