package sqlite_test

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// BenchmarkSearch searches words and beginnings in PTYREC_BENCH_ENTRIES entries (default 20,000),
// which are made once in the folder PTYREC_BENCH_DIR.
func BenchmarkSearch(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("PTYREC_BENCH_ENTRIES"))
	if n == 0 {
		n = 20_000
	}
	dir := os.Getenv("PTYREC_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	path := filepath.Join(dir, fmt.Sprintf("search-%d.db", n))
	_, statErr := os.Stat(path)
	s, err := sqlite.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	if statErr != nil {
		fill(b, s, n)
	}
	for _, query := range []string{"w3", "migration", "migrat*", "m*", "w1*", "migrat* NOT w3", `"migration w3"`,
		"w3 w5*"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Search(b.Context(), store.Query{Text: query}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fill makes n messages of 20 words, whose frequencies are those of a language.
func fill(b *testing.B, s *sqlite.Store, n int) {
	b.Helper()
	r := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(r, 1.2, 2, 30_000)
	const each = 2000
	for i := range n / each {
		id := fmt.Sprintf("s%d", i)
		create(b, s, id)
		var entries []*session.Entry
		for k := range each {
			words := make([]string, 20)
			for w := range words {
				words[w] = fmt.Sprintf("w%d", zipf.Uint64())
			}
			if k%3 == 0 {
				words[0] = "migration"
			} else if k%7 == 0 {
				words[0] = "migrate" + strconv.Itoa(k)
			}
			entries = append(entries, message(strconv.Itoa(k), k+1, session.RoleAssistant, strings.Join(words, " ")))
		}
		if err := s.SaveEntries(b.Context(), id, entries); err != nil {
			b.Fatal(err)
		}
	}
}
