package team_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
)

// PostgreSQL's disk is full: the server answers 507, and what was to be sent waits and is sent when
// there is room.
func TestServerOnASmallDisk(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes minutes under the race detector; make test runs it")
	}
	disk, dsn := pgtest.NewOnDisk(t, 128<<20)
	s := newSiteAt(t, dsn)
	m := s.machine(t, filepath.Join(t.TempDir(), "a.db"), work)
	one := record(t, m.Store, "/home/ann/work", "one")
	if n := all(t, m); n != 1 {
		t.Fatalf("%d were sent", n)
	}
	disk.Fill(t)
	two := recordLarge(t, m.Store)
	for _, info := range waiting(t, m, 1) {
		if err := m.Send(t.Context(), info); err == nil || !strings.Contains(err.Error(), "507") {
			t.Errorf("the disk is full: %v", err)
		}
	}
	_, pushes, err := m.Waiting(t.Context())
	if p := pushes[two.ID]; err != nil || p.Waits.IsZero() || !strings.Contains(p.Failed, "full") {
		t.Errorf("%+v, %v", p, err)
	}
	s.same(t, m, one.ID, one.ID)
	disk.Free(t)
	if n := all(t, m); n != 1 {
		t.Errorf("%d were sent", n)
	}
	s.same(t, m, two.ID, two.ID)
	s.sameNumber(t, m)
}
