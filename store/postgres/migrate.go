package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// migrations holds one SQL file for each schema version, in order. A released one is never changed.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema to the newest version. If several programs start at the same time, one
// migrates and the others wait. A newer schema is accepted, because it can only have additions.
func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	if err := s.makeVersion(ctx); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var version int
		if err := tx.QueryRow(ctx, "SELECT version FROM ptyrec_schema FOR UPDATE").Scan(&version); err != nil {
			return err
		}
		for n := version; n < len(files); n++ {
			text, err := migrations.ReadFile(files[n])
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, string(text)); err != nil {
				return fmt.Errorf("%s: %w", files[n], err)
			}
		}
		if version >= len(files) {
			return nil
		}
		if err := compressWords(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE ptyrec_schema SET version = $1", len(files))
		return err
	})
}

// compressWords makes PostgreSQL compress vectors with LZ4 if it was built with it. The default
// method does not compress them at all.
func compressWords(ctx context.Context, tx pgx.Tx) error {
	var has bool
	err := tx.QueryRow(ctx,
		"SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'").Scan(&has)
	if err == nil && has {
		_, err = tx.Exec(ctx, "ALTER TABLE words ALTER COLUMN words SET COMPRESSION lz4")
	}
	return err
}

// makeVersion creates the table with the row that holds the version, unless it exists.
func (s *Store) makeVersion(ctx context.Context) error {
	var there bool
	find := func() error {
		return s.pool.QueryRow(ctx, "SELECT to_regclass('ptyrec_schema') IS NOT NULL").Scan(&there)
	}
	if err := find(); err != nil {
		return err
	}
	if !there {
		_, err := s.pool.Exec(ctx,
			"CREATE TABLE ptyrec_schema (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL)")
		if err != nil && (find() != nil || !there) { // fails if another program created it first
			return err
		}
	}
	_, err := s.pool.Exec(ctx, "INSERT INTO ptyrec_schema (version) VALUES (0) ON CONFLICT DO NOTHING")
	return err
}

// partitioned are the tables with a partition for each month. A month has a partition in all of
// them or in none.
var partitioned = []string{"segments", "entries", "words"}

// ensureMonth creates the partitions for today unless they exist, and returns today's date by the
// database's clock. It does not cache the result, because a standby that takes over may lack the
// partitions.
func (s *Store) ensureMonth(ctx context.Context) (today string, err error) {
	var month, first, next string
	var there bool
	err = s.pool.QueryRow(ctx,
		`SELECT d::text, to_char(d, 'YYYY_MM'), date_trunc('month', d)::date::text, (date_trunc('month', d) + interval '1 `+
			`month')::date::text,
			to_regclass('words_' || to_char(d, 'YYYY_MM')) IS NOT NULL
		FROM (SELECT `+s.today+` AS d) AS today`).Scan(&today, &month, &first, &next, &there)
	if err != nil || there {
		return today, s.failed("read the clock", err)
	}
	return today, s.inTx(ctx, "add a month", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT FROM ptyrec_schema FOR UPDATE"); err != nil { // one program at a time
			return err
		}
		for _, table := range partitioned {
			_, err := tx.Exec(ctx,
				fmt.Sprintf("CREATE TABLE IF NOT EXISTS %[1]s_%[2]s PARTITION OF %[1]s FOR VALUES FROM ('%[3]s') TO ('%[4]s')",
					table, month, first, next))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
