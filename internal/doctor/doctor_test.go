package doctor_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/doctor"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// patient makes a database with a session of one shell command, and returns how to examine it.
func patient(t *testing.T) (o doctor.Options, id string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	started := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	ended := started.Add(time.Second)
	sess := &session.Session{ID: store.NewID(), Command: []string{"bash"}, StartedAt: started, EndedAt: &ended, Cols: 80,
		Rows: 24}
	raw := store.NewRecording(sess.Cols, sess.Rows)
	raw.Write(session.Event{Kind: session.Output,
		Data: []byte("\x1b]133;A\a$ \x1b]133;B\aecho 1\r\n\x1b]133;C\a1\r\n\x1b]133;D;0\a")})
	raw.Write(session.Event{At: time.Second, Kind: session.Exit})
	entry := &session.Entry{ID: "1", Seq: 1, Type: session.TypeMessage, Role: session.RoleShell, Text: "echo 1",
		Output: "1", At: started}
	if err := db.Import(t.Context(), sess, raw, []*session.Entry{entry}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	open := func(ctx context.Context) (*sqlite.Store, error) {
		db, err := sqlite.Open(ctx, path)
		if err == nil {
			t.Cleanup(func() { _ = db.Close() })
		}
		return db, err
	}
	return doctor.Options{
		Path: path, Open: open, OpenNew: open,
		Library:  func(db *sqlite.Store) (*library.Library, error) { return &library.Library{Store: db}, nil },
		Progress: func(string, string, int64) *human.Bar { return new(human.Bar) },
		Stdin:    null, Stdout: null, Agents: []string{"no-such-agent"},
	}, sess.ID
}

// harm changes the database as no program of ours does.
func harm(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// verdict returns the verdict on a thing, and "" if nothing is said of it.
func verdict(r doctor.Report, what string) string {
	for _, f := range r {
		if f.What == what {
			return f.Verdict
		}
	}
	return ""
}

func examine(t *testing.T, o doctor.Options) doctor.Report {
	t.Helper()
	r, err := doctor.Examine(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHealthy(t *testing.T) {
	o, _ := patient(t)
	r := examine(t, o)
	for what, want := range map[string]string{
		"database": doctor.OK, "permissions": doctor.OK, "index": doctor.OK, "file": doctor.OK, "sessions": doctor.OK,
		"entries": "", "terminal": doctor.Note, "agent": doctor.Note,
	} {
		if got := verdict(r, what); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	if r.Bad() != 0 {
		t.Errorf("%d things are wrong: %v", r.Bad(), r)
	}
}

func TestMissingEntries(t *testing.T) {
	o, id := patient(t)
	harm(t, o.Path, "DELETE FROM entries")
	r := examine(t, o)
	if r.Bad() == 0 || verdict(r, "entries") != doctor.Bad {
		t.Errorf("without entries: %v", r)
	}
	var text, data bytes.Buffer
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("bad     entries %s: some are missing\n", id); !strings.Contains(text.String(), want) {
		t.Errorf("no %q in:\n%s", want, text.String())
	}
	if err := r.WriteJSON(&data); err != nil || !strings.Contains(data.String(), fmt.Sprintf("%q: %q", "session", id)) {
		t.Errorf("%v: %s", err, data.String())
	}
	o.Repair = true
	if r := examine(t, o); r.Bad() != 0 || verdict(r, "entries") != doctor.Mended {
		t.Errorf("repaired: %v", r)
	}
	o.Repair = false
	if r := examine(t, o); r.Bad() != 0 || verdict(r, "entries") != "" {
		t.Errorf("after the repair: %v", r)
	}
}

func TestPermissions(t *testing.T) {
	o, _ := patient(t)
	if err := os.Chmod(o.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := verdict(examine(t, o), "permissions"); got != doctor.Bad {
		t.Errorf("open to others: %q", got)
	}
	o.Repair = true
	if got := verdict(examine(t, o), "permissions"); got != doctor.Mended {
		t.Errorf("repaired: %q", got)
	}
	if info, err := os.Stat(o.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A database that is not there yet is no failure; without a path only the surroundings are
// examined.
func TestNoDatabase(t *testing.T) {
	o, _ := patient(t)
	for path, want := range map[string]string{filepath.Join(t.TempDir(), "none.db"): doctor.Note, "": ""} {
		o.Path = path
		r := examine(t, o)
		if got := verdict(r, "database"); got != want || r.Bad() != 0 {
			t.Errorf("%q: %q, want %q; %v", path, got, want, r)
		}
	}
}
