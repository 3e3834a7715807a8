package team_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/team"
	serverteam "github.com/ptyrec/ptyrec/internal/team/teamserver"
	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/internal/testkit/teamtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// site is a team's server behind a proxy that records what comes, and may lose answers.
type site struct {
	url   string
	dsn   string
	token string
	db    *postgres.Store
	ctx   context.Context // of the user

	mu    sync.Mutex // guards the fields below
	sent  bytes.Buffer
	calls int
	// cut, if set, decides what happens to the nth call: whether the server gets it, and whether
	// the sender gets the answer.
	cut func(n int) (request, answer bool)
	// before, if set, is called before the server has the nth call.
	before func(n int)
	// replica is what answers.
	replica http.Handler
}

// seen returns what was sent, whatever a call that was given up still adds.
func (s *site) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent.String()
}

// count returns how many calls there were.
func (s *site) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// lose sets cut and counts calls from 0.
func (s *site) lose(cut func(n int) (request, answer bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.cut = 0, cut
}

// during sets before.
func (s *site) during(before func(n int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = before
}

// past exports nothing.
type past struct{ *library.Past }

func (past) Export(context.Context, io.Writer, string, *store.Info, server.Part) error {
	return errors.ErrUnsupported
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteAt(t, pgtest.New(t))
}

// newSiteAt makes a site on an empty database.
func newSiteAt(t *testing.T, dsn string) *site {
	t.Helper()
	db, err := postgres.Open(t.Context(), dsn)
	check(t, err)
	t.Cleanup(func() { _ = db.Close() })
	operator := postgres.As(t.Context(), postgres.Viewer{Operator: true})
	check(t, db.AddUser(operator, "ann", postgres.RoleMember))
	check(t, db.AddSpace(operator, "shop"))
	check(t, db.SetMember(operator, "shop", "ann", "member"))
	s := &site{db: db, dsn: dsn}
	s.token, err = db.AddToken(operator, postgres.NewToken{User: "ann", Kind: postgres.KindUser})
	check(t, err)
	v, err := db.Identify(t.Context(), s.token)
	check(t, err)
	s.ctx = postgres.As(t.Context(), v)
	s.replica = s.newReplica(t, db)
	proxy := httptest.NewServer(http.HandlerFunc(s.pass))
	t.Cleanup(proxy.Close)
	s.url = proxy.URL
	return s
}

// newReplica returns what answers on a database.
func (s *site) newReplica(t *testing.T, db *postgres.Store) http.Handler {
	t.Helper()
	live, err := client.Dial(t.Context(), "", client.Options{Dir: t.TempDir()})
	check(t, err)
	log := slog.New(slog.DiscardHandler)
	push, read := serverteam.NewPush(db, log), library.NewPast(&library.Library{Store: db})
	t.Cleanup(func() { _ = read.Close() })
	h := server.New(server.Options{Store: db, Live: live, Users: serverteam.Users{Store: db}, Past: past{read}, Log: log,
		Protocols: []server.Protocol{
			{Handlers: push, Access: server.ShowSessions},
			{Handlers: serverteam.NewLinks(push, true), Access: server.ShowSessions},
			{Handlers: serverteam.NewPull(push), Access: server.ShowSessions},
		}})
	t.Cleanup(h.Close)
	return h
}

func (s *site) pass(w http.ResponseWriter, r *http.Request) {
	dump, err := httputil.DumpRequest(r, true)
	s.mu.Lock()
	_, _ = s.sent.Write(dump)
	n, request, answer := s.calls, true, true
	s.calls++
	if s.cut != nil {
		request, answer = s.cut(n)
	}
	before, h := s.before, s.replica
	s.mu.Unlock()
	if before != nil {
		before(n)
	}
	if err != nil || !request {
		panic(http.ErrAbortHandler)
	}
	lost := httptest.NewRecorder()
	if !answer {
		h.ServeHTTP(lost, r)
		panic(http.ErrAbortHandler)
	}
	h.ServeHTTP(w, r)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// machine is one that sends sessions.
func (s *site) machine(t *testing.T, path string, rules team.Rules) *team.Syncer {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	check(t, err)
	t.Cleanup(func() { _ = db.Close() })
	to, err := team.NewServer(s.url, s.token)
	check(t, err)
	to.Pause = func(context.Context, time.Duration) error { return nil }
	find, err := redact.New(redact.Options{})
	check(t, err)
	return &team.Syncer{Store: db, Library: &library.Library{Store: db, Redact: archive.Redaction{Redactor: find}},
		Server: to, Rules: rules, Home: "/home/ann"}
}

var work = team.Rules{Folders: []string{"/home/ann/work"}, Raw: true, Space: "shop"}

// ghToken has the form of a key.
const ghToken = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"

// record stores a session whose raw log has several segments.
func record(t *testing.T, db *sqlite.Store, cwd, text string) *session.Session {
	t.Helper()
	begun := time.Now().Add(-time.Hour).UTC().Truncate(time.Nanosecond)
	ended, code := begun.Add(time.Minute), 0
	s := &session.Session{ID: store.NewID(), Command: []string{"claude", "--dir", "/home/ann/work"}, Cwd: cwd,
		Title: "fix " + text, StartedAt: begun, EndedAt: &ended, ExitCode: &code,
		Cols: 80, Rows: 24, Agents: []session.Agent{{Name: "claude"}}}
	rec := store.NewRecording(80, 24)
	rec.Write(session.Event{Kind: session.Output, Data: []byte("begin " + text + " " + s.ID + "\r\n")})
	for i := range 3 {
		rec.Write(session.Event{At: time.Duration(i) * time.Second, Kind: session.Output,
			Data: []byte(fmt.Sprintf("%s %d\r\n", text, i))})
	}
	for i := range 2 * strings.Count(text, "large") {
		rec.Write(session.Event{At: 5 * time.Second, Kind: session.Output,
			Data: bytes.Repeat([]byte{'a' + byte(i), ' '}, 300_000)})
	}
	rec.Write(session.Event{At: 40 * time.Second, Kind: session.Input, Data: []byte("typed-password")})
	rec.Write(session.Event{At: 41 * time.Second, Kind: session.Exit})
	var entries []*session.Entry
	for i, said := range []string{"please " + text, "done", "and a last one"} {
		entries = append(entries, &session.Entry{ID: fmt.Sprint("e", i), Seq: i + 1, Type: session.TypeMessage,
			Role: session.RoleUser, Text: said, Markdown: said,
			At: begun, Status: session.StatusComplete, Details: session.Details{Cwd: "/home/ann/work/x"}})
	}
	check(t, db.Import(t.Context(), s, rec, entries))
	return s
}

// same makes sure that the server has what the machine has of a session, which is called id there.
func (s *site) same(t *testing.T, m *team.Syncer, local, id string) {
	t.Helper()
	teamtest.Machine{Store: m.Store, Library: m.Library, Raw: m.Rules.Raw, Home: "/home/ann"}.Same(s.ctx, t, s.db, local,
		id)
}

// all sends what waits.
func all(t *testing.T, m *team.Syncer) (sent int) {
	t.Helper()
	infos, _, err := m.Waiting(t.Context())
	check(t, err)
	for _, info := range infos {
		check(t, m.Send(t.Context(), info))
	}
	return len(infos)
}

// What waits is sent once, and again when it has changed.
func TestWhatWaitsIsSentOnce(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	one, two := record(t, m.Store, "/home/ann/work/api", "cache"), record(t, m.Store, "/home/ann/work", "large queue")
	if n := all(t, m); n != 2 {
		t.Errorf("%d sessions were sent", n)
	}
	s.same(t, m, one.ID, one.ID)
	s.same(t, m, two.ID, two.ID)
	info, err := s.db.Find(s.ctx, one.ID)
	check(t, err)
	if info.Cwd != "~/work/api" || info.Command[2] != "~/work" {
		t.Errorf("%+v", info.Session)
	}
	calls := s.count()
	if n := all(t, m); n != 0 || s.count() != calls {
		t.Errorf("%d were sent again", n)
	}
	check(t, m.Store.Rename(t.Context(), one.ID, "my name"))
	_, err = m.Store.Tag(t.Context(), one.ID, []string{"x"}, nil)
	check(t, err)
	check(t, m.Store.SaveEntries(t.Context(), two.ID,
		[]*session.Entry{{ID: "e9", Seq: 9, Type: session.TypeMessage, Role: session.RoleAssistant, Text: "new",
			Markdown: "new"}}, "e0"))
	if n := all(t, m); n != 2 {
		t.Errorf("%d were sent again", n)
	}
	info, err = s.db.Find(s.ctx, one.ID)
	if err != nil || info.Name != "my name" || len(info.Tags) != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	there, err := s.db.EntriesAfter(s.ctx, two.ID, 0)
	if err != nil || len(there) != 3 || there[2].Text != "new" {
		t.Errorf("%v, %v", there, err)
	}
	check(t, m.Withdraw(t.Context(), one.ID))
	if _, err := s.db.Find(s.ctx, one.ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("withdrawn: %v", err)
	}
	local, err := m.Store.Find(t.Context(), one.ID)
	check(t, err)
	if err := m.Send(t.Context(), local); !errors.Is(err, team.ErrNever) {
		t.Errorf("sent again: %v", err)
	}
}

// An answer, or a request, is lost at each call; the sender is killed there, and another one goes
// on.
func TestLostCallsLoseNothing(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	step := 1
	if testing.Short() {
		step = 3
	}
	for at := 0; at < 12; at += step {
		for _, request := range []bool{false, true} {
			for _, killed := range []bool{false, true} {
				one := record(t, m.Store, "/home/ann/work", fmt.Sprint("cache ", at, request, killed))
				s.lose(func(n int) (bool, bool) {
					return n < at || n > at && !killed || request && n == at, n < at || n > at && !killed
				})
				info, err := m.Store.Find(t.Context(), one.ID)
				check(t, err)
				sendErr := m.Send(t.Context(), info)
				calls := s.count()
				s.lose(nil)
				if killed && calls > at && sendErr == nil {
					t.Errorf("call %d was lost, and nobody noticed", at)
				}
				if sendErr != nil {
					check(t, m.Send(t.Context(), info))
				}
				s.same(t, m, one.ID, one.ID)
			}
		}
	}
	infos, err := s.db.Sessions(s.ctx, store.Filter{})
	mine, mineErr := m.Store.Sessions(t.Context(), store.Filter{})
	check(t, errors.Join(err, mineErr))
	if len(infos) != len(mine) {
		t.Errorf("%d sessions there, %d here", len(infos), len(mine))
	}
}

// Two machines that were cloned with a session which goes on in both: neither loses anything.
func TestClonedMachinesLoseNothing(t *testing.T) {
	s := newSite(t)
	dir := t.TempDir()
	m := s.machine(t, filepath.Join(dir, "a.db"), work)
	one := record(t, m.Store, "/home/ann/work", "cache")
	if n := all(t, m); n != 1 {
		t.Fatalf("%d were sent", n)
	}
	check(t, m.Store.Scrub(t.Context()))
	data, err := os.ReadFile(m.Store.Path())
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "b.db"), data, 0o600))
	clone := s.machine(t, filepath.Join(dir, "b.db"), work)
	for i, side := range []*team.Syncer{m, clone} {
		text := fmt.Sprint("side ", i)
		check(t, side.Store.SaveEntries(t.Context(), one.ID,
			[]*session.Entry{{ID: "side", Seq: 8, Type: session.TypeMessage, Role: session.RoleAssistant, Text: text,
				Markdown: text}}))
		if n := all(t, side); n != 1 {
			t.Errorf("%d were sent", n)
		}
	}
	pushes, err := clone.Store.Pushes(t.Context())
	check(t, err)
	other := pushes[one.ID].Remote
	if other == one.ID || other == "" {
		t.Fatalf("the clone's session is called %q", other)
	}
	s.same(t, m, one.ID, one.ID)
	s.same(t, clone, one.ID, other)
	if all(t, m)+all(t, clone) != 0 {
		t.Error("they send again")
	}
}

