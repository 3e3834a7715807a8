package teamserver_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/testkit/teamtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// each is how many entries a session of the benchmark has.
const each = 100

// senders is how many machines send at a time. SQLite has one writer.
const senders = 2

// part is the number of sessions that are made at a time. Only storing them is timed.
const part = 50

// BenchmarkTeam compares SQLite with a team's server on PostgreSQL. It stores
// PTYREC_BENCH_SESSIONS sessions (default 100) of 100 entries of 557 bytes each, and reports the
// entries stored per second and per second of CPU time, the size of an entry in the database, and
// the median time of 7 lists and of 7 reads of a session. The server's CPU time includes that of
// the senders and of PostgreSQL. Run it with -benchtime 1x.
func BenchmarkTeam(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("PTYREC_BENCH_SESSIONS"))
	if n == 0 {
		n = 100
	}
	for b.Loop() {
		s, lite := newSite(b), openLite(b)
		empty, emptyLite := s.databaseSize(b), lite.size(b)
		var there, here spent
		for first := 0; first < n; first += part {
			var list []benchSession
			for i := first; i < min(first+part, n); i++ {
				list = append(list, newBenchSession(i))
			}
			here.add(b, func() { lite.save(b, list) }, nil)
			there.add(b, func() { s.sendSessions(b, list) }, s)
		}
		size, liteSize, entries := s.databaseSize(b)-empty, lite.size(b)-emptyLite, float64(n*each)
		b.ReportMetric(entries/there.time.Seconds(), "pg-entries/s")
		b.ReportMetric(entries/here.time.Seconds(), "sqlite-entries/s")
		b.ReportMetric(here.time.Seconds()/there.time.Seconds(), "rate-ratio")
		b.ReportMetric(entries/there.cpu.Seconds(), "pg-entries/cpu-s")
		b.ReportMetric(entries/here.cpu.Seconds(), "sqlite-entries/cpu-s")
		b.ReportMetric(float64(size)/float64(liteSize), "size-ratio")
		b.ReportMetric(float64(size)/entries, "pg-B/entry")
		b.ReportMetric(float64(liteSize)/entries, "sqlite-B/entry")
		b.ReportMetric(median(func() { s.get(b, "/api/sessions?limit=50") }), "pg-list-ms")
		b.ReportMetric(median(func() { s.get(b, "/api/sessions/"+benchID(n/2)+"/entries?limit=200") }), "pg-session-ms")
		b.ReportMetric(median(func() { _, err := lite.Sessions(b.Context(), store.Filter{Limit: 50}); s.check(b, err) }),
			"sqlite-list-ms")
		b.ReportMetric(median(func() { _, err := lite.EntriesAfter(b.Context(), benchID(n/2), 0); s.check(b, err) }),
			"sqlite-session-ms")
		s.check(b, lite.Close())
	}
}

// spent is how long something took.
type spent struct{ time, cpu time.Duration }

// add adds what fn takes. s is the site that takes part; nil: none.
func (t *spent) add(b *testing.B, fn func(), s *site) {
	begun, cpu := time.Now(), s.usedCPU(b)
	fn()
	t.time += time.Since(begun)
	t.cpu += s.usedCPU(b) - cpu
}

// benchSession is a session to store, and the requests that send it.
type benchSession struct {
	session *session.Session
	raw     *store.Recording
	entries []*session.Entry
	begin   []byte
	segment []byte
	batch   []byte
	end     []byte
}

func newBenchSession(n int) benchSession {
	ended := time.Unix(1e9+5, 0).UTC()
	s := benchSession{raw: store.NewRecording(80, 24), entries: benchEntries(n)}
	s.session = &session.Session{ID: benchID(n), Title: "bench", StartedAt: time.Unix(1e9+int64(n), 0).UTC(),
		EndedAt: &ended, Cols: 80, Rows: 24}
	s.raw.Write(session.Event{Kind: session.Output, Data: []byte(benchID(n))})
	body, digest := batchOf(1, s.entries)
	s.begin, s.segment, s.batch = begin(benchID(n), "m", 1, "shop"), segment(benchID(n)), body
	s.end = asJSON(map[string]any{"events": 1, "entries": each, "digest": digest, "ended_at": ended})
	return s
}

func benchID(n int) string { return fmt.Sprintf("019aa000-0000-7000-8000-%012x", n) }

// benchEntries returns the entries of the nth session.
func benchEntries(n int) (entries []*session.Entry) {
	texts := teamtest.NewTexts(uint64(n))
	for i := range each {
		text := texts.Next()
		entries = append(entries, &session.Entry{ID: fmt.Sprintf("e%03d", i), Seq: i + 1, Type: session.TypeMessage,
			Role: session.RoleAssistant, Text: text, Markdown: text,
			At: time.Unix(1e9+int64(n), 0).UTC()})
	}
	return entries
}

// liteStore is the SQLite database of the benchmark.
type liteStore struct {
	*sqlite.Store
	path string
}

func openLite(b *testing.B) liteStore {
	path := filepath.Join(b.TempDir(), "bench.db")
	db, err := sqlite.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	return liteStore{db, path}
}

// size returns the size of the database's file, after what is beside it was written there.
func (s liteStore) size(b *testing.B) int64 {
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(b.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(s.path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func (s liteStore) save(b *testing.B, list []benchSession) {
	for _, one := range list {
		if err := s.Import(b.Context(), one.session, one.raw, one.entries); err != nil {
			b.Fatal(err)
		}
	}
}

// usedCPU returns the CPU time of this process and, unless s is nil, of the site's PostgreSQL.
func (s *site) usedCPU(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	own := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	if s == nil {
		return own
	}
	return own + s.postgresCPU(b)
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

// sendSessions sends sessions as sync does, as several machines at a time.
func (s *site) sendSessions(b *testing.B, list []benchSession) {
	var all sync.WaitGroup
	defer all.Wait()
	for first := range senders {
		all.Go(func() {
			for i := first; i < len(list); i += senders {
				one := list[i]
				path := "/api/push/" + one.session.ID
				s.want(b, 200, "owner", "PUT", path, one.begin)
				s.want(b, 204, "owner", "PUT", path+"/raw?event=0", one.segment)
				s.want(b, 204, "owner", "POST", path+"/entries", one.batch)
				s.want(b, 204, "owner", "POST", path+"/end", one.end)
			}
		})
	}
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
