package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
	"github.com/ptyrec/ptyrec/vterm"
)

// fillDatabase stores n sessions, the last of which is the newest. title returns the first prompt
// of each.
func fillDatabase(t testing.TB, path string, n int, title func(i int) string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	start := time.Now().UTC().Add(-time.Duration(n+1) * time.Minute)
	for i := range n {
		raw := store.NewRecording(80, 24)
		raw.Write(session.Event{Kind: session.Output, Data: fmt.Appendf(nil, "session %d", i)})
		at := start.Add(time.Duration(i) * time.Minute)
		end := at.Add(30 * time.Second)
		info := session.Session{
			ID: store.NewID(), Command: []string{"claude"}, Cwd: fmt.Sprintf("/src/project%d", i%50), StartedAt: at,
			EndedAt: &end, Cols: 80, Rows: 24,
			Agents: []session.Agent{{Name: "claude", Version: "2.1.197"}},
		}
		entries := []*session.Entry{
			{ID: "1", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: title(i), At: at},
			{ID: "2", Seq: 2, Type: session.TypeMessage, Role: session.RoleAssistant, Agent: "claude",
				Text: fmt.Sprintf("The answer of session %d.", i), At: at},
		}
		if err := s.Import(t.Context(), &info, raw, entries); err != nil {
			t.Fatal(err)
		}
	}
}

// pickerUser is a user before a picker.
type pickerUser struct {
	*ptytest.User
	sizes  []windowSize
	cmd    *exec.Cmd
	path   string       // of the database
	before unix.Termios // the terminal's settings before the picker
}

// windowSize is a size of the window from so many bytes on.
type windowSize struct{ from, cols, rows int }

// startPicker starts ptyrec in a terminal of this size, with a database of these first prompts.
func startPicker(t testing.TB, cols, rows int, prompts []string, args ...string) *pickerUser {
	t.Helper()
	environ, path := env(t)
	fillDatabase(t, path, len(prompts), func(i int) string { return prompts[i] })
	u := &pickerUser{User: ptytest.New(t), sizes: []windowSize{{0, cols, rows}}, path: path,
		cmd: exec.Command("ptyrec", args...)}
	u.Resize(t, cols, rows)
	u.cmd.Env = append(environ, "TERM=xterm-256color", "HOME="+t.TempDir(), "PAGER=cat", "NO_COLOR=")
	u.cmd.Dir, u.before = t.TempDir(), u.Settings(t)
	u.Start(t, u.cmd)
	return u
}

// resize changes the window's size.
func (u *pickerUser) resize(t testing.TB, cols, rows int) {
	t.Helper()
	u.Drain(t)
	u.sizes = append(u.sizes, windowSize{u.Count(), cols, rows})
	u.Resize(t, cols, rows)
}

// screen returns what the terminal shows after these bytes.
func (u *pickerUser) screen(shown []byte) *vterm.Snapshot {
	first := u.sizes[0]
	term := vterm.New(vterm.Options{Cols: first.cols, Rows: first.rows})
	at := 0
	for _, size := range u.sizes[1:] {
		_, _ = term.Write(shown[at:size.from]) // never fails
		term.Resize(size.cols, size.rows)
		at = size.from
	}
	_, _ = term.Write(shown[at:])
	return term.Snapshot()
}

// see waits until the screen has all these texts and none of those that begin with "!".
func (u *pickerUser) see(t testing.TB, texts ...string) {
	t.Helper()
	all := ""
	defer func() {
		if t.Failed() {
			t.Logf("the screen shows:\n%s", all)
		}
	}()
	u.AwaitShown(t, strings.Join(texts, ", "), func(shown []byte) bool {
		all = ""
		for _, line := range u.screen(shown).Lines {
			all += line.Text + "\n"
		}
		for _, text := range texts {
			absent, not := strings.CutPrefix(text, "!")
			if strings.Contains(all, absent) == not {
				return false
			}
		}
		return true
	})
}

// left checks that the picker has left with a status, and the terminal is as it was.
func (u *pickerUser) left(t testing.TB, status int) {
	t.Helper()
	if got := ptytest.Status(t, u.cmd); got != status {
		t.Errorf("status %d, want %d", got, status)
	}
	u.Drain(t)
	s := u.screen(u.Shown())
	if s.Alt || !s.Visible {
		t.Errorf("the terminal is left in the alternate screen (%v), or without a cursor (%v)", s.Alt, !s.Visible)
	}
	if diff := cmp.Diff(u.before, u.Settings(t)); diff != "" {
		t.Errorf("settings (-before +after):\n%s", diff)
	}
}

