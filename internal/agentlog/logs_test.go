package agentlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
)

// TestLogs reads logs that real agents of many versions wrote of the same conversation. What is
// long in them and of no use here (system prompts) is cut. They are of the lab's "tools" with seed
// 11.
func TestLogs(t *testing.T) {
	want := [][2]string{
		{"user", "Summarize how the migration flushes every header"},
		{"assistant", "Each worker exposes the checksum without checking the result."},
		{"assistant", "That index truncates the checksum after a reconnect. A retry loop duplicates a nil pointer only on " +
			"ARM."},
		{"assistant", "The build step locks its own output and then exits early. The scheduler shadows the session map on " +
			"every second call. The parser exposes the retry budget even with caching off."},
		{"user", "Check whether your query rebuilds the write-ahead log"},
		{"assistant", "The event loop duplicates the write-ahead log during a rolling deploy. The migration shadows its " +
			"own output and then exits early."},
		{"assistant", "This handler shadows *so nothing is lost* during a rolling deploy; see `OrderService` too."},
	}
	paths, err := filepath.Glob("testdata/*.json*")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d logs, %v", len(paths), err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			agent, _, _ := strings.Cut(name, "-")
			l := Log{Agent: agent, Path: path, Files: []string{path}, read: keeperOf(agent).read}
			messages, _, err := l.messages()
			if err != nil {
				t.Fatal(err)
			}
			var got [][2]string
			for _, m := range messages {
				got = append(got, [2]string{m.Role, m.Text})
				if m.At.Year() != 2026 {
					t.Errorf("%q was said at %v", m.Text, m.At)
				}
				if agent != "gemini" && m.Cwd != "" && m.Cwd != "/home/dev/shop" {
					t.Errorf("%q was said in %s", m.Text, m.Cwd)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFindLogs chooses the logs of a session among those that were written in its time and folder:
// a clear begins another one.
func TestFindLogs(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", dir)
	write := func(name string, lines ...string) {
		t.Helper()
		path := filepath.Join(dir, "projects", "-shop", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	line := func(at, cwd, text string) string {
		return `{"type":"user","timestamp":"2026-11-20T` + at + `Z","cwd":"` + cwd + `","message":{"content":"` + text + `"}}`
	}
	write("b.jsonl", line("10:00:20", "/shop", "after the clear"))
	write("a.jsonl", line("10:00:10", "/shop", "first"), line("10:00:11", "/shop/sub", "second, as the agent has it"))
	write("another-window.jsonl", line("10:00:12", "/shop", "of somebody else"))
	write("elsewhere.jsonl", line("10:00:12", "/other", "first"))
	write("before.jsonl", line("09:00:00", "/shop", "first"))
	write("broken.jsonl", "{", `{"type":"user"}`, line("10:00:13", "/shop", ""))

	from := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	logs, err := find("claude", from, from.Add(time.Minute), "/shop")
	if err != nil {
		t.Fatal(err)
	}
	entry := func(text string) *session.Entry { return &session.Entry{Role: session.RoleUser, Text: text} }
	names := func(logs []logFile) (out []string) {
		for _, l := range logs {
			out = append(out, filepath.Base(l.path))
		}
		return out
	}
	got := names(ofSession(logs, []*session.Entry{entry("first"), entry("second, as ptyrec has it"),
		entry("after the clear")}))
	if diff := cmp.Diff([]string{"a.jsonl", "b.jsonl"}, got); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
	if got := names(ofSession(logs, nil)); len(got) != 1 || got[0] != "a.jsonl" {
		t.Errorf("where nothing is found: %v, want the longest", got)
	}
}

// TestLogsSkip leaves out what a log has in the user's name, and was not said.
func TestLogsSkip(t *testing.T) {
	const at = `"timestamp":"2026-11-20T10:00:00Z"`
	for line, agent := range map[string]string{
		`{"type":"user",` + at + `,"message":{"content":"<command-name>/clear</command-name>"}}`: "claude",
		`{"type":"user","isMeta":true,` + at + `,"message":{"content":"x"}}`:                     "claude",
		`{"type":"user","isCompactSummary":true,` + at +
			`,"message":{"content":"This session is being continued"}}`: "claude",
		`{"type":"assistant","isSidechain":true,` + at +
			`,"message":{"content":"a subagent"}}`: "claude",
		`{"type":"assistant",` + at + `,"message":{"content":[{"type":"thinking","thinking":"x"}]}}`: "claude",
		`{` + at + `,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text",` +
			`"text":"<environment_context>…"}]}}`: "codex",
		`{` + at + `,"type":"response_item","payload":{"type":"message","role":"developer","content":"x"}}`: "codex",
		`{"$set":{"messages":[{"id":"1",` + at +
			`,"type":"user","content":[{"text":"<session_context>…"}]}]}}`: "gemini",
		`{"id":"2",` + at + `,"type":"user","content":[{"functionResponse":{"id":"x"}}]}`: "gemini",
		`[{"sessionId":"x","messageId":0,"type":"user","message":"in a list of prompts",` + at +
			`}]`: "gemini",
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		l := Log{Agent: agent, Path: path, Files: []string{path}, read: keeperOf(agent).read}
		if got, _, err := l.messages(); len(got) > 0 || err != nil {
			t.Errorf("%s: of %s are read %+v, %v", agent, line, got, err)
		}
	}
}

// TestClaudePrompt reads prompts without what Claude Code adds to them.
func TestClaudePrompt(t *testing.T) {
	for content, want := range map[string]string{
		`[{"type":"text","text":"[Image #1] what is it?"},{"type":"image"}]`:       "[Image #1] what is it?",
		`[{"type":"text","text":"what is it?"},{"type":"image"}]`:                  "what is it?\n[Image]",
		`"<pasted_content id=\"9f79\">\nlong text\n</pasted_content id=\"9f79\">"`: "long text",
		`"go on<system-reminder>as before\n</system-reminder>"`:                    "go on",
		`"what is <pasted_contents> for?"`:                                         "what is <pasted_contents> for?",
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		line := `{"type":"user","timestamp":"2026-11-20T10:00:00Z","message":{"content":` + content + `}}`
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, err := logOf("claude", path).messages()
		if err != nil || len(got) != 1 || got[0].Text != want {
			t.Errorf("%s: %+v, %v", content, got, err)
		}
	}
}
