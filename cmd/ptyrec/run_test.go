package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// onTerminal starts the real ptyrec on a terminal.
func onTerminal(t testing.TB, args ...string) (u *ptytest.User, cmd *exec.Cmd, db string) {
	t.Helper()
	u = ptytest.New(t)
	cmd = exec.Command("ptyrec", args...)
	cmd.Env, db = env(t)
	u.Start(t, cmd)
	return u, cmd, db
}

// rawLog returns the last session of a database and its raw events, of which none is lost.
func rawLog(t testing.TB, db string) (*store.Info, []session.Event) {
	t.Helper()
	info, events, damage := damagedLog(t, db)
	if damage != nil {
		t.Fatal(damage)
	}
	return info, events
}

// damagedLog returns the last session of a database, the raw events that can be read, and the last
// loss.
func damagedLog(t testing.TB, db string) (info *store.Info, events []session.Event, damage *store.Damage) {
	t.Helper()
	return logOf(t, db, "last")
}

// logOf is damagedLog for any session.
func logOf(t testing.TB, db, ref string) (info *store.Info, events []session.Event, damage *store.Damage) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer s.Close()
	if info, err = s.Find(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	for e, err := range s.Events(t.Context(), info.ID) {
		if errors.As(err, &damage) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return info, events, damage
}

// bytesOf joins the data of the events of a kind.
func bytesOf(kind session.EventKind, events []session.Event) (b []byte) {
	for _, e := range events {
		if e.Kind == kind {
			b = append(b, e.Data...)
		}
	}
	return b
}

// Bytes are the same in the terminal and in the raw log, whatever they are.
func TestBytesUnchanged(t *testing.T) {
	t.Parallel()
	var want []byte
	for i := range 256 {
		want = append(want, byte(i), 0xe2, 0x94, 0x1b, '[', '3')
	}
	want = append(bytes.Repeat(append(want, "\x1b[31mé\xff\x1b]0;t\a"...), 50), "\x1bc\x1b[?25h-end-"...)
	file := filepath.Join(t.TempDir(), "bytes")
	if err := os.WriteFile(file, want, 0o600); err != nil {
		t.Fatal(err)
	}
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", "stty raw; exec cat "+file)
	u.Await(t, "-end-")
	if got := ptytest.Status(t, cmd); got != 0 {
		t.Errorf("status = %d, want 0", got)
	}
	if got := u.Shown(); !bytes.Equal(got, want) {
		t.Errorf("the terminal got %d bytes, want %d, the same", len(got), len(want))
	}
	_, events := rawLog(t, db)
	if got := bytesOf(session.Output, events); !bytes.Equal(got, want) {
		t.Errorf("the raw log has %d bytes, want %d, the same", len(got), len(want))
	}
}

// A child that writes 1 MB and exits at once leaves all of it in the terminal and the raw log.
func TestTailIsKept(t *testing.T) {
	t.Parallel()
	runs := 20
	switch {
	case long():
		runs = 200
	case testing.Short():
		runs = 5
	}
	for i := range runs {
		u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", "stty raw; head -c 1000000 /dev/zero; printf -- -end-")
		if got := ptytest.Status(t, cmd); got != 0 {
			t.Fatalf("run %d: status = %d, want 0", i, got)
		}
		u.Await(t, "-end-")
		if n := len(u.Shown()); n != 1000005 {
			t.Fatalf("run %d: the terminal got %d bytes, want 1000005", i, n)
		}
		if info, _ := rawLog(t, db); info.RawBytes != 1000005 {
			t.Fatalf("run %d: the raw log has %d bytes, want 1000005", i, info.RawBytes)
		}
	}
}

// The signals are passed on; what the child left on is switched off; the settings come back.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			u := ptytest.New(t)
			before := u.Settings(t)
			cmd := exec.Command("ptyrec", "run", "--", "sh", "-c",
				`printf '\033[?1049h\033[?1006h\033[?2004h\033[?25l\033[>1uready'; ulimit -c 0; exec sleep 1000`)
			var db string
			cmd.Env, db = env(t)
			u.Start(t, cmd)
			u.Await(t, "ready")
			if u.Settings(t) == before {
				t.Error("the terminal is not raw")
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if got, want := ptytest.Status(t, cmd), 128+int(sig); got != want {
				t.Errorf("status = %d, want %d", got, want)
			}
			for _, reset := range []string{"\x1b[<1u", "\x1b[?1049l", "\x1b[?1006l", "\x1b[?2004l", "\x1b[?25h"} {
				u.Await(t, reset)
			}
			if diff := cmp.Diff(before, u.Settings(t)); diff != "" {
				t.Errorf("settings (-before +after):\n%s", diff)
			}
			info, events := rawLog(t, db)
			if info.ExitCode == nil || *info.ExitCode != 128+int(sig) || events[len(events)-1].Kind != session.Exit {
				t.Errorf("session = %+v, last event = %+v", info, events[len(events)-1])
			}
		})
	}
}

