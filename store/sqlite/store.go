// Package sqlite keeps sessions, raw logs and entries in SQLite and finds them again.
//
// A Store may be used concurrently, and many programs may have the same database open. Every
// exported method is one transaction. Errors wrap the sentinels of package session: ErrNotFound,
// ErrAmbiguous, ErrExists, ErrNewer, ErrNotDatabase, ErrCorrupt, ErrNotWritable, ErrFull, ErrBusy,
// ErrRemoved.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
)

const (
	// busyTimeout is how long a transaction waits for other programs.
	busyTimeout = 10 * time.Second
	// readers is the number of connections for reading. EventsFrom holds none between segments.
	readers = 4
)

// Store is an open database.
type Store struct {
	path  string
	wait  time.Duration  // how long a transaction waits for other programs
	files [2]fs.FileInfo // identity of the database and its write-ahead log at Open
	write *sql.DB        // one connection, so that writers in this process queue here and not in SQLite
	read  *sql.DB
	cause error // why the database cannot be used; set by Beside

	textsMu sync.Mutex                    // guards texts
	texts   map[string]*journal.TextIndex // text indexes by path of the journal file
}

// Open opens the database at path. If it does not exist, Open creates it with mode 0600, and its
// folder with mode 0700, whatever the umask is. An older database is migrated. Sessions that have
// only a journal are not in the database before ImportJournals. The caller must Close the Store.
func Open(ctx context.Context, path string) (*Store, error) {
	return OpenWaiting(ctx, path, busyTimeout)
}

// OpenWaiting is Open for a Store whose transactions wait at most this long for other programs.
func OpenWaiting(ctx context.Context, path string, wait time.Duration) (*Store, error) {
	path, err := absolute(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, wait: wait}
	if err := s.open(ctx); err != nil {
		_ = s.Close()
		return nil, s.failed("open", ownDamage(path, err))
	}
	return s, nil
}

// OpenReadOnly opens a database that cannot be written, as on a read-only file system. Methods that
// would write fail with session.ErrNotWritable. An older database is refused because it would have
// to be migrated. While the Store is open, no one may write the database through another path.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	path, err := absolute(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, wait: busyTimeout}
	if err := s.openReadOnly(ctx); err != nil {
		_ = s.Close()
		return nil, s.failed("open", err)
	}
	return s, nil
}

func (s *Store) openReadOnly(ctx context.Context) (err error) {
	info, err := os.Stat(s.path)
	if err == nil {
		err = regular(s.path, info)
	}
	if err != nil {
		return err
	}
	mode := "mode=ro&"
	if info, err := os.Stat(s.path + "-wal"); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		mode += "immutable=1&" // otherwise SQLite would create files for the log and its index
	}
	if s.read, err = sql.Open("sqlite", dsn(s.path,
		mode+busyPragma(s.wait)+"&_pragma=trusted_schema(0)&_pragma=query_only(1)")); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(readers)
	var app, version, tables int
	if err := s.read.QueryRowContext(ctx, ownerQuery).Scan(&app, &version, &tables); err != nil {
		return err
	}
	if err := refuseForeign(app, tables); err != nil {
		return err
	}
	newest, err := newestVersion()
	switch {
	case err != nil:
		return err
	case version > newest:
		return errNewer(version, newest)
	case version < newest:
		return fmt.Errorf("its schema has version %d and cannot be migrated to %d: %w", version, newest,
			session.ErrNotWritable)
	}
	return whole(ctx, s.read)
}

// Beside returns a Store for a database at path that cannot be used because of cause. It has only
// the sessions that have a journal, and reads their journals.
func Beside(path string, cause error) (*Store, error) {
	path, err := absolute(path)
	return &Store{path: path, cause: cause}, err
}

// absolute returns the absolute path of the database without symbolic links: SQLite creates its
// write-ahead log next to the file that a link points to.
func absolute(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range maxLinks {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			return target, nil
		}
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // not a link, or it does not exist yet
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target // a link whose target does not exist yet
	}
	return path, nil
}

// maxLinks is the maximum length of a chain of links that absolute follows.
const maxLinks = 40

