package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kballard/go-shellquote"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/store"
)

// shellUnderTest is a real shell whose startup file is what `ptyrec init` prints.
type shellUnderTest struct {
	name    string
	startup string   // its file, in $HOME
	before  string   // what precedes the integration, and
	after   string   // below it
	args    []string // how it is started interactively
}

var shells = []shellUnderTest{
	{"bash", ".bashrc", "PROMPT_COMMAND=': mine; '\nPS1='ready> '\n", "", []string{"-i"}},
	{"bash", ".bashrc", "PROMPT_COMMAND=(': mine' ': too')\nPS1='ready> '\n", "", []string{"-i"}},
	{"zsh", ".zshrc", "PS1='ready> '\n", "autoload -Uz compinit; compinit -u -D\n", []string{"-i"}},
	{"zsh", ".zshrc", "", "autoload -Uz compinit; compinit -u -D\n" + // a theme that is loaded later
		"theme() { PS1='ready> ' }; autoload -Uz add-zsh-hook; add-zsh-hook precmd theme\n", []string{"-i"}},
	{"fish", ".config/fish/config.fish", "function fish_prompt; printf 'ready> '; end\nset -g fish_greeting\n", "",
		[]string{"-i"}},
}

// TestShells starts an agent in real shells, completes words, and looks for marks.
func TestShells(t *testing.T) {
	for _, sh := range shells {
		t.Run(sh.name, func(t *testing.T) {
			u, cmd, home := sh.start(t)
			u.Await(t, "ready> ")
			u.Type(t, "claude one 'two three'\r")
			u.Await(t, "claude: one / two three")
			u.Await(t, "ready> ")
			u.Type(t, "claude piped | cat\r")
			u.Await(t, "claude: piped / ")
			u.Await(t, "ready> ")
			u.Type(t, "PTYREC_DB="+home+"/rubbish claude 'without a database'\r")
			u.Await(t, "this is not recorded: ")
			u.Await(t, "claude: without a database / ")
			u.Type(t, "false\r")
			u.Await(t, "\x1b]133;D;1")
			u.Await(t, "ready> ")
			u.Type(t, "ptyrec show \t\t")
			u.Await(t, "A title to be completed")
			u.Type(t, "\x15exit\r") // the line is deleted
			ptytest.Status(t, cmd)
			for _, mark := range []string{"\x1b]133;A", "\x1b]133;C"} {
				if !bytes.Contains(u.Shown(), []byte(mark)) {
					t.Errorf("no %q in what the shell wrote", mark)
				}
			}
			commands := recordedCommands(t, cmd.Env)
			if len(commands) != 2 || commands[0] != "claude one 'two three'" {
				t.Errorf("recorded: %q, want the agent that ran on the terminal, once", commands)
			}
		})
	}
}

// TestShellRecorded records whole shells, and an agent in them not once more.
func TestShellRecorded(t *testing.T) {
	t.Parallel()
	for _, sh := range shells {
		t.Run(sh.name, func(t *testing.T) {
			u, cmd, _ := sh.start(t, "--shell")
			u.Await(t, "ready> ")
			u.Type(t, "claude inside\r")
			u.Await(t, "claude: inside / ")
			u.Await(t, "ready> ")
			u.Type(t, "exit\r")
			ptytest.Status(t, cmd)
			commands := recordedCommands(t, cmd.Env)
			if len(commands) != 2 || !strings.Contains(commands[0], sh.name) {
				t.Errorf("recorded: %q, want the shell, once", commands)
			}
			show := exec.Command("ptyrec", "show", "last")
			show.Env = cmd.Env
			if out, err := show.Output(); err != nil || !bytes.Contains(out, []byte("$ claude inside")) {
				t.Errorf("the shell's command was not read: %v\n%s", err, out)
			} else if !bytes.Contains(out, []byte("$ exit")) || bytes.Contains(out, []byte("not finished")) {
				t.Errorf("the shell's last command is not there, or not over:\n%s", out)
			}
		})
	}
}