// The window is closed: the child gets SIGHUP, and the log is finished.
func TestHangup(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c",
		fmt.Sprintf(`trap 'echo hup > %s; exit 9' HUP; echo ready; while :; do sleep 0.05; done`, mark))
	u.Await(t, "ready")
	u.Hangup()
	_ = u.TTY.Close()
	if got := ptytest.Status(t, cmd); got != 9 {
		t.Errorf("status = %d, want 9", got)
	}
	if b, err := os.ReadFile(mark); err != nil || string(b) != "hup\n" {
		t.Errorf("mark = %q, %v", b, err)
	}
	if info, _ := rawLog(t, db); info.Status != store.Ended {
		t.Errorf("session is %s", info.Status)
	}
}

// The window's size is passed on, followed and recorded.
func TestResizeIsFollowed(t *testing.T) {
	t.Parallel()
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c",
		`trap 'stty size; exit' WINCH; stty size; echo ready; while :; do sleep 0.05; done`)
	u.Await(t, "24 80")
	u.Await(t, "ready")
	u.Resize(t, 100, 30)
	u.Await(t, "30 100")
	ptytest.Status(t, cmd)
	info, events := rawLog(t, db)
	if info.Cols != 80 || info.Rows != 24 {
		t.Errorf("size at the start = %dx%d, want 80x24", info.Cols, info.Rows)
	}
	for _, e := range events {
		if e.Kind == session.Resize && e.Cols == 100 && e.Rows == 30 {
			return
		}
	}
	t.Error("the resize is not recorded")
}

// A grandchild that keeps the PTY does not keep us, and what the child wrote is whole.
func TestGrandchildKeepsPTY(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pid")
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c",
		`trap '' HUP; setsid sleep 1000 & echo $! > `+pidFile+`; head -c 200000 /dev/zero; printf -- -end-`)
	if got := ptytest.Status(t, cmd); got != 0 {
		t.Errorf("status = %d, want 0", got)
	}
	u.Await(t, "-end-")
	text, err := os.ReadFile(pidFile)
	pid, numberErr := strconv.Atoi(strings.TrimSpace(string(text)))
	if err = errors.Join(err, numberErr); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the grandchild was waited for: %v", err)
	}
	if info, _ := rawLog(t, db); info.RawBytes != 200005 {
		t.Errorf("the raw log has %d bytes, want 200005", info.RawBytes)
	}
}

// Input is recorded on request only, and never a password.
func TestInput(t *testing.T) {
	t.Parallel()
	const script = `echo first; read a; stty -echo; echo second; read b; stty echo; echo third; read c; echo got $a $b $c`
	for _, record := range []bool{false, true} {
		u, cmd, db := onTerminal(t, "run", fmt.Sprintf("--input=%v", record), "--", "sh", "-c", script)
		for _, step := range [][2]string{{"first", "one\r"}, {"second", "secret\r"}, {"third", "three\r"}} {
			u.Await(t, step[0])
			u.Type(t, step[1])
		}
		u.Await(t, "got one secret three")
		ptytest.Status(t, cmd)
		_, events := rawLog(t, db)
		want := ""
		if record {
			want = "one\rthree\r"
		}
		if got := string(bytesOf(session.Input, events)); got != want {
			t.Errorf("input recorded with --input=%v: %q, want %q", record, got, want)
		}
	}
}

