package team_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// live are rules by which conversations are sent while their sessions run.
var live = team.Rules{Folders: []string{"/home/ann/work"}, Raw: true, Live: true, Space: "shop"}

// recorded is a session that is being recorded.
type recorded struct {
	*session.Session
	t   *testing.T
	db  *sqlite.Store
	raw *journal.Writer
}

// begin begins to record a session.
func begin(t *testing.T, db *sqlite.Store, change func(*session.Session)) *recorded {
	t.Helper()
	s := &session.Session{ID: store.NewID(), Command: []string{"claude"}, Cwd: "/home/ann/work", Title: "a title",
		StartedAt: time.Now().UTC(), Cols: 80, Rows: 24, Agents: []session.Agent{{Name: "claude"}}}
	change(s)
	check(t, db.CreateSession(t.Context(), s))
	w, err := journal.Create(journal.Options{Folder: sqlite.JournalFolder(db.Path()), Session: *s})
	check(t, err)
	t.Cleanup(func() { _, _ = w.Close() })
	return &recorded{s, t, db, w}
}

// says writes output and entries, whose statuses are those behind their texts.
func (r *recorded) says(n int, text, status string) {
	r.t.Helper()
	r.raw.Put(session.Event{At: time.Duration(n) * time.Second, Kind: session.Output,
		Data: []byte("raw " + text + "\r\n")})
	check(r.t, r.raw.Settle(r.t.Context()))
	check(r.t, r.db.SaveEntries(r.t.Context(), r.ID,
		[]*session.Entry{{ID: fmt.Sprint("e", n), Seq: n, Type: session.TypeMessage, Role: session.RoleAssistant,
			Text: text, Markdown: text,
			At: r.StartedAt, Status: status}}))
}

// runs writes a command of a shell, which ran in a folder.
func (r *recorded) runs(n int, command, folder string) {
	r.t.Helper()
	check(r.t, r.db.SaveEntries(r.t.Context(), r.ID,
		[]*session.Entry{{ID: fmt.Sprint("e", n), Seq: n, Type: session.TypeMessage, Role: session.RoleUser, Text: command,
			Markdown: command,
			At:       r.StartedAt, Status: session.StatusComplete, Details: session.Details{Cwd: folder}}}))
}

// ends ends the recording.
func (r *recorded) ends() {
	r.t.Helper()
	_, err := r.raw.Close()
	check(r.t, err)
	check(r.t, r.db.FinishSession(r.t.Context(), r.ID, time.Now().UTC(), 0, true))
	check(r.t, r.db.ImportJournals(r.t.Context(), nil))
}

// news sends what is new of sessions that run, and returns how many those were.
func news(t *testing.T, m *team.Syncer) int {
	t.Helper()
	infos, err := m.News(t.Context())
	check(t, err)
	for _, info := range infos {
		check(t, m.SendLive(t.Context(), info))
	}
	return len(infos)
}

// there returns what the server has of a session.
func (s *site) there(t *testing.T, id string) string {
	t.Helper()
	entries, err := s.db.EntriesAfter(s.ctx, id, 0)
	check(t, err)
	texts := []string{}
	for _, e := range entries {
		texts = append(texts, e.Text)
	}
	return strings.Join(texts, " ")
}

// What is said is sent while the session runs, once, without the raw log; what still changes when
// it no longer does. After the end the server has what the machine has.
func TestLiveSessionIsSent(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), live)
	r := begin(t, m.Store, func(*session.Session) {})
	r.says(1, "one", session.StatusComplete)
	r.says(2, "two ghp_half", session.StatusStreaming)
	if n := news(t, m); n != 1 || s.there(t, r.ID) != "one" {
		t.Errorf("%d were sent: %s", n, s.there(t, r.ID))
	}
	if n := news(t, m); n != 0 {
		t.Errorf("%d were sent, and nothing is new", n)
	}
	r.says(2, "two", session.StatusComplete)
	calls := s.count()
	if n := news(t, m); n != 1 || s.there(t, r.ID) != "one two" || s.count()-calls != 1 {
		t.Errorf("%d were sent in %d calls: %s", n, s.count()-calls, s.there(t, r.ID))
	}
	r.says(1, "one more", session.StatusStreaming)
	if news(t, m); s.there(t, r.ID) != "one two" {
		t.Errorf("what changes again is not kept: %s", s.there(t, r.ID))
	}
	info, err := s.db.Find(s.ctx, r.ID)
	if err != nil || info.Status != store.Live || info.Recorded() || info.Space != "shop" {
		t.Errorf("%+v, %v", info, err)
	}
	if sent := s.seen(); strings.Contains(sent, "/raw") || strings.Contains(sent, "ghp_half") ||
		strings.Contains(sent, "one more") {
		t.Errorf("too much was sent: %s", sent)
	}
	r.says(1, "one more", session.StatusComplete)
	r.ends()
	s.mu.Lock()
	s.sent.Reset()
	s.mu.Unlock()
	if n := all(t, m); n != 1 {
		t.Errorf("%d were sent at the end", n)
	}
	s.same(t, m, r.ID, r.ID)
	if sent := s.seen(); !strings.Contains(sent, "/raw") || strings.Contains(sent, `"two"`) {
		t.Errorf("at the end was sent: %s", sent)
	}
}

