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

// Objects keeps the data of segments outside the database. Its errors wrap the sentinels of package
// session.
type Objects interface {
	// Put writes an object, of which sum is the SHA-256. When it returns nil, the object is there
	// to stay.
	Put(ctx context.Context, key string, data []byte, sum [sha256.Size]byte) error
	// Get reads an object. The error wraps session.ErrNotFound if it is not there.
	Get(ctx context.Context, key string) ([]byte, error)
	// Delete deletes objects. One that is not there is no error.
	Delete(ctx context.Context, keys []string) error
	// Before returns the keys of the objects that were written before a moment.
	Before(ctx context.Context, when time.Time) iter.Seq2[string, error]
}

// UseObjects has the segments that come from now on written as objects, and reads those that are
// objects. It is called before the store is used. All programs that use the database must have the
// same objects.
func (s *Store) UseObjects(o Objects) { s.objects = o }

// errNoObjects says that a raw log is not in the database.
var errNoObjects = errors.New("its raw log is in a bucket: start `ptyrec serve` with --raw s3://BUCKET/PREFIX")

// putObject writes the data of a segment that continues a session's raw log, and returns its key;
// empty: there is nothing to write, or the data goes into the database. No transaction waits for
// it. If the segment's row does not follow, Sweep deletes the object.
func (s *Store) putObject(ctx context.Context, id string, seg store.Segment, sum [sha256.Size]byte) (key string, err error) {
	if s.objects == nil {
		return "", nil
	}
	var p *pushed
	err = s.inTx(ctx, "append to raw log", func(tx pgx.Tx) (err error) {
		p, err = ownBy(ctx, tx, id, find) // nobody waits for the object
		return err
	})
	if err != nil || seg.FirstEvent != p.Events {
		return "", err
	}
	// No other attempt has the same key, so nobody deletes what this one writes.
	key = fmt.Sprintf("%s/%d/%d-%d-%s", p.ID, p.next, seg.FirstEvent, seg.EndEvent, rand.Text())
	return key, s.objects.Put(ctx, key, seg.Data, sum)
}

// getObject reads the data of a segment. If the object is not there, or is not what was written,
// the data is empty: the segment is damaged.
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

// deleteSegments deletes the segments that a condition chooses, their objects first: if that fails,
// the rows stay, and it is done again.
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
	// sweepEvery is how often objects without a segment are looked for.
	sweepEvery = 24 * time.Hour
	// sweepAge is how old they must be: the row of a segment is written right after its object.
	sweepAge = 24 * time.Hour
	// sweepPart is how many objects are looked up at a time.
	sweepPart = 1000
)

// Sweep deletes the objects that have no segment: of requests that broke off. Of all programs that
// use the database one does it, once a day. It returns how many it has deleted.
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

// sweepSome deletes those of some objects that have no segment.
func (s *Store) sweepSome(ctx context.Context, keys []string) (n int, err error) {
	var orphans []string
	err = s.inTx(ctx, "look for objects", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT k FROM unnest($1::text[]) AS k WHERE NOT EXISTS (SELECT FROM segments AS t WHERE t.object = k AND t.object <> '')", keys)
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
