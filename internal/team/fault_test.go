package team_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func long() bool { return os.Getenv("PTYREC_LONG_TESTS") != "" }

// cutter is a proxy on the way to a server that cuts all connections once, after a number of bytes.
type cutter struct {
	net.Listener
	to   string
	left atomic.Int64 // bytes, of both directions

	mu    sync.Mutex // guards conns
	conns map[net.Conn]bool
}

func newCutter(t *testing.T, url string) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	c := &cutter{Listener: l, to: strings.TrimPrefix(url, "http://"), conns: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", c.to)
			if err != nil {
				_ = conn.Close()
				continue
			}
			c.mu.Lock()
			c.conns[conn], c.conns[there] = true, true
			c.mu.Unlock()
			all.Go(func() { c.copy(there, conn) })
			all.Go(func() { c.copy(conn, there) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		c.cutAll()
		all.Wait()
	})
	return c
}

// copy passes bytes on, until the cut.
func (c *cutter) copy(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		left := c.left.Add(-int64(n))
		if left <= 0 && left+int64(n) > 0 { // the cut is here
			_, _ = to.Write(buf[:left+int64(n)])
			c.cutAll()
			return
		}
		if _, writeErr := to.Write(buf[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

func (c *cutter) cutAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		_ = conn.Close()
	}
	clear(c.conns)
}

// cutAt sends the session that make makes, with the connection cut after n bytes, and compares. It
// returns how many bytes of n were left.
func (s *site) cutAt(t *testing.T, c *cutter, m *team.Syncer, n int64, make func() *session.Session) (left int64) {
	t.Helper()
	one := make()
	info, err := m.Store.Find(t.Context(), one.ID)
	check(t, err)
	c.left.Store(n)
	if err := m.Send(t.Context(), info); err != nil { // the next sync
		if err := m.Send(t.Context(), info); err != nil {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
	}
	s.same(t, m, one.ID, one.ID)
	if t.Failed() {
		t.Fatalf("cut after %d bytes", n)
	}
	return c.left.Load()
}

// through returns a machine whose connections pass a cutter.
func (s *site) through(t *testing.T) (*team.Syncer, *cutter) {
	t.Helper()
	c := newCutter(t, s.url)
	s.url = "http://" + c.Addr().String()
	return s.machine(t, filepath.Join(t.TempDir(), "a.db"), work), c
}

// The connection is cut after every byte of a small push (short: after some).
func TestConnectionCutAnywhere(t *testing.T) {
	s := newSite(t)
	m, c := s.through(t)
	small := func() *session.Session { return recordSmall(t, m.Store) }
	const plenty = 1 << 30
	size := plenty - s.cutAt(t, c, m, plenty, small)
	step := size / 9
	if long() {
		step = 1
	}
	cuts := 0
	for n := int64(1); n < size; n += step {
		s.cutAt(t, c, m, n, small)
		cuts++
	}
	t.Logf("%d cuts in %d bytes", cuts, size)
	s.sameNumber(t, m)
}

// The connection is cut at random bytes of a large push: 200 (short: 2).
func TestConnectionCutInALargeSession(t *testing.T) {
	s := newSite(t)
	m, c := s.through(t)
	large := func() *session.Session { return recordLarge(t, m.Store) }
	const plenty = 1 << 30
	size := plenty - s.cutAt(t, c, m, plenty, large)
	cuts := 2
	if long() {
		cuts = 200
	}
	for range cuts {
		s.cutAt(t, c, m, 1+rand.Int64N(size), large)
	}
	t.Logf("%d cuts in %d bytes", cuts, size)
	s.sameNumber(t, m)
}

// recordSmall stores a session as small as it can be sent.
func recordSmall(t *testing.T, db *sqlite.Store) *session.Session {
	t.Helper()
	ended := time.Now().UTC().Truncate(time.Nanosecond)
	s := &session.Session{ID: store.NewID(), Command: []string{"a"}, Cwd: "/home/ann/work",
		StartedAt: ended.Add(-time.Second), EndedAt: &ended, Cols: 80, Rows: 24}
	rec := store.NewRecording(80, 24)
	rec.Write(session.Event{Kind: session.Output, Data: []byte(s.ID)})
	entry := &session.Entry{ID: "e", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "please",
		Markdown: "please", At: ended}
	check(t, db.Import(t.Context(), s, rec, []*session.Entry{entry}))
	return s
}

// recordLarge stores a session with several segments and batches of entries.
func recordLarge(t *testing.T, db *sqlite.Store) *session.Session {
	t.Helper()
	ended := time.Now().UTC().Truncate(time.Nanosecond)
	s := &session.Session{ID: store.NewID(), Command: []string{"a"}, Cwd: "/home/ann/work",
		StartedAt: ended.Add(-time.Second), EndedAt: &ended, Cols: 80, Rows: 24}
	rec := store.NewRecording(80, 24)
	noise := make([]byte, 200_000)
	for range 8 {
		for i := range noise {
			noise[i] = 'a' + byte(rand.IntN(26))
			if i%9 == 8 {
				noise[i] = ' '
			}
		}
		rec.Write(session.Event{Kind: session.Output, Data: append([]byte(s.ID), noise...)})
	}
	var entries []*session.Entry
	for i := range 3 {
		text := strings.Repeat(fmt.Sprintf("please say %d in words\n", i), 25_000)
		entries = append(entries, &session.Entry{ID: fmt.Sprint("e", i), Seq: i + 1, Type: session.TypeMessage,
			Role: session.RoleUser, Text: text, Markdown: text, At: ended})
	}
	check(t, db.Import(t.Context(), s, rec, entries))
	return s
}

// sameNumber makes sure that nothing was doubled.
func (s *site) sameNumber(t *testing.T, m *team.Syncer) {
	t.Helper()
	there, err := s.db.Count(s.ctx, store.Filter{})
	here, hereErr := m.Store.Count(t.Context(), store.Filter{})
	check(t, errors.Join(err, hereErr))
	if there != here {
		t.Errorf("%d sessions there, %d here", there, here)
	}
}

// Every request comes twice, and earlier ones come again in any order between them and after.
func TestCallsTwiceAndOutOfOrder(t *testing.T) {
	s := newSite(t)
	type request struct {
		method, path string
		header       http.Header
		body         []byte
	}
	var mu sync.Mutex // guards seen
	var seen []request
	send := func(r request) int {
		again, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), r.method, s.url+r.path,
			strings.NewReader(string(r.body)))
		check(t, err)
		again.Header = r.header
		answer, err := http.DefaultClient.Do(again)
		check(t, err)
		defer func() { _ = answer.Body.Close() }()
		_, _ = io.Copy(io.Discard, answer.Body)
		return answer.StatusCode
	}
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	m.Server.Transport(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		this := request{r.Method, r.URL.RequestURI(), r.Header.Clone(), body}
		seen = append(seen, this)
		for range rand.IntN(3) {
			send(seen[rand.IntN(len(seen))])
		}
		send(this)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		return next.RoundTrip(r)
	})
	rounds := 2
	if long() {
		rounds = 50
	}
	for n := range rounds {
		seen = nil
		one := record(t, m.Store, "/home/ann/work", fmt.Sprint("cache large ", n))
		for range 3 { // what came late makes the next sync send again
			info, err := m.Store.Find(t.Context(), one.ID)
			check(t, err)
			if err := m.Send(t.Context(), info); err != nil && !strings.Contains(err.Error(), "409") {
				t.Fatal(err)
			}
			check(t, m.Store.Rename(t.Context(), one.ID, fmt.Sprint("name ", rand.Int())))
		}
		check(t, m.Store.Rename(t.Context(), one.ID, "the last name"))
		for len(waitingNow(t, m)) > 0 {
			for _, info := range waitingNow(t, m) {
				if err := m.Send(t.Context(), info); err != nil && !strings.Contains(err.Error(), "409") {
					t.Fatal(err)
				}
			}
		}
		for range 5 { // after the end
			send(seen[rand.IntN(len(seen))])
		}
		s.same(t, m, one.ID, one.ID)
	}
	s.sameNumber(t, m)
}

