// Package store keeps sessions, raw logs and entries in SQLite and finds them again.
//
// A Store may be used concurrently, and many programs may have the same database open. Every exported
// method is one transaction. Errors wrap the sentinels of package session: ErrNotFound, ErrAmbiguous,
// ErrExists, ErrNewer, ErrNotDatabase, ErrCorrupt, ErrNotWritable, ErrFull, ErrBusy, ErrRemoved.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/ptyrec/ptyrec/session"
)

const (
	// busyTimeout is how long a transaction waits for other programs.
	busyTimeout = 10 * time.Second
	// readers is the number of connections for reading; an Events loop holds none between segments.
	readers = 4
)

// Store is an open database.
type Store struct {
	path  string
	wait  time.Duration // how long a transaction waits for other programs
	file  fs.FileInfo   // what stood at path when it was opened
	write *sql.DB       // one connection, so that writers of this process queue here and not in SQLite
	read  *sql.DB
	live  liveFile
}

// Open opens the database at path, and creates it, with its folder, where there is none: folder 0700,
// file 0600, whatever the umask. An older database is migrated. The caller must Close it.
func Open(ctx context.Context, path string) (*Store, error) {
	return OpenWaiting(ctx, path, busyTimeout)
}

// OpenWaiting opens the database as Open does. Its transactions wait for other programs for so long at most.
func OpenWaiting(ctx context.Context, path string, wait time.Duration) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, wait: wait, live: liveFile{path: path + "-live"}}
	if err := s.open(ctx); err != nil {
		_ = s.Close()
		return nil, s.failed("open", err)
	}
	s.takeIn(ctx)
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if s.file, err = prepareFile(ctx, s.path); err != nil {
		return err
	}
	common := busyPragma(s.wait) + "&_pragma=foreign_keys(1)&_pragma=trusted_schema(0)"
	first := ""
	if s.file.Size() == 0 { // it has to come before the first table; pragmas run in alphabetical order. Later it would write each time.
		first = "&_pragma=auto_vacuum(2)"
	}
	if s.write, err = sql.Open("sqlite", dsn(s.path, common+first+"&_txlock=immediate"+
		"&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(16777216)&_pragma=synchronous(NORMAL)")); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if s.read, err = sql.Open("sqlite", dsn(s.path, common+"&_pragma=query_only(1)")); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(readers)
	return nil
}

func busyPragma(wait time.Duration) string {
	return fmt.Sprintf("_pragma=busy_timeout(%d)", wait.Milliseconds())
}

// dsn gives the URI of an absolute path, in which "?" and "%" may stand.
func dsn(path, query string) string {
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query}).String()
}

// Path gives the absolute path of the database.
func (s *Store) Path() string { return s.path }

// Close ends all sessions' claims and closes the database. Further calls do nothing.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(append(errs, s.live.close())...)
}

// here tells whether the database still stands where it was opened: SQLite itself would go on writing
// into a file that nobody can find any more.
func (s *Store) here() error {
	now, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.file) {
		return session.ErrRemoved
	}
	return nil
}

// update runs fn in a write transaction. It is durable once a later durable one is, or SQLite saves.
func (s *Store) update(ctx context.Context, what string, fn func(*sql.Tx) error) error {
	return s.failed(what, inTx(ctx, s.write, fn))
}

// updateDurably runs fn in a write transaction that a power loss after it does not undo, and that waits for other programs for so long at most.
func (s *Store) updateDurably(ctx context.Context, what string, wait time.Duration, fn func(*sql.Tx) error) error {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return s.failed(what, err)
	}
	defer func() { _ = conn.Close() }()
	set := func(ctx context.Context, synchronous string, wait time.Duration) error {
		_, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA synchronous = %s; PRAGMA busy_timeout = %d", synchronous, wait.Milliseconds()))
		return err
	}
	if err := set(ctx, "FULL", wait); err != nil {
		return s.failed(what, err)
	}
	err = inTx(ctx, conn, fn)
	back := set(context.WithoutCancel(ctx), "NORMAL", s.wait)
	return s.failed(what, errors.Join(err, back))
}

// view runs fn on one state of the database.
func (s *Store) view(ctx context.Context, what string, fn func(*sql.Tx) error) error {
	return s.failed(what, inTx(ctx, s.read, fn))
}

type beginner interface {
	BeginTx(context.Context, *sql.TxOptions) (*sql.Tx, error)
}

func inTx(ctx context.Context, db beginner, fn func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		_ = tx.Rollback() // what failed before is the news
		return err
	}
	return tx.Commit()
}

// sessionKey gives the row of a session.
func sessionKey(ctx context.Context, tx *sql.Tx, id string) (pk int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT pk FROM sessions WHERE id = ?", id).Scan(&pk)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("session %s: %w", id, session.ErrNotFound)
	}
	return pk, err
}
