package agentlog

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/session"
)

// logOf returns a log of these files.
func logOf(agent string, paths ...string) *Log {
	return &Log{Agent: agent, Path: paths[0], Files: paths, read: keeperOf(agent).read}
}

// told returns a line for each entry of a log, in the order of their numbers, the facts, and what
// was used.
func told(t testing.TB, l *Log) (lines []string, facts Facts, used []session.Usage) {
	t.Helper()
	entries := map[int]*session.Entry{}
	last := 0
	usage := map[string]session.Usage{}
	facts, err := l.Read(Sink{
		Entry: func(e *session.Entry, _ string) error {
			entries[e.Seq] = e
			last = max(last, e.Seq)
			return nil
		},
		Usage: func(u session.Usage) error {
			usage[u.Key] = u
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for seq := 1; seq <= last; seq++ {
		e := entries[seq]
		switch {
		case e == nil:
		case e.Tool != nil:
			lines = append(lines, fmt.Sprintf("tool %s(%s) %s: %s", e.Tool.Name, e.Tool.Input, e.Tool.Status, e.Tool.Output))
		case e.Event != "":
			lines = append(lines, e.Event)
		case e.Output != "":
			lines = append(lines, e.Role+": "+e.Text+" | "+e.Output)
		default:
			lines = append(lines, e.Role+": "+e.Text)
		}
	}
	for _, u := range usage {
		used = append(used, u)
	}
	return lines, facts, used
}

// clip shortens lines.
func clip(lines []string, n int) (out []string) {
	for _, l := range lines {
		l, _, _ = strings.Cut(l, "\n")
		out = append(out, l[:min(n, len(l))])
	}
	return out
}

// TestTreesOfClaudeLogs reads real logs with what makes them a tree: subagents, a compaction, a way
// back.
func TestTreesOfClaudeLogs(t *testing.T) {
	const dir = "testdata/claude-2.1.330/"
	subagents, err := filepath.Glob(dir + "subagents/subagents/*.jsonl")
	if err != nil || len(subagents) != 2 {
		t.Fatalf("%q, %v", subagents, err)
	}
	for name, want := range map[string][]string{
		"rewind": {
			"user: Summarize how a stale token exposes",
			"assistant: The migration invalidates the re",
			"user: Describe how your query validates a",
			"assistant: A stale token validates the retr",
			"system: The user went back to an earlier m",
			"user: Is it true that your query invalidat",
			"assistant: The event loop ignores the error",
		},
		"compact": {
			"user: Explain why your query validates a n",
			"assistant: The test suite rewrites every he",
			"user: Explain why each worker validates ol",
			"assistant: The lock file shadows two stale ",
			"system: Conversation compacted",
			"system: This session is being continued fr",
			"command: /compact | Compacted (ctrl+o to se",
			"user: Describe how the build step rewrites",
			"assistant: Every request invalidates the ch",
		},
		"subagents": {
			"user: Show where a stale token duplicates ",
			"assistant: The scheduler rebuilds three tab",
			"tool Agent(Count the go files of the shop c",
			"tool Agent(Count the text files of the shop",
			"assistant: The parser ignores the user reco",
			"assistant: The agent has finished.",
			"user: Tell me when the migration flushes a",
			"assistant: Your query shadows every header ",
			"tool subagent(Count the text files of the s",
			"tool Bash(ls *.txt) ok: big.txt",
			"tool subagent() ok: There is one text file.",
			"tool subagent(Count the go files of the sho",
			"tool Bash(ls *.go) ok: main.go",
			"tool subagent() ok: There is one go file.",
		},
	} {
		files := []string{dir + name + ".jsonl"}
		if name == "subagents" {
			files = append(files, subagents...)
		}
		lines, facts, used := told(t, logOf("claude", files...))
		if name == "subagents" { // their order follows from their names
			first := slicesIndex(lines, "tool subagent(Count the go")
			if second := slicesIndex(lines, "tool subagent(Count the text"); first < second {
				lines = append(append(append([]string{}, lines[:first]...), lines[second:]...), lines[first:second]...)
			}
		}
		short := clip(lines, 43)
		for i, w := range want {
			if i >= len(short) || !strings.HasPrefix(short[i], w[:min(len(w), len(short[i]))]) {
				t.Errorf("%s: lines (-want +got):\n%s", name, cmp.Diff(want, short))
				break
			}
		}
		if len(short) != len(want) {
			t.Errorf("%s: %d lines, want %d: %q", name, len(short), len(want), short)
		}
		if facts.Version != "2.1.330" || facts.Cwd != "/home/dev/shop" || facts.Model != "claude-opus-5-5" ||
			facts.Broken != 0 || len(used) == 0 {
			t.Errorf("%s: %+v, %d requests", name, facts, len(used))
		}
	}
}

func slicesIndex(lines []string, start string) int {
	for i, l := range lines {
		if strings.HasPrefix(l, start) {
			return i
		}
	}
	return -1
}

// TestLogsOfEachVersion reads what the real agents logged of the lab's "tools": tools with their
// results, and what each request used.
func TestLogsOfEachVersion(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.json*")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d logs, %v", len(paths), err)
	}
	for _, path := range paths {
		agent, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), "-")
		lines, facts, used := told(t, logOf(agent, path))
		checkTools(t, path, lines)
		var total int64
		for _, u := range used {
			total += u.Total
		}
		// Codex did not log it then
		if logs := version != "0.29.0"; logs == (total == 0) || logs && total != 6*150 && total != 6*120 {
			t.Errorf("%s: %d tokens in %d requests", path, total, len(used))
		}
		if facts.ID == "" || facts.Last.Before(facts.First) || facts.First.Year() != 2026 ||
			agent != "gemini" && version != "0.29.0" && facts.Version != version {
			t.Errorf("%s: %+v", path, facts)
		}
	}
}

