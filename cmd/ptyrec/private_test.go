package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// privateAgent is a script in place of an agent that can be resumed.
const privateAgent = `#!/bin/sh
if [ "$1" = --resume ]; then
	echo "needle resumed $2"
	exit
fi
PAUSE=0.01 "$DEMO_AGENT"
echo needle
printf '\n\033[2mResume this session with:\033[22m\n\033[2mclaude --resume ` +
	`fd275993-4dbb-423f-9c63-17f6544f3c69\033[22m\n'
`

// Nothing of a private session is ever sent, nor of what its programs record or import, nor of what
// continues it: with the token of a container, for which everything else is sent.
func TestNothingPrivateIsSent(t *testing.T) {
	t.Parallel()
	server := newTeamServer(t)
	m := newTeamMachine(t, "")
	bin, agent := filepath.Join(m.home, "bin"), filepath.Join(m.home, "bin", "claude")
	demo, err := filepath.Abs("../../testdata/demo/agent.sh")
	if err == nil {
		err = os.Mkdir(bin, 0o700)
	}
	if err == nil {
		err = os.WriteFile(agent, []byte(privateAgent), 0o700)
	}
	cast := filepath.Join(m.home, "needle.cast")
	if err == nil {
		err = os.WriteFile(cast,
			[]byte("{\"version\": 2, \"width\": 80, \"height\": 24}\n[0.1, \"o\", \"needle imported\"]\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.environ = append(m.environ, "PTYREC_TEAM_SERVER="+server.URL, "PTYREC_TEAM_TOKEN=ptr_container",
		"DEMO_AGENT="+demo, "PATH="+bin+":"+os.Getenv("PATH"))
	execute := func(from, server []string, text string) {
		url, token, _ := sandboxed(t, server)
		cmd := exec.CommandContext(t.Context(), "ptyrec", "exec", url, "--", "echo", "needle", text)
		cmd.Env = append(from, "PTYREC_TOKEN="+token)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}

	within := func(script string) { m.must(t, "work", "run", "--private", "--", "sh", "-ec", script) }
	within("echo needle")
	within("ptyrec run --nested -- echo needle nested")
	within("ptyrec run --detach -- echo needle detached")
	private := append(slices.Clone(m.environ), "PTYREC_PRIVATE=1")
	execute(private, m.environ, "executed for a private client")
	execute(m.environ, private, "executed by a private server")
	within(`printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"start_session","arguments":{"command":["echo",` +
		`"needle","by","MCP"]}}}' |
		ptyrec mcp --write --allow-run`)
	within("ptyrec import " + cast)
	m.must(t, "work", "run", "--private", "--", "claude")
	m.must(t, "work", "resume", "last")
	// what is recorded around it
	m.must(t, "work", "run", "--", "sh", "-c", "PTYREC_PRIVATE=1 ptyrec run --nested -- echo hello || echo refused")
	m.must(t, "work", "run", "--", "echo", "hello")

	eventually(t, "nothing runs", func() bool {
		return strings.TrimSpace(m.must(t, "", "list", "--live",
			"--json")) == "[]"
	})
	eventually(t, "what is not private is sent", func() bool { n, _ := server.has(); return n >= 2 })
	m.idle(t)
	m.must(t, "work", "sync")
	n, sent := server.has()
	if n != 2 || strings.Contains(sent, "needle") {
		i := max(0, strings.Index(sent, "needle"))
		t.Errorf("%d sessions were sent: …%s", n, sent[max(0, i-200):min(len(sent), i+200)])
	}
	db, err := sqlite.Open(t.Context(), m.db)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	infos, err := db.Sessions(t.Context(), store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]int{}
	for _, info := range infos {
		if info.Private {
			kept[strings.Join(info.Command, " ")]++
		} else if text := strings.Join(info.Command, " "); !strings.Contains(text, "hello") {
			t.Errorf("%s is not private", text)
		}
	}
	if len(infos) != 15 {
		t.Errorf("%d sessions, private ones: %v", len(infos), kept)
	}
	if out := m.must(t, "", "sync", "--dry-run"); strings.TrimSpace(out) != "" {
		t.Errorf("it would send %s", out)
	}
	cmd := exec.CommandContext(t.Context(), "ptyrec", "run", "--", "sh", "-c",
		"ptyrec run --private --nested -- echo hello")
	cmd.Dir, cmd.Env = filepath.Join(m.home, "work"), m.environ
	if out, err := cmd.CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "cannot be private: session") || !strings.Contains(string(out), "ptyrec: hint:") {
		t.Errorf("a private session in one that is not: %v: %s", err, out)
	}
}
