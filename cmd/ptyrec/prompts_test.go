//go:build linux

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// TestPrompts reads the commands of real shells with the prompts that they, themes and plugins
// show, without marks.
func TestPrompts(t *testing.T) {
	t.Parallel()
	const share = "/usr/share/"
	for _, tt := range []struct {
		name    string
		startup string // contents of the startup file
		shell   []string
	}{
		{"bash", "PS1='\\w main ❱ '\n", []string{"bash", "--rcfile", "RC", "-i"}},
		{"bash, two rows", "PS1='\\n╭ \\w\\n╰ '\n", []string{"bash", "--rcfile", "RC", "-i"}},
		{"liquidprompt", ". " + share + "liquidprompt/liquidprompt\n", []string{"bash", "--rcfile", "RC", "-i"}},
		{"zsh", "PS1='%1~ ⟩ '\nRPS1='%*'\n", []string{"zsh", "-i"}},
		{"powerlevel9k", ". " + share + "powerlevel9k/powerlevel9k.zsh-theme\n", []string{"zsh", "-i"}},
		{"autosuggestions", "PS1='%1~ ⟩ '\n. " + share + "zsh-autosuggestions/zsh-autosuggestions.zsh\n. " + share +
			"zsh-syntax-highlighting/zsh-syntax-highlighting.zsh\n", []string{"zsh", "-i"}},
		{"fish", "", []string{"fish", "--no-config"}},
		{"dash", "", []string{"dash"}},
		{"busybox", "", []string{"busybox", "sh"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ptytest.Need(t, tt.shell[0])
			for _, line := range strings.Split(tt.startup, "\n") {
				if file, ok := strings.CutPrefix(line, ". "); ok {
					need(t, file)
				}
			}
			environ, _ := liveEnv(t)
			home := t.TempDir()
			if err := os.WriteFile(filepath.Join(home, ".zshrc"), []byte(tt.startup), 0o600); err != nil {
				t.Fatal(err)
			}
			environ = append(environ, "HOME="+home, "ZDOTDIR="+home, "XDG_CONFIG_HOME="+home, "PS1=$ ",
				"TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8")
			shell := strings.Split(strings.ReplaceAll(strings.Join(tt.shell, "\n"), "RC", home+"/.zshrc"), "\n")
			id := runDetached(t, environ, "80x24", shell...)
			ptyrecOutput(t, environ, "grant", id)
			for _, line := range []string{"echo one", "cd /usr", "printf '%s\\n' a b", "exit"} {
				ptyrecOutput(t, environ, "wait", id, "--idle")
				ptyrecOutput(t, environ, "send", id, line, "--enter")
			}
			ptyrecOutput(t, environ, "wait", id, "--exit", "--timeout", "60s")
			want := [][2]string{{"echo one", "one"}, {"cd /usr", ""}, {"printf '%s\\n' a b", "a\nb"}, {"exit", ""}}
			got := shellEntries(t, environ, id)
			if len(got) > 0 && got[0][0] == "" { // a welcome
				got = got[1:]
			}
			if n := len(got) - 1; n >= 0 {
				got[n][1] = "" // bash says exit
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("commands and outputs (-want +got):\n%s", diff)
			}
		})
	}
}

// need skips a test without a file of a package, or fails it if $PTYREC_NEED_SHELLS is set.
func need(t *testing.T, file string) {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		if os.Getenv("PTYREC_NEED_SHELLS") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// shellEntries returns the commands of a session, and what they printed.
func shellEntries(t *testing.T, environ []string, id string) (out [][2]string) {
	t.Helper()
	show := exec.Command("ptyrec", "show", "--json", id)
	show.Env = environ
	b, err := show.Output()
	if err != nil {
		t.Fatal(err)
	}
	var transcript struct {
		Entries []struct{ Role, Text, Output string }
	}
	if err := json.Unmarshal(b, &transcript); err != nil {
		t.Fatal(err)
	}
	for _, e := range transcript.Entries {
		if e.Role == "shell" {
			out = append(out, [2]string{e.Text, e.Output})
		}
	}
	return out
}
