package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// While a session is recorded, its raw log is a journal in a folder next to the database.

// JournalFolder returns the folder that holds the journals of the database at path.
func JournalFolder(path string) string {
	if target, err := absolute(path); err == nil {
		path = target
	}
	return path + "-journals"
}

// Exists reports whether there is a database at path, or the journal of a session for it. It
// returns an error if that cannot be determined.
func Exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if err == nil {
		return true, nil
	}
	if _, linkErr := os.Lstat(path); linkErr == nil || !errors.Is(err, fs.ErrNotExist) {
		return linkErr == nil, err
	}
	files, err := journal.List(JournalFolder(path))
	return len(files) > 0, err
}

// Unreadable returns an error if this user cannot read the journals of some sessions, for example
// of sessions that root recorded. The error names the first one.
func (s *Store) Unreadable() error {
	files, err := journal.List(JournalFolder(s.path))
	if err != nil {
		return err
	}
	for _, file := range files {
		f, err := file.Open()
		if err == nil {
			_ = f.Close()
		} else if !errors.Is(err, fs.ErrNotExist) { // otherwise it was packed meanwhile
			return err
		}
	}
	return nil
}

// Record starts the journal of a session for the database at path, which need not exist. closed is
// called when a file is ready for Pack; see journal.Options.
func Record(path string, sess session.Session, closed func()) (*journal.Writer, error) {
	w, err := journal.Create(journal.Options{Folder: JournalFolder(path), Session: sess, Closed: closed})
	return w, (&Store{path: path}).failed("record", err)
}

// adopt adds the sessions that have a journal and are not in the database. It returns those that
// cannot be added now, as their journals describe them.
func (s *Store) adopt(ctx context.Context) (beside []*store.Info, err error) {
	files, err := journal.List(JournalFolder(s.path))
	// the first file of each session
	files = slices.CompactFunc(files, func(a, b journal.File) bool { return a.Session == b.Session })
	for _, file := range files {
		if _, findErr := s.keyOf(ctx, file.Session); s.cause == nil && !errors.Is(findErr, session.ErrNotFound) {
			continue
		}
		r, f, openErr := openJournal(file)
		if openErr != nil {
			continue // ImportJournals returns why
		}
		if r.Session != nil {
			if err == nil { // after a failure, each further attempt would wait as long
				err = s.begin(ctx, file, r.Session)
			}
			if err != nil {
				beside = append(beside, &store.Info{Session: *r.Session, Beside: true})
			}
		}
		_ = f.Close()
	}
	s.setStatus(beside)
	return beside, err
}

func openJournal(file journal.File) (*journal.Reader, *os.File, error) {
	f, err := file.Open()
	if err != nil {
		return nil, nil, err
	}
	r, err := journal.NewReader(f, file.Session)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return r, f, nil
}

// begin adds the session of a journal. It does nothing if the journal is gone, because the session
// was deleted.
func (s *Store) begin(ctx context.Context, file journal.File, sess *session.Session) error {
	return s.updateDurably(ctx, "begin session", importWait, func(tx *sql.Tx) error {
		if _, err := os.Lstat(file.Path); err != nil {
			return nil //nolint:nilerr // it was deleted
		}
		_, err := insertSession(ctx, tx, sess, nil)
		if errors.Is(err, session.ErrExists) {
			return nil
		}
		return err
	})
}

func (s *Store) keyOf(ctx context.Context, id string) (key int64, err error) {
	err = s.view(ctx, "find session", func(tx *sql.Tx) (err error) {
		key, err = sessionKey(ctx, tx, id)
		return err
	})
	return key, err
}

// unknownSession describes a session whose journal has a damaged header. Only the id is known; it
// contains the start time.
func unknownSession(id string) *session.Session {
	sess := &session.Session{ID: id, Command: []string{"?"}, Cols: 80, Rows: 24}
	if u, err := uuid.Parse(id); err == nil && u.Version() == 7 {
		sec, nsec := u.Time().UnixTime()
		sess.StartedAt = time.Unix(sec, nsec).UTC()
	}
	return sess
}

// hasJournal reports whether a session has a readable journal.
func (s *Store) hasJournal(id string) bool {
	files, _ := journal.List(JournalFolder(s.path))
	return len(journal.Of(files, id)) > 0
}

// deleteJournals removes the journals of a session. The error wraps session.ErrBusy if one is being
// written or packed.
func (s *Store) deleteJournals(id string) error {
	files, err := journal.List(JournalFolder(s.path))
	for _, file := range journal.Of(files, id) {
		f, claimErr := file.Claim()
		if errors.Is(claimErr, journal.ErrInUse) {
			return fmt.Errorf("journal %s: %w", file.Path, session.ErrBusy)
		}
		err = errors.Join(err, removeIfThere(file.Path))
		if claimErr == nil {
			_ = f.Close()
		}
	}
	rest, _ := globIn(JournalFolder(s.path), id+".*") // an id is a valid pattern
	for _, name := range rest {
		err = errors.Join(err, removeIfThere(name))
	}
	return err
}

func removeIfThere(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
