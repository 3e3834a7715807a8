package team_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// What the server's patterns match does not leave, and while the policy cannot be had nothing does.
func TestPatternsApplyBeforeSending(t *testing.T) {
	s := newSite(t)
	operator := postgres.As(t.Context(), postgres.Viewer{Operator: true})
	check(t, s.db.AddPattern(operator, redact.Pattern{Name: "customer", Regexp: "CUST-[0-9]+"}))
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	one := record(t, m.Store, "/home/ann/work", "CUST-4711")
	check(t, m.Store.Rename(t.Context(), one.ID, "about CUST-4711"))
	info := waiting(t, m, 1)[0]
	s.lose(func(n int) (bool, bool) { return n >= 4, true }) // every try of the first call is lost
	if err := m.Send(t.Context(), info); err == nil || strings.Contains(s.seen(), one.ID) {
		t.Errorf("without the policy: %v, sent %s", err, s.seen())
	}
	if all(t, m) != 1 {
		t.Error("it was not sent")
	}
	if sent := s.seen(); strings.Contains(sent, "CUST-4711") || !strings.Contains(sent, "[redacted:customer]") {
		t.Errorf("the pattern's match left")
	}
	raw := 0
	for e, err := range s.db.EventsFrom(s.ctx, one.ID, store.From{}) {
		check(t, err)
		if raw += len(e.Data); strings.Contains(string(e.Data), "CUST-4711") {
			t.Errorf("the raw log has %q", e.Data)
		}
	}
	if raw == 0 {
		t.Error("there is no raw log")
	}
}

// A server that was set back lost whole sessions, and parts of others. Once a day the sender finds
// out, and sends them again.
func TestLostSessionsAreSentAgain(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	whole, lost, part, gone := record(t, m.Store, "/home/ann/work", "one"), record(t, m.Store, "/home/ann/work",
		"two"), record(t, m.Store, "/home/ann/work", "large three"), record(t, m.Store, "/home/ann/work", "four")
	if all(t, m) != 4 {
		t.Fatal("not all were sent")
	}
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	for _, q := range []string{
		"DELETE FROM sessions WHERE id = '" + lost.ID + "'", "DELETE FROM segments WHERE session = '" + lost.ID + "'",
		"DELETE FROM entries WHERE session = '" + lost.ID + "'",
		"DELETE FROM words WHERE session = '" + lost.ID + "'", "DELETE FROM segments WHERE session = '" + part.ID + "'",
		"DELETE FROM entries WHERE session = '" + part.ID + "' AND id <> 'e0'",
		"DELETE FROM words WHERE session = '" + part.ID + "' AND entry <> 'e0'",
		"UPDATE sessions SET entries_version = 0, version = 0, events = 0, raw_sha256 = '', raw_bytes = 0, stored_bytes = " +
			"0, messages = 1, turns = 1, ended_at = NULL WHERE id = '" + part.ID + "'",
	} {
		_, err := conn.Exec(t.Context(), q)
		check(t, err)
	}
	check(t, conn.Close(t.Context()))
	check(t, s.db.DeleteSession(s.ctx, gone.ID))
	if n := all(t, m); n != 0 {
		t.Errorf("%d waited before anybody asked", n)
	}
	compare := func(due bool, wantCompared, wantDiffer int) {
		t.Helper()
		compared, differ, err := m.Check(t.Context(), due)
		if err != nil || compared != wantCompared || differ != wantDiffer {
			t.Errorf("%d were compared, %d differ, %v; want %d, %d", compared, differ, err, wantCompared, wantDiffer)
		}
	}
	compare(true, 4, 2)
	compare(true, 0, 0) // not due for a day
	if n := all(t, m); n != 2 {
		t.Errorf("%d were sent again", n)
	}
	for _, one := range []string{whole.ID, lost.ID, part.ID} {
		s.same(t, m, one, one)
	}
	compare(false, 3, 0)
	if _, err := s.db.Find(s.ctx, gone.ID); err == nil {
		t.Error("a deleted session is back")
	}
	s.lose(func(int) (bool, bool) { return false, false })
	if _, _, err := m.Check(t.Context(), false); err == nil || errors.Is(err, t.Context().Err()) {
		t.Errorf("without a server: %v", err)
	}
}

// PostgreSQL's disk is full: the server answers 507, and what was to be sent waits and is sent when
// there is room. A trigger has PostgreSQL report the error.
func TestFullDiskDelaysSending(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	one, two := record(t, m.Store, "/home/ann/work", "large one"), record(t, m.Store, "/home/ann/work", "two")
	run := func(q string) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), s.dsn)
		check(t, err)
		_, err = conn.Exec(t.Context(), q)
		check(t, errors.Join(err, conn.Close(t.Context())))
	}
	run(`CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'could not extend file: No space ` +
		`left on device' USING ERRCODE = '53100'; END $$`)
	for _, table := range []string{"segments", "entries"} {
		run("CREATE TRIGGER no_room BEFORE INSERT ON " + table + " FOR EACH ROW EXECUTE FUNCTION no_room()")
		for _, info := range waiting(t, m, 2) {
			if err := m.Send(t.Context(), info); err == nil || !strings.Contains(err.Error(), "507") {
				t.Errorf("%s is full: %v", table, err)
			}
		}
		_, pushes, err := m.Waiting(t.Context())
		if p := pushes[one.ID]; err != nil || p.Waits.IsZero() || !strings.Contains(p.Failed, "full") {
			t.Errorf("%+v, %v", p, err)
		}
		run("DROP TRIGGER no_room ON " + table)
	}
	if n := all(t, m); n != 2 {
		t.Errorf("%d were sent", n)
	}
	s.same(t, m, one.ID, one.ID)
	s.same(t, m, two.ID, two.ID)
}
