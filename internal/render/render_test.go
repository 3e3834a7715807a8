package render_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sebdah/goldie/v2"

	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
)

var start = time.Date(2026, 11, 20, 23, 11, 5, 120_000_000, time.UTC)

// example returns a transcript in which everything occurs that a format treats in its own way.
func example() *session.Transcript {
	end, code := start.Add(62*time.Second), 3
	t := &session.Transcript{Session: session.Session{
		ID: "0199aa00-0000-7000-8000-000000000001", Command: []string{"bash", "-l"}, Cwd: "/home/dev/a_b`c",
		Title:     "Fix the *cache*",
		StartedAt: start, EndedAt: &end, ExitCode: &code, Cols: 100, Rows: 30,
		Agents: []session.Agent{{Name: "claude", Version: "2.1.197", Model: "Opus 4.8"}, {Name: "codex"}},
	}}
	add := func(e session.Entry) {
		e.Seq = len(t.Entries) + 1
		e.ID = strings.Repeat("0", 7) + string(rune('a'+e.Seq))
		e.At, e.Offset = start.Add(time.Duration(e.Seq)*time.Second), int64(e.Seq)*100
		if e.Type == "" {
			e.Type = session.TypeMessage
			if e.Status == "" {
				e.Status = session.StatusComplete
			}
			if e.Markdown == "" {
				e.Markdown = e.Text
			}
			at := e.At.Add(500 * time.Millisecond)
			e.EndAt = &at
		}
		t.Entries = append(t.Entries, &e)
	}
	add(session.Entry{Role: session.RoleShell, Text: "cd shop && ls", Output: "README.md\n```go\nmain.go\n"})
	add(session.Entry{Type: session.TypeEvent, Event: session.EventNewSession, Agent: "claude", Conversation: 1,
		Data: map[string]any{"version": "2.1.197", "model": "Opus 4.8", "cwd": "/home/dev/shop_x"}})
	add(session.Entry{Role: session.RoleSystem, Agent: "claude", Conversation: 1, Text: "Welcome <to> Claude Code!"})
	add(session.Entry{Role: session.RoleUser, Agent: "claude", Conversation: 1,
		Text: "Why is the cache empty?\n缓存为什么是空的？ 👩‍💻"})
	add(session.Entry{Role: session.RoleThinking, Agent: "claude", Conversation: 1, Text: "I should look."})
	add(session.Entry{Role: session.RoleTool, Agent: "claude", Conversation: 1, Text: "Bash(echo hi)",
		Tool: &session.Tool{Name: "Bash", Input: "echo hi", Output: "hi </details>\n````\nfence\n````",
			Status: session.ToolOK, Truncated: true}})
	add(session.Entry{Role: session.RoleTool, Agent: "claude", Conversation: 1, Text: "Edit(main.go)",
		Tool: &session.Tool{Name: "Edit", Input: "main.go\n- a\n+ b", Status: session.ToolRejected}})
	add(session.Entry{Role: session.RoleAssistant, Agent: "claude", Conversation: 1,
		Text:     "Findings\nThe key is wrong:\nkey := 1\nUse two.",
		Markdown: "# Findings\n\nThe **key** is wrong:\n\n```go\n# not a heading\nkey := 1\n```\n\n- Use `two`."})
	add(session.Entry{Type: session.TypeEvent, Event: session.EventBusy, Agent: "claude", Conversation: 1})
	add(session.Entry{Role: session.RoleCommand, Agent: "claude", Conversation: 1, Text: "/context", Output: "12 % used"})
	add(session.Entry{Type: session.TypeEvent, Event: session.EventClear, Agent: "claude", Conversation: 2})
	add(session.Entry{Role: session.RoleUser, Agent: "claude", Conversation: 2, Text: "Show me"})
	add(session.Entry{Role: session.RoleAssistant, Agent: "codex", Conversation: 2, Text: "As follows\nfunc a() {",
		Markdown: "As follows\n\n~~~go\nfunc a() {", Status: session.StatusPartial})
	add(session.Entry{Type: session.TypeEvent, Event: session.EventInterrupted, Agent: "codex", Conversation: 2})
	add(session.Entry{Type: session.TypeEvent, Event: session.EventResize, Conversation: 2,
		Data: map[string]any{"cols": 80.0, "rows": 24.0}})
	add(session.Entry{Role: session.RoleAssistant, Agent: "codex", Conversation: 2, Text: "Al\x1b[31m\x07most",
		Status: session.StatusStreaming})
	add(session.Entry{Type: session.TypeEvent, Event: session.EventExit, Conversation: 2,
		Data: map[string]any{"status": 3.0}})
	return t
}

