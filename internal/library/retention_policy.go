package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// RetentionEvery is the minimum interval between two applications of a policy.
const RetentionEvery = 24 * time.Hour

// RetentionPolicy selects sessions to delete automatically. Its zero value selects none.
type RetentionPolicy struct {
	OlderThan time.Duration // delete sessions that started longer ago; 0: no limit
	MaxSize   int64         // maximum size of the recordings, in bytes; 0: no limit
	Tagged    bool          // also delete sessions with tags
}

// ParseRetention parses a policy as written in the configuration. Empty strings set no limit.
func ParseRetention(olderThan, maxSize string, keepTagged bool) (RetentionPolicy, error) {
	p := RetentionPolicy{Tagged: !keepTagged}
	var err error
	if olderThan != "" {
		if p.OlderThan, err = human.ParseAge(olderThan); err == nil && p.OlderThan < RetentionEvery {
			err = errors.New("it must be at least a day (1d)")
		}
		if err != nil {
			return RetentionPolicy{}, fmt.Errorf("older_than %q: %w", olderThan, err)
		}
	}
	if maxSize != "" {
		size, err := human.ParseSize(maxSize)
		if err != nil || size == 0 {
			return RetentionPolicy{}, fmt.Errorf("max_size %q: unknown size", maxSize)
		}
		p.MaxSize = size
	}
	return p, nil
}

// IsZero reports whether the policy deletes nothing.
func (p RetentionPolicy) IsZero() bool { return p.OlderThan == 0 && p.MaxSize == 0 }

// limits returns the limits that the policy sets at time now.
func (p RetentionPolicy) limits(now time.Time) RetentionLimits {
	l := RetentionLimits{Keep: -1, Size: -1, Tagged: p.Tagged}
	if p.OlderThan > 0 {
		l.Before = now.Add(-p.OlderThan)
	}
	if p.MaxSize > 0 {
		l.Size = p.MaxSize
	}
	return l
}

// retentionStamp returns the path of a file next to the database at path. Its modification time is
// the time of the last application.
func retentionStamp(path string) string {
	return filepath.Join(sqlite.JournalFolder(path), ".retention")
}

// Due reports whether the policy should be applied to the database at path: it was not within the
// last day. A time in the future does not count.
func (p RetentionPolicy) Due(path string, now time.Time) bool {
	if p.IsZero() {
		return false
	}
	info, err := os.Stat(retentionStamp(path))
	return errors.Is(err, os.ErrNotExist) ||
		err == nil && (now.Sub(info.ModTime()) >= RetentionEvery || info.ModTime().After(now.Add(RetentionEvery)))
}

// Apply deletes the sessions that the policy selects, and returns what it deleted. It does nothing
// if it was called within the last day, or another process is applying it. Live sessions are kept.
func (p RetentionPolicy) Apply(ctx context.Context, db *sqlite.Store, now time.Time) (deleted []*store.Info,
	err error) {
	if err := sys.PrivateFolder(filepath.Dir(retentionStamp(db.Path()))); err != nil {
		return nil, err
	}
	f, err := sys.OpenPrivate(retentionStamp(db.Path()))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if sys.ByteLocked(f, 0) || sys.LockByte(f, 0) != nil {
		return nil, nil // another process is applying it
	}
	info, err := f.Stat()
	if err != nil || info.Size() > 0 && !p.Due(db.Path(), now) || p.IsZero() {
		return nil, err
	}
	// After a failure, the next attempt is tomorrow, not with the next command.
	_, err = f.WriteAt([]byte("ptyrec\n"), 0)
	if err = errors.Join(err, os.Chtimes(f.Name(), now, now)); err != nil {
		return nil, err
	}
	infos, err := db.Sessions(ctx, store.Filter{})
	if err != nil {
		return nil, err
	}
	return deleteAll(ctx, db, p.limits(now).Choose(infos))
}

// deleteAll deletes sessions, except those that are in use, and returns what it deleted.
func deleteAll(ctx context.Context, db *sqlite.Store, infos []*store.Info) (deleted []*store.Info, err error) {
	for _, info := range infos {
		switch err := db.DeleteSession(ctx, info.ID); {
		case errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrNotFound):
		case err != nil:
			return deleted, err
		default:
			deleted = append(deleted, info)
		}
	}
	if len(deleted) > 0 {
		err = db.Scrub(ctx)
	}
	return deleted, err
}