// Bare ptyrec on a terminal is a picker, at any width.
func TestPick(t *testing.T) {
	t.Parallel()
	prompts := []string{"fix the cache", "write the parser", "rename the widget", "find the leak"}
	for _, size := range [][2]int{{40, 20}, {40, 8}, {60, 24}, {80, 24}, {120, 30}, {200, 50}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			u := startPicker(t, size[0], size[1], prompts)
			u.see(t, "find the leak", "fix the cache", "4/4", "enter show")
			if size[1] > 8 {
				u.see(t, "The answer of session 3.") // the newest is chosen
			}
			u.Type(t, "parsr")
			u.see(t, "> parsr", "write the parser", "1/4", "!rename the widget")
			if size[1] > 8 {
				u.see(t, "The answer of session 1.")
			}
			u.Type(t, "\x15")
			u.see(t, "4/4")
			u.Type(t, "\x1b[B\x1b[B")
			if size[1] > 8 {
				u.see(t, "The answer of session 1.")
			}
			u.Type(t, "\x03")
			u.left(t, 0)
		})
	}
}

// Each key does what the last line says.
func TestPickKeys(t *testing.T) {
	t.Parallel()
	u := startPicker(t, 90, 24, []string{"fix the cache", "write the parser", "find the leak"}, "list", "-i")
	u.see(t, "3/3", "The answer of session 2.")

	u.Type(t, "\r") // show, without a pager
	u.see(t, "press Enter to go back", "claude", "The answer of session 2.")
	u.Type(t, "\r")
	u.see(t, "3/3", "enter show")

	u.Type(t, "\x10")      // play
	u.Await(t, "\x1b[?7l") // which only the player writes
	u.Await(t, "session 2")
	u.Await(t, "\x1b[?7h")
	u.see(t, "3/3", "enter show") // at its end

	u.Type(t, "\x01") // attach
	u.see(t, "attach: this session is not running here")

	u.Type(t, "cache")
	u.see(t, "> cache", "1/3")
	u.Type(t, "\x14") // tag
	u.see(t, "tags (-TAG removes one):")
	u.Type(t, "work later\r")
	u.see(t, "[work] [later] fix the cache")
	u.Type(t, "\x14-later\r")
	u.see(t, "tags: work", "![later]")

	u.Type(t, "\x05") // export
	u.see(t, "export to", "session-")
	u.Type(t, "\x15out.txt\r")
	u.see(t, "written to out.txt")
	if text, err := os.ReadFile(filepath.Join(u.cmd.Dir, "out.txt")); err != nil ||
		!strings.Contains(string(text), "The answer of session 0.") {
		t.Errorf("exported %q, %v", text, err)
	}
	u.Type(t, "\x05\x15out.txt\r")
	u.see(t, "out.txt exists already")

	u.Type(t, "\x04") // delete
	u.see(t, "delete it? y/N")
	u.Type(t, "n")
	u.see(t, "not deleted")
	u.Type(t, "\x04y")
	u.see(t, "0/2", "no session matches")
	u.Type(t, "\x1b")
	u.see(t, "2/2")
	u.Type(t, "\x1b")
	u.left(t, 0)

	s, err := sqlite.Open(t.Context(), u.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	infos, err := s.Sessions(t.Context(), store.Filter{})
	if err != nil || len(infos) != 2 || infos[0].Prompt != "find the leak" || infos[1].Prompt != "write the parser" {
		t.Errorf("left are %v, %v", infos, err)
	}
}

// The window may change its size; a signal leaves the terminal as it was.
func TestPickSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			u := startPicker(t, 120, 30, []string{"fix the cache", "find the leak"})
			u.see(t, "2/2", "The answer of session 1.")
			for _, size := range [][2]int{{40, 12}, {10, 3}, {1, 1}, {200, 50}, {60, 20}} {
				u.resize(t, size[0], size[1])
				if size[0] > 10 {
					u.see(t, "find the leak", "2/2")
				}
			}
			if err := u.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			u.left(t, 128+int(sig))
		})
	}
}

// Nothing that a database has drives the terminal.
func TestPickEvil(t *testing.T) {
	t.Parallel()
	environ, path := env(t)
	fillDatabase(t, path, 4, func(int) string { return "x" }) // one becomes a sandbox's, which is not shown
	poison(t, path)
	u := &pickerUser{User: ptytest.New(t), sizes: []windowSize{{0, 80, 24}}, path: path, cmd: exec.Command("ptyrec")}
	u.cmd.Env = append(environ, "TERM=xterm-256color", "HOME="+t.TempDir())
	u.before = u.Settings(t)
	u.Start(t, u.cmd)
	u.see(t, "3/3", "{U+202E}gnp.exe", "#1")
	u.Type(t, "\x1b[200~"+"\x07\u202e\x1b[31mgnp\x1b[201~")
	u.see(t, "> ")
	u.Type(t, "\x03")
	u.left(t, 0)
	shown := string(u.Shown())
	for _, bad := range []string{"owned", "\x1b[31m\u009b", "\u202e", "\u2066", "\U000E0041", "\u009b"} {
		if strings.Contains(shown, bad) && bad != "owned" || strings.Contains(shown, "\x1b]0;") {
			t.Errorf("the terminal got %q: %q", bad, shown)
		}
	}
}