// Ctrl+Z stops the command and returns the terminal to the shell; fg goes on.
func TestJobControl(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for name, command := range map[string]string{
		"stopped by the terminal": `sh -c 'read x; echo got $x; exec cat'`, // once it answers, it is in the foreground
		"stops itself":            `sh -c 'echo saying this; kill -STOP $$; exec cat'`,
	} {
		t.Run(name, func(t *testing.T) {
			u := ptytest.New(t)
			cmd := exec.Command(bash, "--norc", "--noediting", "-i")
			cmd.Env, _ = env(t)
			cmd.Env = append(cmd.Env, "PS1=prompt:")
			u.Start(t, cmd)
			u.Await(t, "prompt:")
			before := u.Settings(t)
			u.Type(t, "ptyrec run -- "+command+"\n")
			if name == "stops itself" {
				u.Await(t, "\r\nsaying this\r\n")
			} else {
				u.Await(t, "cat'\r\n")
				u.Type(t, "one\n")
				u.Await(t, "got one\r\n")
				u.Type(t, "\x1a")
			}
			u.Await(t, "Stopped")
			u.Await(t, "prompt:")
			if diff := cmp.Diff(before, u.Settings(t)); diff != "" {
				t.Errorf("settings while it is stopped (-before +now):\n%s", diff)
			}
			u.Type(t, "fg\n")
			u.Await(t, "ptyrec run")
			u.Type(t, "two\n")
			u.Await(t, "two") // the echo, of whichever terminal is in charge by now
			u.Await(t, "two")
			u.Type(t, "\x04")
			u.Await(t, "prompt:")
			u.Type(t, "echo status $?\n")
			u.Await(t, "\r\nstatus 0\r\n")
			u.Type(t, "exit\n")
			ptytest.Status(t, cmd)
		})
	}
}

// Many runs share one database, and of each all bytes that were on the terminal are in the log.
func TestManyRuns(t *testing.T) {
	t.Parallel()
	n, size := 20, 1000
	if long() {
		n, size = 30, 10_000_000
	}
	environ, db := env(t)
	users, cmds := make([]*ptytest.User, n), make([]*exec.Cmd, n)
	for i := range n {
		script := fmt.Sprintf("stty raw; seq -f 'run %[2]d, line %%.0f' 10000000 | head -c %[1]d; stty -raw; echo this is "+
			"run %[2]d", size, i)
		users[i], cmds[i] = ptytest.New(t), exec.Command("ptyrec", "run", "--", "sh", "-c", script)
		cmds[i].Env = environ
		users[i].Start(t, cmds[i])
	}
	shown := map[[sha256.Size]byte]int{}
	for i := range n {
		users[i].AwaitCount(t, size) // Status has not the patience for all of it
		got := ptytest.Status(t, cmds[i])
		users[i].Await(t, fmt.Sprintf("this is run %d\r\n", i))
		if end := users[i].Shown()[size:]; got != 0 || bytes.Contains(end, []byte("ptyrec:")) {
			t.Errorf("run %d: status = %d, terminal …%s", i, got, end)
		}
		shown[sha256.Sum256(users[i].Shown())] = i
	}
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer s.Close()
	infos, err := s.Sessions(t.Context(), store.Filter{})
	if err != nil || len(infos) != n {
		t.Fatalf("%d sessions, %v; want %d", len(infos), err, n)
	}
	for _, info := range infos {
		var events []session.Event
		for e, err := range s.Events(t.Context(), info.ID) {
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
		output := bytesOf(session.Output, events)
		if _, ok := shown[sha256.Sum256(output)]; !ok || info.Status != store.Ended {
			t.Errorf("session %s is %s; its log has %d bytes that no terminal got", info.ID, info.Status, len(output))
		}
		delete(shown, sha256.Sum256(output))
	}
	if len(shown) > 0 {
		t.Errorf("no log has what the terminals of runs %v got", slices.Collect(maps.Values(shown)))
	}
}
