package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Whatever the umask, nobody else can read what is recorded: folder 0700, each file 0600.
func TestPermissions(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o077, 0o277} {
		dir := filepath.Join(t.TempDir(), "data", "ptyrec")
		path := filepath.Join(dir, "ptyrec.db")
		old := syscall.Umask(umask)
		s, err := sqlite.Open(t.Context(), path)
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		old = syscall.Umask(umask)
		create(t, s, "a")
		w := startJournal(t, path, "a")
		put(t, w, []session.Event{output(0, "x")})
		syscall.Umask(old)
		journal := filepath.Join(sqlite.JournalFolder(path), "a.1.journal")
		got := map[string]fs.FileMode{}
		files, err := filepath.Glob(path + "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append(files, journal, dir, filepath.Dir(dir)) {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			got[filepath.Base(file)] = info.Mode().Perm()
		}
		want := map[string]fs.FileMode{"data": 0o700, "ptyrec": 0o700, "ptyrec.db": 0o600, "ptyrec.db-wal": 0o600,
			"ptyrec.db-shm": 0o600, "ptyrec.db-journals": 0o700, "a.1.journal": 0o600}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("umask %#o (-want +got):\n%s", umask, diff)
		}
		if exposed, err := sqlite.Exposed(path); err != nil || len(exposed) > 0 {
			t.Errorf("exposed %v, %v", exposed, err)
		}
		if err := errors.Join(os.Chmod(path, 0o644), os.Chmod(dir, 0o755), os.Chmod(journal, 0o644),
			os.Chmod(filepath.Dir(journal), 0o755), sqlite.Protect(path)); err != nil {
			t.Error(err)
		}
		if exposed, err := sqlite.Exposed(path); err != nil || len(exposed) > 0 {
			t.Errorf("after Protect: exposed %v, %v", exposed, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// scribble overwrites a part of a file where the bytes what stand in it.
func scribble(t *testing.T, path string, what []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, what)
	if at < 0 {
		t.Fatal("not in the file in one piece")
	}
	for i := range what {
		data[at+i] ^= 0x5a
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// manySegments records a session of n seconds and returns the places of its segments in the file.
func manySegments(t *testing.T, path string, n int) (blobs [][]byte) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	create(t, s, "a")
	random := rand.New(rand.NewPCG(1, 2)) // what does not compress fills pages
	for i := range n {
		line := make([]byte, 300)
		for k := range line {
			line[k] = byte(random.Uint32())
		}
		rawLog(t, s, "a", []session.Event{{At: time.Duration(i) * time.Second, Data: line}})
	}
	if err := errors.Join(s.SaveEntries(t.Context(), "a", []*session.Entry{message("1", 1, session.RoleUser, "hello")}),
		s.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), "SELECT data FROM segments ORDER BY end_event")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var blob []byte
		if err := rows.Scan(&blob); err != nil {
			t.Fatal(err)
		}
		blobs = append(blobs, blob)
	}
	if err := rows.Err(); err != nil || len(blobs) != n {
		t.Fatalf("%d segments, %v", len(blobs), err)
	}
	return blobs
}

// A file that was scribbled over: what is whole is read, the rest named.
func TestScribbledSegment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	blobs := manySegments(t, path, 5)
	scribble(t, path, blobs[2][4:20])
	s := open(t, path)
	events, damages := readLog(t, s, "a", store.From{})
	if len(events) != 4 || len(damages) != 1 {
		t.Fatalf("%d events, damages %v", len(events), damages)
	}
	if d := damages[0]; d.StartByte != 600 || d.EndByte != 900 || d.FirstEvent != 2 || d.EndEvent != 3 || d.Err == nil {
		t.Errorf("damage = %+v", d)
	}
	if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("problems %v, %v", problems, err)
	}
}

// A page of the file that is nonsense takes some segments with it, and no more.
func TestScribbledPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	const n = 60
	manySegments(t, path, n)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pages := leaves(t, path)
	for _, page := range []int{pages[len(pages)/2], pages[len(pages)-1]} {
		for i := (page - 1) * 4096; i < page*4096; i++ {
			data[i] = 0xff
		}
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	events, damages := readLog(t, s, "a", store.From{})
	lost := int64(0)
	for _, d := range damages {
		lost += d.EndEvent - d.FirstEvent
		if d.EndByte-d.StartByte != 300*(d.EndEvent-d.FirstEvent) {
			t.Errorf("damage = %+v", d)
		}
	}
	if len(damages) != 2 || lost+int64(len(events)) != n || len(events) < n/2 {
		t.Errorf("%d events, %d lost: %v", len(events), lost, damages)
	}
	problems, err := s.Check(t.Context())
	if err == nil && len(problems) == 0 {
		t.Error("Check finds nothing")
	}
}