// Two machines have imported the same session: the server has it once. If one of them changes it,
// the server has both.
func TestSameImportIsThereOnce(t *testing.T) {
	s := newSite(t)
	dir := t.TempDir()
	m, other := s.machine(t, filepath.Join(dir, "a.db"), work), s.machine(t, filepath.Join(dir, "b.db"), work)
	one := record(t, m.Store, "/home/ann/work", "large cache")
	rec := store.NewRecording(80, 24)
	for e, err := range m.Store.Events(t.Context(), one.ID) {
		check(t, err)
		rec.Write(e)
	}
	entries, err := m.Store.Entries(t.Context(), one.ID)
	check(t, err)
	check(t, other.Store.Import(t.Context(), one, rec, entries))
	if all(t, m) != 1 || all(t, other) != 1 || all(t, m)+all(t, other) != 0 {
		t.Error("not each machine sends once")
	}
	s.same(t, other, one.ID, one.ID)
	if n, err := s.db.Count(s.ctx, store.Filter{}); err != nil || n != 1 {
		t.Errorf("the server has %d sessions, %v", n, err)
	}
	check(t, other.Store.SaveEntries(t.Context(), one.ID,
		[]*session.Entry{{ID: "more", Seq: 8, Type: session.TypeMessage, Role: session.RoleAssistant, Text: "more",
			Markdown: "more"}}))
	if all(t, other) != 1 || all(t, m) != 0 {
		t.Error("not the one that changed sends again")
	}
	pushes, err := other.Store.Pushes(t.Context())
	check(t, err)
	s.same(t, m, one.ID, one.ID)
	s.same(t, other, one.ID, pushes[one.ID].Remote)
	if n, err := s.db.Count(s.ctx, store.Filter{}); err != nil || n != 2 {
		t.Errorf("the server has %d sessions, %v", n, err)
	}
}

