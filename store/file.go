package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/ptyrec/ptyrec/session"
)

// preparing lets one goroutine at a time create files: to close a file drops the locks that SQLite has on
// it in the same process (https://www.sqlite.org/howtocorrupt.html, 2.2). For the same reason nothing here
// opens a database that exists, except through SQLite.
var preparing sync.Mutex

// prepareFile makes sure that path is a file that may be our database, before SQLite changes anything in
// it. SQLite gives its further files the same permissions.
func prepareFile(ctx context.Context, path string) (fs.FileInfo, error) {
	preparing.Lock()
	defer preparing.Unlock()
	if err := createFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := createFile(path)
	if err == nil {
		info, err := f.Stat()
		return info, errors.Join(err, f.Close())
	}
	if !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	return info, checkOwner(ctx, path)
}

// Ready tells, in microseconds and without SQLite, that there is a database of the newest version at path, so that Open has little to do. False
// says nothing. Nothing in this process may have the database open.
func Ready(path string) bool {
	preparing.Lock()
	defer preparing.Unlock()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [100]byte // https://www.sqlite.org/fileformat.html, 1.3
	if _, err := f.ReadAt(head[:], 0); err != nil || string(head[:16]) != "SQLite format 3\x00" {
		return false
	}
	files, err := fs.Glob(migrations, "migrations/*.sql")
	return err == nil && binary.BigEndian.Uint32(head[60:]) == uint32(len(files)) && binary.BigEndian.Uint32(head[68:]) == applicationID
}

// createFile creates path, whatever the umask; the error wraps fs.ErrExist where it is there.
func createFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// createFolder creates dir and what is missing above it. A folder that is there keeps its permissions.
func createFolder(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := createFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	return os.Chmod(dir, 0o700)
}

// checkOwner asks SQLite whose database it is, without changing it.
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

// ownerQuery gives the application, the schema version and the number of tables and indexes.
const ownerQuery = `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
	FROM pragma_application_id, pragma_user_version`

func refuseForeign(app, tables int) error {
	if app != applicationID && tables > 0 {
		return fmt.Errorf("it belongs to another program: %w", session.ErrNotDatabase)
	}
	return nil
}
