package export_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/session"
)

// goldens returns the edits in the golden transcript of a fixture.
func goldens(t *testing.T, dir string) []export.Edit {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "transcript.golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []*session.Entry
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	return export.AllEdits(&session.Session{Cwd: "/home/me/shop"}, entries)
}

// TestEditsInRecordings reads the edits of each agent in real recordings.
func TestEditsInRecordings(t *testing.T) {
	root := filepath.Join("..", "..", "testdata", "transcripts")
	for _, tt := range []struct{ dir, want string }{
		{"claude/1.0.128-edits", "#7 main.go +1-1; #12 notes/todo.md new +3-0 (lines were not shown)"},
		{"claude/2.0.76-edits", "#7 main.go +1-1; #12 notes/todo.md new +3-0 (lines were not shown)"},
		{"claude/2.1.197-edits", "#7 main.go +1-1; #12 notes/todo.md new +4-0"},
		{"claude/2.1.150-lightansi", "#24 src/a.py +3-1; #28 notes/new.md new +10-0 (lines were not shown)"},
		{"codex/0.29.0-edits", "#7 shop/main.go +1-1; #12 shop/notes/todo.md new +4-0"},
		{"codex/0.47.0-edits", "#7 main.go +1-1; #12 notes/todo.md new +4-0"},
		{"codex/0.157.1-work", "#20 config/app.yaml +2-1; #21 docs/guide/index.md new +3-0"},
		{"copilot/1.0.102-edits", "#8 main.go +0-0 (no lines were shown)"},
		{"gemini/0.20.2-edits", "#8 main.go +1-1; #13 notes/todo.md new +4-0"},
		{"gemini/0.44.0-slim", "#7 main.go +1-1 (lines were wrapped or cut); #13 todo.md new +4-0"},
		{"gemini/0.61.0-spoken", "#20 config/app.yaml +2-1; #21 docs/guide/index.md new +7-0"},
		{"opencode/1.18.33-edits", "#7 main.go +1-1; #12 notes/todo.md new +5-0"},
		{"qwen/0.21.10-edits", "#8 main.go +1-1; #13 notes/todo.md new +4-0"},
	} {
		var got []string
		for _, e := range goldens(t, filepath.Join(root, tt.dir)) {
			text := fmt.Sprintf("#%d %s", e.Seq, e.Path)
			if e.Created {
				text += " new"
			}
			text += fmt.Sprintf(" +%d-%d", e.Added, e.Removed)
			if e.Partial != "" {
				text += " (" + e.Partial + ")"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.dir, text, tt.want)
		}
	}
}

// A style is how an agent shows the lines of an edit.
type style struct{ agent, tool, head, line, writer, listing, between string }

var styles = []style{
	{"claude", "Update", "", "%4d %s%s\n", "Write", "%4d %s\n", "    ...\n"},
	{"claude", "Update", "Updated a with changes\n", "%4d %s  %s\n", "Write", "%4d %s\n", "    ...\n"},
	{"codex", "Edited", "", "%d %s%s\n", "Added", "%d +%s\n", "    ⋮\n"},
	{"codex", "Edited", "", "%d     %s%s\n", "Added", "%d     +%s\n", "    ⋮\n"},
	{"gemini", "Edit", "Accepted\n", "%5d %s %s\n", "WriteFile", "%5d %s\n", "═════\n"},
	{"opencode", "Edit", "", "%3d %s %s\n", "Wrote", "%3d %s\n", ""},
	{"qwen", "Edit", "", "%d %s %s\n", "WriteFile", "%d %s\n", "═════\n"},
}

// shown writes a unified diff of one file as an agent shows it: trailing spaces are gone.
func (s style) shown(diff string) string {
	var b strings.Builder
	b.WriteString(s.head)
	var old, new, hunks int
	for row := range strings.SplitSeq(strings.TrimRight(diff, "\n"), "\n") {
		if n, _ := fmt.Sscanf(row, "@@ -%d", &old); n == 1 {
			_, _ = fmt.Sscanf(row[strings.Index(row, "+"):], "+%d", &new)
			if hunks++; hunks > 1 {
				b.WriteString(s.between)
			}
			continue
		}
		if hunks == 0 {
			continue
		}
		number := new
		if row[0] == '-' {
			number = old
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf(s.line, number, row[:1], row[1:]), " \n") + "\n")
		if row[0] != '+' {
			old++
		}
		if row[0] != '-' {
			new++
		}
	}
	return b.String()
}

func (s style) written(text string) string {
	var b strings.Builder
	for i, row := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(strings.TrimRight(fmt.Sprintf(s.listing, i+1, row), " \n") + "\n")
	}
	return b.String()
}

// run runs a command in dir; git diff exits with 1 where files differ.
func run(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() != 1 || err != nil && args[1] != "diff" {
		t.Fatalf("%q: %v\n%s\n--- stdin\n%s", args, err, out, stdin)
	}
	return string(out)
}