// What a session used of models is sent.
func TestUsageIsSent(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	one := record(t, m.Store, "/home/ann/work", "cache")
	cost := 1.5
	check(t, m.Store.PutScreenUsage(t.Context(), one.ID,
		[]session.Usage{{Source: session.UsageScreen, Agent: "claude", Model: "opus", At: one.StartedAt, Input: 3, Total: 3,
			Cost: &cost}}))
	all(t, m)
	want, err := m.Store.UsageOf(t.Context(), []string{one.ID})
	check(t, err)
	got, err := s.db.UsageOf(s.ctx, []string{one.ID})
	check(t, err)
	if len(got) == 1 {
		got[0].Cwd = want[0].Cwd
	}
	if diff := cmp.Diff(want, got); len(want) != 1 || diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Secrets that are taken out later are taken out there, too.
func TestLaterRedactionReachesTheServer(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	one := record(t, m.Store, "/home/ann/work", "cache")
	all(t, m)
	find, err := redact.New(redact.Options{Patterns: []redact.Pattern{{Name: "word", Regexp: "begin"}}})
	check(t, err)
	m.Library.Redact = archive.Redaction{Redactor: find}
	info, err := m.Store.Find(t.Context(), one.ID)
	check(t, err)
	check(t, m.Send(t.Context(), info))
	s.same(t, m, one.ID, one.ID)
	for e, err := range s.db.OutputFrom(s.ctx, one.ID, 0) {
		check(t, err)
		if bytes.Contains(e.Data, []byte("begin")) {
			t.Errorf("%.40q", e.Data)
		}
		break
	}
}

// What leaves the machine: no secret, nothing typed, no environment, nothing from outside the
// folders, nothing with redaction off.
func TestWhatLeavesTheMachine(t *testing.T) {
	t.Setenv("PLANTED_IN_ENV", "environment-secret")
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	m.Rules.Agents = []string{"claude"}
	record(t, m.Store, "/home/ann/work", "token "+ghToken)
	for i, cwd := range []string{"/home/ann/private", "/home/ann/work2", "/home/ann/work/../private", "/home/ann", "",
		"work"} {
		record(t, m.Store, cwd, fmt.Sprint("outsider-", i))
	}
	for _, info := range waiting(t, m, 1) {
		off := *m
		off.Library = &library.Library{Store: m.Store}
		if err := off.Send(t.Context(), info); !errors.Is(err, team.ErrRedactionOff) || s.count() != 0 {
			t.Errorf("with redaction off: %v, %d calls", err, s.count())
		}
	}
	outside, err := m.Store.Sessions(t.Context(), store.Filter{Cwd: "/home/ann/private"})
	check(t, err)
	if err := m.Send(t.Context(), outside[0]); !errors.Is(err, team.ErrOutside) || s.count() != 0 {
		t.Errorf("outside: %v, %d calls", err, s.count())
	}
	all(t, m)
	var there bytes.Buffer
	infos, err := s.db.Sessions(s.ctx, store.Filter{})
	check(t, err)
	for _, info := range infos {
		for e, err := range s.db.EventsFrom(s.ctx, info.ID, store.From{}) {
			check(t, err)
			there.Write(e.Data)
		}
	}
	for name, text := range map[string]string{"what was sent": s.seen(), "the raw log there": there.String()} {
		if len(text) < 200 {
			t.Errorf("%s is %d bytes", name, len(text))
		}
		for _, secret := range []string{ghToken, ghToken[4:], "typed-password", "outsider", "environment-secret",
			"/home/ann"} {
			if strings.Contains(text, secret) && (secret != "/home/ann" || name != "the raw log there") {
				t.Errorf("%s has %q", name, secret)
			}
		}
	}
}

func waiting(t *testing.T, m *team.Syncer, n int) []*store.Info {
	t.Helper()
	infos, _, err := m.Waiting(t.Context())
	if err != nil || len(infos) != n {
		t.Fatalf("%d wait, want %d: %v", len(infos), n, err)
	}
	return infos
}

// Addresses that would send the token in the clear, or to somebody else.
func TestAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://host": true, "https://host:8443/": true, "http://localhost:7681": true, "http://127.0.0.1:1": true,
		"http://host": false, "host": false, "": false,
		"https://user@host": false, "https://host/path": false, "ftp://host": false, "https://host?x": false,
		"http://127.0.0.1.evil.com": false,
	} {
		if _, err := team.NewServer(address, "x"); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
		t.Errorf("the token went to %s", r.Host)
	}))
	defer evil.Close()
	first := httptest.NewServer(http.RedirectHandler(evil.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	s, err := team.NewServer(first.URL, "x")
	check(t, err)
	if err := s.Check(t.Context()); err == nil {
		t.Error("a redirect is no error")
	}
}