func (s *Store) open(ctx context.Context) (err error) {
	size, err := prepareFile(ctx, s.path)
	if err != nil {
		return err
	}
	common := busyPragma(s.wait) + "&_pragma=foreign_keys(1)&_pragma=trusted_schema(0)"
	first := ""
	// It must run before the first table is created, and pragmas run in alphabetical order. Later it
	// would write on each open.
	if size == 0 {
		first = "&_pragma=auto_vacuum(2)"
	}
	if s.write, err = sql.Open("sqlite", dsn(s.path, common+first+"&_txlock=immediate"+
		"&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(16777216)&_pragma=synchronous(NORMAL)&_pragma="+
		"secure_delete(FAST)")); err != nil {
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
	s.files, err = s.stat()
	return err
}

func busyPragma(wait time.Duration) string {
	return fmt.Sprintf("_pragma=busy_timeout(%d)", wait.Milliseconds())
}

// dsn returns the URI of an absolute path, which may contain "?" and "%".
func dsn(path, query string) string {
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query}).String()
}

// Path returns the absolute path of the database.
func (s *Store) Path() string { return s.path }

// Close closes the database. Further calls do nothing.
func (s *Store) Close() error {
	if s.files[0] != nil && s.here() != nil {
		return nil //nolint:nilerr // SQLite would write its log into a file that is no longer this database
	}
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// errReplaced reports that the database's files are not the ones that were opened.
var errReplaced = errors.New("it was emptied or replaced while in use")

// here returns an error unless the files at the path are the ones that were opened. SQLite would
// continue to write to files that were removed from the folder.
func (s *Store) here() error {
	if s.cause != nil {
		return s.cause
	}
	if s.write == nil {
		return session.ErrNotWritable
	}
	now, err := s.stat()
	switch {
	case errors.Is(err, fs.ErrNotExist) && now[0] == nil:
		return session.ErrRemoved
	case err != nil:
		return fmt.Errorf("%w: %w", errReplaced, err)
	case now[0].Size() == 0 || !os.SameFile(now[0], s.files[0]) || !os.SameFile(now[1], s.files[1]):
		return errReplaced
	}
	return nil
}

// stat describes the database and its write-ahead log, which exists while the database is open.
func (s *Store) stat() (files [2]fs.FileInfo, err error) {
	for i, end := range []string{"", "-wal"} {
		if files[i], err = os.Stat(s.path + end); err != nil {
			return files, err
		}
	}
	return files, nil
}

// update runs fn in a write transaction. It becomes durable with the next durable transaction, or
// when SQLite syncs.
func (s *Store) update(ctx context.Context, what string, fn func(*sql.Tx) error) error {
	if err := s.here(); err != nil {
		return s.failed(what, err)
	}
	return s.failed(what, inTx(ctx, s.write, fn))
}

// updateDurably runs fn in a write transaction that survives a power loss after it returns. wait is
// the maximum time to wait for other programs.
func (s *Store) updateDurably(ctx context.Context, what string, wait time.Duration, fn func(*sql.Tx) error) error {
	if err := s.here(); err != nil {
		return s.failed(what, err)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return s.failed(what, err)
	}
	defer func() { _ = conn.Close() }()
	set := func(ctx context.Context, synchronous string, wait time.Duration) error {
		_, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA synchronous = %s; PRAGMA busy_timeout = %d", synchronous,
			wait.Milliseconds()))
		return err
	}
	if err := set(ctx, "FULL", wait); err != nil {
		return s.failed(what, err)
	}
	err = inTx(ctx, conn, fn)
	back := set(context.WithoutCancel(ctx), "NORMAL", s.wait)
	return s.failed(what, errors.Join(err, back))
}

// view runs fn on a snapshot of the database.
func (s *Store) view(ctx context.Context, what string, fn func(*sql.Tx) error) error {
	if s.cause != nil {
		return s.failed(what, s.cause)
	}
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
		_ = tx.Rollback() // the first error is the one to report
		return err
	}
	return tx.Commit()
}

// sessionKey returns the primary key of a session.
func sessionKey(ctx context.Context, tx *sql.Tx, id string) (pk int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT pk FROM sessions WHERE id = ?", id).Scan(&pk)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("session %s: %w", id, session.ErrNotFound)
	}
	return pk, err
}