// start begins the shell on a terminal. A session with a title is there already.
func (sh shellUnderTest) start(t *testing.T, flags ...string) (*ptytest.User, *exec.Cmd, string) {
	t.Helper()
	path := ptytest.Need(t, sh.name)
	home := t.TempDir()
	put := func(name, text string, mode os.FileMode) {
		t.Helper()
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	environ, _ := env(t)
	environ = append(environ, "HOME="+home, "ZDOTDIR="+home, "XDG_CONFIG_HOME="+home+"/.config",
		"XDG_DATA_HOME="+home+"/.local/share",
		"PATH="+home+"/bin:"+os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL="+path)
	ptyrec := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("ptyrec", args...)
		cmd.Env, cmd.Dir = environ, home
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("ptyrec %v: %v", args, err)
		}
		return string(out)
	}
	put("bin/claude", "#!/bin/sh\necho \"claude: $1 / $2\"\n", 0o755)
	put("titled.cast", `{"version": 2, "width": 80, "height": 24, "timestamp": 1767355200, "title": "A title to be `+
		`completed"}`+"\n[1, \"o\", \"x\\r\\n\"]\n", 0o600)
	put(".local/share/fish/generated_completions/none", "", 0o600) // else fish writes them in the background
	put("rubbish", "no database, and long enough to be none: "+strings.Repeat("x", 100), 0o600)
	ptyrec("import", "titled.cast")
	put(sh.startup, sh.before+ptyrec(append([]string{"init", sh.name, "--agents", "claude"}, flags...)...)+sh.after, 0o600)

	cmd := exec.Command(path, sh.args...)
	cmd.Env, cmd.Dir = environ, home
	u := ptytest.New(t)
	u.Start(t, cmd)
	return u, cmd, home
}

// recordedCommands returns the command lines of all sessions, the newest first.
func recordedCommands(t *testing.T, environ []string) (out []string) {
	t.Helper()
	cmd := exec.Command("ptyrec", "list", "--json")
	cmd.Env = environ
	b, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var items []store.Overview
	if err := json.Unmarshal(b, &items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		out = append(out, shellquote.Join(item.Command...))
	}
	return out
}

// TestZshWithoutCompinit: words were not completed, and nothing said why.
func TestZshWithoutCompinit(t *testing.T) {
	sh := shellUnderTest{"zsh", ".zshrc", "PS1='ready> '\n", "", []string{"-i"}}
	u, cmd, _ := sh.start(t)
	u.Await(t, `words are not completed: add "autoload -Uz compinit && compinit" to ~/.zshrc`)
	u.Await(t, "ready> ")
	u.Type(t, "exit\r")
	ptytest.Status(t, cmd)
}

// A bash whose PROMPT_COMMAND is taken away says no more how its commands ended.
func TestBashWithoutPromptCommand(t *testing.T) {
	t.Parallel()
	u, cmd, _ := shells[0].start(t, "--shell")
	u.Await(t, "ready> ")
	for _, line := range []string{"PROMPT_COMMAND=", "sh -c 'exit 7'", "true", ""} {
		u.Type(t, line+"\r")
		u.Await(t, "ready> ")
	}
	u.Type(t, "exit\r")
	ptytest.Status(t, cmd)
	show := exec.Command("ptyrec", "show", "--json", "last")
	show.Env = cmd.Env
	out, err := show.Output()
	if err != nil {
		t.Fatal(err)
	}
	var transcript struct {
		Entries []struct {
			Role, Text string
			Status     *int     `json:"exit_status"`
			Duration   *float64 `json:"duration"`
		}
	}
	if err := json.Unmarshal(out, &transcript); err != nil {
		t.Fatal(err)
	}
	ended := map[string]int{}
	for _, e := range transcript.Entries {
		if e.Role == "shell" && e.Status != nil && e.Duration != nil {
			ended[e.Text] = *e.Status
		}
	}
	if want := map[string]int{"PROMPT_COMMAND=": 0, "sh -c 'exit 7'": 7, "true": 0}; !maps.Equal(ended, want) {
		t.Errorf("ended with a status and a duration: %v, want %v\n%s", ended, want, out)
	}
}
