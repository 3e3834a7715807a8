package team_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// running is a session that is being recorded.
type running struct {
	machine *team.Syncer
	session session.Session
	write   func(at time.Duration, text string)
	end     func(at time.Duration)
}

// runs records a session beside the database at path.
func (s *site) runs(t *testing.T, path string, sess session.Session) *running {
	t.Helper()
	w, err := sqlite.Record(path, sess, nil)
	check(t, err)
	r := &running{machine: s.machine(t, path, work), session: sess}
	r.write = func(at time.Duration, text string) {
		w.Put(session.Event{At: at, Kind: session.Output, Data: []byte(text)})
	}
	r.end = func(at time.Duration) {
		w.Put(session.Event{At: at, Kind: session.Exit})
		_, err := w.Close()
		check(t, err)
		check(t, r.machine.Store.ImportJournals(t.Context(), nil))
		check(t, r.machine.Store.FinishSession(t.Context(), sess.ID, sess.StartedAt.Add(at), 0, true))
	}
	t.Cleanup(func() { _, _ = w.Close() }) // again, if the test did
	return r
}

// says adds a message to the transcript.
func (r *running) says(t *testing.T, seq int, text string) {
	t.Helper()
	e := &session.Entry{ID: fmt.Sprint("e", seq), Seq: seq, Type: session.TypeMessage, Role: session.RoleAssistant,
		Text: text, Markdown: text, At: r.session.StartedAt, Status: session.StatusComplete}
	check(t, r.machine.Store.SaveEntries(t.Context(), r.session.ID, []*session.Entry{e}))
}

// raw returns the output that the server has of a session.
func (s *site) raw(t *testing.T, id string) string {
	t.Helper()
	var out bytes.Buffer
	for e, err := range s.db.EventsFrom(s.ctx, id, store.From{}) {
		check(t, err)
		out.Write(e.Data)
	}
	return out.String()
}

// A machine is cloned, with its database, while a session is recorded, which goes on in both: the
// server has both, with all bytes of each, and the second one names the first.
func TestResumedClone(t *testing.T) {
	s := newSite(t)
	first, second := filepath.Join(t.TempDir(), "p.db"), filepath.Join(t.TempDir(), "p.db")
	sess := session.Session{ID: store.NewID(), Command: []string{"claude"}, Cwd: "/home/ann/work", Title: "one",
		StartedAt: time.Now().Add(-time.Hour).UTC().Truncate(time.Second), Cols: 80, Rows: 24}
	before := strings.Repeat("before the clone\r\n", 2_000)
	a := s.runs(t, first, sess)
	a.write(0, before)
	check(t, a.machine.Store.ImportJournals(t.Context(), nil)) // it is known, and lives
	a.says(t, 1, "before")
	if n := all(t, a.machine); n != 0 {
		t.Fatalf("%d were sent while one is recorded", n)
	}
	check(t, a.machine.Store.Scrub(t.Context()))
	copyFile(t, first, second)
	b := s.runs(t, second, sess) // the recorder in the clone has written the same until now
	b.write(0, before)
	for i, side := range []*running{a, b} {
		side.write(time.Second, strings.Repeat(fmt.Sprintf("side %d\r\n", i), 3_000+i))
		side.says(t, 2, fmt.Sprint("on side ", i))
		side.end(2 * time.Second)
	}
	var wg sync.WaitGroup
	for _, side := range []*running{a, b} {
		wg.Go(func() { // as they would: at the same time
			infos, _, err := side.machine.Waiting(context.Background())
			for _, info := range infos {
				err = side.machine.Send(context.Background(), info)
			}
			if err != nil || len(infos) != 1 {
				t.Errorf("%d were sent: %v", len(infos), err)
			}
		})
	}
	wg.Wait()
	ids := map[string]bool{}
	for i, side := range []*running{a, b} {
		pushes, err := side.machine.Store.Pushes(t.Context())
		check(t, err)
		id := pushes[sess.ID].Remote
		ids[id] = true
		s.same(t, side.machine, sess.ID, id)
		if want, got := before+strings.Repeat(fmt.Sprintf("side %d\r\n", i), 3_000+i), s.raw(t, id); got != want {
			t.Errorf("side %d: %d bytes there, want %d", i, len(got), len(want))
		}
		info, err := s.db.Find(s.ctx, id)
		if forked := id != sess.ID; err != nil || forked != (info.ForkedFrom == sess.ID) {
			t.Errorf("side %d is called %s and forked from %q: %v", i, id, info.ForkedFrom, err)
		}
	}
	if len(ids) != 2 || !ids[sess.ID] {
		t.Errorf("they are called %v", ids)
	}
	if all(t, a.machine)+all(t, b.machine) != 0 {
		t.Error("they send again")
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	check(t, err)
	check(t, os.WriteFile(to, data, fs.FileMode(0o600)))
}

// A machine was cloned after it had sent a session. Both change it, and send at the same time: one
// does all of it before the nth call of the other. Neither loses anything.
func TestClonesThatSendAtOnce(t *testing.T) {
	s := newSite(t)
	for n := 0; ; n++ {
		first, second := filepath.Join(t.TempDir(), "a.db"), filepath.Join(t.TempDir(), "b.db")
		m := s.machine(t, first, work)
		one := record(t, m.Store, "/home/ann/work", fmt.Sprint("cache ", n))
		all(t, m)
		check(t, m.Store.Scrub(t.Context()))
		copyFile(t, first, second)
		clone := s.machine(t, second, work)
		for i, side := range []*team.Syncer{m, clone} {
			text := fmt.Sprint("side ", i)
			check(t, side.Store.SaveEntries(t.Context(), one.ID,
				[]*session.Entry{{ID: "side", Seq: 8, Type: session.TypeMessage, Role: session.RoleAssistant, Text: text,
					Markdown: text}}))
		}
		s.lose(nil)
		met := false
		s.during(func(call int) {
			if call == n && !met {
				met = true
				all(t, clone)
			}
		})
		all(t, m)
		s.during(nil)
		if !met {
			return
		}
		ids := map[string]bool{}
		for _, side := range []*team.Syncer{m, clone} {
			pushes, err := side.Store.Pushes(t.Context())
			check(t, err)
			ids[pushes[one.ID].Remote] = true
			s.same(t, side, one.ID, pushes[one.ID].Remote)
		}
		if len(ids) != 2 {
			t.Errorf("before call %d: they are called %v", n, ids)
		}
	}
}
