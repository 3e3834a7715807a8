package archive_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

const ghToken = "ghp_x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I"

// leaky stores a session that says a secret in its command, an entry and two pieces of its output.
func leaky(t *testing.T) (*store.Store, *store.Info) {
	t.Helper()
	db, err := store.Open(t.Context(), t.TempDir()+"/test.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	sess := &session.Session{ID: store.NewID(), Command: []string{"echo", ghToken}, Cols: 80, Rows: 24}
	raw := store.NewRecording(80, 24)
	for _, part := range []string{"the key " + ghToken[:12], ghToken[12:] + " is out\r\n"} {
		raw.Write(session.Event{Kind: session.Output, Data: []byte(part)})
	}
	entry := &session.Entry{ID: "1", Seq: 1, Type: session.TypeMessage, Role: session.RoleAssistant, Text: "the key " + ghToken, Markdown: "the key " + ghToken}
	if err := db.Import(t.Context(), sess, raw, []*session.Entry{entry}); err != nil {
		t.Fatal(err)
	}
	info, err := db.Find(t.Context(), sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	return db, info
}

func redaction(t *testing.T) archive.Redaction {
	t.Helper()
	finder, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return archive.Redaction{Redactor: finder}
}

// output returns what a raw log shows.
func output(t *testing.T, s archive.EventSource) string {
	t.Helper()
	var b strings.Builder
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		b.Write(e.Data)
	}
}

func TestMasked(t *testing.T) {
	db, info := leaky(t)
	for _, tt := range []struct {
		redaction archive.Redaction
		want      string
	}{
		{archive.Redaction{}, "the key " + ghToken + " is out\r\n"},
		{redaction(t), "the key " + strings.Repeat("*", len(ghToken)) + " is out\r\n"},
	} {
		m, err := archive.NewMasked(t.Context(), db, info, tt.redaction)
		if err != nil {
			t.Fatal(err)
		}
		if got := output(t, m); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
		m.Stop()
	}
}

func TestRewriting(t *testing.T) {
	db, info := leaky(t)
	w, err := archive.NewRewriting(t.Context(), db, info, redaction(t))
	if err != nil || len(w.Damage) != 0 {
		t.Fatalf("%v, %v", w, err)
	}
	if found := w.Found(); found["github-pat"] == 0 {
		t.Errorf("found %v, want github-pat", found)
	}
	if err := db.RewriteSession(t.Context(), info.ID, w.Rewrite()); err != nil {
		t.Fatal(err)
	}
	after, err := db.Find(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := db.Entries(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	raw := archive.NewRawLog(t.Context(), db, info.ID, 0)
	defer raw.Stop()
	for what, text := range map[string]string{"command": strings.Join(after.Command, " "), "entry": entries[0].Text + entries[0].Markdown, "raw log": output(t, raw)} {
		if text == "" || strings.Contains(text, ghToken[4:12]) {
			t.Errorf("the %s is %q", what, text)
		}
	}
}