func waitingNow(t *testing.T, m *team.Syncer) []*store.Info {
	t.Helper()
	infos, _, err := m.Waiting(t.Context())
	check(t, err)
	return infos
}

// Two syncs send the same sessions at the same time.
func TestTwoSyncsAtOnce(t *testing.T) {
	s := newSite(t)
	path := filepath.Join(t.TempDir(), "a.db")
	both := []*team.Syncer{s.machine(t, path, work), s.machine(t, path, work)}
	rounds := 2
	if long() {
		rounds = 50
	}
	for n := range rounds {
		one := record(t, both[0].Store, "/home/ann/work", fmt.Sprint("cache large ", n))
		var all sync.WaitGroup
		for _, m := range both {
			all.Go(func() {
				info, err := m.Store.Find(t.Context(), one.ID)
				if err == nil {
					_ = m.Send(t.Context(), info) // they may be in each other's way
				}
			})
		}
		all.Wait()
		for _, info := range waitingNow(t, both[0]) {
			check(t, both[0].Send(t.Context(), info))
		}
		pushes, err := both[0].Store.Pushes(t.Context())
		check(t, err)
		s.same(t, both[0], one.ID, pushes[one.ID].Remote)
	}
}

// A machine that was offline for 30 days sends what has piled up: 500 sessions (short: 12).
func TestOfflineSessionsWait(t *testing.T) {
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	sessions := 12
	if long() {
		sessions = 500
	}
	s.lose(func(int) (bool, bool) { return false, false })
	var ids []string
	for n := range sessions {
		one := record(t, m.Store, "/home/ann/work", fmt.Sprint("cache ", n))
		ids = append(ids, one.ID)
		if n%(sessions/6) != 0 {
			continue
		}
		info, err := m.Store.Find(t.Context(), one.ID)
		check(t, err)
		if err := m.Send(t.Context(), info); err == nil {
			t.Fatal("it was sent without a server")
		}
	}
	pushes, err := m.Store.Pushes(t.Context())
	check(t, err)
	if p := pushes[ids[0]]; p.Waits.IsZero() || p.Failed == "" {
		t.Errorf("%+v", p)
	}
	s.lose(nil)
	if n := all(t, m); n != sessions {
		t.Errorf("%d were sent", n)
	}
	for _, id := range ids {
		s.same(t, m, id, id)
	}
	s.sameNumber(t, m)
}