// file makes up a file; no line of it ends with a space.
func file(rnd *rand.Rand, lines int) []string {
	var out []string
	for i := range lines {
		words := []string{"", "}", "    return x", "- item", "+ plus", "12 apples", "--- a", "@@ x", "# head", `say "x\n"`,
			"日本語 ü"}
		out = append(out, strings.TrimRight(words[rnd.IntN(len(words))]+fmt.Sprintf(" %d", i), " "))
	}
	return out
}

// change changes some lines.
func change(rnd *rand.Rand, lines []string) (out []string) {
	for _, l := range lines {
		switch rnd.IntN(12) {
		case 0:
		case 1:
			out = append(out, l, "new line", "")
		case 2:
			out = append(out, strings.TrimRight("  changed "+l, " "))
		default:
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		out = []string{"all gone"}
	}
	return append(out, "the end") // not in what is changed above: the last hunk reaches the end
}

// TestDiffsApply shows the edits of a session in each agent's way and applies the diff that is read
// from that, with git and with patch.
func TestDiffsApply(t *testing.T) {
	for seed := range uint64(8) {
		for i, s := range styles {
			rnd := rand.New(rand.NewPCG(seed, uint64(i)))
			dir := t.TempDir()
			before, made := file(rnd, 40+rnd.IntN(30)), file(rnd, 1+rnd.IntN(12))
			text := func(lines []string) string { return strings.Join(lines, "\n") + "\n" }
			write := func(name, text string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var entries []*session.Entry
			add := func(tool, name, output string) {
				e := &session.Entry{Seq: len(entries) + 1, Type: session.TypeMessage, Role: session.RoleTool, Agent: s.agent,
					Tool: &session.Tool{Name: tool, Input: name, Output: output, Status: session.ToolOK}}
				entries = append(entries, e)
			}
			state := map[string][]string{"a.txt": before}
			edit := func(name string, to []string) {
				write("old", text(state[name]))
				write("new", text(to))
				if diff := run(t, dir, "", "git", "diff", "--no-index", "--no-color", "-U3", "old", "new"); diff != "" {
					add(s.tool, name, s.shown(diff))
				}
				state[name] = to
			}
			edit("a.txt", change(rnd, state["a.txt"]))
			add(s.writer, "dir/b.txt", s.written(text(made)))
			state["dir/b.txt"] = made
			edit("a.txt", change(rnd, state["a.txt"]))
			edit("dir/b.txt", change(rnd, state["dir/b.txt"]))
			add("Bash", "rm x", "")
			for _, name := range []string{"old", "new"} {
				_ = os.Remove(filepath.Join(dir, name))
			}

			list := export.AllEdits(&session.Session{Cwd: "/x"}, entries)
			if len(list) != len(entries)-1 {
				t.Fatalf("%+v: %d edits of %d", s, len(list), len(entries)-1)
			}
			for _, e := range list {
				if e.Partial != "" {
					t.Fatalf("%+v, seed %d: edit #%d is partial: %s\n%s", s, seed, e.Seq, e.Partial, entries[e.Seq-1].Tool.Output)
				}
			}
			var b strings.Builder
			if err := export.WriteEdits(&b, list); err != nil {
				t.Fatal(err)
			}
			for _, tool := range [][]string{{"git", "apply", "--unidiff-zero", "-"}, {"patch", "-p1", "-s", "-f"}} {
				if _, err := exec.LookPath(tool[0]); err != nil {
					t.Logf("%s is not installed: not applied by it", tool[0])
					continue
				}
				_ = os.RemoveAll(filepath.Join(dir, "dir"))
				write("a.txt", text(before))
				run(t, dir, b.String(), tool...)
				for name, want := range state {
					got, err := os.ReadFile(filepath.Join(dir, name))
					if err != nil || string(got) != text(want) {
						t.Fatalf("%+v, seed %d, %s: %s is %q, %v, want %q\n%s", s, seed, tool[0], name, got, err, text(want), b.String())
					}
				}
			}
		}
	}
}

func TestPartialEditsSayWhy(t *testing.T) {
	for _, tt := range []struct {
		what string
		e    session.Entry
		want string
	}{
		{"nothing", session.Entry{Tool: &session.Tool{Name: "Edit", Status: session.ToolOK}}, "no lines were shown"},
		{"still running", session.Entry{Tool: &session.Tool{Name: "Edit", Status: session.ToolRunning,
			Output: "1 -a\n1 +b"}}, "the recording ends in it"},
		{"cut", session.Entry{Tool: &session.Tool{Name: "Edit", Status: session.ToolOK, Output: "1 -a\n1 +b",
			Truncated: true}}, "lines were not shown"},
		{"folded", session.Entry{Tool: &session.Tool{Name: "Edit", Status: session.ToolOK, Output: "1 -a\n1 +b"},
			Details: session.Details{OmittedLines: 3}}, "lines were not shown"},
		{"counts", session.Entry{Agent: "claude",
			Tool: &session.Tool{Name: "Update", Status: session.ToolOK, Output: "Added 2 lines, removed 1 line\n1 -a\n1 +b"}},
			"lines were not shown"},
		{"head", session.Entry{Agent: "claude",
			Tool: &session.Tool{Name: "Update", Status: session.ToolOK, Output: " 8  a\n10 -b\n 9 +c"}},
			"hunks before it were not shown"},
		{"backwards", session.Entry{Tool: &session.Tool{Name: "Edit", Status: session.ToolOK, Output: "9 -a\n9 +b\n3  c"}},
			"its line numbers do not add up"},
		{"prose", session.Entry{Tool: &session.Tool{Name: "Edit", Status: session.ToolOK, Output: "The file was changed."}},
			"no lines were shown"},
		{"no change", session.Entry{Tool: &session.Tool{Name: "Edit", Status: session.ToolOK, Output: "1  a\n2  b"}},
			"no change was shown"},
	} {
		list := export.AllEdits(&session.Session{}, []*session.Entry{&tt.e})
		if len(list) != 1 || list[0].Partial != tt.want {
			t.Errorf("%s: %+v, want %q", tt.what, list, tt.want)
		}
		var b strings.Builder
		if err := export.WriteEdits(&b, list); err != nil {
			t.Fatal(err)
		}
		for row := range strings.SplitSeq(strings.TrimRight(b.String(), "\n"), "\n") {
			if !strings.HasPrefix(row, "#") {
				t.Errorf("%s: a line is not marked: %q", tt.what, row)
			}
		}
		if !strings.Contains(b.String(), "only partly visible: "+tt.want) {
			t.Errorf("%s: %q", tt.what, b.String())
		}
	}
	failed := &session.Entry{Tool: &session.Tool{Name: "Edit", Status: session.ToolError}}
	read := &session.Entry{Tool: &session.Tool{Name: "Read", Status: session.ToolOK, Output: "1 a"}}
	if list := export.AllEdits(&session.Session{}, []*session.Entry{failed, read, {Text: "x"}}); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

func TestPathsOfEdits(t *testing.T) {
	for _, tt := range []struct{ cwd, input, want string }{
		{"~/shop", "~/shop/a/b.go", "a/b.go"},
		{"/home/me/shop", "/home/me/shop/a.go", "a.go"},
		{"~/shop", "/home/me/shop/a.go", "a.go"}, // below the session's folder
		{"~/shop", "/etc/hosts", "etc/hosts"},
		{"~/shop", "a/./b/../c", "a/c"},
		{"~/shop", "Writing to x.md", "x.md"},
		{"~/shop", "main.go: a => b", "main.go"},
		{"~/shop", "", "unknown"},
		{"", "a b\tc", "a b\tc"},
	} {
		list := export.AllEdits(&session.Session{Cwd: "/home/me/shop"}, []*session.Entry{
			{Event: session.EventNewSession, Data: map[string]any{"cwd": tt.cwd}},
			{Tool: &session.Tool{Name: "Edit", Input: tt.input, Status: session.ToolOK, Output: "1 -a\n1 +b"}},
		})
		if len(list) != 1 || list[0].Path != tt.want {
			t.Errorf("%q in %q: %+v, want %q", tt.input, tt.cwd, list, tt.want)
		}
	}
}

// FuzzOf reads any output, and what comes out never has a hunk whose counts are wrong.
func FuzzOf(f *testing.F) {
	f.Add("claude", "Update", "a.go", "Added 1 line, removed 1 line\n 8  x\n 9 -a\n 9 +b\n...\n20 +c")
	f.Add("gemini", "WriteFile", "Writing to x", "hunk: @@ -1,2 +1,3 @@\ndel: port\nadd: x")
	f.Add("codex", "Added", "x", "1 +a\n2 +\n3 +b")
	f.Fuzz(func(t *testing.T, agent, tool, input, output string) {
		list := export.AllEdits(&session.Session{Cwd: "/x"},
			[]*session.Entry{{Agent: agent, Tool: &session.Tool{Name: tool, Input: input, Output: output,
				Status: session.ToolOK}}})
		for _, e := range list {
			for _, h := range e.Hunks {
				olds, news := 0, 0
				for _, l := range h.Lines {
					switch l[0] {
					case '-':
						olds++
					case '+':
						news++
					case ' ':
						olds, news = olds+1, news+1
					default:
						t.Fatalf("a line without a sign: %q", l)
					}
				}
				if olds != h.OldLines || news != h.NewLines {
					t.Fatalf("%+v has %d and %d lines", h, olds, news)
				}
			}
		}
		if err := export.WriteEdits(new(strings.Builder), list); err != nil {
			t.Fatal(err)
		}
	})
}
