package team_test

import (
	"context"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/team/bucket"
	"github.com/ptyrec/ptyrec/internal/testkit/s3test"
	"github.com/ptyrec/ptyrec/store"
)

// old is a bucket in which everything was written long ago.
type old struct{ *bucket.Bucket }

func (b old) Before(ctx context.Context, _ time.Time) iter.Seq2[string, error] {
	return b.Bucket.Before(ctx, time.Now().Add(time.Hour))
}

// objects returns how many objects there are.
func (b old) objects(t *testing.T) (n int) {
	t.Helper()
	for _, err := range b.Before(t.Context(), time.Time{}) {
		check(t, err)
		n++
	}
	return n
}

// segments returns how many segments of raw logs the site has.
func (s *site) segments(t *testing.T) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.dsn)
	check(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	check(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM segments").Scan(&n))
	return n
}

// In the middle of a push the bucket cannot be reached, or does what it is asked and cannot say so.
// What was to be sent waits, and is sent once when the bucket is back. The objects of what failed
// are swept.
func TestSenderWaitsForTheBucket(t *testing.T) {
	s3 := s3test.New(t)
	found, err := bucket.Open(t.Context(), "s3://"+s3test.Name+"/raw")
	check(t, err)
	s, b := newSite(t), old{found}
	s.db.UseObjects(b)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	orphans := 0
	for what, away := range map[string]func(bool){"away": s3.Down, "its answers are lost": s3.Mute} {
		one := record(t, m.Store, "/home/ann/work", "large "+what)
		before := s.segments(t)
		s.during(func(int) { away(s.segments(t) > before) })
		if err := m.Send(t.Context(), waiting(t, m, 1)[0]); err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("%s: %v", what, err)
		}
		_, pushes, err := m.Waiting(t.Context())
		if p := pushes[one.ID]; err != nil || p.Waits.IsZero() || p.Failed == "" {
			t.Errorf("%s: %+v, %v", what, p, err)
		}
		if came := s.segments(t) - before; came != 1 {
			t.Errorf("%s: %d segments came before", what, came)
		}
		s.during(nil)
		away(false)
		orphans = b.objects(t) - s.segments(t)
		if n := all(t, m); n != 1 {
			t.Errorf("%s: %d were sent", what, n)
		}
		s.same(t, m, one.ID, one.ID)
	}
	s.sameNumber(t, m)
	if n, err := s.db.Sweep(t.Context()); err != nil || n != orphans || n == 0 {
		t.Errorf("%d objects were swept, want %d: %v", n, orphans, err)
	}
	if objects, segments := b.objects(t), s.segments(t); objects != segments {
		t.Errorf("%d objects of %d segments", objects, segments)
	}
	infos, err := m.Store.Sessions(t.Context(), store.Filter{})
	check(t, err)
	for _, info := range infos {
		s.same(t, m, info.ID, info.ID)
	}
}
