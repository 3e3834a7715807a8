package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// A recorder that wrote the end of its command into the raw log, and could not say so in the
// database, is no interrupted one.
func TestEndIsReadFromTheLog(t *testing.T) {
	t.Parallel()
	environ, db := env(t)
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	sess := session.Session{ID: store.NewID(), Command: []string{"false"}, StartedAt: time.Now().UTC(), Cols: 80, Rows: 24}
	raw, err := sqlite.Record(db, sess, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []session.Event{
		{Kind: session.Output, Data: []byte("needle-43\r\n")},
		{At: time.Second, Kind: session.Exit, Status: 7},
	} {
		raw.Put(e)
	}
	_, err = raw.Close()
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if out, err := command(environ, "search", `"needle-43"`).CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "needle-43") {
		t.Errorf("search: %v\n%s", err, out)
	}
	info, _ := rawLog(t, db)
	if info.Status != store.Ended || info.ExitCode == nil || *info.ExitCode != 7 || info.Unread {
		t.Errorf("the session is %s, its status %v; unread: %v", info.Status, info.ExitCode, info.Unread)
	}
}

// A session that never had a raw log keeps its entries, whatever reads it. Once the next search
// deleted them.
func TestSessionWithoutRawLog(t *testing.T) {
	t.Parallel()
	environ, db := env(t)
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	sess := &session.Session{ID: store.NewID(), Command: []string{"chat"}, StartedAt: time.Now().UTC(), Cols: 80, Rows: 24}
	entry := &session.Entry{ID: "1", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "haystack needle",
		Markdown: "haystack needle",
		At:       sess.StartedAt, Status: session.StatusComplete}
	err = errors.Join(s.CreateSession(t.Context(), sess), s.SaveEntries(t.Context(), sess.ID, []*session.Entry{entry}),
		s.Close())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"search", "needle"}, {"extract", "--session", "last"}, {"doctor", "--repair"},
		{"doctor", "--repair", "--all"}, {"export"}, {"search", "needle"}} {
		out, err := command(environ, args...).CombinedOutput()
		refused := args[0] == "extract"
		if (err != nil) != refused || args[0] != "doctor" && !refused && !strings.Contains(string(out), "haystack") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// What a flood left unread when its command ended is found all the same, and read once.
func TestFloodIsFound(t *testing.T) {
	t.Parallel()
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c",
		"head -c 12000000 /dev/zero | tr '\\0' x | fold -w 60; echo needle-42")
	if got := ptytest.Status(t, cmd); got != 0 {
		t.Fatalf("status = %d: %q", got, u.Shown())
	}
	before, events := rawLog(t, db)
	t.Logf("unread at the command's end: %v, of %d bytes", before.Unread, before.RawBytes)
	if n := len(bytesOf(session.Output, events)); int64(n) != before.RawBytes || n < 12_000_000 {
		t.Errorf("the raw log has %d bytes, %d are counted", n, before.RawBytes)
	}
	out, err := command(cmd.Env, "search", `"needle-42"`, "--json").Output()
	if err != nil || !strings.Contains(string(out), "needle-42") {
		t.Errorf("search: %v\n%s", err, out)
	}
	after, _ := rawLog(t, db)
	if after.Unread || after.Status != store.Ended {
		t.Errorf("it is unread: %v, %s", after.Unread, after.Status)
	}
}

// What was said in a session whose recorder read none of it counts, and is found by the filters.
func TestStatsReadsFirst(t *testing.T) {
	t.Parallel()
	environ, path := env(t)
	sess := session.Session{ID: store.NewID(), Command: []string{"bash"}, StartedAt: time.Now().UTC(), Cols: 80, Rows: 24}
	raw, err := sqlite.Record(path, sess, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw.Put(session.Event{Kind: session.Output,
		Data: []byte("\x1b]133;A\a$ \x1b]133;B\aecho 1\r\n\x1b]133;C\a1\r\n\x1b]133;D;0\a" +
			"\x1b]133;A\a$ \x1b]133;B\a")})
	raw.Put(session.Event{At: time.Second, Kind: session.Exit})
	if _, err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := command(environ, "stats", "--json").CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"messages": 1`) {
		t.Errorf("stats: %v\n%s", err, out)
	}
}
