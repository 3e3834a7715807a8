//go:build linux

package main

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/vterm"
)

// modesProgram sets every mode that changes what a terminal reports. After a line of input it sets
// others, and after a second one it resets all.
const modesProgram = `stty -echo
printf '\033[?1000;1002;1006;1004;2004;1h\033=\033[>1u\033[>5u\033[>4;2mone\r\n'; read x
printf '\033[?1002l\033[?1003h\033[?1004l\033[<u\033[=3;1u\033[>4mtwo\r\n'; read x
printf '\033[?1003;1006;2004;1l\033>\033[<9uthree\r\n'; read x`

// userModes returns the modes of the user's terminal after shown was written to it, without those
// that are for drawing, and without AlternateScroll, which vterm does not save and restore.
func userModes(shown []byte) vterm.Modes {
	t := vterm.New(vterm.Options{Cols: 80, Rows: 24})
	_, _ = t.Write(shown)
	m := t.Modes()
	m.SynchronizedOutput, m.Wraparound, m.AlternateScroll = false, false, false
	return m
}

func awaitModes(t *testing.T, u *ptytest.User, what string, want vterm.Modes) {
	t.Helper()
	u.AwaitShown(t, what, func(shown []byte) bool { return userModes(shown) == want })
}

// With control, the user's terminal takes on the modes of the session's program, and follows their
// changes. It has its own modes again afterwards, however the user leaves. A terminal that only
// watches keeps its own modes.
func TestAttachControlReportsAsTheProgramWants(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	one := vterm.Modes{Mouse: 1002, MouseFormat: 1006, SendFocus: true, BracketedPaste: true,
		ApplicationCursorKeys: true, ApplicationKeypad: true, KeyboardFlags: 5, ModifyOtherKeys: 2}
	two := one
	two.Mouse, two.SendFocus, two.KeyboardFlags, two.ModifyOtherKeys = 1003, false, 3, 0
	for name, end := range map[string]func(u *ptytest.User, cmd *exec.Cmd){
		"the detach key as a sequence of the kitty keyboard protocol": func(u *ptytest.User,
			_ *exec.Cmd) {
			u.Type(t, "\x1b[93;5u")
		},
		"SIGTERM": func(_ *ptytest.User, cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(_ *ptytest.User, cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGHUP) },
		"the end": func(u *ptytest.User, _ *exec.Cmd) {
			u.Type(t, "\r")
			awaitModes(t, u, "no modes any more", vterm.Modes{})
			u.Type(t, "\r")
		},
	} {
		id := runDetached(t, environ, "80x24", "sh", "-c", modesProgram)
		watcher, watching := attached(t, environ, id)
		watcher.Await(t, "one")
		u, cmd := attached(t, environ, id, "--control")
		awaitModes(t, u, "the modes of the program", one)
		u.Type(t, "\r")
		awaitModes(t, u, "the modes that it changed to", two)
		end(u, cmd)
		_ = cmd.Wait()
		u.Drain(t)
		if diff := cmp.Diff(vterm.Modes{}, userModes(u.Shown())); diff != "" {
			t.Errorf("%s: the terminal is left in other modes (-own +got):\n%s", name, diff)
		}
		watcher.Await(t, "two")
		if diff := cmp.Diff(vterm.Modes{}, userModes(watcher.Shown())); diff != "" {
			t.Errorf("%s: the terminal that only watches has other modes (-own +got):\n%s", name, diff)
		}
		_ = watching.Process.Signal(syscall.SIGTERM)
		_ = watching.Wait()
		killSession(t, id)
	}
}

// When control is taken back, the user's terminal has its own modes again.
func TestAttachLosesTheModesWithControl(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	own := ptytest.New(t)
	cmd := exec.Command("ptyrec", "run", "--", "sh", "-c", modesProgram)
	cmd.Env = environ
	own.Start(t, cmd)
	own.Await(t, "one")
	u, attach := attached(t, environ, "--control")
	u.AwaitShown(t, "the modes of the program", func(shown []byte) bool { return userModes(shown).Mouse == 1002 })
	own.Type(t, "\x1c")
	awaitModes(t, u, "no modes any more", vterm.Modes{})
	u.Type(t, "\x1d")
	_ = attach.Wait()
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
}
