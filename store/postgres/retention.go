package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// batch is how many sessions one transaction of Expire deletes.
const batch = 1000

// SetRetention has the sessions of a space deleted when the server has known them for longer than a
// number of days; 0: never. Sessions outside spaces stay.
func (s *Store) SetRetention(ctx context.Context, space string, days int64) error {
	return s.administer(ctx, "set retention", didRetention, fmt.Sprint(space, " ", days), func(tx pgx.Tx) error {
		return inserted(tx.Exec(ctx, "UPDATE spaces SET keep_days = $1 WHERE name = $2", days, space))(space, ErrUnknown)
	})
}

// Hold excepts a session from retention, or no longer does. Its id must be written in full.
func (s *Store) Hold(ctx context.Context, id string, hold bool) error {
	did := "hold"
	if !hold {
		did = "release"
	}
	if err := administers(ctx); err != nil {
		return err
	}
	id, _ = clean(id)
	return s.inTx(ctx, did, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "UPDATE sessions SET held = $1 WHERE id = $2 AND deleted_at IS NULL", hold, id)
		if err := inserted(tag, err)("session "+id, ErrUnknown); err != nil {
			return err
		}
		return note(ctx, tx, didRetention, id, did)
	})
}

// Held returns the ids of the sessions that retention leaves.
func (s *Store) Held(ctx context.Context) (ids []string, err error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	err = s.inTx(ctx, "list holds", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT id FROM sessions WHERE held AND deleted_at IS NULL ORDER BY id")
		if err == nil {
			ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	return ids, err
}

// asServer returns the context in which the server itself acts.
func asServer(ctx context.Context) context.Context { return As(ctx, Viewer{Name: "server"}) }

// Expire deletes the sessions whose time is over, 1,000 in a transaction, and the months that are
// empty then. It returns how many sessions it has deleted. Any number of programs may call it at a
// time: the row of a space is locked by one, and the others pass over it.
func (s *Store) Expire(ctx context.Context) (n int, err error) {
	ctx = asServer(ctx)
	var spaces []int64
	err = s.inTx(ctx, "read retention", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT id FROM spaces WHERE keep_days > 0 ORDER BY id")
		if err == nil {
			spaces, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		}
		return err
	})
	for _, space := range spaces {
		for some := batch; err == nil && some == batch; n += some {
			some, err = s.expireSome(ctx, space)
		}
	}
	if err != nil {
		return n, err
	}
	return n, s.dropMonths(ctx)
}

// expireTime is how long a statement may take that deletes a thousand sessions.
const expireTime = "10min"

// expireSome deletes up to 1,000 sessions of a space. How old they are is a matter of the
// database's clock, which no machine can set.
func (s *Store) expireSome(ctx context.Context, space int64) (n int, err error) {
	err = s.inTx(ctx, "delete old sessions", func(tx pgx.Tx) error {
		n = 0
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = '"+expireTime+"'"); err != nil {
			return err
		}
		var name string
		var days int64
		err := tx.QueryRow(ctx, "SELECT name, keep_days FROM spaces WHERE id = $1 AND keep_days > 0 FOR NO KEY UPDATE SKIP LOCKED", space).Scan(&name, &days)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT id, received::text FROM sessions WHERE space = $1 AND deleted_at IS NULL AND NOT held
			AND received < (`+s.today+`) - $2::int ORDER BY received, id LIMIT $3 FOR UPDATE SKIP LOCKED`, space, days, batch)
		if err != nil {
			return err
		}
		var ids, received []string
		var id, day string
		_, err = pgx.ForEachRow(rows, []any{&id, &day}, func() error {
			ids, received = append(ids, id), append(received, day)
			return nil
		})
		if n = len(ids); err != nil || n == 0 {
			return err
		}
		if err := s.removeAll(ctx, tx, ids, received); err != nil {
			return err
		}
		return note(ctx, tx, didRetention, "", fmt.Sprintf("%s: %d sessions older than %d days", name, n, days))
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// removeAll deletes all of sessions, objects first, and leaves their ids. received has the date of
// each.
func (s *Store) removeAll(ctx context.Context, tx pgx.Tx, ids, received []string) error {
	const chosen = "WHERE (t.received, t.session) IN (SELECT x.received::date, x.id FROM unnest($1::text[], $2::text[]) AS x (id, received))"
	if err := s.deleteSegments(ctx, tx, chosen, ids, received); err != nil {
		return err
	}
	for _, table := range []string{"entries", "words"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" AS t "+chosen, ids, received); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "DELETE FROM links WHERE session = ANY ($1)", ids); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE sessions SET deleted_at = $1, held = false, description = '{}', cwd = '', title = '', name = '', note = '', tags = '{}', prompt = '',
		usage = '[]',
		messages = 0, turns = 0, events = 0, raw_bytes = 0, raw_end = 0, stored_bytes = 0, raw_sha256 = '' WHERE id = ANY ($2)`, time.Now().UnixNano(), ids)
	return err
}

const (
	// overFor is how long a month must be over before it is dropped: a session that began in its
	// last second is there by then.
	overFor = "2 days"
	// dropPatience is how long dropping a month waits for those who read. They wait behind it.
	dropPatience = "1s"
	// codeLocked is PostgreSQL's error of a lock that did not come in time.
	codeLocked = "55P03"
)

// dropMonths drops the partitions of months that have no session any more. If a month is in use, it
// stays until the next time.
func (s *Store) dropMonths(ctx context.Context) error {
	var months []string
	err := s.inTx(ctx, "find empty months", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT right(c.relname, 7) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
			WHERE i.inhparent = 'entries'::regclass AND to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' + $1::interval < now() AT TIME ZONE 'UTC'
			ORDER BY 1`, overFor)
		if err == nil {
			months, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	for _, month := range months {
		if err == nil {
			err = s.dropMonth(ctx, month)
		}
		if hasCode(err, codeLocked) {
			err = nil
		}
	}
	return err
}

// dropMonth drops the partitions of a month, unless a session is there.
func (s *Store) dropMonth(ctx context.Context, month string) error {
	return s.inTx(ctx, "drop a month", func(tx pgx.Tx) error {
		var there bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM sessions WHERE deleted_at IS NULL AND received >= to_date($1, 'YYYY_MM')
			AND received < to_date($1, 'YYYY_MM') + interval '1 month')`, month).Scan(&there)
		if err != nil || there {
			return err
		}
		if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '"+dropPatience+"'"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "SELECT FROM ptyrec_schema FOR UPDATE"); err != nil { // one program at a time
			return err
		}
		for _, table := range partitioned {
			if _, err := tx.Exec(ctx, "DROP TABLE IF EXISTS "+pgx.Identifier{table + "_" + month}.Sanitize()); err != nil {
				return err
			}
		}
		return note(ctx, tx, didRetention, "", "month "+strings.ReplaceAll(month, "_", "-"))
	})
}
