package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// batch is the maximum number of sessions that Expire deletes in one transaction.
const batch = 1000

// SetRetention makes Expire delete the sessions of a space a number of days after the server
// received them; 0 means never. Sessions outside spaces are never deleted.
func (s *Store) SetRetention(ctx context.Context, space string, days int64) error {
	return s.administer(ctx, "set retention", didRetention, fmt.Sprint(space, " ", days), func(tx pgx.Tx) error {
		return inserted(tx.Exec(ctx, "UPDATE spaces SET keep_days = $1 WHERE name = $2", days, space))(space, ErrUnknown)
	})
}

// Hold excludes a session from retention, or includes it again. id must be the full id.
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

// Held returns the ids of the sessions that are excluded from retention.
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

// asServer returns a context in which the server acts on its own behalf.
func asServer(ctx context.Context) context.Context { return As(ctx, Viewer{Name: "server"}) }

// Expire deletes the sessions whose retention time has passed, 1,000 in a transaction, and the
// partitions of months that are then empty. It returns the number of deleted sessions. Several
// programs may call it at the same time: each skips the spaces whose row another has locked.
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

// expireTime is the time limit of the statements that delete a batch.
const expireTime = "10min"

// expireSome deletes up to 1,000 sessions of a space. It measures their age by the database's
// clock, which machines cannot change.
func (s *Store) expireSome(ctx context.Context, space int64) (n int, err error) {
	err = s.inTx(ctx, "delete old sessions", func(tx pgx.Tx) error {
		n = 0
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = '"+expireTime+"'"); err != nil {
			return err
		}
		var name string
		var days int64
		err := tx.QueryRow(ctx,
			"SELECT name, keep_days FROM spaces WHERE id = $1 AND keep_days > 0 FOR NO KEY UPDATE SKIP LOCKED",
			space).Scan(&name, &days)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx,
			`SELECT id, received::text FROM sessions WHERE space = $1 AND deleted_at IS NULL AND NOT held
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

// removeAll deletes sessions, their objects first, except for their ids. received has the date of
// each session.
func (s *Store) removeAll(ctx context.Context, tx pgx.Tx, ids, received []string) error {
	const chosen = "WHERE (t.received, t.session) IN (SELECT x.received::date, x.id FROM unnest($1::text[], " +
		"$2::text[]) AS x (id, received))"
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
	_, err := tx.Exec(ctx, `UPDATE sessions SET deleted_at = $1, held = false, description = '{}', cwd = '', title = `+
		`'', name = '', note = '', tags = '{}', prompt = '',
		usage = '[]',
		messages = 0, turns = 0, events = 0, raw_bytes = 0, raw_end = 0, stored_bytes = 0, raw_sha256 = '' WHERE id = ANY `+
		`($2)`, time.Now().UnixNano(), ids)
	return err
}

const (
	// overFor is how long ago a month must have ended before it is dropped. By then a session that
	// began in its last second has been committed.
	overFor = "2 days"
	// dropPatience is how long dropping a month waits for readers. New readers wait meanwhile.
	dropPatience = "1s"
	// codeLocked is PostgreSQL's code for a lock timeout.
	codeLocked = "55P03"
)

// dropMonths drops the partitions of months without sessions. A month in use stays until the next
// call.
func (s *Store) dropMonths(ctx context.Context) error {
	var months []string
	err := s.inTx(ctx, "find empty months", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT right(c.relname, 7) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
			WHERE i.inhparent = 'entries'::regclass AND to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' +
				$1::interval < now() AT TIME ZONE 'UTC'
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

// dropMonth drops the partitions of a month, unless it contains a session.
func (s *Store) dropMonth(ctx context.Context, month string) error {
	return s.inTx(ctx, "drop a month", func(tx pgx.Tx) error {
		var there bool
		err := tx.QueryRow(ctx,
			`SELECT EXISTS (SELECT FROM sessions WHERE deleted_at IS NULL AND received >= to_date($1, 'YYYY_MM')
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
