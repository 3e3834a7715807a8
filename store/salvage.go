package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Where not even the last row's number can be read, rows are looked for up to salvageEnd, and until salvageGap numbers in a row give
// nothing.
const (
	salvageEnd = 1 << 40
	salvageGap = 1 << 12
)

// Salvage copies what can be read of the damaged database at path into a new one, row by row, and puts that in its place; the damaged
// one is kept beside it, and its name returned. Nobody may have it open. lost counts the rows that could not be copied, by table, as far
// as their numbers tell; the full-text index is made anew.
func Salvage(ctx context.Context, path string) (kept string, lost map[string]int, err error) {
	kept, fresh := path+".damaged", path+".salvaged"
	for n := 2; exists(kept); n++ {
		kept = fmt.Sprintf("%s.damaged-%d", path, n)
	}
	if err := removeDatabase(fresh); err != nil {
		return "", nil, err
	}
	if lost, err = salvageInto(ctx, path, fresh); err != nil {
		return "", nil, errors.Join(fmt.Errorf("database %s: salvage: %w", path, err), removeDatabase(fresh))
	}
	for _, move := range [][2]string{{path, kept}, {fresh, path}} {
		for _, end := range []string{"", "-wal", "-shm"} {
			if !exists(move[0] + end) {
				continue
			}
			if err := os.Rename(move[0]+end, move[1]+end); err != nil {
				return "", nil, err
			}
		}
	}
	return kept, lost, errors.Join(os.RemoveAll(fresh+"-live"), syncFolder(path))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func removeDatabase(path string) (err error) {
	for _, end := range []string{"", "-wal", "-shm", "-live"} {
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

func salvageInto(ctx context.Context, path, fresh string) (lost map[string]int, err error) {
	to, err := Open(ctx, fresh)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	from, err := sql.Open("sqlite", dsn(path, "mode=ro&"+busyPragma(busyTimeout)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	lost = map[string]int{}
	err = to.update(ctx, "salvage", func(tx *sql.Tx) error {
		for _, table := range []string{"sessions", "segments", "entries"} { // those that others refer to come first
			n, err := salvageTable(ctx, from, tx, table)
			if err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
			if n > 0 {
				lost[table] = n
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lost, to.Reindex(ctx)
}

// salvageTable asks for each row by its number, so that a damaged page hides no others.
func salvageTable(ctx context.Context, from *sql.DB, to *sql.Tx, table string) (lost int, err error) {
	columns, err := columnsOf(ctx, to, table)
	if err != nil {
		return 0, err
	}
	end, gap := int64(0), int64(0)
	unsure := from.QueryRowContext(ctx, "SELECT coalesce(max(pk), 0) FROM "+table).Scan(&end) != nil
	if unsure {
		end = salvageEnd
	}
	list := strings.Join(columns, ", ")
	get, err := from.PrepareContext(ctx, "SELECT "+list+" FROM "+table+" WHERE pk = ?")
	if err != nil {
		return 0, err
	}
	defer func() { _ = get.Close() }()
	put, err := to.PrepareContext(ctx, "INSERT OR IGNORE INTO "+table+" ("+list+") VALUES (?"+strings.Repeat(", ?", len(columns)-1)+")")
	if err != nil {
		return 0, err
	}
	defer func() { _ = put.Close() }()
	row, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range row {
		targets[i] = &row[i]
	}
	for pk := int64(1); pk <= end; pk++ {
		err := get.QueryRowContext(ctx, pk).Scan(targets...)
		if gap++; unsure && gap > salvageGap {
			return max(1, lost-int(gap)+1), nil // rows that nobody can count
		}
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err == nil {
			gap = 0
			_, err = put.ExecContext(ctx, row...)
		}
		if ctx.Err() != nil {
			return lost, ctx.Err()
		}
		if err != nil {
			lost++ // a page of nonsense, or a row of it that the schema refuses
		}
	}
	return lost, nil
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
