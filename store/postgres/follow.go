package postgres

import (
	"context"
	"crypto/sha256"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
)

// liveTime is how long a session counts as live after its machine last reported it. Machines report
// much more often.
const liveTime = 2 * time.Minute

// liveSince returns the earliest time of a machine's last report with which its session still
// counts as live, in nanoseconds since 1970.
func liveSince() int64 { return time.Now().Add(-liveTime).UnixNano() }

// Follower is a viewer that follows a live session.
type Follower struct {
	Viewer  Viewer
	Session string // its full id
}

// Progress is the current state of a session.
type Progress struct {
	Entries int64 // version of its entries
	Live    bool
}

// Progress returns the state of followed sessions in one query, by index in followers. It leaves
// out followers that may no longer read their session. The server calls it for itself, not for a
// viewer, and it reads nothing that must be audited.
func (s *Store) Progress(ctx context.Context, followers []Follower) (found map[int]Progress, err error) {
	users, tokens, links, ids := make([]int64, len(followers)), make([]int64, len(followers)), make([]int64,
		len(followers)), make([]string, len(followers))
	for i, f := range followers {
		users[i], tokens[i], links[i], ids[i] = f.Viewer.User, f.Viewer.Token, f.Viewer.Link, f.Session
	}
	a := args{users, tokens, links, ids, liveSince()}
	query := `SELECT f.n, s.entries_version, s.live_at > $5
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) WITH ORDINALITY AS f (user_id, token, link,
			session, n)
		JOIN sessions AS s ON s.id = f.session
		WHERE s.deleted_at IS NULL AND ` + stillVisible(&a)
	err = s.inTx(ctx, "follow sessions", func(tx pgx.Tx) error {
		found = map[int]Progress{}
		rows, err := tx.Query(ctx, query, a...)
		if err != nil {
			return err
		}
		var n int
		var p Progress
		_, err = pgx.ForEachRow(rows, []any{&n, &p.Entries, &p.Live}, func() error {
			found[n-1] = p
			return nil
		})
		return err
	})
	return found, err
}

// Known are the entries of a session that a client has: their digests by id.
type Known map[string][sha256.Size]byte

// Changes returns the entries of a session that differ from those in known, in order, and the ids
// of those in known that were deleted. It updates known. Entries with numbers up to after count as
// known.
func (s *Store) Changes(ctx context.Context, id string, after int, known Known) (changed []*session.Entry,
	gone []string, err error) {
	now := Known{}
	err = s.inTx(ctx, "read entries", func(tx pgx.Tx) error {
		k, err := s.readKey(ctx, tx, id)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, "SELECT id, seq, digest FROM entries WHERE received = $1::date AND session = $2",
			k.received, k.id)
		if err != nil {
			return err
		}
		clear(now)
		var entry string
		var seq int
		var digest []byte
		differ := []string{}
		_, err = pgx.ForEachRow(rows, []any{&entry, &seq, &digest}, func() error {
			sum := [sha256.Size]byte{}
			copy(sum[:], digest)
			if had, ok := known[entry]; seq > after && (!ok || had != sum) {
				differ = append(differ, entry)
			}
			now[entry] = sum
			return nil
		})
		if err != nil || len(differ) == 0 {
			changed = nil
			return err
		}
		changed, err = entriesOf(ctx, tx,
			"WHERE e.received = $1::date AND e.session = $2 AND e.id = ANY ($3) ORDER BY e.seq, e.id", k.received, k.id, differ)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for entry := range known {
		if _, ok := now[entry]; !ok {
			gone = append(gone, entry)
		}
	}
	clear(known)
	maps.Copy(known, now)
	return changed, gone, nil
}
