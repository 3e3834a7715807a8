package postgres_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/internal/testkit/teamtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// The data of BenchmarkSearch. The full size is 10,000 sessions of 100 entries.
var (
	benchSessions = flag.Int("sessions", 200, "sessions of BenchmarkSearch")
	benchEntries  = flag.Int("entries", 100, "entries of each")
	benchDSN      = flag.String("dsn", "", "connection string of a database that is kept; it is filled if it is empty")
	benchFile     = flag.String("file", "", "with -dsn: the SQLite database that is kept")
)

const (
	benchMonths = 12
	benchSpaces = 37 // of which the reader is in 5
	benchRuns   = 7  // of each query; the median counts
)

// benchQueries are the queries that BenchmarkSearch times.
var benchQueries = []string{"rareword", "goroutine", "mutex unlock", "mutex NOT lock", `"garbage collector"`, "缓存",
	"数据库查询", "the", "return", `"if err"`, "re*"}

// BenchmarkSearch times benchQueries with the rights of a member of 5 of 37 spaces, and
// beside them on SQLite, which has no rights. It prints medians, and how many messages the rights
// of an auditor, who reads everything, and SQLite find:
//
//	go test ./store/postgres -run '^$' -bench Search -benchtime 1x -timeout 2h -sessions 10000
//
// With -dsn and -file the databases stay, and are filled only once.
func BenchmarkSearch(b *testing.B) {
	dsn, file := *benchDSN, *benchFile
	if dsn == "" {
		dsn, file = pgtest.New(b), filepath.Join(b.TempDir(), "bench.db")
	}
	s, err := postgres.Open(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	lite, err := sqlite.Open(b.Context(), file)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = lite.Close() }()
	if n, err := lite.Count(b.Context(), store.Filter{}); err != nil || n == 0 {
		fillBench(b, s, lite)
		vacuum(b, dsn)
	}
	reader, auditor := viewer(b, s, "reader"), viewer(b, s, "auditor")
	for _, text := range benchQueries {
		b.Run(text, func(b *testing.B) {
			q := store.Query{Text: text, Filter: store.Filter{Limit: 20}}
			for b.Loop() {
				b.ReportMetric(median(b, func() ([]*store.Hit, error) { return s.Search(reader, q) }), "pg-ms")
				b.ReportMetric(median(b, func() ([]*store.Hit, error) { return lite.Search(b.Context(), q) }), "sqlite-ms")
				b.ReportMetric(0, "ns/op")
				q.Filter.Limit = 4000 // fewer than are ranked
				for name, search := range map[string]func() ([]*store.Hit, error){
					"pg-hits":     func() ([]*store.Hit, error) { return s.Search(auditor, q) },
					"sqlite-hits": func() ([]*store.Hit, error) { return lite.Search(b.Context(), q) },
				} {
					found, err := search()
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(found)), name)
				}
			}
		})
	}
}

// viewer returns the context of a user who may be known from an earlier run.
func viewer(b *testing.B, s *postgres.Store, name string) context.Context {
	b.Helper()
	token, err := s.AddToken(operator(b), postgres.NewToken{User: name, Kind: postgres.KindUser})
	if err != nil {
		b.Fatal(err)
	}
	v, err := s.Identify(b.Context(), token)
	if err != nil {
		b.Fatal(err)
	}
	return postgres.As(b.Context(), v)
}

// vacuum does what a database does by itself after a while: it merges what is new into the indexes,
// and counts.
func vacuum(b *testing.B, dsn string) {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close(b.Context()) }()
	if _, err := conn.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
		b.Fatal(err)
	}
}

// median returns the median time of a search in milliseconds.
func median(b *testing.B, search func() ([]*store.Hit, error)) float64 {
	b.Helper()
	var times []time.Duration
	for range benchRuns {
		begun := time.Now()
		if _, err := search(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begun))
	}
	slices.Sort(times)
	return float64(times[benchRuns/2].Microseconds()) / 1000
}

// fillBench puts the same sessions into both databases, one after the other in months of 2025.
func fillBench(b *testing.B, s *postgres.Store, lite *sqlite.Store) {
	b.Helper()
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	for name, role := range map[string]string{"ann": postgres.RoleMember, "reader": postgres.RoleMember,
		"auditor": postgres.RoleAuditor} {
		check(s.AddUser(operator(b), name, role))
	}
	for n := range benchSpaces {
		space := fmt.Sprint("space", n)
		check(s.AddSpace(operator(b), space))
		check(s.SetMember(operator(b), space, "ann", "member"))
		if n < 5 {
			check(s.SetMember(operator(b), space, "reader", "reader"))
		}
	}
	ctx, texts := viewer(b, s, "ann"), teamtest.NewTexts(1)
	for n := range *benchSessions {
		at := time.Date(2025, time.Month(1 + n*benchMonths / *benchSessions), 15, 0, 0, 0, 0, time.UTC)
		s.SetToday(at.Format(time.DateOnly))
		sess := &session.Session{ID: store.NewID(), Command: []string{"claude"}, StartedAt: at, EndedAt: &at, Cols: 80,
			Rows: 24}
		entries := make([]*session.Entry, *benchEntries)
		sent := make([]postgres.Sent, *benchEntries)
		for i := range entries {
			text := texts.Next()
			entries[i] = &session.Entry{ID: fmt.Sprint("e", i), Seq: i + 1, Type: session.TypeMessage,
				Role: session.RoleAssistant, Text: text, Markdown: text, At: at.Add(time.Duration(i) * time.Second)}
			sent[i] = postgres.Sent{Entry: entries[i]}
		}
		_, err := s.Begin(ctx, postgres.Push{Session: *sess, Machine: "m", Version: 1,
			Space: fmt.Sprint("space", n%benchSpaces)})
		check(err)
		check(s.SaveEntries(ctx, sess.ID, postgres.Batch{Version: 1, Entries: sent}))
		check(lite.CreateSession(b.Context(), sess))
		check(lite.SaveEntries(b.Context(), sess.ID, entries))
	}
}