// leaves returns the numbers of the pages that hold the segments' rows.
func leaves(t *testing.T, path string) (pages []int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(),
		"SELECT pageno FROM dbstat WHERE name = 'segments' AND pagetype = 'leaf' ORDER BY path")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var page int
		if err := rows.Scan(&page); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page)
	}
	if err := rows.Err(); err != nil || len(pages) < 3 {
		t.Fatalf("pages %v, %v", pages, err)
	}
	return pages
}

// A damaged index is found out, and rebuilt.
func TestReindex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	create(t, s, "a")
	if err := s.SaveEntries(t.Context(), "a",
		[]*session.Entry{message("1", 1, session.RoleUser, "hello"), message("2", 2, session.RoleTool, "世界")}); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, harm := range []string{
		"DELETE FROM entry_fts_docsize", "UPDATE entry_fts_data SET block = x'ffffffff'", "DELETE FROM entry_fts_data",
		"DELETE FROM entry_fts_config",
		"INSERT INTO entry_fts (rowid, text) VALUES (99, 'stale')",
	} {
		if _, err := db.ExecContext(t.Context(), harm); err != nil {
			t.Fatal(err)
		}
		if missing, stale, err := s.CheckIndex(t.Context()); err == nil && missing+stale == 0 &&
			harm != "DELETE FROM entry_fts_config" {
			t.Errorf("%s: nothing is found", harm)
		}
		if err := s.Reindex(t.Context()); err != nil {
			t.Fatalf("%s: %v", harm, err)
		}
		if missing, stale, err := s.CheckIndex(t.Context()); err != nil || missing+stale > 0 {
			t.Errorf("%s: still %d missing, %d stale, %v", harm, missing, stale, err)
		}
		for _, word := range []string{"hello", "世界"} {
			if hits, err := s.Search(t.Context(), store.Query{Text: word}); err != nil || len(hits) != 1 {
				t.Errorf("%s: %d hits for %s, %v", harm, len(hits), word, err)
			}
		}
	}
}

// The index that Reindex makes is the one that the migrations make.
func TestIndexSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	var schema [2]string
	for i := range schema {
		db, err := sql.Open("sqlite", "file:"+path)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRowContext(t.Context(),
			"SELECT sql FROM sqlite_schema WHERE name = 'entry_fts'").Scan(&schema[i]); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Close(), s.Reindex(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(schema[0], schema[1]); diff != "" {
		t.Errorf("-migrated +rebuilt:\n%s", diff)
	}
}

// What can be read of a damaged file is copied into a new one, with the rows' numbers; the damaged
// one is kept.
func TestSalvage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	const n = 60
	manySegments(t, path, n)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pages := leaves(t, path)
	for i := (pages[1] - 1) * 4096; i < pages[1]*4096; i++ {
		data[i] = 0xff
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	kept, saved, err := sqlite.Salvage(t.Context(), path)
	lost := n - saved.Segments
	if err != nil || lost == 0 || saved.Entries != 1 || saved.Sessions != 1 || saved.Orphans > 0 {
		t.Fatalf("saved %+v, %v", saved, err)
	}
	if again, err := os.ReadFile(kept); err != nil || !bytes.Equal(again, data) {
		t.Errorf("the damaged file is not kept: %v", err)
	}
	s := open(t, path)
	if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("problems %v, %v", problems, err)
	}
	events, damages := readLog(t, s, "a", store.From{})
	if len(events)+lost != n || len(damages) != 1 || damages[0].EndByte-damages[0].StartByte != int64(300*lost) {
		t.Errorf("%d events, lost %v, damages %v", len(events), lost, damages)
	}
	if hits, err := s.Search(t.Context(), store.Query{Text: "hello"}); err != nil || len(hits) != 1 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
	if exposed, err := sqlite.Exposed(path); err != nil || len(exposed) > 0 {
		t.Errorf("exposed %v, %v", exposed, err)
	}
}