func write(t testing.TB, format string, tr *session.Transcript) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := render.Write(&b, format, tr); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Goldens change with GOLDIE_UPDATE=1 only (make golden).
func TestGoldenWrite(t *testing.T) {
	g := goldie.New(t, goldie.WithFixtureDir("testdata"), goldie.WithNameSuffix(""),
		goldie.WithDiffEngine(goldie.ColoredDiff))
	for _, format := range render.Formats() {
		g.Assert(t, "example."+format, write(t, format, example()))
		g.Assert(t, "empty."+format, write(t, format, &session.Transcript{}))
	}
}

// A transcript in JSON, or in JSON lines, is read back as it was.
func TestJSONRoundTrip(t *testing.T) {
	want := example()
	want.Format, want.Version = session.TranscriptFormat, session.TranscriptVersion
	var got session.Transcript
	if err := json.Unmarshal(write(t, "json", want), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, &got); diff != "" {
		t.Errorf("json (-want +got):\n%s", diff)
	}
	var lines session.Transcript
	dec := json.NewDecoder(bytes.NewReader(write(t, "jsonl", want)))
	if err := dec.Decode(&lines); err != nil {
		t.Fatal(err)
	}
	for {
		var e session.Entry
		err := dec.Decode(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		lines.Entries = append(lines.Entries, &e)
	}
	if diff := cmp.Diff(want, &lines); diff != "" {
		t.Errorf("jsonl (-want +got):\n%s", diff)
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]string{"a.json": "json", "a.b.JSONL": "jsonl", "a.ndjson": "jsonl",
		"/x/a.md": "md", "a.markdown": "md", "a.txt": "txt"} {
		if got, err := render.FormatOf(name); err != nil || got != want {
			t.Errorf("FormatOf(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"a", "a.", "a.doc", "json"} {
		if got, err := render.FormatOf(name); !errors.Is(err, render.ErrFormat) {
			t.Errorf("FormatOf(%q) = %q, %v, want an error", name, got, err)
		}
	}
	if err := render.Write(io.Discard, "doc", example()); !errors.Is(err, render.ErrFormat) {
		t.Errorf("Write: error = %v, want %v", err, render.ErrFormat)
	}
}

// The error of the writer is not lost in a buffer.
func TestWriteError(t *testing.T) {
	for _, format := range render.Formats() {
		if err := render.Write(failing{}, format, example()); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: error = %v", format, err)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func BenchmarkWrite(b *testing.B) {
	t := example()
	for range 6 {
		t.Entries = append(t.Entries, t.Entries...)
	}
	for _, format := range render.Formats() {
		b.Run(format, func(b *testing.B) {
			b.SetBytes(int64(len(write(b, format, t))))
			b.ReportAllocs()
			for b.Loop() {
				if err := render.Write(io.Discard, format, t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestMarkdownHeadingsKeepAmpersands: a title with "&" was written as "&amp;".
func TestMarkdownHeadingsKeepAmpersands(t *testing.T) {
	for title, want := range map[string]string{
		"build && test -> done":    "# build && test -> done\n",
		"R&D; a&b":                 "# R&amp;D; a&b\n", // &D; could be a character reference
		"show &lt; and &#60; <b>":  "# show &amp;lt; and &amp;#60; &lt;b>\n",
		"*stars* [link](x) `code`": "# \\*stars\\* \\[link\\](x) \\`code\\`\n",
	} {
		var b strings.Builder
		if err := render.Write(&b, "md", &session.Transcript{Session: session.Session{Title: title}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\n"+want) {
			t.Errorf("%s: no %q in %q", title, want, b.String())
		}
	}
}