// Without `live = true` nothing is sent before the end, also if the user wants it; nor ever what is
// private, outside the folders, or of other agents.
func TestLiveSessionsFollowTheRules(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	one := begin(t, m.Store, func(*session.Session) {})
	one.says(1, "hello", session.StatusComplete)
	if n := news(t, m) + all(t, m); n != 0 {
		t.Errorf("%d were sent", n)
	}
	info, err := m.Store.Find(t.Context(), one.ID)
	check(t, err)
	if err := m.Send(t.Context(), info); !errors.Is(err, team.ErrRuns) {
		t.Errorf("sent by name: %v", err)
	}
	m.Rules = live
	m.Rules.Agents = []string{"claude"}
	for _, change := range []func(*session.Session){
		func(s *session.Session) { s.Private = true }, func(s *session.Session) { s.Cwd = "/home/ann/other" },
		func(s *session.Session) { s.Agents[0].Name = "codex" },
		func(s *session.Session) { s.Agents = nil },
	} {
		begin(t, m.Store, change).says(1, "hidden", session.StatusComplete)
	}
	never := begin(t, m.Store, func(*session.Session) {})
	never.says(1, "hidden", session.StatusComplete)
	check(t, team.Never(t.Context(), m.Store, never.ID))
	begin(t, m.Store, func(s *session.Session) { s.Continues = never.ID }).says(1, "hidden", session.StatusComplete)
	for range 2 {
		infos, err := m.News(t.Context())
		check(t, err)
		for _, info := range infos {
			if err := m.SendLive(t.Context(), info); (err == nil) != (info.ID == one.ID) {
				t.Errorf("%s: %v", info.ID, err)
			}
		}
	}
	if s.there(t, one.ID) != "hello" || strings.Contains(s.seen(), "hidden") {
		t.Errorf("sent %s", s.seen())
	}
	if infos, err := m.News(t.Context()); err != nil || len(infos) != 0 {
		t.Errorf("refused ones are tried again at once: %v, %v", infos, err)
	}
}

// A live session whose shell leaves the folders is taken back, and nothing more of it is sent, also
// when it has ended. What was never sent is not even announced.
func TestLiveSessionThatLeavesTheFolders(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), live)
	shell := func(s *session.Session) { s.Command, s.Agents = []string{"bash"}, nil }
	sent, unsent, other := begin(t, m.Store, shell), begin(t, m.Store, shell), begin(t, m.Store, shell)
	sent.runs(1, "inside", "/home/ann/work/api")
	other.runs(1, "elsewhere", "/home/ann/work")
	unsent.runs(1, "hidden", "/home/ann/other")
	send := func() {
		t.Helper()
		infos, err := m.News(t.Context())
		check(t, err)
		for _, info := range infos {
			left := info.ID == unsent.ID || info.ID == sent.ID && info.Messages > 1
			if err := m.SendLive(t.Context(), info); left != errors.Is(err, team.ErrOutside) || !left && err != nil {
				t.Errorf("%s with %d messages: %v", info.ID, info.Messages, err)
			}
		}
	}
	if send(); s.there(t, sent.ID) != "inside" || s.there(t, other.ID) != "elsewhere" {
		t.Errorf("the server has %q and %q", s.there(t, sent.ID), s.there(t, other.ID))
	}
	sent.runs(2, "hidden", "/home/ann/other")
	send()
	if _, err := s.db.Find(s.ctx, sent.ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("it left the folders, and the server has it: %v", err)
	}
	sent.runs(3, "hidden too", "/home/ann/work")
	send()
	sent.ends()
	unsent.ends()
	infos, _, err := m.Waiting(t.Context())
	check(t, err)
	for _, info := range infos {
		if err := m.Send(t.Context(), info); err == nil {
			t.Errorf("%s was sent at its end", info.ID)
		}
	}
	for _, id := range []string{sent.ID, unsent.ID} {
		if _, err := s.db.Find(s.ctx, id); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("the server has %s: %v", id, err)
		}
	}
	if text := s.seen(); strings.Contains(text, "hidden") || strings.Contains(text, unsent.ID) ||
		s.there(t, other.ID) != "elsewhere" {
		t.Errorf("sent %s", text)
	}
}

