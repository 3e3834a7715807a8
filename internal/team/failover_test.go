package team_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// fleet is 8 machines that send at the same time.
type fleet struct {
	*site
	machines []*team.Syncer
	ids      [][]string // of the sessions of each
}

func newFleet(t *testing.T, s *site) *fleet {
	t.Helper()
	f := &fleet{site: s, ids: make([][]string, 8)}
	for n := range f.ids {
		m := s.machine(t, filepath.Join(t.TempDir(), fmt.Sprint(n, ".db")), work)
		m.Server.Pause = func(ctx context.Context, _ time.Duration) error { // no longer than it takes
			select {
			case <-time.After(50 * time.Millisecond):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		f.machines = append(f.machines, m)
	}
	return f
}

// record has each machine record some sessions.
func (f *fleet) record(t *testing.T, count int) {
	t.Helper()
	for n, m := range f.machines {
		for i := range count {
			text := fmt.Sprintf("cache %d of %d", i, n)
			if long() {
				text += " large"
			}
			f.ids[n] = append(f.ids[n], record(t, m.Store, "/home/ann/work", text).ID)
		}
	}
}

// sendAll has all machines send until nothing waits, and calls after with the number of sessions
// sent so far.
func (f *fleet) sendAll(t *testing.T, after func(sent int64)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	var sent atomic.Int64
	for _, m := range f.machines {
		all.Go(func() {
			for {
				infos, _, err := m.Waiting(ctx)
				if err != nil {
					t.Error(err)
				}
				if len(infos) == 0 || err != nil {
					return
				}
				if m.Send(ctx, infos[0]) == nil { // else the server cannot be reached just now
					after(sent.Add(1))
				}
			}
		})
	}
	all.Wait()
}

// same makes sure that the server has what the machines have.
func (f *fleet) same(t *testing.T) {
	t.Helper()
	number := 0
	for n, m := range f.machines {
		for _, id := range f.ids[n] {
			f.site.same(t, m, id, id)
			number++
		}
	}
	if there, err := f.db.Count(f.ctx, store.Filter{}); err != nil || there != number {
		t.Errorf("%d sessions there, %d here, %v", there, number, err)
	}
}

// The primary is killed under 8 senders and its synchronous standby promoted: they go on, and
// nothing that was acknowledged is lost.
func TestFailoverToASynchronousReplica(t *testing.T) {
	t.Parallel()
	each := 2
	if long() {
		each = 40
	}
	pair, dsn := pgtest.NewPair(t, true)
	f := newFleet(t, newSiteAt(t, dsn))
	f.record(t, each)
	var fail, first sync.Once
	var promoted atomic.Int64 // when, in nanoseconds
	f.sendAll(t, func(sent int64) {
		if at := promoted.Load(); at != 0 {
			first.Do(func() {
				waited := time.Since(time.Unix(0, at))
				t.Logf("the first session was sent %v after the standby was promoted", waited)
				if long() && waited > 5*time.Second {
					t.Error("they waited too long")
				}
			})
		}
		if sent < int64(len(f.machines)*each/2) {
			return
		}
		fail.Do(func() {
			pair.KillOnly(t)
			pair.Promote(t)
			promoted.Store(time.Now().UnixNano())
		})
	})
	f.same(t)
}

// The primary is killed under 8 senders, and the standby that is promoted was behind. A check finds
// what is lost, and it is sent again.
func TestFailoverToAReplicaThatIsBehind(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes minutes under the race detector; make test runs it")
	}
	each := 1
	if long() {
		each = 10
	}
	pair, dsn := pgtest.NewPair(t, false)
	f := newFleet(t, newSiteAt(t, dsn))
	pair.CatchUp(t) // it has the users, and no month yet
	pair.Cut(t)
	f.record(t, each)
	f.sendAll(t, func(int64) {})
	f.record(t, each)
	var fail sync.Once
	f.sendAll(t, func(int64) {
		fail.Do(func() {
			pair.KillOnly(t)
			pair.Promote(t)
		})
	})
	differ := 0
	for _, m := range f.machines {
		_, n, err := m.Check(t.Context(), false)
		check(t, err)
		differ += n
	}
	if differ < len(f.machines)*each {
		t.Errorf("the check finds %d sessions that are lost", differ)
	}
	f.sendAll(t, func(int64) {})
	f.same(t)
}

// While sessions are sent, the server is replaced again and again: what it was doing fails. The
// first to come is newer, and adds to the schema.
func TestReplacedReplica(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	sessions := 2
	if long() {
		sessions = 30
	}
	var serving *postgres.Store
	s.during(func(n int) {
		if n%2 == 0 {
			return
		}
		if serving == nil {
			s.do(t, "ALTER TABLE sessions ADD COLUMN newer text NOT NULL DEFAULT ''")
			s.do(t, "UPDATE ptyrec_schema SET version = version + 1")
		} else {
			check(t, serving.Close())
		}
		var err error
		serving, err = postgres.Open(t.Context(), s.dsn)
		check(t, err)
		replica := s.newReplica(t, serving)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.replica = replica
	})
	var sent []string
	for n := range sessions {
		sent = append(sent, record(t, m.Store, "/home/ann/work", fmt.Sprint("cache large ", n)).ID)
		for late := time.Now().Add(10 * time.Minute); len(waitingNow(t, m)) > 0; {
			if err := m.Send(t.Context(), waitingNow(t, m)[0]); err != nil && time.Now().After(late) {
				t.Fatal(err)
			}
		}
	}
	check(t, serving.Close())
	for _, id := range sent {
		s.same(t, m, id, id)
	}
	s.sameNumber(t, m)
}

// do runs a statement on the site's database.
func (s *site) do(t *testing.T, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	_, err = conn.Exec(t.Context(), statement)
	check(t, errors.Join(err, conn.Close(t.Context())))
}