// Wherever the file is cut off, and whatever its header and schema look like, the rows of its other
// pages are saved. Once nothing was: SQLite had to open the file first.
func TestSalvageAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	const n = 40
	manySegments(t, path, n)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !sqlite.Ready(path) {
		t.Error("a whole database is not ready")
	}
	pages, perPage := leaves(t, path), n/2
	noise := func(size int) []byte {
		b := make([]byte, size)
		_, _ = rand.NewChaCha8([32]byte{7}).Read(b)
		return b
	}
	harms := map[string][]byte{
		"no header": append(noise(100), whole[100:]...), "header of zeros": append(make([]byte, 100), whole[100:]...),
		"no first page": append(noise(4096), whole[4096:]...),
		"no schema":     slices.Concat(whole[:100], noise(3996), whole[4096:]),
		"no end":        whole[:len(whole)-4096], "longer": append(bytes.Clone(whole), noise(10_000)...),
	}
	for at := pages[1] * 4096; at < len(whole); at += 4096 {
		harms[fmt.Sprint("cut at page ", at/4096)] = whole[:at]
		harms[fmt.Sprint("cut in page ", at/4096)] = whole[:at+1234]
	}
	for name, harmed := range harms {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ptyrec.db")
			if err := errors.Join(os.WriteFile(path, harmed, 0o600), os.WriteFile(path+"-live", nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			if sqlite.Ready(path) && name != "longer" {
				t.Error("it counts as ready")
			}
			_, saved, err := sqlite.Salvage(t.Context(), path)
			if err != nil || saved.Segments < min(perPage, 10) {
				t.Errorf("saved %+v, %v", saved, err)
			}
			s := open(t, path)
			if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
				t.Errorf("problems %v, %v", problems, err)
			}
			infos, err := s.Sessions(t.Context(), store.Filter{})
			if err != nil || len(infos) != 1 {
				t.Fatalf("%d sessions, %v", len(infos), err)
			}
			events, _ := readLog(t, s, infos[0].ID, store.From{})
			if len(events) != saved.Segments {
				t.Errorf("%d events, want %d", len(events), saved.Segments)
			}
		})
	}
}

// Wherever the first 100 bytes are damaged, the database is known as ours, also without the files
// that a recorder leaves next to it, and is saved.
func TestDamagedHeader(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "ptyrec.db")
	manySegments(t, whole, 40)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 37)
	_, _ = rand.NewChaCha8([32]byte{3}).Read(noise)
	for _, at := range []int{0, 7, 16, 18, 24, 44, 60, 63} {
		path := filepath.Join(t.TempDir(), "ptyrec.db")
		harmed := bytes.Clone(data)
		copy(harmed[at:], noise)
		if err := os.WriteFile(path, harmed, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := sqlite.Open(t.Context(), path); err == nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		} else if !errors.Is(err, session.ErrCorrupt) {
			t.Errorf("at %d: %v, want ErrCorrupt", at, err)
		}
		if _, saved, err := sqlite.Salvage(t.Context(), path); err != nil || saved.Sessions != 1 || saved.Segments < 30 {
			t.Errorf("at %d: saved %+v, %v", at, saved, err)
		}
	}
}

// A table whose row of the schema was lost was noticed only when it was asked for, and could not be
// repaired.
func TestMissingTable(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "ptyrec.db")
	manySegments(t, whole, 40)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"sessions", "segments", "entries", "texts", "agent_logs", "usage", "pushes"} {
		path := filepath.Join(t.TempDir(), "ptyrec.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"PRAGMA writable_schema = ON",
			"DELETE FROM sqlite_schema WHERE tbl_name = '" + table + "'"} {
			if _, err := db.ExecContext(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.Open(t.Context(), path); !errors.Is(err, session.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", table, err)
		}
		if _, err := sqlite.OpenReadOnly(t.Context(), path); !errors.Is(err, session.ErrCorrupt) {
			t.Errorf("%s, read-only: %v, want ErrCorrupt", table, err)
		}
		_, saved, err := sqlite.Salvage(t.Context(), path)
		if err != nil || saved.Sessions != 1 || saved.Segments < 30 {
			t.Errorf("%s: saved %+v, %v", table, saved, err)
		}
	}
}

// Salvage reads what only the write-ahead log has, of a database that is still open or was
// killed.
func TestSalvageLog(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "ptyrec.db"), filepath.Join(dir, "copy.db")
	s := open(t, path)
	create(t, s, "a")
	rawLog(t, s, "a", realEvents(t))
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if end == "" {
			clear(data[:100])
		}
		if err := os.WriteFile(copied+end, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, saved, err := sqlite.Salvage(t.Context(), copied); err != nil || saved.Sessions != 1 {
		t.Fatalf("saved %+v, %v", saved, err)
	}
	want, _ := readLog(t, s, "a", store.From{})
	got, damages := readLog(t, open(t, copied), "a", store.From{})
	if diff := cmp.Diff(want, got); diff != "" || len(damages) > 0 {
		t.Errorf("damages %v, events (-want +got):\n%s", damages, diff)
	}
}
