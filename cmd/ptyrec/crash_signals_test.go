//go:build linux

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/ptyrec/ptyrec/internal/sys/proc"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// A signal that stands for a crash ends the session as any other does: the command gets it, the
// terminal comes back, and no trace is shown.
func TestCrashSignals(t *testing.T) {
	t.Parallel()
	for _, s := range append(proc.CrashSignals(), syscall.SIGQUIT) {
		sig := s.(syscall.Signal)
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			u := ptytest.New(t)
			before := u.Settings(t)
			cmd := exec.Command("ptyrec", "run", "--", "sh", "-c",
				`ulimit -c 0; printf '\033[?25l\033[?1049hready'; exec sleep 600`)
			var db string
			cmd.Env, db = env(t)
			u.Start(t, cmd)
			u.Await(t, "ready")
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if got := ptytest.Status(t, cmd); got != 128+int(sig) {
				t.Errorf("status %d, want %d", got, 128+int(sig))
			}
			if u.Settings(t) != before {
				t.Error("the terminal's settings are not what they were")
			}
			u.Await(t, "\x1b[?1049l")
			if shown := u.Shown(); len(shown) > 1000 || strings.Contains(string(shown), "goroutine") {
				t.Errorf("shown are %d bytes: %.2000q", len(shown), shown)
			}
			if info, _ := rawLog(t, db); info.ExitCode == nil || *info.ExitCode != 128+int(sig) {
				t.Errorf("recorded is %v", info.ExitCode)
			}
		})
	}
}

// Programs that draw on the terminal leave it as it was, too.
func TestCrashSignalsWhilePlaying(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			u := ptytest.New(t)
			before := u.Settings(t)
			file := t.TempDir() + "/long.cast"
			if err := os.WriteFile(file,
				[]byte("{\"version\":2,\"width\":80,\"height\":24}\n[0.1,\"o\",\"ready\"]\n[600,\"o\",\"end\"]\n"),
				0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("ptyrec", "play", file, "--idle-limit", "0")
			cmd.Env, _ = env(t)
			u.Start(t, cmd)
			u.Await(t, "ready")
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_ = ptytest.Status(t, cmd)
			if shown := u.Shown(); u.Settings(t) != before || strings.Contains(string(shown), "goroutine") {
				t.Errorf("settings as before: %v; shown: %.2000q", u.Settings(t) == before, shown)
			}
		})
	}
}

// What a shell makes its background commands ignore, the recorded command ignores, too.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	cmd := exec.Command("sh", "-c", `{ ptyrec run -- sh -c 'kill -INT $$; kill -QUIT $$; echo alive'; } & wait $!`)
	cmd.Env, _ = env(t)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "alive") {
		t.Errorf("%v: %s", err, out)
	}
}
