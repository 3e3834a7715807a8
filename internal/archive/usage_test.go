package archive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/archive"
)

// TestUsageOnTheScreensOfAgents reads what real agents of many versions printed of their tokens.
// The recordings are of the lab, whose model server says that a request used 100 and 50, or 100 and
// 20, tokens.
func TestUsageOnTheScreensOfAgents(t *testing.T) {
	const none = ""
	for fixture, want := range map[string]string{
		"claude/1.0.128-tools": "claude-3-5-haiku 900+450 $0.0025, claude-sonnet 600+300 $0.0063",
		// twice
		"claude/1.0.128-shell": "claude-3-5-haiku 100+50 $0.0003, claude-3-5-haiku 200+100 $0.0006, claude-sonnet 100+50 " +
			"$0.0011, claude-sonnet 100+50 $0.0011",
		// wrapped
		"claude/1.0.89-slim":     " 0+0 $0.0088, claude-3-5-haiku 900+450, claude-sonnet 600+300",
		"claude/1.0.90-queue":    " 0+0 $0.0154, claude-3-5-haiku 1000+500, claude-sonnet 1200+600",
		"claude/2.1.197-tools":   none,                   // it prints nothing
		"claude/2.1.197-agents":  " 100+50, mock 200+40", // codex and gemini in one shell
		"codex/0.29.0-edits":     " 500+250",
		"codex/0.47.0-tools":     " 600+300",
		"codex/0.125.0-slim":     " 200+100", // wrapped
		"codex/0.169.0-tiny":     " 600+300",
		"codex/0.169.0-slash":    " 200+100",
		"codex/0.169.0-shell":    " 100+50, 100+50",
		"copilot/1.0.102-tools":  " 600+120",
		"gemini/0.20.2-shell":    "mock 200+40, mock 200+40",
		"gemini/0.28.2-spoken":   "mock 800+160",
		"gemini/0.51.0-slim":     "mock 400+80",
		"gemini/0.61.0-narrow":   "mock 600+120",
		"gemini/0.61.0-tools":    "mock 800+160",
		"opencode/1.18.33-tools": " 150 $0.01",
		"qwen/0.12.0-approve":    "mock-coder 300+60",
		"qwen/0.24.4-storm":      "mock-coder 200+40, mock-coder 300+60",
		"shell/bash-brackets":    none,
	} {
		rec, err := archive.OpenRecording("../../testdata/transcripts/"+fixture+"/session.cast.gz",
			archive.RecordingOptions{Seen: func(int) {}})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := rec.Transcribe(nil)
		if err != nil {
			t.Error(err)
		}
		_ = rec.Close()
		var got []string
		keys := map[string]bool{}
		for _, u := range tr.Usage {
			text := fmt.Sprintf("%s %d+%d", u.Model, u.Input, u.Output)
			if u.Input+u.Output == 0 && u.Total > 0 {
				text = fmt.Sprintf("%s %d", u.Model, u.Total)
			}
			if u.Cost != nil {
				text += fmt.Sprintf(" $%g", *u.Cost)
			}
			got = append(got, text)
			if keys[u.Key] || u.Source != "screen" || u.At.Before(tr.Session.StartedAt) {
				t.Errorf("%s: %+v", fixture, u)
			}
			keys[u.Key] = true
		}
		slices.Sort(got)
		if diff := cmp.Diff(strings.TrimSpace(want),
			strings.TrimSpace(strings.ReplaceAll(strings.Join(got, ", "), ",  ", ", "))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", fixture, diff)
		}
	}
}
