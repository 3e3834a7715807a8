package agentlog

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/session"
)

// put returns the entries of a log of these lines, as the sink gets them, and how often it gets
// usage.
func put(t *testing.T, agent string, lines ...string) (entries []*session.Entry, tokens int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	writeFile(t, path, strings.Join(lines, "\n"))
	used := map[string]int64{}
	_, err := logOf(agent, path).Read(Sink{
		Entry: func(e *session.Entry, _ string) error {
			entries = append(entries, e)
			return nil
		},
		Usage: func(u session.Usage) error {
			used[u.Key] = u.Total
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range used {
		tokens += n
	}
	return entries, tokens
}

// A log that uses one id for all that was said has it all, and each entry has an id of its own.
func TestEqualIDsInALog(t *testing.T) {
	const n = 1000
	var claude, copilot []string
	for i := range n {
		at := fmt.Sprintf("2026-11-20T10:%02d:%02dZ", i/60, i%60)
		claude = append(claude, fmt.Sprintf(`{"type":"user","uuid":"x","timestamp":%q,"message":{"content":"Prompt %d"}}`,
			at, i%10))
		copilot = append(copilot,
			fmt.Sprintf(`{"type":"user.message","id":"x","timestamp":%q,"data":{"content":"Prompt %d"}}`, at, i%10),
			fmt.Sprintf(`{"type":"session.usage_record","id":"x","timestamp":%q,"data":{"usage":{"inputTokens":7}}}`, at))
	}
	for agent, lines := range map[string][]string{"claude": claude, "copilot": copilot} {
		entries, tokens := put(t, agent, append(lines, lines...)...) // the second time they are copies
		ids, seqs := map[string]int{}, map[int]bool{}
		for _, e := range entries {
			ids[e.ID], seqs[e.Seq] = e.Seq, true
		}
		if len(ids) != n || len(seqs) != n {
			t.Errorf("%s: %d ids and %d places, want %d", agent, len(ids), len(seqs), n)
		}
		if agent == "copilot" && tokens != 7*n {
			t.Errorf("%d tokens, want %d", tokens, 7*n)
		}
	}
}

// A command that prints often is put once, with all that it printed, cut in the middle.
func TestACommandThatPrintsOften(t *testing.T) {
	const n = 3000
	lines := []string{`{"type":"user","uuid":"c","message":{"content":"<command-name>/x</command-name>"}}`}
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"type":"user","uuid":"o%d","message":{"content":"<local-command-stdout>line `+
			`%d %s</local-command-stdout>"}}`, i, i, strings.Repeat("x", 100)))
	}
	entries, _ := put(t, "claude", append(lines, `{"type":"user","uuid":"p","message":{"content":"Why?"}}`)...)
	if len(entries) != 2 {
		t.Fatalf("%d entries were put, want 2", len(entries))
	}
	e := entries[1]
	if e.Text != "/x" || !strings.HasPrefix(e.Output, "line 0 ") ||
		!strings.Contains(e.Output, fmt.Sprintf("line %d ", n-1)) || len(e.Output) > mostOutput+100 || e.OmittedLines < n/2 {
		t.Errorf("%s: %d bytes, %d lines left out", e.Text, len(e.Output), e.OmittedLines)
	}
}