// Without a session, or without a terminal, bare ptyrec prints the help.
func TestPickNothing(t *testing.T) {
	t.Parallel()
	u := startPicker(t, 80, 24, nil)
	u.Await(t, "Record terminal sessions, and extract")
	if status := ptytest.Status(t, u.cmd); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
	u = startPicker(t, 80, 24, nil, "list", "-i")
	u.Await(t, "no session is recorded yet")
	if status := ptytest.Status(t, u.cmd); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
	environ, path := env(t)
	fillDatabase(t, path, 1, func(int) string { return "fix the cache" })
	cmd := exec.Command("ptyrec")
	cmd.Env = environ
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "Record terminal sessions") {
		t.Errorf("without a terminal: %v, %s", err, out)
	}
	dumb := ptytest.New(t)
	cmd = exec.Command("ptyrec")
	cmd.Env = append(environ, "TERM=dumb")
	dumb.Start(t, cmd)
	dumb.Await(t, "Record terminal sessions")
	ptytest.Status(t, cmd)
}

// BenchmarkPickerOpens measures how long it takes from the start of the program to the first
// session on the screen, with 10,000 sessions.
func BenchmarkPickerOpens(b *testing.B) {
	environ, path := env(b)
	fillDatabase(b, path, 10_000, func(i int) string { return fmt.Sprintf("prompt %d", i) })
	var opening time.Duration
	for b.Loop() {
		u := ptytest.New(b)
		cmd := exec.Command("ptyrec")
		cmd.Env = append(environ, "TERM=xterm-256color")
		begun := time.Now()
		u.Start(b, cmd)
		u.Await(b, "prompt 9999")
		opening += time.Since(begun)
		u.Await(b, "10000/10000")
		u.Type(b, "\x03")
		ptytest.Status(b, cmd)
	}
	b.ReportMetric(float64(opening.Milliseconds())/float64(b.N), "ms/opened")
}

// A live session is attached to, and cannot be deleted.
func TestPickAttach(t *testing.T) {
	t.Parallel()
	environ, path := env(t)
	environ = append(environ, "TERM=xterm-256color", "HOME="+t.TempDir())
	live := ptytest.New(t)
	run := exec.Command("ptyrec", "run", "--", "sh", "-c", "echo it runs; read line")
	run.Env = environ
	live.Start(t, run)
	live.Await(t, "it runs")
	u := &pickerUser{User: ptytest.New(t), sizes: []windowSize{{0, 80, 24}}, path: path, cmd: exec.Command("ptyrec")}
	u.cmd.Env = environ
	u.before = u.Settings(t)
	u.Start(t, u.cmd)
	u.see(t, "● sh -c", "^a attach", "!delete")
	u.Type(t, "\x04")
	u.see(t, "delete: this session is being recorded")
	u.Type(t, "\x01")
	u.see(t, "it runs", "!1/1")
	u.Type(t, "\x1d") // Ctrl+]
	u.left(t, 0)
	live.Type(t, "\r")
	if status := ptytest.Status(t, run); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
}

// The picker resumes a session on the same terminal.
func TestPickResume(t *testing.T) {
	t.Parallel()
	environ, path := env(t)
	demo, err := filepath.Abs(filepath.Join("..", "..", "testdata", "demo", "agent.sh"))
	if err != nil {
		t.Fatal(err)
	}
	claude := filepath.Join(t.TempDir(), "claude")
	script := "#!/bin/sh\nif [ \"$1\" = --resume ]; then echo \"resumed <$2>\"; exit 5; fi\n" + demo +
		"\necho claude --resume fd275993-4dbb-423f-9c63-17f6544f3c69\n"
	if err := os.WriteFile(claude, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	environ = append(environ, "TERM=xterm-256color", "HOME="+t.TempDir(), "PAUSE=0.02")
	record := exec.Command("ptyrec", "run", "--", claude)
	record.Env = environ
	if out, err := record.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// the list knows its agent then
	if out, err := exec.Command("ptyrec", "--db", path, "show").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	u := &pickerUser{User: ptytest.New(t), sizes: []windowSize{{0, 100, 24}}, path: path, cmd: exec.Command("ptyrec")}
	u.Resize(t, 100, 24)
	u.cmd.Env, u.before = environ, u.Settings(t)
	u.Start(t, u.cmd)
	u.see(t, "1/1", "^r resume")
	u.Type(t, "\x12")
	u.Await(t, "resumed <fd275993-4dbb-423f-9c63-17f6544f3c69>")
	u.left(t, 5)
}