// A live session leaves without secrets, those of the server's patterns too, without what was
// typed, and with ~ for the home folder.
func TestLiveSessionLeavesWithoutSecrets(t *testing.T) {
	s := newSite(t)
	check(t, s.db.AddPattern(postgres.As(t.Context(), postgres.Viewer{Operator: true}),
		redact.Pattern{Name: "customer", Regexp: "CUST-[0-9]+"}))
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), live)
	r := begin(t, m.Store, func(s *session.Session) {
		s.Command = []string{"claude",
			commandToken}
		s.Title = "CUST-4711"
	})
	r.raw.Put(session.Event{Kind: session.Input, Data: []byte("typed-password")})
	r.says(1, "key "+saidToken+" of CUST-4711 in /home/ann/work", session.StatusComplete)
	s.lose(func(int) (bool, bool) { return false, false }) // the policy cannot be had
	infos, err := m.News(t.Context())
	check(t, err)
	if err := m.SendLive(t.Context(), infos[0]); err == nil || strings.Contains(s.seen(), r.ID) {
		t.Errorf("without the policy: %v", err)
	}
	s.lose(nil)
	if news(t, m) != 1 || s.there(t, r.ID) != "key [redacted:github-pat] of [redacted:customer] in ~/work" {
		t.Errorf("the server has %s", s.there(t, r.ID))
	}
	for _, secret := range []string{saidToken, commandToken, "CUST-4711", "typed-password", "/home/ann", "raw key"} {
		if strings.Contains(s.seen(), secret) {
			t.Errorf("%s was sent", secret)
		}
	}
	m.Library.Redact.Redactor = nil
	r.says(2, "more", session.StatusComplete)
	if infos, err = m.News(t.Context()); err != nil || len(infos) != 1 {
		t.Fatal(infos, err)
	}
	if err := m.SendLive(t.Context(), infos[0]); !errors.Is(err, team.ErrRedactionOff) {
		t.Errorf("without redaction: %v", err)
	}
}

// A request or an answer is lost at each call, and the sender is killed there or not. Nothing is
// lost or doubled. The end is that of a session which was not sent before.
func TestLostCallsOfALiveSession(t *testing.T) {
	s := newSite(t)
	path := filepath.Join(t.TempDir(), "a.db")
	m := s.machine(t, path, live)
	step := 1
	if testing.Short() {
		step = 3
	}
	for at := 0; at < 7; at += step {
		for _, request := range []bool{false, true} {
			for _, killed := range []bool{false, true} {
				r := begin(t, m.Store, func(*session.Session) {})
				s.lose(func(n int) (bool, bool) {
					return n < at || n > at && !killed || request && n == at, n < at || n > at && !killed
				})
				for n := range 4 {
					r.says(n+1, fmt.Sprint("entry ", n), session.StatusComplete)
					r.says(1, fmt.Sprint("first ", n), session.StatusComplete)
					infos, err := m.News(t.Context())
					check(t, err)
					for _, info := range infos {
						_ = m.SendLive(t.Context(), info) // it may fail
					}
				}
				if s.lose(nil); killed {
					m = s.machine(t, path, live)
				}
				news(t, m)
				if got := s.there(t, r.ID); got != "first 3 entry 1 entry 2 entry 3" {
					t.Errorf("call %d, request %t, killed %t: the server has %q", at, request, killed, got)
				}
				r.ends()
				all(t, m)
				s.same(t, m, r.ID, r.ID)
			}
		}
	}
	infos, err := s.db.Sessions(s.ctx, store.Filter{})
	check(t, err)
	for _, info := range infos {
		if info.Status != store.Ended {
			t.Errorf("%s is %s", info.ID, info.Status)
		}
	}
}

// The server was set back while a session runs: at the latest when it is told again that the
// session runs, it gets all of it.
func TestLiveSessionAfterTheServerWasSetBack(t *testing.T) {
	s := newSite(t)
	path := filepath.Join(t.TempDir(), "a.db")
	m := s.machine(t, path, live)
	r := begin(t, m.Store, func(*session.Session) {})
	for n := range 3 {
		r.says(n+1, fmt.Sprint("entry ", n), session.StatusComplete)
		news(t, m)
	}
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	for _, table := range []string{"words", "entries", "sessions"} {
		_, err := conn.Exec(t.Context(), "DELETE FROM "+table)
		check(t, err)
	}
	check(t, conn.Close(t.Context()))
	r.says(4, "entry 3", session.StatusComplete)
	infos, err := m.News(t.Context())
	check(t, err)
	if err := m.SendLive(t.Context(), infos[0]); err == nil {
		t.Error("the server has lost the session, and takes more of it")
	}
	m = s.machine(t, path, live) // at once, not a minute later
	if news(t, m); s.there(t, r.ID) != "entry 0 entry 1 entry 2 entry 3" {
		t.Errorf("the server has %q", s.there(t, r.ID))
	}
}
