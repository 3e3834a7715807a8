package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/internal/testkit/teamtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// teamSite is a team's server as a process, a cluster of its own, and a machine that sends.
type teamSite struct {
	cluster       *pgtest.Own
	dsn, database string
	address       string
	environ       []string        // of the machine
	reader        context.Context // of its user
	serve, sync   *exec.Cmd
}

func newTeamSite(t *testing.T) *teamSite {
	t.Helper()
	s := &teamSite{}
	s.cluster, s.dsn = pgtest.NewOwn(t)
	s.environ, s.database = env(t)
	s.address = freeAddress(t)
	db := s.open(t)
	defer func() { _ = db.Close() }()
	operator := postgres.As(t.Context(), postgres.Viewer{Operator: true})
	must(t, db.AddUser(operator, "ann", postgres.RoleMember))
	token, err := db.AddToken(operator, postgres.NewToken{User: "ann", Kind: postgres.KindUser})
	must(t, err)
	v, err := db.Identify(t.Context(), token)
	must(t, err)
	s.reader = postgres.As(t.Context(), v)
	s.environ = append(s.environ, "PTYREC_TEAM_SERVER=http://"+s.address, "PTYREC_TEAM_TOKEN="+token, "PTYREC_TEAM_SPACE=")
	t.Cleanup(func() { s.kill(&s.serve); s.kill(&s.sync) })
	return s
}

// freeAddress returns an address that nobody listens at. It is below the ports that others get when
// they ask for any, so it stays free while a server is killed.
func freeAddress(t *testing.T) string {
	t.Helper()
	for {
		address := fmt.Sprint("127.0.0.1:", 20_000+rand.IntN(10_000))
		if l, err := net.Listen("tcp", address); err == nil {
			must(t, l.Close())
			return address
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *teamSite) open(t *testing.T) *postgres.Store {
	t.Helper()
	db, err := postgres.Open(t.Context(), s.dsn)
	must(t, err)
	return db
}

// start starts serve or sync.
func (s *teamSite) start(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("ptyrec", args...)
	cmd.Env = s.environ
	must(t, cmd.Start())
	return cmd
}

func (s *teamSite) startServe(t *testing.T) {
	t.Helper()
	s.serve = s.start(t, "--db", s.dsn, "team", "serve", "--listen", s.address)
	for late := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get("http://" + s.address + "/api/info")
		if err == nil {
			_ = answer.Body.Close()
			return
		}
		if time.Now().After(late) {
			t.Fatal(err)
		}
	}
}

func (s *teamSite) kill(cmd **exec.Cmd) {
	if *cmd != nil {
		_ = (*cmd).Process.Kill()
		_ = (*cmd).Wait()
		*cmd = nil
	}
}

// machine returns what the machine has; the store must be closed.
func (s *teamSite) machine(t *testing.T) teamtest.Machine {
	t.Helper()
	db, err := sqlite.Open(t.Context(), s.database)
	must(t, err)
	find, err := redact.New(redact.Options{})
	must(t, err)
	return teamtest.Machine{Store: db, Library: &library.Library{Store: db, Redact: archive.Redaction{Redactor: find}},
		Raw: true, Home: "/none"}
}

// record adds a session, and renames an older one.
func (s *teamSite) record(t *testing.T, n int) (id string) {
	t.Helper()
	m := s.machine(t)
	defer func() { _ = m.Store.Close() }()
	ended := time.Now().UTC().Truncate(time.Nanosecond)
	sess := &session.Session{ID: store.NewID(), Command: []string{"a"}, Cwd: "/w", StartedAt: ended.Add(-time.Second),
		EndedAt: &ended, Cols: 80, Rows: 24}
	rec := store.NewRecording(80, 24)
	for i := range 2000 {
		rec.Write(session.Event{At: time.Duration(i) * time.Millisecond, Kind: session.Output,
			Data: []byte(fmt.Sprintf("%s row %d of %d: %x\r\n", sess.ID, i, n, rand.Uint64()))})
	}
	var entries []*session.Entry
	for i := range 50 {
		text := fmt.Sprintf("message %d of session %d", i, n)
		entries = append(entries, &session.Entry{ID: fmt.Sprint("e", i), Seq: i + 1, Type: session.TypeMessage,
			Role: session.RoleUser, Text: text, Markdown: text, At: ended})
	}
	must(t, m.Store.Import(t.Context(), sess, rec, entries))
	return sess.ID
}

// serve, sync and PostgreSQL are killed with kill -9 at 50 random moments (short: 3). In the end
// the server has what the machine has.
func TestKilledTeamServerLosesNothing(t *testing.T) {
	t.Parallel()
	s := newTeamSite(t)
	kills := 3
	if long() {
		kills = 50
	}
	var ids []string
	for n := range kills {
		if s.serve == nil {
			s.startServe(t)
		}
		ids = append(ids, s.record(t, n))
		s.sync = s.start(t, "sync")
		time.Sleep(rand.N(500 * time.Millisecond)) // a random moment
		switch n % 3 {
		case 0:
			s.cluster.Kill(t)
		case 1:
			s.kill(&s.serve)
			s.startServe(t)
		}
		s.kill(&s.sync)
	}
	var out []byte
	for try := 0; ; try++ {
		cmd := exec.CommandContext(t.Context(), "ptyrec", "sync")
		cmd.Env = s.environ
		var err error
		if out, err = cmd.CombinedOutput(); err == nil {
			if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
				t.Logf("the last sync had %d KB of resident memory at most", used.Maxrss)
			}
			break
		}
		if try == 5 {
			t.Fatalf("sync: %v: %s", err, out)
		}
	}
	db, m := s.open(t), s.machine(t)
	defer func() { _, _ = db.Close(), m.Store.Close() }()
	for _, id := range ids {
		m.Same(s.reader, t, db, id, id)
	}
	if n, err := db.Count(s.reader, store.Filter{}); err != nil || n != len(ids) {
		t.Errorf("%d sessions there, %d here, %v", n, len(ids), err)
	}
}

