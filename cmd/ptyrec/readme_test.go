package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

// elsewhere are commands of the documents that other tests run, or that cannot run here: builds,
// installing what is not published, servers.
var elsewhere = regexp.MustCompile(`^(make|go install|ptyrec (resume|run ` +
	`--detach|serve|attach|send|wait|grant|record|watch|connect|login|share|search --team))\b`)

// TestReadme runs the commands of the README and of the tour, each from top to bottom, as a new
// user would: on a terminal, in a new home folder, with the demo's stand-in as the agent. Each
// command must succeed.
func TestReadme(t *testing.T) {
	t.Parallel()
	for _, document := range []struct {
		path     string
		commands int // at least
		files    []string
	}{
		{"README.md", 5, []string{"talk.html"}},
		{"docs/tour.md", 20, []string{"talk.md", "talk.html", "session.cast", "shot.svg", "notes", "transcripts"}},
	} {
		t.Run(document.path, func(t *testing.T) {
			t.Parallel()
			root, err := filepath.Abs("../..")
			if err != nil {
				t.Fatal(err)
			}
			commands := documentCommands(t, filepath.Join(root, document.path))
			if len(commands) < document.commands {
				t.Fatalf("%d commands", len(commands))
			}
			home := newHome(t, root)
			runAsNewUser(t, home, commands)
			for _, name := range document.files {
				if _, err := os.Stat(filepath.Join(home, name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// runAsNewUser runs commands on a terminal in the folder home. Each must succeed.
func runAsNewUser(t *testing.T, home string, commands []string) {
	t.Helper()
	environ := append(detached.WithoutSession(os.Environ()), "HOME="+home, "XDG_DATA_HOME=", "XDG_CONFIG_HOME=",
		"PTYREC_DB=", "SHELL=/bin/sh", "PS1=$ ", "ENV=",
		"PAUSE=0.02", "PAGER=cat", "PATH="+filepath.Join(home,
			"path")+":"+os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color")
	for _, command := range commands {
		if elsewhere.MatchString(command) {
			t.Logf("not run here: %s", command)
			continue
		}
		if strings.Contains(command, "| jq ") {
			if _, err := exec.LookPath("jq"); err != nil {
				t.Logf("without jq: %s", command)
				command, _, _ = strings.Cut(command, "| jq ")
			}
		}
		end := func() {}
		if command == "ptyrec tail" {
			end = liveSession(t, environ, home)
		}
		u := ptytest.New(t)
		cmd := exec.Command("bash", "-c", command)
		cmd.Env, cmd.Dir = environ, home
		u.Start(t, cmd)
		switch command {
		case "ptyrec tail":
			u.Await(t, "live: ")
		case "ptyrec run":
			u.Type(t, "exit\r")
		case "ptyrec":
			u.Await(t, "^p play") // what is left of it was on the screen before
			u.Type(t, "\x03")
		}
		end()
		if status := ptytest.Status(t, cmd); status != 0 {
			show := exec.Command("ptyrec", "show", "--events")
			show.Env, show.Dir = environ, home
			last, _ := show.CombinedOutput()
			t.Fatalf("%s: status %d\n%s\nthe last session:\n%s", command, status, u.Shown(), last)
		}
		if bytes.Contains(u.Shown(), []byte("ptyrec: error")) {
			t.Errorf("%s\n%s", command, u.Shown())
		}
	}
}

// newHome makes a home folder like a clone's, with agents and programs named in the documents.
func newHome(t *testing.T, root string) string {
	t.Helper()
	home := t.TempDir()
	ptyrec, err := exec.LookPath("ptyrec")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"path", "bin"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"bin/ptyrec": ptyrec, "testdata": filepath.Join(root, "testdata"),
		"path/claude": filepath.Join(root, "testdata/demo/agent.sh")} {
		if err := os.Symlink(target, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"path/some-job": "echo 'explain the cache'",
		"path/codex": "cat >/dev/null\nexec claude"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// liveSession records a session until end is called.
func liveSession(t *testing.T, environ []string, dir string) (end func()) {
	t.Helper()
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", "run", "--", "sh", "-c", "claude; echo begun; read line")
	cmd.Env, cmd.Dir = environ, dir
	u.Start(t, cmd)
	u.Await(t, "begun")
	for {
		list := exec.Command("ptyrec", "list", "--live", "--json")
		list.Env, list.Dir = environ, dir
		if out, err := list.Output(); err != nil || bytes.Contains(out, []byte(`"live"`)) {
			break
		}
	}
	return func() {
		u.Type(t, "ended\r")
		ptytest.Status(t, cmd)
	}
}

// documentCommands returns what follows "$ " in a document, without the comments.
func documentCommands(t *testing.T, path string) (commands []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if command, ok := strings.CutPrefix(lines.Text(), "$ "); ok {
			command, _, _ = strings.Cut(command, "  #")
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	return commands
}
