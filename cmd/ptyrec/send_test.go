//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/term"
)

// likeCodex draws as Codex 0.98 does, half a second after it was started. It drops the first
// $DROPS Enters, and does not know the commands that begin with "/".
func likeCodex() {
	drops, err := strconv.Atoi(os.Getenv("DROPS"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	time.Sleep(time.Second / 2)
	if _, err := term.MakeRaw(0); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Print("\x1b[?2004h╭─────────────────────────────────────────────╮\r\n" +
		"│ \x1b[2m>_ \x1b[22;1mOpenAI Codex\x1b[22;2m (v0.98.0)\x1b[m                   │\r\n" +
		"│                                             │\r\n│ model:     gpt-5.2-codex   /model to change │\r\n" +
		"│ directory: ~/shop                           │\r\n" +
		"╰─────────────────────────────────────────────╯\r\n")
	text := ""
	for buf := make([]byte, 4096); ; {
		fmt.Print("\x1b[J\r\n\x1b[1m›\x1b[m " + text + "\r\n\r\n  ? for shortcuts\x1b[3A\r")
		n, err := os.Stdin.Read(buf)
		if err != nil {
			return
		}
		keys := strings.NewReplacer("\x1b[200~", "", "\x1b[201~", "").Replace(string(buf[:n]))
		switch {
		case keys == "\x04":
			return
		case keys != "\r":
			text += keys
		case drops > 0:
			drops--
		case strings.HasPrefix(text, "/"):
			fmt.Print("\x1b[J\r\n\x1b[2m• \x1b[mUnrecognized command '" + text + "'.\r\n")
		default:
			fmt.Print("\x1b[J\r\n\x1b[1;2m›\x1b[m " + text + "\r\n\r\n\x1b[2m• \x1b[mYou said " + text + "\r\n")
			text = ""
		}
	}
}

// Sending, 2: send said 0 of prompts that an agent had not taken: they came before it had started,
// it dropped their Enter, or it did not know the command.
func TestSendLooksWhetherTheAgentTakesIt(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	ptyrec := func(args ...string) (string, error) {
		cmd := exec.Command("ptyrec", args...)
		cmd.Env = append(environ, "DROPS=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, args := range [][]string{
		{"run", "--detach", "--", "codex"}, {"grant", "last"}, {"send", "last", "the first prompt", "--enter"}, // at once
		{"wait", "last", "--text", "You said the first prompt", "--timeout", "60s"},
		{"wait", "last", "--idle", "--timeout", "60s"}, {"send", "last", "the second one", "--enter"},
		{"wait", "last", "--text", "You said the second one", "--timeout", "60s"},
		{"wait", "last", "--idle", "--timeout", "60s"},
	} {
		if out, err := ptyrec(args...); err != nil {
			screen, _ := ptyrec("screen", "last") // says more, if it can
			t.Fatalf("%q: %v: %s\n%s", args, err, out, screen)
		}
	}
	out, err := ptyrec("send", "last", "/frobnicate", "--enter")
	if err == nil || !strings.Contains(out, "did not accept") {
		t.Errorf("an unknown command: %v: %s", err, out)
	}
	if out, err := ptyrec("send", "last", "--keys", "C-d", "--force"); err != nil {
		t.Error(err, out)
	}
}
