package find

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// TestBlame finds who wrote a line: by the edit that was shown, the commit, or the time.
func TestBlame(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"},
			args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte("package main\n\tcommitted()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("add", ".")
	git("commit", "-qm", "x")
	if err := os.WriteFile(file, []byte("package main\n\tcommitted()\n\tshown(1)\n\n\tunknown()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	add := func(id, cwd string, begin, end time.Duration, shown string) {
		t.Helper()
		ended := now.Add(end)
		s := &session.Session{ID: id, Command: []string{"claude"}, Cwd: cwd, StartedAt: now.Add(begin), EndedAt: &ended,
			Cols: 80, Rows: 24, Agents: []session.Agent{{Name: "claude"}}}
		raw := store.NewRecording(80, 24)
		raw.Write(session.Event{Kind: session.Output, Data: []byte(id)})
		var entries []*session.Entry
		if shown != "" {
			entries = []*session.Entry{{ID: id, Seq: 4, Type: session.TypeMessage, Role: session.RoleTool, Agent: "claude",
				At: now.Add(begin), Tool: &session.Tool{Name: "Update", Input: "main.go", Status: session.ToolOK, Output: shown}}}
		}
		if err := db.Import(t.Context(), s, raw, entries); err != nil {
			t.Fatal(err)
		}
	}
	add("elsewhere", "/elsewhere", -time.Minute, time.Minute, " 3 +    shown(1)")
	add("edit", dir, -2*time.Hour, -time.Hour, " 2  committed()\n 3 +    shown(1)")
	add("during", dir, -time.Minute, time.Minute, "")
	lib := &library.Library{Store: db, Warn: t.Errorf}
	for _, tt := range []struct {
		line int
		text string
		want string
		sure string
		seq  int
	}{
		{3, "\tshown(1)", "edit", byEdit, 4},
		{2, "\tcommitted()", "during", byCommit, 0},
		{4, "", "during", byTime, 0},
		{5, "\tunknown()", "during", byTime, 0},
	} {
		got, err := writerOf(t.Context(), lib, fileLine{File: file, Number: tt.line, Text: tt.text})
		if err != nil || got == nil || got.Info.ID != tt.want || got.Sure != tt.sure || got.Seq != tt.seq ||
			(got.Commit != "") != (tt.sure == byCommit) {
			t.Errorf("line %d: %+v, %v, want %s, %s", tt.line, got, err, tt.want, tt.sure)
		}
	}
	other := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(other, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := writerOf(t.Context(), lib, fileLine{File: other, Number: 1, Text: "x"}); err != nil || got != nil {
		t.Errorf("a file elsewhere: %+v, %v", got, err)
	}
}
