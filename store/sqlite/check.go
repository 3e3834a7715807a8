package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ptyrec/ptyrec/store"
)

// maxProblems is the maximum number of problems that SQLite reports about a damaged file.
const maxProblems = "20"

// Version returns the version of the database's schema, and the newest one this program knows.
func (s *Store) Version(ctx context.Context) (version, newest int, err error) {
	newest, err = newestVersion()
	if err == nil {
		_, version, err = s.version(ctx)
	}
	return version, newest, s.failed("read version", err)
}

// Check makes SQLite read the whole file and returns the problems that it finds.
func (s *Store) Check(ctx context.Context) (problems []string, err error) {
	err = s.view(ctx, "check", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "PRAGMA integrity_check("+maxProblems+")")
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			if text != "ok" {
				problems = append(problems, text)
			}
		}
		return rows.Err()
	})
	return problems, err
}

// CheckIndex checks the full-text index. It returns the number of messages that it lacks, and the
// number of stale rows in it. The error wraps session.ErrCorrupt if the index is damaged.
func (s *Store) CheckIndex(ctx context.Context) (missing, stale int, err error) {
	err = s.update(ctx, "check index", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO entry_fts (entry_fts) VALUES ('integrity-check')"); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, `SELECT
			(SELECT count(*) FROM entries AS e WHERE e.type = 'message' AND NOT EXISTS (SELECT 1 FROM entry_fts_docsize AS d `+
			`WHERE d.id = e.pk)),
			(SELECT count(*) FROM entry_fts_docsize AS d WHERE NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.pk = d.id AND `+
			`e.type = 'message'))`).
			Scan(&missing, &stale)
		if err != nil || missing > 0 {
			return err
		}
		missing, err = probe(ctx, tx)
		return err
	})
	return missing, stale, err
}

// probed is the number of messages to look up. SQLite reports no error for an empty index, so some
// messages must be looked up.
const probed = 50

// probe looks up the newest messages by their first words, and counts those that are not found.
func probe(ctx context.Context, tx *sql.Tx) (missing int, err error) {
	rows, err := tx.QueryContext(ctx,
		"SELECT pk, substr(text, 1, 200) FROM entries WHERE type = 'message' AND text <> '' ORDER BY pk DESC LIMIT ?", probed)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	texts := map[int64]string{}
	for rows.Next() {
		var pk int64
		var text string
		if err := rows.Scan(&pk, &text); err != nil {
			return 0, err
		}
		texts[pk] = text
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	for pk, text := range texts {
		words := store.ParseWords(startOf(text, 20))
		if len(words.Terms) == 0 {
			continue
		}
		words.Parts = words.Parts[:1]
		var found int
		err := tx.QueryRowContext(ctx, "SELECT count(*) FROM entry_fts WHERE entry_fts MATCH ? AND rowid = ?",
			allOf(words)+"*", pk).Scan(&found)
		if err != nil {
			return 0, err
		}
		missing += 1 - found
	}
	return missing, nil
}

// indexSchema creates the full-text index, as the migrations do.
const indexSchema = `CREATE VIRTUAL TABLE entry_fts USING fts5 (
    text, output,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
)`

// Reindex rebuilds the full-text index from the entries. Entries that cannot be read are left out.
func (s *Store) Reindex(ctx context.Context) error {
	return s.update(ctx, "make index", func(tx *sql.Tx) error {
		if err := dropIndex(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, indexSchema); err != nil {
			return err
		}
		return indexAll(ctx, tx)
	})
}

// dropIndex removes the index; if it is too damaged for that, it removes its tables one by one.
func dropIndex(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS entry_fts"); err == nil {
		return nil
	}
	for _, text := range []string{
		"PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema WHERE name = 'entry_fts'", "PRAGMA writable_schema = RESET",
		"DROP TABLE IF EXISTS entry_fts_data", "DROP TABLE IF EXISTS entry_fts_idx", "DROP TABLE IF EXISTS entry_fts_docsize",
		"DROP TABLE IF EXISTS entry_fts_config",
	} {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

func indexAll(ctx context.Context, tx *sql.Tx) error {
	w, err := newEntryWriter(ctx, tx, 0)
	if err != nil {
		return err
	}
	defer w.close()
	for last := int64(0); ; {
		var row entryRow
		err := tx.QueryRowContext(ctx,
			"SELECT e.pk, "+entryColumns+" FROM entries AS e WHERE e.pk > ? AND e.type = 'message' ORDER BY e.pk LIMIT 1", last).
			Scan(append([]any{&last}, row.targets()...)...)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		e, err := row.entry()
		if err != nil {
			continue // its session must be extracted again
		}
		if err := w.addIndex(ctx, last, e); err != nil {
			return err
		}
	}
}

// Exposed returns the files of the database at path that other users can read or write, with their
// modes, and the folder if it was made for the database.
func Exposed(path string) (exposed map[string]fs.FileMode, err error) {
	exposed = map[string]fs.FileMode{}
	for name := range privatePaths(path) {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().Perm()&0o077 != 0 {
			exposed[name] = info.Mode().Perm()
		}
	}
	return exposed, nil
}

// Protect removes other users' access to the files that Exposed returns.
func Protect(path string) error {
	exposed, err := Exposed(path)
	for name := range exposed {
		err = errors.Join(err, os.Chmod(name, privatePaths(path)[name]))
	}
	return err
}

// privatePaths returns the paths that only the user may access, with the modes they must have. A
// folder is among them only if it has our name: other programs may use other folders.
func privatePaths(path string) map[string]fs.FileMode {
	modes := map[string]fs.FileMode{path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + liveEnding: 0o600,
		JournalFolder(path): 0o700}
	for _, pattern := range []string{"*.journal", "*.journal" + setAside} {
		names, _ := globIn(JournalFolder(path), pattern) // the pattern is valid
		for _, name := range names {
			modes[name] = 0o600
		}
	}
	if dir := filepath.Dir(path); filepath.Base(dir) == "ptyrec" {
		modes[dir] = 0o700
	}
	return modes
}
