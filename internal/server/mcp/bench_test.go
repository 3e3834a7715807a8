package mcp_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// BenchmarkSearch searches in 144 and in 10,000 sessions, by words, phrases and beginnings.
func BenchmarkSearch(b *testing.B) {
	for _, sessions := range []int{144, 10_000} {
		b.Run(fmt.Sprint(sessions), func(b *testing.B) {
			w := newWorld(b)
			fill(w, sessions)
			c := w.connect(nil)
			queries := []string{"migration", "retry budget", `"w1 w2"`, "w7 OR w9", "w3 NOT w1", "w250", "migrat*", "w1*",
				"nothinglikeit"}
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				must(b, c, "search", map[string]any{"query": queries[len(took)%len(queries)]})
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// fill stores sessions of 20 messages each, with words as frequent as those of a language.
func fill(w *world, sessions int) {
	w.t.Helper()
	r := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(r, 1.2, 2, 30_000)
	for i := range sessions {
		var entries []*session.Entry
		for k := range 20 {
			words := make([]string, 30)
			for at := range words {
				words[at] = fmt.Sprintf("w%d", zipf.Uint64())
			}
			switch (i + k) % 40 {
			case 0:
				words[0] = "migration"
			case 1:
				words[0], words[1] = "retry", "budget"
			}
			role := session.RoleUser
			if k%2 == 1 {
				role = session.RoleAssistant
			}
			entries = append(entries, said(role, strings.Join(words, " ")))
		}
		w.record(session.Session{Title: fmt.Sprint("talk ", i)}, entries...)
	}
}
