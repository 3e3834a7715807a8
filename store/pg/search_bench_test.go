package pg_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/pg"
)

// The data of BenchmarkSearch. Issue 19 asks for 10,000 sessions of 100 entries.
var (
	benchSessions = flag.Int("sessions", 200, "sessions of BenchmarkSearch")
	benchEntries  = flag.Int("entries", 100, "entries of each")
)

const (
	benchMonths = 12
	benchSpaces = 37 // of which the reader is in 5
	benchBytes  = 557
	benchRuns   = 7 // of each query; the median counts
)

// benchQueries are those of issue 20.
var benchQueries = []string{"rareword", "goroutine", "mutex unlock", "mutex NOT lock", `"garbage collector"`, "缓存", "数据库查询", "the", "return", `"if err"`, "re*"}

// BenchmarkSearch times the queries of issue 20 with the rights of a member of 5 of 37 spaces, and
// beside them on SQLite, which has no rights. It prints medians:
//
//	go test ./store/pg -run '^$' -bench Search -benchtime 1x -timeout 2h -sessions 10000
func BenchmarkSearch(b *testing.B) {
	dsn := pgtest.New(b)
	ctx, s := openAt(b, dsn)
	lite, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = lite.Close() }()
	readers := fillBench(b, ctx, s, lite)
	vacuum(b, dsn)
	for _, text := range benchQueries {
		b.Run(text, func(b *testing.B) {
			q := store.Query{Text: text, Filter: store.Filter{Limit: 20}}
			for b.Loop() {
				there, hits := median(b, func() ([]*store.Hit, error) { return s.Search(readers, q) })
				here, _ := median(b, func() ([]*store.Hit, error) { return lite.Search(b.Context(), q) })
				b.ReportMetric(there, "pg-ms")
				b.ReportMetric(here, "sqlite-ms")
				b.ReportMetric(float64(hits), "hits")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
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

// median returns the median time of a search in milliseconds, and how many hits there are.
func median(b *testing.B, search func() ([]*store.Hit, error)) (ms float64, hits int) {
	b.Helper()
	var times []time.Duration
	for range benchRuns {
		begun := time.Now()
		found, err := search()
		if err != nil {
			b.Fatal(err)
		}
		times, hits = append(times, time.Since(begun)), len(found)
	}
	slices.Sort(times)
	return float64(times[benchRuns/2].Microseconds()) / 1000, hits
}

// fillBench puts the same sessions into both databases, and returns the context of the reader.
func fillBench(b *testing.B, ctx context.Context, s *pg.Store, lite *store.Store) context.Context { //nolint:revive // b is first in helpers
	b.Helper()
	reader := user(b, s, "reader", pg.RoleMember)
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	for n := range benchSpaces {
		space := fmt.Sprint("space", n)
		check(s.AddSpace(operator(b), space))
		check(s.SetMember(operator(b), space, "ann", "member"))
		if n < 5 {
			check(s.SetMember(operator(b), space, "reader", "reader"))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range *benchSessions {
		at := time.Date(2025, time.Month(1 + n*benchMonths / *benchSessions), 15, 0, 0, 0, 0, time.UTC)
		s.SetToday(at.Format(time.DateOnly))
		sess := &session.Session{ID: store.NewID(), Command: []string{"claude"}, StartedAt: at, EndedAt: &at, Cols: 80, Rows: 24}
		entries := make([]*session.Entry, *benchEntries)
		sent := make([]pg.Sent, *benchEntries)
		for i := range entries {
			text := benchText(r)
			entries[i] = &session.Entry{ID: fmt.Sprint("e", i), Seq: i + 1, Type: session.TypeMessage, Role: session.RoleAssistant, Text: text, Markdown: text, At: at.Add(time.Duration(i) * time.Second)}
			sent[i] = pg.Sent{Entry: entries[i]}
		}
		_, err := s.Begin(ctx, pg.Push{Session: *sess, Machine: "m", Version: 1, Space: fmt.Sprint("space", n%benchSpaces)})
		check(err)
		check(s.SaveEntries(ctx, sess.ID, pg.Batch{Version: 1, Entries: sent}))
		check(lite.CreateSession(b.Context(), sess))
		check(lite.SaveEntries(b.Context(), sess.ID, entries))
	}
	return reader
}

// benchWords are words and how many of 1,000 words of a text are one, in the order of how common
// they are; the rest are of a vocabulary of 20,000.
var benchWords = []struct {
	text string
	of   int // 1,000,000 words
}{{"the", 45_000}, {"return", 9_000}, {"if err", 4_000}, {"real result", 4_000}, {"mutex", 400}, {"lock", 400}, {"unlock", 300}, {"goroutine", 300}, {"garbage collector", 60}, {"缓存", 200}, {"数据库查询", 100}, {"rareword", 1}}

func benchText(r *rand.Rand) string {
	var t strings.Builder
	for t.Len() < benchBytes {
		n, word := r.IntN(1_000_000), ""
		for _, w := range benchWords {
			if n -= w.of; n < 0 {
				word = w.text
				break
			}
		}
		if word == "" {
			word = fmt.Sprintf("w%x", int(r.ExpFloat64()*2000)%20_000)
		}
		t.WriteString(word + " ")
	}
	return t.String()
}
