package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// What was rewritten is in no file of the database any more: not as text, not as a word of the
// index, not as it was compressed.
func TestRewriteSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	const secret = "tk7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I"
	events := []session.Event{output(0, "before\r\n"), output(time.Millisecond, "secret "+secret+"\r\n"),
		output(2*time.Second, "after\r\n")}
	var segment []byte
	for _, id := range []string{"a", "b"} {
		sess := create(t, s, id)
		rawLog(t, s, id, events)
		sess.Title = secret
		entries := []*session.Entry{message("1", 1, session.RoleUser, secret),
			message("2", 2, session.RoleAssistant, "hello "+id)}
		if err := errors.Join(s.UpdateSession(t.Context(), sess), s.Rename(t.Context(), id, "my "+secret),
			s.SetNote(t.Context(), id, secret),
			s.SaveEntries(t.Context(), id, entries)); err != nil {
			t.Fatal(err)
		}
		segment = sqlite.EncodeSegment(0, 0, events)
		if !inFiles(t, path, []byte(secret)) || !inFiles(t, path, segment[1:]) {
			t.Fatalf("%s: the secret is not in the files before", id)
		}
		err := s.RewriteSession(t.Context(), id, store.Rewrite{
			Command: []string{"claude"},
			Text:    func(s string) string { return strings.ReplaceAll(s, secret, "clean") },
			Entries: []*session.Entry{message("1", 1, session.RoleUser, "clean"), entries[1]},
			Event: func(n int64, ev *session.Event) bool {
				if n != 1 {
					return false
				}
				ev.Data = bytes.ReplaceAll(ev.Data, []byte(secret), bytes.Repeat([]byte("*"), len(secret)))
				return true
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range [][]byte{[]byte(secret), bytes.ToLower([]byte(secret))[8:], segment[1:]} {
			if inFiles(t, path, what) {
				t.Errorf("%s: %.20q is still in the files", id, what)
			}
		}
	}
	got, damages := readLog(t, s, "b", store.From{})
	events[1].Data = bytes.ReplaceAll(events[1].Data, []byte(secret), bytes.Repeat([]byte("*"), len(secret)))
	if diff := cmp.Diff(events, got); diff != "" || len(damages) > 0 {
		t.Errorf("damages %v, events (-want +got):\n%s", damages, diff)
	}
	info := find(t, s, "b")
	if info.Title != "my clean" || info.Note != "clean" || info.Prompt != "clean" || info.Messages != 2 ||
		info.Turns != 1 || info.StoredBytes == 0 {
		t.Errorf("info = %+v", info)
	}
	hits, err := s.Search(t.Context(), store.Query{Text: "hello"})
	if err != nil || len(hits) != 2 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

func inFiles(t *testing.T, path string, what []byte) bool {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, what) {
			return true
		}
	}
	return false
}

// Somebody who still reads the old contents keeps them in the file; that is told.
func TestRewriteWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptyrec.db")
	s := open(t, path)
	sess := create(t, s, "a")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	reader, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.QueryRowContext(t.Context(), "SELECT count(*) FROM sessions").Scan(new(int)); err != nil {
		t.Fatal(err)
	}
	err = s.RewriteSession(t.Context(), "a", store.Rewrite{Command: sess.Command})
	if !errors.Is(err, session.ErrBusy) {
		t.Errorf("error = %v, want ErrBusy", err)
	}
	_ = reader.Rollback() // it only read
	if err := s.Scrub(t.Context()); err != nil {
		t.Error(err)
	}
}
