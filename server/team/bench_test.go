package team_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// each is how many entries a session of the benchmark has.
const each = 100

// BenchmarkTeam measures what issue 19 asks for, in PTYREC_BENCH_SESSIONS sessions of 100 entries
// (default 100; the issue has 10,000) of 557 bytes, in SQLite and over HTTP in PostgreSQL, one
// after the other: entries a second of time and of CPU time, bytes of the databases, medians of 7
// lists and of 7 reads of a session. The CPU time over HTTP is that of sender, server and
// PostgreSQL. Run it with -benchtime 1x.
func BenchmarkTeam(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("PTYREC_BENCH_SESSIONS"))
	if n == 0 {
		n = 100
	}
	for b.Loop() {
		lite, path := benchmarkSQLite(b, n)
		s := newSite(b)
		begun, cpu := time.Now(), ownCPU(b)+s.postgresCPU(b)
		for i := range n {
			s.sendSession(b, i)
		}
		perSecond := float64(n*each) / time.Since(begun).Seconds()
		cpu = ownCPU(b) + s.postgresCPU(b) - cpu
		size := s.databaseSize(b)
		must := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		liteSize := int64(0)
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(path + suffix); err == nil {
				liteSize += info.Size()
			}
		}
		ctx := context.WithoutCancel(b.Context())
		b.ReportMetric(perSecond, "pg-entries/s")
		b.ReportMetric(float64(n*each)/lite.took.Seconds(), "sqlite-entries/s")
		b.ReportMetric(perSecond*lite.took.Seconds()/float64(n*each), "rate-ratio")
		b.ReportMetric(float64(n*each)/cpu.Seconds(), "pg-entries/cpu-s")
		b.ReportMetric(float64(n*each)/lite.cpu.Seconds(), "sqlite-entries/cpu-s")
		b.ReportMetric(float64(size)/float64(liteSize), "size-ratio")
		b.ReportMetric(float64(size>>20), "pg-MB")
		b.ReportMetric(median(func() { s.get(b, "/api/sessions?limit=50") }), "pg-list-ms")
		b.ReportMetric(median(func() { s.get(b, "/api/sessions/"+benchID(n/2)+"/entries?limit=200") }), "pg-session-ms")
		b.ReportMetric(median(func() { _, err := lite.Sessions(ctx, store.Filter{Limit: 50}); must(err) }), "sqlite-list-ms")
		b.ReportMetric(median(func() { _, err := lite.EntriesAfter(ctx, benchID(n/2), 0); must(err) }), "sqlite-session-ms")
		must(lite.Close())
	}
}

func benchID(n int) string { return fmt.Sprintf("019aa000-0000-7000-8000-%012x", n) }

// benchEntries returns the entries of the nth session: text of 557 bytes with words of a language's
// frequencies.
func benchEntries(n int) (entries []*session.Entry) {
	for i := range each {
		var text strings.Builder
		for w := 0; text.Len() < 550; w++ {
			fmt.Fprintf(&text, "w%d ", (n*7919+i*104729+w*w*31)%(1+(w*w*w+i)%30_000))
		}
		entries = append(entries, &session.Entry{ID: fmt.Sprintf("e%03d", i), Seq: i + 1, Type: session.TypeMessage, Role: session.RoleAssistant, Text: text.String()[:550], Markdown: text.String()[:550],
			At: time.Unix(1e9+int64(n), 0).UTC()})
	}
	return entries
}

// timedStore is a database and how long it took to fill it.
type timedStore struct {
	*store.Store
	took, cpu time.Duration
}

// ownCPU returns the CPU time of this process.
func ownCPU(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// postgresCPU returns the CPU time of the processes of PostgreSQL that are there.
func (s *site) postgresCPU(b *testing.B) (used time.Duration) {
	dsn, err := url.Parse(s.dsn)
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dsn.Query().Get("host"), "data", "postmaster.pid"))
	if err != nil {
		b.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		b.Skip("needs /proc")
	}
	for _, path := range stats {
		stat, _ := os.ReadFile(path) // the process may be gone
		_, rest, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(rest); len(f) > 12 && f[1] == first {
			user, _ := strconv.Atoi(f[11])
			system, _ := strconv.Atoi(f[12])
			used += time.Duration(user+system) * 10 * time.Millisecond
		}
	}
	return used
}

func benchmarkSQLite(b *testing.B, n int) (timedStore, string) {
	path := filepath.Join(b.TempDir(), "bench.db")
	db, err := store.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	begun, cpu := time.Now(), ownCPU(b)
	for i := range n {
		ended := time.Unix(1e9+5, 0).UTC()
		rec := store.NewRecording(80, 24)
		rec.Write(session.Event{Kind: session.Output, Data: []byte(benchID(i))})
		s := &session.Session{ID: benchID(i), Title: "bench", StartedAt: time.Unix(1e9+int64(i), 0).UTC(), EndedAt: &ended, Cols: 80, Rows: 24}
		if err := db.Import(b.Context(), s, rec, benchEntries(i)); err != nil {
			b.Fatal(err)
		}
	}
	return timedStore{db, time.Since(begun), ownCPU(b) - cpu}, path
}

// sendSession sends the nth session as sync does.
func (s *site) sendSession(b *testing.B, n int) {
	path := "/api/push/" + benchID(n)
	body, digest := batchOf(1, benchEntries(n))
	s.want(b, 200, "owner", "PUT", path, begin(benchID(n), "m", 1, "shop"))
	s.want(b, 204, "owner", "PUT", path+"/raw?event=0", segment(benchID(n)))
	s.want(b, 204, "owner", "POST", path+"/entries", body)
	s.want(b, 204, "owner", "POST", path+"/end", asJSON(map[string]any{"events": 1, "entries": each, "digest": digest, "ended_at": time.Unix(1e9+5, 0)}))
}

func (s *site) get(b *testing.B, path string) {
	if status, text := s.do(b, "owner", "GET", path, nil); status != http.StatusOK {
		b.Fatalf("%s: %d: %.200s", path, status, text)
	}
}

func (s *site) databaseSize(b *testing.B) (size int64) {
	conn, err := pgx.Connect(b.Context(), s.dsn)
	if err == nil {
		defer func() { _ = conn.Close(b.Context()) }()
		_, err = conn.Exec(b.Context(), "VACUUM ANALYZE")
	}
	if err == nil {
		err = conn.QueryRow(b.Context(), "SELECT pg_database_size(current_database())").Scan(&size)
	}
	if err != nil {
		b.Fatal(err)
	}
	return size
}

// median returns the median of 7 times, in milliseconds.
func median(fn func()) float64 {
	var all []time.Duration
	for range 7 {
		begun := time.Now()
		fn()
		all = append(all, time.Since(begun))
	}
	slices.Sort(all)
	return float64(all[3].Microseconds()) / 1000
}
