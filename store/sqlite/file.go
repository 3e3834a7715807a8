package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/session"
)

// preparing lets only one goroutine at a time create files: closing a file drops the locks that
// SQLite has on it in the same process (https://www.sqlite.org/howtocorrupt.html, 2.2). For the
// same reason, an existing database is opened only through SQLite.
var preparing sync.Mutex

// prepareFile checks that path can be our database before SQLite writes to it, creates it if it is
// missing, and returns its size in bytes. SQLite creates its other files with the same permissions.
func prepareFile(ctx context.Context, path string) (size int64, err error) {
	preparing.Lock()
	defer preparing.Unlock()
	if err := sys.PrivateFolder(filepath.Dir(path)); err != nil {
		return 0, err
	}
	f, err := sys.PrivateFile(path, 0)
	if err == nil {
		return 0, f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if err := regular(path, info); err != nil {
		return 0, err
	}
	return info.Size(), checkOwner(ctx, path)
}

// regular returns an error unless the file is a regular one. SQLite would read a device or a pipe
// forever.
func regular(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: %w", path, session.ErrNotDatabase)
	}
	return nil
}

const (
	headerSize = 100 // bytes; https://www.sqlite.org/fileformat.html, 1.3
	magic      = "SQLite format 3\x00"
)

// Ready reports whether path is a database of the newest version with an intact header and schema,
// so that Open has little to do. It takes microseconds and does not use SQLite. False means only
// that Ready could not tell. Nothing in this process may have the database open.
func Ready(path string) bool {
	preparing.Lock()
	defer preparing.Unlock()
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	var page [headerSize]byte
	if _, err := f.ReadAt(page[:], 0); err != nil || string(page[:16]) != magic {
		return false
	}
	field := func(at int) int64 { return int64(binary.BigEndian.Uint32(page[at:])) }
	pageSize := int64(binary.BigEndian.Uint16(page[16:]))
	newest, err := newestVersion()
	if err != nil || field(60) != int64(newest) || field(68) != applicationID || pageSize < 512 ||
		info.Size() < field(28)*pageSize {
		return false
	}
	pages := &pageFile{file: f, pageSize: pageSize, pages: uint32(field(28))}
	return pages.schemaWhole()
}

// ownDamage returns err, the reason why the file at path cannot be opened as a database. If the
// file was once one of ours, it returns session.ErrCorrupt instead.
func ownDamage(path string, err error) error {
	var e *sqlite.Error
	ours := false
	switch {
	case errors.Is(err, session.ErrNotDatabase): // it is a database, or it does not exist
		ours = hasOurSchema(path)
	case errors.Is(kindOf(err), session.ErrNotDatabase):
		ours = exists(path+liveEnding) || exists(JournalFolder(path)) || hasOurSchema(path)
	case errors.As(err, &e) && e.Code() == sqlite3.SQLITE_ERROR: // a header that SQLite does not know
		ours = hasOurSchema(path)
	}
	if ours {
		return fmt.Errorf("%w: %v", session.ErrCorrupt, err) //nolint:errorlint // it does not wrap ErrNotDatabase
	}
	return err
}

// schemaWithin is how many bytes of a file are searched for our schema.
const schemaWithin = 64 << 20

// hasOurSchema reports whether a regular file contains a statement that occurs only in our schema.
func hasOurSchema(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	ours := []byte("CREATE VIRTUAL TABLE entry_fts USING fts5")
	buf, kept := make([]byte, 1<<20), 0
	for at := 0; at < schemaWithin; {
		n, err := io.ReadFull(f, buf[kept:])
		if bytes.Contains(buf[:kept+n], ours) {
			return true
		}
		if err != nil {
			return false
		}
		at += n
		kept = copy(buf, buf[len(buf)-len(ours):])
	}
	return false
}

// checkOwner asks SQLite whether the database is ours, without changing it.
func checkOwner(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", dsn(path, "mode=ro&"+busyPragma(busyTimeout)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var app, tables int
	if err := db.QueryRowContext(ctx, ownerQuery).Scan(&app, new(int), &tables); err != nil {
		return err
	}
	return refuseForeign(app, tables)
}

// ownerQuery selects the application id, the schema version and the number of tables and indexes.
const ownerQuery = `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
	FROM pragma_application_id, pragma_user_version`

func refuseForeign(app, tables int) error {
	if app != applicationID && tables > 0 {
		return fmt.Errorf("it belongs to another program: %w", session.ErrNotDatabase)
	}
	return nil
}
