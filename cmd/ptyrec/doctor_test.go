package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// cmdDamage harms the database as no program of ours does: entries deletes them, json breaks one,
// end makes a session one whose recorder was killed, index, segment and page scribble over their
// part of the file.
func cmdDamage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.Getenv("PTYREC_DB")
	db, err := sql.Open("sqlite", "file:"+path)
	ts.Check(err)
	var blob []byte
	const first = "(SELECT pk FROM sessions ORDER BY started_at LIMIT 1)"
	switch args[0] {
	case "entries":
		_, err = db.Exec("DELETE FROM entries WHERE session_pk = " + first)
	case "json":
		_, err = db.Exec("UPDATE entries SET tool = '{' WHERE session_pk = " + first)
	case "end":
		_, err = db.Exec("UPDATE sessions SET ended_at = NULL, exit_code = NULL WHERE pk = " + first)
	case "index":
		err = db.QueryRow("SELECT block FROM entry_fts_data WHERE id > 10 ORDER BY length(block) DESC LIMIT 1").Scan(&blob)
	case "segment":
		err = db.QueryRow("SELECT data FROM segments WHERE session_pk = " + first).Scan(&blob)
	case "page":
		err = db.QueryRow("SELECT data FROM sqlite_dbpage WHERE pgno = (SELECT rootpage FROM sqlite_schema WHERE name = " +
			"'segments')").Scan(&blob)
	default:
		ts.Fatalf("usage: damage entries|json|end|index|segment|page")
	}
	ts.Check(err)
	_, err = db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	ts.Check(err)
	ts.Check(db.Close())
	if blob == nil {
		return
	}
	data, err := os.ReadFile(path)
	ts.Check(err)
	at := bytes.LastIndex(data, blob)
	if at < 0 {
		ts.Fatalf("the %s is not in one piece", args[0])
	}
	from, to := at+len(blob)/3, at+len(blob)*2/3
	if args[0] == "page" {
		from, to = at, at+len(blob)
	}
	for i := from; i < to; i++ {
		data[i] ^= 0xff
	}
	ts.Check(os.WriteFile(path, data, 0o600))
}

// All sessions are examined at once, each of them once, and told of in order. Once doctor read the
// entries of each twice, one session after the other: 80 s for a million entries, without a word.
func TestDoctorTellsInOrder(t *testing.T) {
	t.Parallel()
	environ, path := env(t)
	want := manySessions(t, path, 30)
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE sessions SET messages = messages + 1"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	out, _ := command(environ, "doctor").Output() // it fails: something is wrong
	var got []string
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutPrefix(line, "bad     entries "); ok {
			got = append(got, strings.TrimSuffix(id, ": some are missing\n"))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sessions (-want +got):\n%s\n%s", diff, out)
	}
	if out, err := command(environ, "doctor", "--repair").CombinedOutput(); err != nil ||
		strings.Count(string(out), "mended  entries") != len(want) {
		t.Errorf("doctor --repair: %v\n%s", err, out)
	}
	if out, err := command(environ, "doctor").CombinedOutput(); err != nil {
		t.Errorf("doctor: %v\n%s", err, out)
	}
}

// manySessions imports n sessions of some messages, and returns their ids, the newest first.
func manySessions(t testing.TB, path string, n int) (ids []string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer s.Close()
	for i := range n {
		started := time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC)
		ended := started.Add(time.Second)
		sess := &session.Session{ID: store.NewID(), Command: []string{"sh"}, StartedAt: started, EndedAt: &ended, Cols: 80,
			Rows: 24}
		raw := store.NewRecording(sess.Cols, sess.Rows)
		raw.Write(session.Event{Kind: session.Output, Data: fmt.Appendf(nil, "session %d\r\n", i)})
		var entries []*session.Entry
		for seq := 1; seq <= 20; seq++ {
			text := fmt.Sprintf("message %d of session %d", seq, i)
			entries = append(entries, &session.Entry{ID: fmt.Sprint(seq), Seq: seq, Type: session.TypeMessage,
				Role: session.RoleAssistant,
				Text: text, Markdown: text, At: started, Status: session.StatusComplete})
		}
		if err := s.Import(t.Context(), sess, raw, entries); err != nil {
			t.Fatal(err)
		}
		ids = append([]string{sess.ID}, ids...)
	}
	return ids
}

// BenchmarkDoctor examines 500 sessions.
func BenchmarkDoctor(b *testing.B) {
	environ, path := env(b)
	manySessions(b, path, 500)
	for b.Loop() {
		if out, err := command(environ, "doctor").CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
}
