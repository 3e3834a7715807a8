package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// counted counts the readings of raw logs.
type counted struct {
	*sqlite.Store
	readings atomic.Int64
}

func (c *counted) EventsFrom(ctx context.Context, id string, from store.From) iter.Seq2[session.Event, error] {
	c.readings.Add(1)
	return c.Store.EventsFrom(ctx, id, from)
}

// token returns a secret.
func token(n int) string { return fmt.Sprintf("ghp_x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA%06d", n) }

// leaking is a session that is being recorded, and a Past that finds secrets.
type leaking struct {
	*Past
	db  *counted
	raw *journal.Writer
	id  string
	at  time.Duration
}

func newLeaking(t *testing.T) *leaking {
	t.Helper()
	path := t.TempDir() + "/test.db"
	sess := session.Session{ID: store.NewID(), Command: []string{"sh"}, StartedAt: time.Now().UTC(), Cols: 80, Rows: 24}
	raw, err := sqlite.Record(path, sess, nil)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	finder, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &leaking{db: &counted{Store: db}, raw: raw, id: sess.ID}
	s.Past = NewPast(&Library{Store: s.db, Redact: archive.Redaction{Redactor: finder}})
	t.Cleanup(func() {
		_ = s.Past.Close()
		_ = db.Close()
		_, _ = raw.Close()
	})
	return s
}

// show writes text to the terminal, and returns the session as it is after that.
func (s *leaking) show(t *testing.T, text string) *store.Info {
	t.Helper()
	s.at += time.Second
	s.raw.Put(session.Event{At: s.at, Kind: session.Output, Data: []byte(text)})
	if err := s.raw.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s.find(t)
}

func (s *leaking) find(t *testing.T) *store.Info {
	t.Helper()
	info, err := s.db.Find(t.Context(), s.id)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// screen returns the text on the screen.
func (s *leaking) screen(t *testing.T, info *store.Info, at float64) string {
	t.Helper()
	shot, _, err := s.Screen(t.Context(), info, at)
	if err != nil {
		t.Error(err)
	}
	var b strings.Builder
	for _, row := range shot.Lines {
		b.WriteString(row.Text + "\n")
	}
	return b.String()
}

// searches returns how often raw logs were searched for secrets while fn read them n times.
func (s *leaking) searches(n int, fn func()) int {
	before := s.db.readings.Load()
	fn()
	return int(s.db.readings.Load()-before) - n
}

func TestRequestsForASessionSearchItOnce(t *testing.T) {
	s := newLeaking(t)
	info := s.show(t, "the key is "+token(1)+", it is secret\r\n")
	const requests = 20
	got := s.searches(requests, func() {
		var all sync.WaitGroup
		for i := range requests {
			all.Go(func() {
				shown := s.screen(t, info, []float64{2, math.Inf(1)}[i%2])
				if strings.Contains(shown, token(1)[8:20]) || !strings.Contains(shown, "it is secret") {
					t.Errorf("the screen shows %q", shown)
				}
			})
		}
		all.Wait()
	})
	if got != 2 {
		t.Errorf("the raw log was searched %d times, want 2: once for secrets, once for parts of them", got)
	}
}

func TestSessionThatHasGrownIsSearchedAgain(t *testing.T) {
	s := newLeaking(t)
	info := s.show(t, "old "+token(1)+"\r\n")
	s.screen(t, info, math.Inf(1))
	longer := s.show(t, "new "+token(2)+"\r\nend")
	if shown := s.screen(t, longer, math.Inf(1)); strings.Contains(shown, "ghp_") || !strings.Contains(shown, "end") {
		t.Errorf("the longer session shows %q", shown)
	}
	// who has found the session before it grew is not shown what was not searched then
	if shown := s.screen(t, info, math.Inf(1)); strings.Contains(shown, "ghp_") || !strings.Contains(shown, "old ***") {
		t.Errorf("the session as it was shows %q", shown)
	}
	if n := len(s.masks.kept); n != 1 {
		t.Errorf("%d masks of one session are kept, want 1", n)
	}
}

// What is shown between the search and the reading was not searched.
func TestMaskedEndsWhereTheSearchEnded(t *testing.T) {
	s := newLeaking(t)
	info := s.show(t, "old "+token(1)+"\r\n")
	m, err := s.Masked(t.Context(), info)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Stop()
	s.show(t, "new "+token(2)+"\r\n")
	var b strings.Builder
	for {
		e, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b.Write(e.Data)
	}
	if got, want := b.String(), "old "+strings.Repeat("*", len(token(1)))+"\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRewrittenSessionIsSearchedAgain(t *testing.T) {
	s := newLeaking(t)
	s.show(t, "the key "+token(1)+"\r\n")
	if _, err := s.raw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.db.ImportJournals(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	info := s.find(t)
	s.screen(t, info, 1)
	w, err := archive.NewRewriting(t.Context(), s.db, info, s.Redact)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.db.RewriteSession(t.Context(), s.id, w.Rewrite()); err != nil && !errors.Is(err, session.ErrBusy) {
		t.Fatal(err)
	}
	if n := s.searches(1, func() { s.screen(t, s.find(t), 1) }); n == 0 {
		t.Error("the rewritten session was not searched")
	}
}

func TestMasksStayWithinTheirLimit(t *testing.T) {
	s := newLeaking(t)
	info := s.show(t, strings.Repeat("the key "+token(1)+"\r\n", 100))
	m, err := archive.NewMask(t.Context(), s.db, info, s.Redact)
	if err != nil {
		t.Fatal(err)
	}
	s.masks.limit = 2 * m.Size()
	for i := range 4 {
		v := versionOf(info, s.Redact)
		v.id += strconv.Itoa(i)
		if _, err := s.masks.of(t.Context(), v, func() (*archive.Mask, error) { return m, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.masks.kept); n != 2 || !strings.HasSuffix(s.masks.kept[1].id, "3") {
		t.Errorf("%d masks are kept, want the newest 2", n)
	}
	s.masks.limit = m.Size() - 1
	if n := s.searches(2, func() { s.screen(t, info, 1); s.screen(t, info, 1) }); n != 4 {
		t.Errorf("a session whose mask is too large was searched %d times, want 4", n)
	}
}

// A search that failed, for example because its client has left, is not kept.
func TestFailedSearchIsRepeated(t *testing.T) {
	s := newLeaking(t)
	info := s.show(t, "the key "+token(1)+"\r\n")
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := s.Masked(gone, info); err == nil {
		t.Error("a reading whose client has left succeeds")
	}
	if shown := s.screen(t, info, 1); !strings.Contains(shown, "***") {
		t.Errorf("the screen shows %q", shown)
	}
}
