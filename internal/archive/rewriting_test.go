package archive_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

const ghToken = "ghp_x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I"

// leaky stores a session that says a secret in its command, an entry and two pieces of its output.
func leaky(t *testing.T) (*sqlite.Store, *store.Info) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir()+"/test.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	sess := &session.Session{ID: store.NewID(), Command: []string{"echo", ghToken}, Cols: 80, Rows: 24}
	raw := store.NewRecording(80, 24)
	for _, part := range []string{"the key " + ghToken[:12], ghToken[12:] + " is out\r\n"} {
		raw.Write(session.Event{Kind: session.Output, Data: []byte(part)})
	}
	entry := &session.Entry{ID: "1", Seq: 1, Type: session.TypeMessage, Role: session.RoleAssistant,
		Text: "the key " + ghToken, Markdown: "the key " + ghToken}
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
	for what, text := range map[string]string{"command": strings.Join(after.Command, " "),
		"entry": entries[0].Text + entries[0].Markdown, "raw log": output(t, raw)} {
		if text == "" || strings.Contains(text, ghToken[4:12]) {
			t.Errorf("the %s is %q", what, text)
		}
	}
}

// counted counts the readings of raw logs.
type counted struct {
	*sqlite.Store
	readings int
}

func (c *counted) EventsFrom(ctx context.Context, id string, from store.From) iter.Seq2[session.Event, error] {
	c.readings++
	return c.Store.EventsFrom(ctx, id, from)
}

func TestMaskingReadsTheRawLogThreeTimesAtMost(t *testing.T) {
	leaky, leakyInfo := leaky(t)
	plain := &session.Session{ID: store.NewID(), Command: []string{"echo"}, Cols: 80, Rows: 24}
	raw := store.NewRecording(80, 24)
	raw.Write(session.Event{Kind: session.Output, Data: []byte("no secret\r\n")})
	raw.Write(session.Event{Kind: session.Input, Data: []byte("ls")})
	if err := leaky.Import(t.Context(), plain, raw, nil); err != nil {
		t.Fatal(err)
	}
	plainInfo, err := leaky.Find(t.Context(), plain.ID)
	if err != nil {
		t.Fatal(err)
	}
	r := redaction(t)
	for name, ways := range map[string]func(db *counted, info *store.Info) error{
		"shown here": func(db *counted, info *store.Info) error {
			m, err := archive.NewMasked(t.Context(), db, info, r)
			if err == nil {
				output(t, m)
				m.Stop()
			}
			return err
		},
		"sent": func(db *counted, info *store.Info) error {
			m, err := archive.NewSent(t.Context(), db, info, r, func(session.Event) {})
			if err == nil {
				output(t, m)
				m.Stop()
			}
			return err
		},
		"rewritten, and once more by the store": func(db *counted, info *store.Info) error {
			_, err := archive.NewRewriting(t.Context(), db, info, r)
			db.readings++
			return err
		},
	} {
		for info, want := range map[*store.Info]int{leakyInfo: 3, plainInfo: 2} {
			db := &counted{Store: leaky}
			if err := ways(db, info); err != nil || db.readings != want {
				t.Errorf("%s: %d readings of %v, want %d; %v", name, db.readings, info.Command, want, err)
			}
		}
	}
}

// A secret that is complete in one text of a raw log is hidden in the others, too.
func TestSecretInOneTextIsHiddenInTheOthers(t *testing.T) {
	db, _ := leaky(t)
	sess := &session.Session{ID: store.NewID(), Cols: 80, Rows: 24}
	raw := store.NewRecording(80, 24)
	for _, e := range []session.Event{
		{Kind: session.Output, Data: []byte("a part: " + ghToken[6:20] + "\r\n")},
		{Kind: session.Input, Data: []byte(ghToken[:18])}, {Kind: session.Marker, Data: []byte("key " + ghToken + " of it")},
		{Kind: session.Pipe, Stream: session.Stdout, Data: []byte(ghToken[:20])},
		{Kind: session.Pipe, Stream: session.Stderr, Data: []byte(ghToken[20:])},
		{Kind: session.Pipe, Stream: session.Stdout, Data: []byte(ghToken[20:])},
		{Kind: session.Input, Data: []byte(ghToken[18:])},
	} {
		raw.Write(e)
	}
	if err := db.Import(t.Context(), sess, raw, nil); err != nil {
		t.Fatal(err)
	}
	info, err := db.Find(t.Context(), sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.NewMasked(t.Context(), db, info, redaction(t))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Stop()
	shown := output(t, m)
	for i := 0; i+8 <= len(ghToken); i++ {
		if strings.Contains(shown, ghToken[i:i+8]) {
			t.Errorf("%q is left in %q", ghToken[i:i+8], shown)
		}
	}
}
