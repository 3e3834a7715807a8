package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// applicationID marks a database as ours: "ptyr".
const applicationID = 0x70747972

// migrations holds one SQL file for each schema version, in order. A released one is never changed.
//
//go:embed migrations/*.sql
var migrations embed.FS

// openTries is the maximum number of attempts at the first access. While another program creates
// the same database, SQLite returns SQLITE_BUSY at once.
const openTries = 100

// newestVersion returns the version of the schema that the migrations create.
func newestVersion() (int, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	return len(files), err
}

func errNewer(version, newest int) error {
	return fmt.Errorf("its schema has version %d, this program supports up to %d: %w", version, newest, session.ErrNewer)
}

// migrate brings the database to the newest version.
func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	var app, version int
	for try := 1; ; try++ {
		app, version, err = s.version(ctx)
		if try == openTries || !errors.Is(kindOf(err), session.ErrBusy) {
			break
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if app == applicationID && version == len(files) {
		return whole(ctx, s.write)
	}
	return inTx(ctx, s.write, func(tx *sql.Tx) error { return migrateTx(ctx, tx, files) })
}

// ourTables are the tables that the migrations create, except the index, which can be rebuilt from
// them.
var ourTables = sync.OnceValues(func() (tables []string, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	change := regexp.MustCompile(`(?m)^(CREATE|DROP) TABLE (\w+)`)
	for _, file := range files {
		text, err := migrations.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range change.FindAllStringSubmatch(string(text), -1) {
			if tables = slices.DeleteFunc(tables, func(name string) bool { return name == m[2] }); m[1] == "CREATE" {
				tables = append(tables, m[2])
			}
		}
	}
	return tables, nil
})

// whole returns an error that wraps session.ErrCorrupt if a table is missing from the schema. Its
// contents may still be in the file.
func whole(ctx context.Context, db *sql.DB) error {
	tables, err := ourTables()
	if err != nil {
		return err
	}
	var names sql.NullString
	if err := db.QueryRowContext(ctx,
		"SELECT group_concat(name) FROM sqlite_schema WHERE type = 'table'").Scan(&names); err != nil {
		return err
	}
	there := strings.Split(names.String, ",")
	for _, name := range tables {
		if !slices.Contains(there, name) {
			return fmt.Errorf("%w: its table %s is missing", session.ErrCorrupt, name)
		}
	}
	return nil
}

// version returns the application id and schema version without waiting for writers.
func (s *Store) version(ctx context.Context) (app, version int, err error) {
	db := s.write
	if db == nil {
		db = s.read
	}
	err = db.QueryRowContext(ctx, ownerQuery).Scan(&app, &version, new(int))
	return app, version, err
}

func migrateTx(ctx context.Context, tx *sql.Tx, files []string) error {
	var app, version, tables int
	if err := tx.QueryRowContext(ctx, ownerQuery).Scan(&app, &version, &tables); err != nil {
		return err
	}
	if err := refuseForeign(app, tables); err != nil {
		return err
	}
	if version > len(files) {
		return errNewer(version, len(files))
	}
	for _, file := range files[version:] {
		text, err := migrations.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID,
		len(files)))
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
