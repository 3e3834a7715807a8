package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// What a machine sends is kept with the month in which the server first heard of it, by the
// server's clock, also where that month is over; and wherever the machine's clock is.
func TestEndOfMonths(t *testing.T) {
	dsn := pgtest.New(t)
	ctx, s := openAt(t, dsn)
	another, err := postgres.Open(t.Context(), dsn) // of several servers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = another.Close() }()
	clocks := []time.Time{
		time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(1976, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2076, 1, 1, 0, 0, 0, 0, time.UTC), {},
		time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
	}
	months := []string{"2026_12", "2027_01", "2027_02"}
	var all []string
	for i, day := range []string{"2026-12-31", "2027-01-01", "2027-02-28"} {
		for k, clock := range clocks {
			db := []*postgres.Store{s, another}[(i+k)%2]
			db.SetToday(day)
			ended := clock.Add(time.Second)
			sess := &session.Session{ID: store.NewID(), StartedAt: clock, EndedAt: &ended, Cols: 80, Rows: 24}
			entry := &session.Entry{ID: "e", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "needle",
				Markdown: "needle", At: clock}
			if err := put(ctx, db, sess, []session.Event{{Kind: session.Output, Data: []byte("raw")}},
				[]*session.Entry{entry}); err != nil {
				t.Fatalf("%s, %v: %v", day, clock, err)
			}
			all = append(all, sess.ID)
		}
	}
	s.SetToday("2027-03-01") // a month without a partition
	for _, id := range all {
		if err := s.SaveEntries(ctx, id, postgres.Batch{Version: 2,
			Entries: sent([]*session.Entry{{ID: "late", Seq: 2, Type: session.TypeMessage, Text: "needle"}})}); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for _, month := range months {
		for table, each := range map[string]int{"entries": 2, "words": 2, "segments": 1} {
			var n int
			if err := conn.QueryRow(t.Context(), fmt.Sprintf("SELECT count(*) FROM %s_%s", table,
				month)).Scan(&n); err != nil || n != each*len(clocks) {
				t.Errorf("%s of %s: %d rows, %v", table, month, n, err)
			}
		}
	}
	var got []string
	var after store.Position
	for range 2 * len(all) { // the list leads to each once
		infos, err := s.Sessions(ctx, store.Filter{After: after, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(infos) == 0 {
			break
		}
		got, after = append(got, infos[0].ID), infos[0].Position()
	}
	slices.Sort(got)
	slices.Sort(all)
	hits, err := s.Search(ctx, store.Query{Text: "needle", Filter: store.Filter{Limit: 1000}})
	if !slices.Equal(got, all) || err != nil || len(hits) != 2*len(all) {
		t.Errorf("listed %d of %d; %d hits, %v", len(got), len(all), len(hits), err)
	}
	since, err := s.Count(ctx, store.Filter{Since: time.Date(2070, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil || since != 2*len(months) { // 2076 and 9999
		t.Errorf("%d since 2070, %v", since, err)
	}
}

// A statement that takes too long ends, and the caller may try again.
func TestStatementTime(t *testing.T) {
	dsn := pgtest.New(t)
	ctx, s := openAt(t, dsn)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), "BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	s.SetStatementTime(50 * time.Millisecond)
	if _, err := s.Sessions(ctx, store.Filter{}); !errors.Is(err, session.ErrBusy) {
		t.Errorf("%v", err)
	}
	if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	s.SetStatementTime(time.Minute)
	if _, err := s.Sessions(ctx, store.Filter{}); err != nil {
		t.Error(err)
	}
}
