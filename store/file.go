package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ptyrec/ptyrec/session"
)

// The start of an SQLite database, https://www.sqlite.org/fileformat2.html#the_database_header
const (
	sqliteMagic   = "SQLite format 3\x00"
	applicationAt = 68 // big-endian, 4 bytes
	headerSize    = 100
)

// prepareFile makes sure that path is a file that we can write and that is no other program's, before
// SQLite changes anything in it. SQLite gives its further files the same permissions.
func prepareFile(ctx context.Context, path string) (fs.FileInfo, error) {
	if err := createFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := createFile(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	header := make([]byte, headerSize)
	n, readErr := io.ReadFull(f, header)
	if errors.Is(readErr, io.EOF) || errors.Is(readErr, io.ErrUnexpectedEOF) {
		readErr = nil
	}
	if err := errors.Join(err, readErr, f.Close()); err != nil {
		return nil, err
	}
	return info, checkHeader(ctx, path, header[:n])
}

// createFile opens path for writing; a new file gets its permissions here.
func createFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return os.OpenFile(path, os.O_RDWR, 0)
	}
	if err != nil {
		return nil, err
	}
	return f, f.Chmod(0o600)
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

func checkHeader(ctx context.Context, path string, header []byte) error {
	switch {
	case len(header) == 0:
		return nil
	case len(header) < headerSize || string(header[:len(sqliteMagic)]) != sqliteMagic:
		return session.ErrNotDatabase
	case binary.BigEndian.Uint32(header[applicationAt:]) == applicationID:
		return nil
	}
	return checkOwner(ctx, path)
}

// checkOwner asks SQLite whose database it is: a young one of ours has its header in the WAL still.
func checkOwner(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", dsn(path, "mode=ro&_pragma=busy_timeout("+busyTimeout+")"))
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
