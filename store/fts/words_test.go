package fts_test

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"

	_ "modernc.org/sqlite"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/store/fts"
)

// newIndex returns an empty database in memory with an index.
func newIndex(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(),
		`CREATE VIRTUAL TABLE t USING fts5 (x, content = '', contentless_delete = 1, tokenize = 'unicode61 `+
			`remove_diacritics 2');
		CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)`)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// split returns the words that FTS5 finds in a text.
func split(t interface {
	Helper()
	Fatal(...any)
}, db *sql.DB, text string) (found []string) {
	t.Helper()
	for _, query := range []string{"DELETE FROM t WHERE rowid = 1", "INSERT INTO t (rowid, x) VALUES (1, ?1)"} {
		args := []any{text}
		if query[0] == 'D' {
			args = nil
		}
		if _, err := db.Exec(query, args...); err != nil { //nolint:noctx // in memory
			t.Fatal(err)
		}
	}
	rows, err := db.Query("SELECT term FROM v ORDER BY offset") //nolint:noctx // in memory
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var word string
		if err := rows.Scan(&word); err != nil {
			t.Fatal(err)
		}
		found = append(found, word)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// Every character is treated as FTS5 treats it: inside a word, at its start and at its end.
func TestSplitsEveryCharacterAsFTS5(t *testing.T) {
	step, last := 1, 0x1ffff
	if testing.Short() {
		step = 13
	}
	db := newIndex(t)
	_, err := db.ExecContext(t.Context(),
		`INSERT INTO t (rowid, x) WITH RECURSIVE c (n) AS (SELECT 128 UNION ALL SELECT n + ?1 FROM c WHERE n + ?1 <= ?2)
		SELECT n, 'x' || char(n) || 'y ' || char(n) || 'z ' || char(n) FROM c WHERE n NOT BETWEEN 0xd800 AND 0xdfff`, step,
		last)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.QueryContext(t.Context(),
		"SELECT doc, group_concat(term, '|') FROM (SELECT doc, term FROM v ORDER BY doc, offset) GROUP BY doc")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for rows.Next() {
		var r int
		var want string
		if err := rows.Scan(&r, &want); err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, word := range fts.Split(fmt.Sprintf("x%[1]cy %[1]cz %[1]c", r)) {
			if i > 0 {
				got += "|"
			}
			got += word
		}
		if got != want {
			t.Errorf("U+%04X: %q, want %q", r, got, want)
		}
		n++
	}
	if err := rows.Err(); err != nil || n < last/step/2 {
		t.Fatalf("%d characters, %v", n, err)
	}
}

// Random texts are split as FTS5 splits them.
func TestSplitsAsFTS5(t *testing.T) {
	db := newIndex(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(),
			rapid.StringMatching(`([a-zA-ZäÅéñßİıǅΣς０-９ㄱ-힣一-鿿ぁ-ん_./~'"-]|\x{301}|\x{308}|\x{200d}| ){0,60}`)).Draw(t, "text")
		if len(text) == 0 {
			return
		}
		if got, want := fts.Split(text), split(t, db, text); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	})
}

func TestSplitLongWord(t *testing.T) {
	db := newIndex(t)
	for _, text := range []string{string(slices.Repeat([]byte("aB"), 20000)),
		"é" + string(slices.Repeat([]byte("b"), 32768)) + "c d"} {
		if got, want := fts.Split(text), split(t, db, text); !slices.Equal(got, want) {
			t.Errorf("%d words, want %d", len(got), len(want))
		}
	}
}