// Bombs, entries by the million and 10,000 connections (short: 300) leave the server's memory flat:
// it does not depend on how many come.
func TestMemoryOfTheTeamServer(t *testing.T) {
	t.Parallel()
	s := newTeamSite(t)
	s.startServe(t)
	token := ""
	for _, e := range s.environ {
		if v, ok := strings.CutPrefix(e, "PTYREC_TEAM_TOKEN="); ok {
			token = v
		}
	}
	many := 300
	if long() {
		many = 10_000
	}
	var conns []net.Conn
	for range many {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Logf("after %d connections: %v", len(conns), err)
			break
		}
		conns = append(conns, conn)
		_, _ = fmt.Fprint(conn, "GET /api/info HTTP/1.1\r\nHost: localhost\r\nX-Slow:") // it may be closed already
	}
	idle := residentPeak(t, s.serve.Process.Pid)
	for _, conn := range conns {
		_ = conn.Close()
	}
	id := store.NewID()
	bomb := bombOf(t, 256<<20)
	entries := []byte(`{"version":1,"entries":[{}` + strings.Repeat(",{}", 1e6) + "]}")
	send := func(path string, body []byte) error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.address+"/api/push/"+id+path,
			bytes.NewReader(body))
		if err != nil {
			return err
		}
		if path != "/entries" {
			r.Method = http.MethodPut
		} else {
			r.Header.Set("Content-Type", "application/json")
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.StatusCode < 400 {
			return fmt.Errorf("%s: %s", path, answer.Status)
		}
		return nil
	}
	rounds, at := 3, 8
	if long() {
		rounds = 20
	}
	var peaks []int64
	for range rounds {
		errs := make(chan error)
		for i := range at {
			go func() {
				if i%2 == 0 {
					errs <- send("/raw?event=0", bomb)
				} else {
					errs <- send("/entries", entries)
				}
			}()
		}
		for range at {
			must(t, <-errs)
		}
		peaks = append(peaks, residentPeak(t, s.serve.Process.Pid)>>20)
	}
	t.Logf("peak of resident memory with %d connections: %d MB; after each round of %d bombs: %d MB", len(conns),
		idle>>20, at, peaks)
	if most := peaks[len(peaks)-1]; most > 1024 { // one bomb alone has 256 MB in it
		t.Errorf("%d MB", most)
	}
}

// bombOf returns a segment that claims to be n bytes of zeros.
func bombOf(t *testing.T, n int) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	must(t, err)
	return enc.EncodeAll(make([]byte, n), []byte{1})
}

// residentPeak returns the largest resident memory that a process has had, in bytes.
func residentPeak(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("needs /proc")
	}
	must(t, err)
	var kb int64
	for line := range strings.Lines(string(status)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, err := fmt.Sscan(v, &kb)
			must(t, err)
		}
	}
	return kb << 10
}
