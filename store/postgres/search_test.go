package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// A search goes through all months, whatever a word is like: the same messages as in one piece, the
// best first.
func TestSearchMonthByMonth(t *testing.T) {
	ctx, s := openAt(t, pgtest.New(t))
	months := []string{"2026-03", "2026-02", "2025-12", "2025-06", "2025-05", "2025-04", "2025-01", "2024-02"}
	for i, month := range months {
		s.SetToday(month + "-15")
		sess := &session.Session{ID: fmt.Sprintf("019aa000-0000-7000-8000-%012d", i), StartedAt: time.Unix(1e9, 0).UTC(),
			Cols: 80, Rows: 24}
		var entries []*session.Entry
		for n := range 3 {
			e := &session.Entry{ID: fmt.Sprint("e", n), Seq: n + 1, Type: session.TypeMessage, Role: session.RoleUser,
				At: time.Unix(1e9+int64(n), 0).UTC()}
			e.Text = fmt.Sprintf("common m%d", i)
			if n == 2 {
				e.Text += " common common" // ranks higher
			}
			e.Markdown = e.Text
			entries = append(entries, e)
		}
		if err := put(ctx, s, sess, nil, entries); err != nil {
			t.Fatal(err)
		}
	}
	for text, n := range map[string]int{"common": 3 * len(months), "m7": 3, "m0": 3, "m3 OR m5": 6,
		"common NOT m1": 3 * (len(months) - 1), "none": 0} {
		hits, err := s.Search(ctx, store.Query{Text: text, Filter: store.Filter{Limit: 100}})
		if err != nil || len(hits) != n {
			t.Errorf("%s: %d hits, %v, want %d", text, len(hits), err, n)
		}
		seen := map[string]bool{}
		for _, h := range hits {
			seen[h.Session.ID+h.Entry.ID] = true
		}
		if len(seen) != n {
			t.Errorf("%s: %d different hits", text, len(seen))
		}
	}
	hits, err := s.Search(ctx, store.Query{Text: "common", Filter: store.Filter{Limit: len(months)}})
	if err != nil || len(hits) != len(months) {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	for _, h := range hits {
		if h.Entry.ID != "e2" {
			t.Errorf("%s is among the best", h.Entry.Text)
		}
	}
}

// A search that takes too long ends, and its error says that it was slow.
func TestSlowSearch(t *testing.T) {
	dsn := pgtest.New(t)
	ctx, s := openAt(t, dsn)
	sess := &session.Session{ID: store.NewID(), StartedAt: time.Unix(1e9, 0).UTC(), Cols: 80, Rows: 24}
	e := &session.Entry{ID: "e", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "needle",
		Markdown: "needle", At: sess.StartedAt}
	if err := put(ctx, s, sess, nil, []*session.Entry{e}); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE words, sessions IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	s.SetSearchTime(50 * time.Millisecond)
	if _, err := s.Search(ctx, store.Query{Text: "needle"}); !errors.Is(err, session.ErrSlow) {
		t.Errorf("%v", err)
	}
	if _, err := s.SearchLabels(ctx, store.Query{Text: "needle"}); !errors.Is(err, session.ErrSlow) {
		t.Errorf("labels: %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.SetSearchTime(time.Minute)
	if hits, err := s.Search(ctx, store.Query{Text: "needle"}); err != nil || len(hits) != 1 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}
