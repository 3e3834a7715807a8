package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ptyrec/ptyrec/session"
)

// failed wraps err with the database's name and the sentinel for its kind.
func (s *Store) failed(what string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if kind := kindOf(err); kind != nil && !errors.Is(err, kind) {
		return fmt.Errorf("database %s: %s: %w (%w)", s.path, what, kind, err)
	}
	return fmt.Errorf("database %s: %s: %w", s.path, what, err)
}

// kindOf returns the sentinel for an error of SQLite or the system, or nil.
func kindOf(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // the index of the write-ahead log cannot grow
			return session.ErrFull
		}
		return kindOfCode(e.Code() & 0xff)
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return session.ErrFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EISDIR), errors.Is(err,
		syscall.ENOTDIR):
		return session.ErrNotWritable
	}
	return nil
}

// noRoom reports whether err means that a file cannot grow because of a full disk, a quota or a
// limit. SQLite has an error code for the full disk only.
func noRoom(err error) bool {
	var e *sqlite.Error
	return errors.Is(err, session.ErrFull) || errors.As(err, &e) && e.Code() == sqlite3.SQLITE_IOERR_WRITE
}

func kindOfCode(code int) error {
	switch code {
	case sqlite3.SQLITE_CORRUPT:
		return session.ErrCorrupt
	case sqlite3.SQLITE_NOTADB:
		return session.ErrNotDatabase
	case sqlite3.SQLITE_FULL:
		return session.ErrFull
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return session.ErrBusy
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return session.ErrNotWritable
	}
	return nil
}
