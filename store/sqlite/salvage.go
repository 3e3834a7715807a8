package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Saved counts what Salvage copied, by table.
type Saved struct {
	Sessions, Segments, Entries int
	Orphans                     int // sessions of which only the recording was left
}

// Salvage copies the readable data of the damaged database at path into a new one, which replaces
// it. The damaged file is kept next to it under the returned name. Salvage reads the pages of the
// file itself, so the file may be truncated and lack a header or a schema. The database must not be
// open; the error wraps session.ErrBusy if a session is being recorded.
func Salvage(ctx context.Context, path string) (kept string, saved Saved, err error) {
	if path, err = absolute(path); err != nil {
		return "", saved, err
	}
	if recorderRuns(path) {
		return "", saved, fmt.Errorf("database %s: a session is being recorded in it: %w", path, session.ErrBusy)
	}
	kept, fresh := path+".damaged", path+".salvaged"
	for n := 2; exists(kept); n++ {
		kept = fmt.Sprintf("%s.damaged-%d", path, n)
	}
	if err := removeDatabase(fresh); err != nil {
		return "", saved, err
	}
	if saved, err = salvageInto(ctx, path, fresh); err != nil {
		return "", saved, errors.Join(fmt.Errorf("database %s: salvage: %w", path, err), removeDatabase(fresh))
	}
	for _, move := range [][2]string{{path, kept}, {fresh, path}} {
		for _, end := range []string{"", "-wal", "-shm"} {
			if !exists(move[0] + end) {
				continue
			}
			if err := os.Rename(move[0]+end, move[1]+end); err != nil {
				return "", saved, err
			}
		}
	}
	return kept, saved, syncFolder(path)
}

// Damaged returns the names of the damaged databases that Salvage has kept.
func (s *Store) Damaged() []string {
	// the pattern is valid
	names, _ := globIn(filepath.Dir(s.path), patternQuoter.Replace(filepath.Base(s.path))+".damaged*")
	return names
}

// patternQuoter escapes a name for use in a pattern.
var patternQuoter = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`)

// recorderRuns reports whether a session is being recorded for the database at path.
func recorderRuns(path string) bool {
	files, _ := journal.List(JournalFolder(path)) // a journal that cannot be read is not being written
	if slices.ContainsFunc(files, journal.File.IsWritten) {
		return true
	}
	f, err := os.Open(path + liveEnding)
	if err != nil {
		return false
	}
	defer f.Close()
	return sys.AnyByteLocked(f)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func removeDatabase(path string) (err error) {
	for _, end := range []string{"", "-wal", "-shm"} {
		err = errors.Join(err, os.RemoveAll(path+end))
	}
	return err
}

func syncFolder(path string) error {
	dir, err := os.Open(path[:strings.LastIndexByte(path, '/')+1])
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func salvageInto(ctx context.Context, path, fresh string) (saved Saved, err error) {
	from, err := openPages(path)
	if err != nil {
		return saved, err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	to, err := Open(ctx, fresh)
	if err != nil {
		return saved, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	err = to.update(ctx, "salvage", func(tx *sql.Tx) (err error) {
		saved, err = salvageRows(ctx, from, tx)
		return err
	})
	if err != nil {
		return saved, err
	}
	return saved, to.Reindex(ctx)
}

// salvageRows copies the rows that look like sessions, segments or entries.
func salvageRows(ctx context.Context, from *pageFile, to *sql.Tx) (saved Saved, err error) {
	// a session may come after its entries
	if _, err := to.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
		return saved, err
	}
	columns := map[string][]string{}
	for _, table := range []string{"sessions", "segments", "entries"} {
		if columns[table], err = columnsOf(ctx, to, table); err != nil {
			return saved, err
		}
	}
	counts := map[string]*int{"sessions": &saved.Sessions, "segments": &saved.Segments, "entries": &saved.Entries}
	err = from.rows(func(row []any) error {
		table := tableOf(row)
		if table == "" || len(row) > len(columns[table]) {
			return ctx.Err()
		}
		result, err := to.ExecContext(ctx, "INSERT OR IGNORE INTO "+table+" ("+strings.Join(columns[table][:len(row)], ", ")+
			") VALUES (?"+strings.Repeat(", ?", len(row)-1)+")", row...)
		if kind := kindOf(err); kind != nil || ctx.Err() != nil {
			return errors.Join(kind, ctx.Err())
		}
		if err == nil { // otherwise the row violates the schema and is garbage
			n, err := result.RowsAffected()
			*counts[table] += int(n)
			return err
		}
		return nil
	})
	if err == nil {
		saved.Orphans, err = adopt(ctx, to)
	}
	return saved, err
}

// tableOf returns the table that a row belongs to, judged by its first columns, or "" if unknown.
func tableOf(row []any) string {
	is := func(kinds string) bool {
		if len(row) < len(kinds) {
			return false
		}
		for i, kind := range kinds {
			var ok bool
			switch v := row[i].(type) {
			case int64:
				ok = kind == 'i'
			case string:
				ok = kind == 't' && utf8.ValidString(v)
			case []byte:
				ok = kind == 'b'
			default:
				ok = kind == '?'
			}
			if !ok && kind != '?' {
				return false
			}
		}
		return true
	}
	switch {
	case is("itttti??iit?tiiiii"):
		return "sessions"
	case is("iiiiiiiib"):
		return "segments"
	case is("iititttti" + "t?t??i?it"):
		return "entries"
	}
	return ""
}

// adopt creates a session for each raw log without one, with the time of its first entry and the
// default window size.
func adopt(ctx context.Context, tx *sql.Tx) (orphans int, err error) {
	var lost []int64
	rows, err := tx.QueryContext(ctx,
		`SELECT session_pk FROM segments UNION SELECT session_pk FROM entries EXCEPT SELECT pk FROM sessions`)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var pk int64
		if err := rows.Scan(&pk); err != nil {
			return 0, err
		}
		lost = append(lost, pk)
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	for _, pk := range lost {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO sessions (pk, id, command, cwd, title, started_at, cols, rows, agents, raw_bytes, raw_end, `+
				`stored_bytes, messages)
			SELECT ?1, ?2, '["unknown"]', '', 'recovered', coalesce((SELECT min(at) FROM entries WHERE session_pk = ?1), ?3),
			80, 24, '[]',
				coalesce(max(end_byte), 0), coalesce(max(end_at), 0), coalesce(sum(length(data)), 0),
				(SELECT count(*) FROM entries WHERE session_pk = ?1 AND type = 'message')
			FROM segments WHERE session_pk = ?1`, pk, store.NewID(), store.Nanos(time.Now()))
		if err != nil {
			return orphans, err
		}
		orphans++
	}
	return orphans, nil
}

func columnsOf(ctx context.Context, tx *sql.Tx, table string) (columns []string, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		columns = append(columns, name)
	}
	return columns, rows.Err()
}
