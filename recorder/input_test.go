package recorder_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
)

// typing is what a user sees and then types.
type typing struct{ await, keys string }

// typed returns what the log holds of the keys that a user types into a command.
func typed(t *testing.T, command []string, dialogue ...typing) string {
	t.Helper()
	u := ptytest.New(t)
	log := &memoryLog{}
	viewer := &inputs{}
	done := make(chan error)
	go func() {
		_, err := recorder.Run(context.Background(), recorder.Options{
			Command: command, Stdin: u.TTY, Stdout: u.TTY, Log: log, Index: &collector{entries: map[string]*session.Entry{}},
			Input: true,
			Env: append(os.Environ(), "HISTFILE=/dev/null", "TERM=xterm-256color", "HOME="+t.TempDir(), "PS1=prompt> ",
				"LC_ALL=C.UTF-8"),
			Host: func(*recorder.Controls) recorder.Host { return viewer },
		})
		done <- err
	}()
	logged := 0
	for _, step := range dialogue {
		u.Await(t, step.await)
		logged = log.await(step.await, logged) // the terminal shows it a moment earlier
		u.Type(t, step.keys)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var keys strings.Builder
	for _, e := range log.events {
		if e.Kind == session.Input {
			keys.Write(e.Data)
		}
	}
	if viewer.seen.String() != keys.String() {
		t.Errorf("others see the input %q, the log has %q", viewer.seen.String(), keys.String())
	}
	return keys.String()
}

// inputs is a Host that notes the input events.
type inputs struct{ seen strings.Builder }

func (v *inputs) Event(e session.Event) {
	if e.Kind == session.Input {
		v.seen.Write(e.Data)
	}
}

func (*inputs) Typed(keys []byte) ([]byte, time.Duration) { return keys, 0 }

func (*inputs) Finish() {}

// --input stored passwords typed at prompts that read keys with the echo off, such as bash's read
// -s -e.
func TestInputThatIsNotShown(t *testing.T) {
	const secret = "hunter2.Xy"
	python := `import sys, termios, tty
fd = 0
old = termios.tcgetattr(fd)
tty.setcbreak(fd)
sys.stdout.write("Password: "); sys.stdout.flush()
text = ""
while not text.endswith("\n"):
    c = sys.stdin.read(1)
    text += c
    if MASK and c != "\n": sys.stdout.write(MASK); sys.stdout.flush()
termios.tcsetattr(fd, termios.TCSADRAIN, old)
print("over", flush=True)`
	for name, command := range map[string][]string{
		"read -s -e":          {"bash", "-c", `read -s -e -p "Password: " x; echo over`},
		"read -s -e, no text": {"bash", "-c", `stty -echo; echo -n Password:; read -s -e x; echo over`},
		"read -s -n":          {"bash", "-c", `read -s -n 11 -p "Password: " x; echo over`},
		"read -s":             {"bash", "-c", `read -s -p "Password: " x; echo over`},
		"read -s in zsh":      {"zsh", "-f", "-c", `read -s "x?Password: "; echo over`},
		"read -sk in zsh":     {"zsh", "-f", "-c", `read -sk 11 "x?Password: "; echo over`},
		"read -s in fish":     {"fish", "-c", `read -s -P "Password: " x; echo over`},
		"getpass":             {"python3", "-c", `import getpass; getpass.getpass("Password: "); print("over", flush=True)`},
		"keys":                {"python3", "-c", "MASK = ''\n" + python},
		"stars":               {"python3", "-c", "MASK = '*'\n" + python},
		"below an agent": {"bash", "-c",
			`PAUSE=0 ../testdata/demo/agent.sh; stty -echo; echo Password:; read -s -e x; echo over`},
		"what comes meanwhile": {"bash", "-c",
			`while sleep 0.01; do printf "e2.h\r\n7\033[s\033[HhHxXn\033[u"; done & read -s -e -p "Password: " x; kill $!; ` +
				`echo over`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skip(err)
			}
			for _, how := range []string{"at once", "key by key"} {
				steps := []typing{{"Password:", secret + "\r"}, {"over", ""}}
				if how == "key by key" {
					steps = []typing{{"Password:", ""}}
					for _, c := range secret + "\r" {
						steps = append(steps, typing{"", string(c)})
					}
				}
				if got := typed(t, command, steps...); strings.ContainsAny(got, secret) {
					t.Errorf("%s: %q is recorded", how, got)
				}
			}
		})
	}
}

// What programs that read keys do show is recorded.
func TestInputThatIsShown(t *testing.T) {
	shell := []typing{{"prompt> ", "echo one two\r"}, {"prompt> ", "echo now; cat\r"}, {"now\r\n", "by the kernel\r"},
		{"by the kernel\r\n", "\x04"}, {"prompt> ", "exit\r"}}
	const want = "echo one two\recho now; cat\rby the kernel\r\x04exit\r"
	for name, c := range map[string]struct {
		command []string
		steps   []typing
		want    string
	}{
		"bash": {[]string{"bash", "--norc", "-i"}, shell, want},
		"read": {[]string{"bash", "-c", `read -p "Name: " x; echo over`},
			[]typing{{"Name: ", "Grace H\r"}, {"over", ""}}, "Grace H\r"},
		"read -e": {[]string{"bash", "-c", `read -e -p "Name: " x; echo over`},
			[]typing{{"Name: ", "Grace H\r"}, {"over", ""}}, "Grace H\r"},
		"read -e, by keys": {[]string{"bash", "-c", `read -e -p "Name: " x; echo over`},
			[]typing{{"Name: ", "G"}, {"G", "r"}, {"r", "\r"}, {"over", ""}}, "Gr\r"},
		"read -e, correct": {[]string{"bash", "-c", `read -e -p "Name: " x; echo over`},
			[]typing{{"Name: ", "ab"}, {"ab", "\x7f"}, {"\b", "c\r"}, {"over", ""}}, "a\x7fc\r"},
		"python's input": {[]string{"python3", "-c", `import readline; input("Name: "); print("over")`},
			[]typing{{"Name: ", "Grace H\r"}, {"over", ""}}, "Grace H\r"},
		"after a password": {[]string{"bash", "-c", `read -s -e -p "Password: " x; read -e -p "Name: " y; echo over`},
			[]typing{{"Password: ", "hunter2\r"}, {"Name: ", "Grace H\r"}, {"over", ""}}, "Grace H\r"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(c.command[0]); err != nil {
				t.Skip(err)
			}
			if got := typed(t, c.command, c.steps...); got != c.want {
				t.Errorf("recorded %q, want %q", got, c.want)
			}
		})
	}
}

// A known agent draws its own cursor: while its input box is on the screen all keys are recorded,
// also a menu's, and no others.
func TestInputInAnAgent(t *testing.T) {
	const frame = `\033[?2026h\033[?2026l`
	script := `stty -icanon -echo; PAUSE=0.01 ../testdata/demo/agent.sh; printf '\033[?25l` + frame +
		`menu'; head -c 1 >/dev/null; printf '\033[?25h` + frame + `secret'; head -c 1 >/dev/null`
	if got := typed(t, []string{"bash", "-c", script}, typing{"menu", "1"}, typing{"secret", "2"}); got != "1" {
		t.Errorf("recorded %q, want the key at the menu", got)
	}
}