// checkTools looks for the four calls of the lab's "tools".
func checkTools(t *testing.T, name string, lines []string) {
	t.Helper()
	all := strings.Join(lines, "\n")
	for _, want := range []string{"(ls -1) ok: README.md", "(wc -l main.go README.md) ok:", "main.go) ok: ", "row 1"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s: %q is missing in:\n%s", name, want, all)
		}
	}
	if strings.Count(all, "tool ") != 4 {
		t.Errorf("%s: %d tools, want 4:\n%s", name, strings.Count(all, "tool "), all)
	}
}

// TestOpencodeDatabase reads the database of a real opencode, also where it cannot be written.
func TestOpencodeDatabase(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	path := filepath.Join(dir, "opencode", "opencode.db")
	unzip(t, "testdata/opencode-1.18.33.db.gz", path)
	logs := Find("opencode", func(err error) { t.Error(err) })
	if len(logs) != 1 {
		t.Fatalf("%d logs, want 1", len(logs))
	}
	lines, facts, used := told(t, &logs[0])
	checkTools(t, path, lines)
	if facts.ID != "ses_dfafe9163ffe9kg1bosGpv1xEk" || facts.Version != "1.18.33" || facts.Cwd != "/home/dev/shop" ||
		facts.Title != "Test session" || len(used) != 6 {
		t.Errorf("%+v, %d requests", facts, len(used))
	}
	if !strings.HasPrefix(lines[0], "user: Summarize how the migration") {
		t.Errorf("%q", lines)
	}
	if err := os.WriteFile(path, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	var reported []error
	if logs := Find("opencode", func(err error) { reported = append(reported, err) }); len(logs) != 0 ||
		len(reported) != 1 {
		t.Errorf("%d logs, %v", len(logs), reported)
	}
}

func unzip(t testing.TB, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, string(b))
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestBadLinesAreSkipped reads on behind what cannot be read.
func TestBadLinesAreSkipped(t *testing.T) {
	line := func(at, text string) string {
		return `{"type":"user","uuid":"` + text + `","timestamp":` + at + `,"cwd":"/shop","message":{"content":"` + text +
			`"}}`
	}
	path := filepath.Join(t.TempDir(), "x.jsonl")
	writeFile(t, path, strings.Join([]string{
		"\x00\x00\x00" + line(`"1970-01-01T00:00:00Z"`, "first"), line(`"2026-11-20T10:00:00Z"`, "second"), "{", "[]",
		"null", `"x"`,
		`{"type":"user","message":` + strings.Repeat("[", 20000) + "}", line(`"2099-01-01T00:00:00Z"`, "third"),
		line("7", "invalid \xff\xfe"), line("null", `nul \u0000`),
		`{"type":"user","uuid":"x","cwd":5,"timestamp":{},"message":{"content":"of other types"}}`,
		line(`"2026-11-20T10:00:05Z"`, "last")[:60],
	}, "\n"))
	lines, facts, _ := told(t, logOf("claude", path))
	want := []string{"user: first", "user: second", "user: third", "user: invalid \ufffd\ufffd", "user: nul \ufffd",
		"user: of other types"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if want := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC); !facts.First.Equal(want) || !facts.Last.Equal(want) ||
		facts.Broken != 3 {
		t.Errorf("%+v", facts)
	}
}

// TestBrokenDocumentIsReadUpToTheBreak reads a document up to where it breaks off.
func TestBrokenDocumentIsReadUpToTheBreak(t *testing.T) {
	whole, err := os.ReadFile("testdata/gemini-0.20.2.json")
	if err != nil {
		t.Fatal(err)
	}
	all, _, _ := told(t, logOf("gemini", "testdata/gemini-0.20.2.json"))
	path := filepath.Join(t.TempDir(), "x.json")
	for _, n := range []int{0, 1, 200, len(whole) / 3, len(whole) / 2, len(whole) - 3} {
		writeFile(t, path, string(whole[:n]))
		lines, _, _ := told(t, logOf("gemini", path))
		if len(lines) > len(all) || !slices.Equal(all[:len(lines)], lines) || n == len(whole)-3 && len(lines) != len(all) {
			t.Errorf("the first %d bytes: %q", n, lines)
		}
	}
}

// TestLongLineIsLeftOut leaves a line of 100 MB out, and holds little of it.
func TestLongLineIsLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := strings.Repeat("x", 1<<20)
	write := func(text string) {
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"type":"user","message":{"content":"before"}}` + "\n" + `{"type":"user","message":{"content":"`)
	for range 100 {
		write(block)
	}
	write("\"}}\n" + `{"type":"user","message":{"content":"behind"}}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines, facts, _ := told(t, logOf("claude", path))
	runtime.ReadMemStats(&after)
	if diff := cmp.Diff([]string{"user: before", "user: behind"}, lines); diff != "" || facts.Long != 1 {
		t.Errorf("%d too long, lines (-want +got):\n%s", facts.Long, diff)
	}
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 100 {
		t.Errorf("%d MiB were allocated", got)
	}
}

// TestFindLeavesOtherFilesAlone leaves alone what is no log, and reports what cannot be read.
func TestFindLeavesOtherFilesAlone(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", dir)
	project := filepath.Join(dir, "projects", "-shop")
	const line = `{"type":"user","sessionId":"../../etc/passwd","message":{"content":"x"}}`
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	writeFile(t, outside, line)
	writeFile(t, filepath.Join(project, "a.jsonl"), line)
	writeFile(t, filepath.Join(project, "agent-1.jsonl"), line) // names a parent outside
	writeFile(t, filepath.Join(project, "b", "subagents", "agent-2.jsonl"), line)
	writeFile(t, filepath.Join(project, "notes.txt"), line)
	writeFile(t, filepath.Join(project, "empty.jsonl"), "")
	if err := os.Symlink(outside, filepath.Join(project, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(project, "folder")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(project, "pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	var names []string
	logs := Find("claude", func(err error) { t.Error(err) })
	for _, l := range logs {
		names = append(names, filepath.Base(l.Path))
	}
	if diff := cmp.Diff([]string{"a.jsonl", "agent-1.jsonl", "agent-2.jsonl"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, name := range []string{"pipe.jsonl", "link.jsonl", "gone.jsonl", "folder"} { // it became so after it was found
		if _, err := logOf("claude", filepath.Join(project,
			name)).Read(Sink{Entry: func(*session.Entry, string) error { return nil }}); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// FuzzDocuments shows that nothing in a log makes a reader fail, and that a document in lines and
// in one piece reads the same.
func FuzzDocuments(f *testing.F) {
	for _, name := range []string{"gemini-0.20.2.json", "claude-1.0.22.jsonl", "codex-0.47.0.jsonl", "qwen-0.24.4.jsonl"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 4000)])
	}
	f.Add([]byte(`{"messages":[{"id":"a","type":"user","content":"x"},{"type":"gemini"}],"a":{"b":[1,"]"]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, ending := range []string{".json", ".jsonl"} {
			path := filepath.Join(t.TempDir(), "x"+ending)
			writeFile(t, path, string(b))
			for _, k := range keepers {
				if k.reader == nil { // its conversations are no files of messages
					continue
				}
				told(t, logOf(k.agent, path))
			}
		}
	})
}
