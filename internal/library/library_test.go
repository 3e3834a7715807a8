package library

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// ghToken is a secret that the rules know.
const ghToken = "ghp_x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I"

// opened returns the database at path, and its last session.
func opened(t *testing.T, path string, open func() (*sqlite.Store, error)) (*sqlite.Store, *store.Info) {
	t.Helper()
	db, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	info, err := db.Find(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	return db, info
}

// openDatabase opens a database and imports the journals.
func openDatabase(t *testing.T, path string) (*sqlite.Store, error) {
	db, err := sqlite.Open(t.Context(), path)
	if err == nil {
		err = db.ImportJournals(t.Context(), nil)
	}
	return db, err
}

func TestReadOutAll(t *testing.T) {
	path := t.TempDir() + "/test.db"
	unread(t, path, 3)
	unread(t, path, 4)
	db, _ := opened(t, path, func() (*sqlite.Store, error) { return openDatabase(t, path) })
	l := &Library{Store: db, Warn: t.Errorf}
	if err := l.ReadOutAll(t.Context(), store.Filter{Limit: 1}); err != nil {
		t.Fatal(err)
	}
	infos, err := db.Sessions(t.Context(), store.Filter{})
	if err != nil || len(infos) != 2 || infos[0].Unread || infos[1].Unread || infos[0].Messages+infos[1].Messages != 7 {
		t.Errorf("%+v, %v", infos, err)
	}
}

// A database that cannot be written does not take what is read: it is found all the same.
func TestSearchReadOnly(t *testing.T) {
	path := t.TempDir() + "/test.db"
	unread(t, path, 3)
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = db.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, info := opened(t, path, func() (*sqlite.Store, error) { return sqlite.OpenReadOnly(t.Context(), path) })
	if !info.Unread {
		t.Fatalf("%+v is read", info)
	}
	l := &Library{Store: db, Warn: t.Errorf}
	labels, hits, err := l.Search(t.Context(), store.Query{Text: "echo", Filter: store.Filter{Limit: 2}})
	if err != nil || len(labels) != 0 || len(hits) != 2 || hits[0].Session.ID != info.ID ||
		!strings.HasPrefix(hits[0].Entry.Text, "echo") {
		t.Errorf("%v, %v, %v", labels, hits, err)
	}
	got, err := l.Transcript(t.Context(), info)
	if err != nil || len(got.Entries) < 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRereadWithoutRawLog(t *testing.T) {
	path := t.TempDir() + "/test.db"
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = db.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer func() { _ = db.Close() }()
	sess := &session.Session{ID: store.NewID(), Command: []string{"sh"}, Cols: 80, Rows: 24}
	if err := db.CreateSession(t.Context(), sess); err != nil {
		t.Fatal(err)
	}
	info, err := db.Find(t.Context(), sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	//nolint:errorlint // it is returned as it is
	if _, _, err := (&Library{Store: db}).Reread(t.Context(), info); err != ErrNoRawLog {
		t.Errorf("Reread() = %v, want %v", err, ErrNoRawLog)
	}
}

// What was stored before redaction was on is shown without its secrets.
func TestTranscriptWithoutSecrets(t *testing.T) {
	path := t.TempDir() + "/test.db"
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = db.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer func() { _ = db.Close() }()
	sess := &session.Session{ID: store.NewID(), Command: []string{"echo", ghToken}, Cols: 80, Rows: 24}
	raw := store.NewRecording(80, 24)
	raw.Write(session.Event{Kind: session.Output, Data: []byte(ghToken)})
	if err := db.Import(t.Context(), sess, raw,
		[]*session.Entry{{ID: "1", Seq: 1, Type: session.TypeMessage, Role: session.RoleShell,
			Text: "echo " + ghToken}}); err != nil {
		t.Fatal(err)
	}
	info, err := db.Find(t.Context(), sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	finder, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for redactor, want := range map[*redact.Redactor]bool{nil: true, finder: false} {
		got, err := (&Library{Store: db, Redact: archive.Redaction{Redactor: redactor}}).Transcript(t.Context(), info)
		if err != nil {
			t.Fatal(err)
		}
		said := got.Entries[0].Text + strings.Join(got.Session.Command, " ")
		if strings.Contains(said, ghToken) != want {
			t.Errorf("redaction %v: %s", redactor != nil, said)
		}
	}
}
