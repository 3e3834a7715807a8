package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"

	"github.com/jackc/pgx/v5"
)

// Copy describes what a sender expects the database to have of a session.
type Copy struct {
	ID     string
	Events int64             // number of raw events
	Digest [sha256.Size]byte // result of DigestOf for the entries
}

// Check returns the ids of the copies that differ from what the sender expects, or are missing, and
// the ids of those that were deleted here. Other users' sessions count as missing. A push token
// sees only what it sent itself.
func (s *Store) Check(ctx context.Context, copies []Copy) (differ, deleted []string, err error) {
	owner, err := sender(ctx)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]string, len(copies))
	for i, c := range copies {
		ids[i], _ = clean(c.ID)
	}
	type state struct {
		ID      string
		Events  int64
		Gone    bool
		Entries []byte
	}
	var states []state
	err = s.inTx(ctx, "compare sessions", func(tx pgx.Tx) error {
		a := args{ids, owner}
		cond := "s.id = ANY ($1) AND s.owner = $2"
		if v := ViewerOf(ctx); v.Kind == KindPush {
			cond += " AND s.pushed_by = " + a.add(v.Token)
		}
		rows, err := tx.Query(ctx,
			`SELECT s.id, s.events, s.deleted_at IS NOT NULL, (SELECT sha256(coalesce(string_agg(e.digest, ''::bytea ORDER `+
				`BY e.id), ''))
			FROM entries AS e WHERE e.received = s.received AND e.session = s.id) FROM sessions AS s WHERE `+cond, a...)
		if err == nil {
			states, err = pgx.CollectRows(rows, pgx.RowToStructByPos[state])
		}
		return err
	})
	here := map[string]state{}
	for _, st := range states {
		here[st.ID] = st
	}
	for _, c := range copies {
		switch st, ok := here[c.ID]; {
		case ok && st.Gone:
			deleted = append(deleted, c.ID)
		case !ok || st.Events != c.Events || !bytes.Equal(st.Entries, c.Digest[:]):
			differ = append(differ, c.ID)
		}
	}
	return differ, deleted, err
}

// Ping returns an error unless the database responds.
func (s *Store) Ping(ctx context.Context) error { return s.failed("ping", s.pool.Ping(ctx)) }
