package usage_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/cli/usage"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// TestSumsAreTheTotal shows that the sums over models, agents, folders and days each are the total.
func TestSumsAreTheTotal(t *testing.T) {
	prices := usage.Listed()
	rapid.Check(t, func(t *rapid.T) {
		var used []store.Used
		for range rapid.IntRange(0, 30).Draw(t, "rows") {
			n := func(name string) int64 { return rapid.Int64Range(0, 1e9).Draw(t, name) }
			u := store.Used{
				Session: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "session"),
				Cwd:     rapid.SampledFrom([]string{"", "/a", "/b"}).Draw(t, "cwd"),
				Usage: session.Usage{
					Source: rapid.SampledFrom([]string{session.UsageLog, session.UsageScreen}).Draw(t, "source"),
					Agent:  rapid.SampledFrom([]string{"claude", "codex"}).Draw(t, "agent"),
					Model:  rapid.SampledFrom([]string{"", "gpt-5", "claude-sonnet-4-5-20250929", "unheard-of"}).Draw(t, "model"),
					At:     time.Unix(rapid.Int64Range(1.7e9, 1.8e9).Draw(t, "at"), 0), Input: n("input"), Output: n("output"),
					CacheRead: n("read"), CacheWrite: n("write"),
				},
			}
			u.Total = u.Input + u.Output + u.CacheRead + u.CacheWrite
			used = append(used, u)
		}
		r := usage.Of(used, prices, time.FixedZone("", 5*3600+1800))
		sessions := []usage.Named{}
		for id, s := range usage.BySession(used, prices) {
			sessions = append(sessions, usage.Named{Name: id, Sum: *s})
		}
		for name, list := range map[string][]usage.Named{"models": r.Models, "agents": r.Agents, "folders": r.Folders,
			"days": r.Days, "sessions": sessions} {
			var sum usage.Sum
			for _, n := range list {
				sum.Input, sum.Output, sum.CacheRead, sum.CacheWrite = sum.Input+n.Input, sum.Output+n.Output,
					sum.CacheRead+n.CacheRead, sum.CacheWrite+n.CacheWrite
				sum.Total, sum.Unpriced, sum.FromLogs, sum.FromScreen = sum.Total+n.Total, sum.Unpriced+n.Unpriced,
					sum.FromLogs+n.FromLogs, sum.FromScreen+n.FromScreen
				sum.Cost += n.Cost
			}
			apart := math.Abs(sum.Cost - r.Total.Cost)
			if sum.Cost = r.Total.Cost; sum != r.Total || apart > 1e-6*r.Total.Cost {
				t.Fatalf("%s make %+v (%g apart), want %+v", name, sum, apart, r.Total)
			}
		}
		if r.Total.FromLogs+r.Total.FromScreen != r.Total.Total {
			t.Fatalf("%+v", r.Total)
		}
	})
}

func TestPricesOfModels(t *testing.T) {
	p := usage.Listed()
	if _, err := time.Parse(time.DateOnly, p.Date); err != nil {
		t.Errorf("date: %v", err)
	}
	for model, want := range map[string]float64{
		"claude-sonnet-4-5-20250929": 3, "claude-sonnet-4-5": 3, "anthropic/claude-opus-4-1@20250805": 15,
		"gpt-5.1-codex": 1.25, "gpt-5.1-codex-mini": 0.25, "gemini-2.5-pro-preview-05-06": 1.25,
		"claude-sonnet-4-5[1m]": 3, "us.claude-sonnet-4-5": -1,
		"claude-opus-4-9": -1, "gpt-5.2": -1, "gpt-5.1-codex-max": -1, "gemini-2.5-pro-next": -1, "": -1, "mock": -1,
	} {
		price, ok := p.Of(model)
		if ok != (want >= 0) || ok && price.Input != want {
			t.Errorf("%q: %+v, %v, want %g", model, price, ok, want)
		}
	}
	u := session.Usage{Model: "claude-sonnet-4-5", Input: 1e6, CacheRead: 1e6, CacheWrite: 1e6, Output: 1e6}
	if cost, ok := p.Cost(u); !ok || math.Abs(cost-22.05) > 1e-9 {
		t.Errorf("%g, %v", cost, ok)
	}
	stated := 0.5
	if cost, ok := p.Cost(session.Usage{Model: "unheard-of", Cost: &stated}); !ok || cost != stated {
		t.Errorf("stated: %g, %v", cost, ok)
	}
	if _, ok := p.Cost(session.Usage{Model: "gpt-5", Total: 100}); ok {
		t.Error("a total alone has a price")
	}
}

// TestOwnPrices replaces the prices by the user's, and says what is wrong with them.
func TestOwnPrices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prices.toml")
	if p, err := usage.LoadPrices("", path); err != nil || p.Path != "" || p.Date != usage.Listed().Date {
		t.Errorf("without a file: %+v, %v", p, err)
	}
	if _, err := usage.LoadPrices(path, ""); err == nil {
		t.Error("a file that is named and not there is no error")
	}
	for text, wrong := range map[string]string{
		"date = \"2026-01-02\"\n[models]\n\"mine\" = { input = 1.0, output = 2.0 }\n": "",
		"date = ":                               "prices.toml",
		"when = \"2026\"":                       "unknown key when",
		"[models]\n\"m\" = { input = -1.0 }":    "a price of -1",
		"[models]\n\"m\" = { input = nan }":     "a price of NaN",
		"[models]\n\"m\" = { input = \"one\" }": "prices.toml",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := usage.LoadPrices("", path)
		if wrong != "" {
			if err == nil || !strings.Contains(err.Error(), wrong) {
				t.Errorf("%q: %v, want %s", text, err, wrong)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := p.Of("gpt-5"); ok || p.Date != "2026-01-02" || p.Path != path {
			t.Errorf("%+v", p)
		}
		if cost, ok := p.Cost(session.Usage{Model: "mine", Input: 1e6, CacheRead: 1e6, Output: 1e6}); !ok || cost != 4 {
			t.Errorf("%g, %v", cost, ok)
		}
	}
}

func TestText(t *testing.T) {
	for want, s := range map[string]usage.Sum{
		"999 tokens, $1.50":    {Total: 999, Cost: 1.5, FromLogs: 999},
		"≥ 12.3k tokens":       {Total: 12345, Unpriced: 12345, FromScreen: 12345},
		"1.2M tokens, ≥ $2.00": {Total: 1234567, Cost: 2, Unpriced: 1},
		"10 tokens, $0.0019":   {Total: 10, Cost: 0.001875},
		"≥ 0 tokens, ≥ $0.01":  {Cost: 0.01, FromScreen: 1},
		"0 tokens, $0.00":      {},
	} {
		if got := s.Text(); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
}
