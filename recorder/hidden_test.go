//go:build linux

package recorder_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
)

// briefField reads a password key by key with the echo off, as telephones do: it shows each
// character, and draws something else over it at the next key ("next") or after 20 ms ("time").
const briefField = `import os, select, sys, termios, tty
mask, blank = sys.argv[1:]
old = termios.tcgetattr(0)
tty.setcbreak(0)
def put(s): os.write(1, s.encode())
put("Password: ")
last = ""
def cover():
    global last
    if last: put("\b" + blank)
    last = ""
while True:
    if last and mask == "time" and not select.select([0], [], [], 0.02)[0]: cover()
    c = os.read(0, 1).decode()
    cover()
    if c in "\r\n": break
    if c == "\x7f": put("\b \b"); continue
    if c == "\0": continue
    put(c)
    last = c
put("\r\nover\r\n")
termios.tcsetattr(0, termios.TCSADRAIN, old)
`

// A password was stored that was typed into a field which shows each character for a moment.
func TestInputThatIsShownForAMoment(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	const secret = "hunter2.Xy"
	for _, field := range [][2]string{{"next", "*"}, {"next", "•"}, {"time", "*"}, {"time", " \b"}} {
		mask, blank := field[0], field[1]
		t.Run(mask+" "+blank, func(t *testing.T) {
			command := []string{"python3", "-c", briefField, mask, blank}
			for how, steps := range map[string][]typing{
				"at once":               {{"Password:", secret + "\r"}, {"over", ""}},
				"at once, then Enter":   {{"Password:", secret}, {"\b" + blank, "\r"}, {"over", ""}},
				"key by key":            eachKey(secret, ""),
				"when the key is shown": eachKey(secret, "shown"),
				"when it is covered":    eachKey(secret, "\b"+blank),
				"with a correction": {{"Password: ", "h"}, {"h", "q"}, {"q", "\x7f"}, {"\b \b", "y"}, {"y", "\r"},
					{"over", ""}},
				"covered after a key": {{"Password: ", "h"}, {"h", "\x00"}, {"\b" + blank, "u"}, {"u", "\r"}, {"over", ""}},
			} {
				switch {
				case how == "when it is covered" && mask == "next": // it would wait for the next key
					continue
				case how == "covered after a key" && blank == " \b": // as if the user had erased it
					continue
				}
				if got := typed(t, command, steps...); strings.ContainsAny(got, secret+"q") {
					t.Errorf("%s: %q is recorded", how, got)
				}
			}
		})
	}
}

// eachKey types a text key by key, and Enter. In between it awaits a text, or with "shown" the key
// itself.
func eachKey(text, await string) (steps []typing) {
	steps = []typing{{"Password: ", ""}}
	last := ""
	for _, c := range text + "\r" {
		steps = append(steps, typing{last, string(c)})
		if last = await; await == "shown" {
			last = string(c)
		}
	}
	return append(steps, typing{"over", ""})
}

// announce sets the title when the echo is off: some programs turn it off after their prompt.
const announce = `(while stty -a </dev/tty | grep -q '[^-]echo '; do :; done; printf '\033]0;hidden\a') & `

// Nothing is stored of what is typed at the password prompts of programs that people use.
func TestPasswordsOfRealPrograms(t *testing.T) {
	const secret = "hunter2.Xy"
	for name, c := range map[string]struct{ program, script string }{
		"su":     {"su", `$AS su root -c true`},
		"passwd": {"passwd", `$AS passwd`},
		"ssh-keygen": {"ssh-keygen",
			`ssh-keygen -q -t ed25519 -N other -f "$HOME/key"; ssh-keygen -y -f "$HOME/key"`},
		"openssl": {"openssl",
			`printf Salted__12345678abcdefghijklmnop >"$HOME/f"; openssl enc -d -aes-256-cbc -pbkdf2 -in "$HOME/f"`},
		"getpass":    {"python3", `python3 -c 'import getpass; getpass.getpass()'`},
		"read -s":    {"bash", `read -s -p Password: x`},
		"read -s -e": {"bash", `read -s -e -p Password: x`},
		"read -s -n 1 in a loop": {"bash",
			`p=Password:; while IFS= read -r -s -n 1 -p "$p" c && [ -n "$c" ]; do p='*'; done`},
		"the same in silence": {"bash", `p=Password:; while IFS= read -r -s -n 1 -p "$p" c && [ -n "$c" ]; do p=; done`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip(err)
			}
			as := ""
			if os.Getuid() == 0 { // whom nobody asks
				if _, err := exec.LookPath("setpriv"); err != nil {
					t.Skip(err)
				}
				as = "setpriv --reuid=65534 --clear-groups"
			}
			command := []string{"bash", "-c", announce + "AS='" + as + "'; " + c.script + "; echo over"}
			for how, steps := range map[string][]typing{
				"at once":    {{"hidden\a", secret + "\r"}, {"over", ""}},
				"key by key": append([]typing{{"hidden\a", ""}}, eachKey(secret, "")[1:]...),
			} {
				if got := typed(t, command, steps...); strings.ContainsAny(got, secret) {
					t.Errorf("%s: %q is recorded", how, got)
				}
			}
		})
	}
}

// What is typed for somebody else by the session's controls follows the same rule.
func TestControlsHideInputThatIsShownForAMoment(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		command []string
		prompt  string
		want    string
	}{
		{[]string{"python3", "-c", briefField, "next", "*"}, "Password: ", ""},
		{[]string{"bash", "-c", `read -e -p "Name: " x; echo over`}, "Name: ", "hXy\r"},
	} {
		u := ptytest.New(t)
		var controls *recorder.Controls
		done := make(chan error, 1)
		go func() {
			_, err := recorder.Run(context.Background(), recorder.Options{
				Command: c.command, Stdin: u.TTY, Stdout: u.TTY, Log: &memoryLog{},
				Index: &collector{entries: map[string]*session.Entry{}},
				Env:   append(os.Environ(), "TERM=xterm-256color", "HOME="+t.TempDir()),
				Host:  func(c *recorder.Controls) recorder.Host { controls = c; return &inputs{} },
			})
			done <- err
		}()
		u.Await(t, c.prompt)
		shown := make(chan string, 4)
		for _, key := range []string{"h", "X", "y", "\r"} {
			if err := controls.Type(context.Background(), []byte(key), func(keys []byte) { shown <- string(keys) }); err != nil {
				t.Fatal(err)
			}
			if key != "\r" {
				u.Await(t, key)
			}
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		got := ""
		for range cap(shown) {
			got += <-shown
		}
		if got != c.want {
			t.Errorf("%s: %q counts as shown, want %q", c.prompt, got, c.want)
		}
	}
}
