package library_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func TestParsePolicy(t *testing.T) {
	for _, tt := range []struct {
		older, size string
		keep        bool
		want        library.RetentionPolicy
	}{
		{"", "", true, library.RetentionPolicy{}},
		{"90d", "", true, library.RetentionPolicy{OlderThan: 90 * 24 * time.Hour}},
		{"", "2GiB", false, library.RetentionPolicy{MaxSize: 2 << 30, Tagged: true}},
	} {
		got, err := library.ParseRetention(tt.older, tt.size, tt.keep)
		if err != nil || got != tt.want {
			t.Errorf("%+v: %+v, %v", tt, got, err)
		}
	}
	for _, bad := range [][2]string{{"soon", ""}, {"-3d", ""}, {"1h", ""}, {"0d", ""}, {"", "much"}, {"", "-1GB"},
		{"", "0"}} {
		if got, err := library.ParseRetention(bad[0], bad[1], true); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

// TestPolicyDayAfterDay applies a policy day after day.
func TestPolicyDayAfterDay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for day := range 6 {
		s := &session.Session{ID: fmt.Sprintf("s%d", day), Command: []string{"sh"}, Cols: 80, Rows: 24,
			StartedAt: now.AddDate(0, 0, -day)}
		raw := store.NewRecording(80, 24)
		raw.Write(session.Event{Kind: session.Output, Data: fmt.Append(nil, day)})
		if err := db.Import(t.Context(), s, raw, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Tag(t.Context(), "s5", []string{"keep"}, nil); err != nil {
		t.Fatal(err)
	}
	// The oldest but one is being recorded still.
	w, err := sqlite.Record(path, session.Session{ID: "live", Command: []string{"sh"}, Cols: 80, Rows: 24,
		StartedAt: now.AddDate(0, 0, -30), Agents: []session.Agent{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = w.Close() })

	left := func() (ids string) {
		infos, err := db.Sessions(t.Context(), store.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range infos {
			ids += info.ID + " "
		}
		return ids
	}
	policy := library.RetentionPolicy{OlderThan: 3 * 24 * time.Hour}
	apply := func(p library.RetentionPolicy, at time.Time, want string) {
		t.Helper()
		if _, err := p.Apply(t.Context(), db, at); err != nil {
			t.Error(err)
		}
		if got := left(); got != want {
			t.Errorf("at %v: left %q, want %q", at, got, want)
		}
	}
	if !policy.Due(path, now) || (library.RetentionPolicy{}).Due(path, now) {
		t.Error("due: the first time is, and nothing never is")
	}
	apply(library.RetentionPolicy{}, now, "s0 s1 s2 s3 s4 s5 live ")
	apply(policy, now, "s0 s1 s2 s3 s5 live ")
	if policy.Due(path, now.Add(23*time.Hour)) || !policy.Due(path, now.Add(24*time.Hour)) {
		t.Error("due within a day, or not after one")
	}
	apply(policy, now.Add(23*time.Hour), "s0 s1 s2 s3 s5 live ")
	apply(policy, now.Add(24*time.Hour), "s0 s1 s2 s5 live ")
	policy.Tagged = true
	apply(policy, now.Add(48*time.Hour), "s0 s1 live ")
	apply(library.RetentionPolicy{MaxSize: 1}, now.Add(72*time.Hour), "live ")
	if policy.Due(path, now.Add(72*time.Hour-time.Minute)) {
		t.Error("a clock that was set back a minute makes it due")
	}
	if !policy.Due(path, now.AddDate(-1, 0, 0)) {
		t.Error("a stamp of the far future keeps it from being due")
	}
	if _, err := os.Stat(filepath.Join(sqlite.JournalFolder(path), ".retention")); err != nil {
		t.Error(err)
	}
}
