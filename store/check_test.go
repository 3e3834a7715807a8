package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Whatever the umask, nobody else can read what is recorded: folder 0700, each file 0600.
func TestPermissions(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o077, 0o277} {
		dir := filepath.Join(t.TempDir(), "data", "ptyrec")
		path := filepath.Join(dir, "ptyrec.db")
		old := syscall.Umask(umask)
		s, err := store.Open(t.Context(), path)
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		old = syscall.Umask(umask)
		create(t, s, "a")
		rawLog(t, s, "a", []session.Event{output(0, "x")})
		syscall.Umask(old)
		got := map[string]fs.FileMode{}
		files, err := filepath.Glob(path + "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append(files, dir, filepath.Dir(dir)) {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			got[filepath.Base(file)] = info.Mode().Perm()
		}
		want := map[string]fs.FileMode{"data": 0o700, "ptyrec": 0o700, "ptyrec.db": 0o600, "ptyrec.db-wal": 0o600, "ptyrec.db-shm": 0o600, "ptyrec.db-live": 0o600}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("umask %#o (-want +got):\n%s", umask, diff)
		}
		if exposed, err := store.Exposed(path); err != nil || len(exposed) > 0 {
			t.Errorf("exposed %v, %v", exposed, err)
		}
		if err := errors.Join(os.Chmod(path, 0o644), os.Chmod(dir, 0o755), store.Protect(path)); err != nil {
			t.Error(err)
		}
		if exposed, err := store.Exposed(path); err != nil || len(exposed) > 0 {
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

// manySegments records a session of n seconds and gives the places of its segments in the file.
func manySegments(t *testing.T, path string, n int) (blobs [][]byte) {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	create(t, s, "a")
	log, err := s.RawLog(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2)) // what does not compress fills pages
	for i := range n {
		line := make([]byte, 300)
		for k := range line {
			line[k] = byte(random.Uint32())
		}
		if err := log.Write(t.Context(), session.Event{At: time.Duration(i) * time.Second, Data: line}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(log.Flush(t.Context()), s.SaveEntries(t.Context(), "a", []*session.Entry{message("1", 1, session.RoleUser, "hello")}), s.Close()); err != nil {
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

// leaves gives the numbers of the pages in which the segments' rows stand.
func leaves(t *testing.T, path string) (pages []int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), "SELECT pageno FROM dbstat WHERE name = 'segments' AND pagetype = 'leaf' ORDER BY path")
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

// A damaged index is found out, and made anew.
func TestReindex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	create(t, s, "a")
	if err := s.SaveEntries(t.Context(), "a", []*session.Entry{message("1", 1, session.RoleUser, "hello"), message("2", 2, session.RoleTool, "世界")}); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, harm := range []string{
		"DELETE FROM entry_fts_docsize", "UPDATE entry_fts_data SET block = x'ffffffff'", "DELETE FROM entry_fts_data", "DELETE FROM entry_fts_config",
		"INSERT INTO entry_fts (rowid, text) VALUES (99, 'stale')",
	} {
		if _, err := db.ExecContext(t.Context(), harm); err != nil {
			t.Fatal(err)
		}
		if missing, stale, err := s.CheckIndex(t.Context()); err == nil && missing+stale == 0 && harm != "DELETE FROM entry_fts_config" {
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
		if err := db.QueryRowContext(t.Context(), "SELECT sql FROM sqlite_schema WHERE name = 'entry_fts'").Scan(&schema[i]); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Close(), s.Reindex(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(schema[0], schema[1]); diff != "" {
		t.Errorf("-migrated +made anew:\n%s", diff)
	}
}

// What can be read of a damaged file is copied into a new one, with the rows' numbers; the damaged one is kept.
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
	kept, lost, err := store.Salvage(t.Context(), path)
	if err != nil || lost["segments"] == 0 || lost["entries"]+lost["sessions"] > 0 {
		t.Fatalf("lost %v, %v", lost, err)
	}
	if again, err := os.ReadFile(kept); err != nil || !bytes.Equal(again, data) {
		t.Errorf("the damaged file is not kept: %v", err)
	}
	s := open(t, path)
	if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("problems %v, %v", problems, err)
	}
	events, damages := readLog(t, s, "a", store.From{})
	if len(events)+lost["segments"] != n || len(damages) != 1 || damages[0].EndByte-damages[0].StartByte != int64(300*lost["segments"]) {
		t.Errorf("%d events, lost %v, damages %v", len(events), lost, damages)
	}
	if hits, err := s.Search(t.Context(), store.Query{Text: "hello"}); err != nil || len(hits) != 1 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
	if exposed, err := store.Exposed(path); err != nil || len(exposed) > 0 {
		t.Errorf("exposed %v, %v", exposed, err)
	}
}
