package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Objects stores the data of segments outside the database. Its errors wrap the sentinels of
// package session.
type Objects interface {
	// Put stores an object durably. sum is the SHA-256 of data.
	Put(ctx context.Context, key string, data []byte, sum [sha256.Size]byte) error
	// Get reads an object. The error wraps session.ErrNotFound if it does not exist.
	Get(ctx context.Context, key string) ([]byte, error)
	// Delete deletes objects. It is not an error if one does not exist.
	Delete(ctx context.Context, keys []string) error
	// Before returns the keys of the objects that were written before when.
	Before(ctx context.Context, when time.Time) iter.Seq2[string, error]
}

// UseObjects stores new segments as objects, and allows reading those that are objects. It must be
// called before the store is used. All programs that use the database must use the same objects.
func (s *Store) UseObjects(o Objects) { s.objects = o }

// errNoObjects reports that a raw log is in a bucket, and UseObjects was not called.
var errNoObjects = errors.New("its raw log is in a bucket: start `ptyrec team serve` with --raw s3://BUCKET/PREFIX")

// putObject stores the data of a segment that continues a session's raw log, and returns its key.
// The key is empty if there is nothing to write or the data goes into the database. It runs outside
// a transaction, so that none waits for the object store. If the segment's row is never written,
// Sweep deletes the object.
func (s *Store) putObject(ctx context.Context, id string, seg store.Segment, sum [sha256.Size]byte) (key string,
	err error) {
	if s.objects == nil {
		return "", nil
	}
	var p *pushed
	err = s.inTx(ctx, "append to raw log", func(tx pgx.Tx) (err error) {
		p, err = ownBy(ctx, tx, id, find) // no lock: the object takes time to write
		return err
	})
	if err != nil || seg.FirstEvent != p.Events {
		return "", err
	}
	// The key is unique to this attempt, so another attempt cannot delete the object.
	key = fmt.Sprintf("%s/%d/%d-%d-%s", p.ID, p.next, seg.FirstEvent, seg.EndEvent, rand.Text())
	return key, s.objects.Put(ctx, key, seg.Data, sum)
}

// getObject reads the data of a segment. If the object does not exist or its sum differs, it
// returns no data: the segment is damaged.
func (s *Store) getObject(ctx context.Context, key string, sum []byte) ([]byte, error) {
	if s.objects == nil {
		return nil, errNoObjects
	}
	data, err := s.objects.Get(ctx, key)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil
	}
	if got := sha256.Sum256(data); err == nil && !bytes.Equal(got[:], sum) {
		return nil, nil
	}
	return data, err
}

// deleteSegments deletes the segments that meet a condition. It deletes their objects first: if
// that fails, the rows stay, and it can be repeated.
func (s *Store) deleteSegments(ctx context.Context, tx pgx.Tx, cond string, a ...any) error {
	rows, err := tx.Query(ctx, "SELECT t.object FROM segments AS t "+cond+" AND t.object <> ''", a...)
	if err != nil {
		return err
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if len(keys) > 0 && s.objects == nil {
		return errNoObjects
	}
	if len(keys) > 0 {
		if err := s.objects.Delete(ctx, keys); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, "DELETE FROM segments AS t "+cond, a...)
	return err
}

const (
	// sweepEvery is the interval between searches for objects without a segment.
	sweepEvery = 24 * time.Hour
	// sweepAge is the minimum age of such an object: the row of a segment is written right after
	// its object.
	sweepAge = 24 * time.Hour
	// sweepPart is the number of objects to look up at a time.
	sweepPart = 1000
)

// Sweep deletes objects without a segment, which interrupted requests leave. Of all programs that
// use the database, one does so once a day. It returns the number of deleted objects.
func (s *Store) Sweep(ctx context.Context) (n int, err error) {
	if s.objects == nil {
		return 0, nil
	}
	now := time.Now()
	mine := false
	err = s.inTx(ctx, "begin sweep", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "UPDATE sweeps SET at = $1 WHERE at < $2", now.UnixNano(), now.Add(-sweepEvery).UnixNano())
		mine = err == nil && tag.RowsAffected() == 1
		return err
	})
	if err != nil || !mine {
		return 0, err
	}
	var part []string
	for key, err := range s.objects.Before(ctx, now.Add(-sweepAge)) {
		if err != nil {
			return n, err
		}
		if part = append(part, key); len(part) == sweepPart {
			some, err := s.sweepSome(ctx, part)
			if n, part = n+some, nil; err != nil {
				return n, err
			}
		}
	}
	some, err := s.sweepSome(ctx, part)
	return n + some, err
}

// sweepSome deletes those of the objects that have no segment, and returns their number.
func (s *Store) sweepSome(ctx context.Context, keys []string) (n int, err error) {
	var orphans []string
	err = s.inTx(ctx, "look for objects", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx,
			"SELECT k FROM unnest($1::text[]) AS k WHERE NOT EXISTS (SELECT FROM segments AS t WHERE t.object = k AND "+
				"t.object <> '')", keys)
		if err == nil {
			orphans, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	if err == nil {
		err = s.objects.Delete(ctx, orphans)
	}
	if err != nil {
		return 0, err
	}
	return len(orphans), nil
}
