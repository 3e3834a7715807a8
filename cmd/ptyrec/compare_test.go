package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
)

func TestCompare(t *testing.T) {
	want := []logMessage{
		{Role: "user", Text: "Why is it empty?"}, {Role: "assistant", Text: "# Why\n\nThe **key** is `wrong`:\n\n- one\n- two"},
		{Role: "user", Text: "Fix it"}, {Role: "assistant", Text: "Done: the key is right now."},
	}
	entry := func(seq int, role, text string) *session.Entry {
		return &session.Entry{Seq: seq, Role: role, Text: text, Markdown: text}
	}
	have := []*session.Entry{
		entry(1, "user", "Why is it empty?"), entry(2, "assistant", "Why\nThe key is wrong:\n• one\n• two"),
		entry(4, "assistant", "Done: the kye is right now."), entry(5, "assistant", "Anything else entirely"),
	}
	got := compare(want, have)
	wantDiffers := []difference{
		{Role: "user", Want: "Fix it"}, {Seq: 4, Role: "assistant", Want: "Done: the key is right now.", Have: "Done: the kye is right now."},
		{Seq: 5, Role: "assistant", Have: "Anything else entirely"},
	}
	if diff := cmp.Diff(wantDiffers, got.Differs); diff != "" || got.Exact != 2 {
		t.Errorf("exact = %d, differences (-want +got):\n%s", got.Exact, diff)
	}
	if got := compare(want, nil); got.Chars != 0 || len(got.Differs) != 4 {
		t.Errorf("nothing: %+v", got)
	}
}

func TestReadLogs(t *testing.T) {
	const at = `"timestamp":"2026-11-20T10:00:00Z"`
	when := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for line, want := range map[string][]logMessage{
		`{"type":"user","cwd":"/a",` + at + `,"message":{"content":"hi"}}`:                                                        {{"user", "hi", when, "/a"}},
		`{"type":"assistant",` + at + `,"message":{"content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"yes"}]}}`: {{"assistant", "yes", when, ""}},
		`{"type":"user",` + at + `,"message":{"content":"<command-name>/clear</command-name>"}}`:                                  nil,
		`{"type":"user","isMeta":true,"message":{"content":"x"}}`:                                                                 nil,
		`{"type":"summary"}`: nil, `not json`: nil,
	} {
		if diff := cmp.Diff(want, readClaude([]byte(line))); diff != "" {
			t.Errorf("claude, %s (-want +got):\n%s", line, diff)
		}
	}
	got := readCodex([]byte(`{` + at + `,"type":"event_msg","payload":{"type":"agent_message","message":"yes"}}`))
	if diff := cmp.Diff([]logMessage{{"assistant", "yes", when, ""}}, got); diff != "" {
		t.Errorf("codex (-want +got):\n%s", diff)
	}
	got = readGemini([]byte(`{"sessionId":"x","messages":[{` + at + `,"type":"user","content":[{"text":"hi"}]},{` + at + `,"type":"gemini","content":"yes"},{"type":"info","content":"x"}]}`))
	if diff := cmp.Diff([]logMessage{{"user", "hi", when, ""}, {"assistant", "yes", when, ""}}, got); diff != "" {
		t.Errorf("gemini (-want +got):\n%s", diff)
	}
}
