package extractor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/vterm"
)

// usage feeds screens to a reader, and returns what it read of the agent.
func usage(agent string, left bool, screens ...string) (total int64, figures int) {
	var r extractor.UsageReader
	if agent != "" {
		r.Begin(agent)
	}
	for i, text := range screens {
		term := vterm.New(vterm.Options{Cols: 100, Rows: 24})
		_, _ = term.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
		r.Read(term.Snapshot(), left, time.Unix(int64(i), 0))
	}
	for _, u := range r.Usage() {
		total += u.Total
		figures++
	}
	return total, figures
}

// TestCountsThatBeginAgainAreOthers takes counts that grow once, and those that begin again as
// others.
func TestCountsThatBeginAgainAreOthers(t *testing.T) {
	const codex = "Token usage: total=%1 input=%1 (+ 4 cached) output=0"
	of := func(n string) string { return strings.ReplaceAll(codex, "%1", n) }
	for name, tt := range map[string]struct {
		agent   string
		left    bool
		screens []string
		total   int64
		figures int
	}{
		"once":          {"codex", true, []string{of("100"), of("100")}, 104, 1},
		"grows":         {"codex", true, []string{of("100"), of("1.2K")}, 1204, 1},
		"begins again":  {"codex", true, []string{of("1,000"), of("100")}, 1108, 2},
		"while it runs": {"codex", false, []string{of("100")}, 0, 0},
		"in a reply":    {"codex", true, []string{"• " + of("100"), "  " + of("100")}, 0, 0},
		"the best of two": {"codex", true, []string{"Token usage:  90 total  (60 input + 30 output)\n" + of("100")},
			104, 1},
		"the context, not sums": {"opencode", false,
			[]string{" /shop   900 (5%) · $0.01  ctrl+p commands", " /shop   100 (1%) · $0.02  ctrl+p commands"}, 900, 1},
		"no head above": {"gemini", true, []string{"│  mock  6  600  0  120  │"}, 0, 0},
		"a head above": {"gemini", true,
			[]string{"│  Model  Reqs  Input Tokens  Cache Reads  Output Tokens  │\n│  mock  6  600  80  120  │\n" +
				"│    ↳ main  6  600  80  120  │"}, 800, 1},
		"an unknown agent": {"else", true, []string{of("100")}, 0, 0},
		"no agent":         {"", true, []string{of("100")}, 0, 0},
		"absurd figures":   {"codex", true, []string{of("9999999999999999999"), of("1e5"), of("..")}, 4, 1},
		"wrapped": {"codex", true,
			[]string{strings.Repeat(" ", 66) + "Token usage:  90 total  (60 input + 30 output)"}, 90, 1},
		"two models": {"claude", false,
			[]string{"Usage by model:\n  a: 10 input, 5 output\n  b: 100 input, 50 output"}, 165, 2},
		"labels": {"qwen", true,
			[]string{"│  Model  Reqs  Input Tokens  Output Tokens  │\n│  mock  6  600  120  │\n│  mock (b)  6  60  12  │"},
			792, 2},
		"a part is cached": {"copilot", true, []string{" Tokens    ↑ 100 (40 cached) • ↓ 10 (5 reasoning)"}, 110, 1},
		"the cost elsewhere": {"claude", false,
			[]string{"Total cost:  $0.50\nUsage by model:\n  m: 100 input, 50 output"}, 150, 2},
		"the cost twice": {"claude", false,
			[]string{"Total cost:  $0.50\nUsage by model:\n  m: 100 input, 50 output ($0.50)"}, 150, 1},
		"the cost falls": {"opencode", false, []string{" /shop   900 (5%) · $0.05 ", " /shop   950 (5%) · $0.01 "},
			1850, 2},
		"the cost first": {"claude", false, []string{"Total cost:  $0.50", "Total cost:  $0.70"}, 0, 1},
		"more in another look": {"codex", true, []string{of("100"), "Token usage:  900 total  (600 input + 300 output)"},
			104, 1},
		"no cost any more": {"opencode", false, []string{" /shop   900 (5%) · $0.05 ", " /shop   950 (5%) "}, 950, 1},
		"a row goes on":    {"codex", true, []string{strings.Repeat("x", 2600)}, 0, 0},
		"nothing":          {"opencode", false, []string{" /shop   0 (0%) "}, 0, 0},
	} {
		if total, figures := usage(tt.agent, tt.left, tt.screens...); total != tt.total || figures != tt.figures {
			t.Errorf("%s: %d tokens in %d figures, want %d in %d", name, total, figures, tt.total, tt.figures)
		}
	}
}

// TestUsageIsNotCountedTwice does not take what an agent printed before for that of its next run.
func TestUsageIsNotCountedTwice(t *testing.T) {
	var r extractor.UsageReader
	term := vterm.New(vterm.Options{Cols: 100, Rows: 24})
	show := func(text string) {
		_, _ = term.Write([]byte(text + "\r\n"))
		r.Read(term.Snapshot(), true, time.Time{})
	}
	total := func() (sum int64) {
		for _, u := range r.Usage() {
			sum += u.Total
		}
		return sum
	}
	r.Begin("codex")
	show("Token usage: total=150 input=100 output=50")
	r.Begin("codex")
	show("$ codex")
	if got := total(); got != 150 {
		t.Errorf("after the second start: %d", got)
	}
	show("Token usage: total=150 input=100 output=50")
	if got := total(); got != 300 {
		t.Errorf("after the second end: %d", got)
	}
	r.Begin("codex")
	show("$ codex")
	term.Resize(90, 24) // makes other rows of what was said
	show("$ codex")
	if got := total(); got != 300 {
		t.Errorf("after a resize: %d", got)
	}
	if show("Token usage: total=160 input=100 output=60"); total() != 460 {
		t.Errorf("after the third end: %d", total())
	}
}
