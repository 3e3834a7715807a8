//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"
)

// An MCP client may type into a session only with a grant, and the log names the client.
func TestMCPSend(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	id := mcpSession(t, environ, "cat")
	if reading := mcpClient(t, environ, nil); len(mcpTools(t, reading)) != 5 {
		t.Error("tools for typing without --write")
	}
	c := mcpClient(t, environ, nil, "--write")
	if tools := mcpTools(t, c); len(tools) != 7 {
		t.Errorf("tools: %v", tools)
	}
	for tool, arguments := range map[string]map[string]any{
		"send":   {"session": id, "text": "typed in secret", "enter": true},
		"prompt": {"session": id, "text": "typed in secret"},
	} {
		text, _, failed := mcpCall(t, c, tool, arguments)
		if !failed || !strings.Contains(text, "ptyrec grant "+id+" --for 10m") {
			t.Errorf("%s: %s", tool, text)
		}
	}
	mcpRun(t, environ, "grant", id)
	for _, arguments := range []map[string]any{{"text": "typed by grant", "enter": true},
		{"text": "more", "keys": []string{"x", "Enter"}}} {
		arguments["session"] = id
		if text, got, failed := mcpCall(t, c, "send", arguments); failed || got["typed"] != true {
			t.Errorf("send %v: %s", arguments, text)
		}
	}
	if _, got, _ := mcpCall(t, c, "wait", map[string]any{"session": id, "until": "text",
		"text": "^morex$"}); got["reason"] != "text" {
		t.Errorf("wait: %v", got)
	}
	if text, _, _ := mcpCall(t, c, "read_screen", map[string]any{"session": id}); strings.Contains(text, "secret") ||
		!strings.Contains(text, "typed by grant") {
		t.Errorf("the screen: %s", text)
	}
	for arguments, says := range map[string]string{`{}`: "nothing to type", `{"keys":["Hyper-x"]}`: "not known"} {
		text, _, failed := mcpCall(t, c, "send", mcpJSON(t, arguments, id))
		if !failed || !strings.Contains(text, says) {
			t.Errorf("send %s: %s", arguments, text)
		}
	}
	mcpRun(t, environ, "send", id, "--keys", "C-d")
	mcpRun(t, environ, "wait", id, "--exit", "--timeout", "60s")
	show := exec.Command("ptyrec", "show", id, "--json")
	show.Env = environ
	if out, err := show.Output(); err != nil || !strings.Contains(string(out), "mcp:test-client") {
		t.Errorf("the log does not name the client: %v %s", err, out)
	}
	if text, _, failed := mcpCall(t, c, "send", map[string]any{"session": id, "text": "x"}); !failed ||
		!strings.Contains(text, "over") {
		t.Errorf("a session that is over: %s", text)
	}
}

// Nobody types into the session that the server runs in; what counts is the process.
func TestMCPOwnSession(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	dir := t.TempDir()
	ask, out := filepath.Join(dir, "ask"), filepath.Join(dir, "out")
	lines := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send","arguments":{"session":"last","text":"x"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"prompt","arguments":{"session":"last","text":"x"}}}
`
	if err := os.WriteFile(ask, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	id := mcpSession(t, environ, "sh", "-c",
		fmt.Sprintf("env -u PTYREC_SESSION ptyrec mcp --write <%s >%s; echo done; cat", ask, out))
	mcpRun(t, environ, "wait", id, "--log", "done", "--timeout", "60s")
	said, err := os.ReadFile(out)
	if err != nil || strings.Count(string(said), "the session that you run in") != 2 {
		t.Errorf("%v: %s", err, said)
	}
}

// With --ask the client's user is asked, and may say no.
func TestMCPAsk(t *testing.T) {
	t.Parallel()
	for action, says := range map[string]string{"accept": "Typed", "decline": "said no"} {
		environ, _ := env(t)
		id := mcpSession(t, environ, "cat")
		asked := ""
		c := mcpClient(t, environ, &sdk.ClientOptions{ElicitationHandler: func(_ context.Context,
			r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked = r.Params.Message
			return &sdk.ElicitResult{Action: action}, nil
		}}, "--write", "--ask")
		text, _, failed := mcpCall(t, c, "send", map[string]any{"session": id, "text": "hello", "enter": true})
		if failed == (action == "accept") || !strings.Contains(text, says) || !strings.Contains(asked, id) {
			t.Errorf("%s: %s, asked %q", action, text, asked)
		}
	}
	environ, _ := env(t)
	id := mcpSession(t, environ, "cat")
	c := mcpClient(t, environ, nil, "--write", "--ask") // it cannot ask
	if text, _, failed := mcpCall(t, c, "send", map[string]any{"session": id, "text": "hello"}); !failed ||
		!strings.Contains(text, "ptyrec grant") {
		t.Errorf("a client that cannot ask: %s", text)
	}
}

// With --allow-run, clients run commands, type into those, and stop those only.
func TestMCPRun(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	environ = append(environ, "HOME="+t.TempDir())
	other := mcpSession(t, environ, "cat")
	c := mcpClient(t, environ, nil, "--write", "--allow-run")
	mcpCall(t, c, "search", map[string]any{"query": "budget"}) // at a low priority, which the command must not inherit
	_, got, failed := mcpCall(t, c, "start_session",
		map[string]any{"command": []string{"sh", "-c", `echo "priority <$(nice)>"; exec cat`}, "cwd": t.TempDir()})
	of, _ := got["session"].(map[string]any)
	id, _ := of["id"].(string)
	if failed || id == "" {
		t.Fatalf("start_session: %v", got)
	}
	t.Cleanup(func() { endSession(t, environ, id) })
	priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, got, _ := mcpCall(t, c, "wait", map[string]any{"session": id, "until": "text",
		"text": fmt.Sprintf("priority <%d>", 20-priority)}); got["reason"] != "text" {
		t.Errorf("the command has another priority than %d: %v", 20-priority, got)
	}
	if text, _, failed := mcpCall(t, c, "send",
		map[string]any{"session": id, "text": "hello there", "enter": true}); failed {
		t.Errorf("send: %s", text)
	}
	if _, got, _ := mcpCall(t, c, "wait", map[string]any{"session": id, "until": "text",
		"text": "hello there"}); got["reason"] != "text" {
		t.Errorf("wait: %v", got)
	}
	send := exec.Command("ptyrec", "send", id, "x") // it is granted to the server only
	send.Env = environ
	if out, err := send.CombinedOutput(); err == nil {
		t.Errorf("another program typed: %s", out)
	}
	if text, _, failed := mcpCall(t, c, "stop_session", map[string]any{"session": other}); !failed ||
		!strings.Contains(text, "did not start") {
		t.Errorf("stop_session of another: %s", text)
	}
	if text, got, failed := mcpCall(t, c, "stop_session", map[string]any{"session": id}); failed ||
		got["status"] == "live" {
		t.Errorf("stop_session: %s %v", text, got)
	}
	if text, _, failed := mcpCall(t, c, "start_session",
		map[string]any{"command": []string{"/nonexistent/program"}}); !failed || !strings.Contains(text, "did not start") {
		t.Errorf("a command that does not exist: %s", text)
	}
}

// What a client has started ends with it, unless it is to be kept, and only so much may run at a
// time.
func TestMCPSessionsEndWithTheirClient(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	environ = append(environ, "HOME="+t.TempDir())
	c := mcpClient(t, environ, nil, "--write", "--allow-run")
	const most = 20
	var kept string
	for n := range most {
		text, got, failed := mcpCall(t, c, "start_session", map[string]any{"command": []string{"cat"}, "keep": n == 0})
		of, _ := got["session"].(map[string]any)
		id, _ := of["id"].(string)
		if failed || id == "" {
			t.Fatalf("session %d: %s", n, text)
		}
		if n == 0 {
			kept = id
		}
	}
	t.Cleanup(func() { endSession(t, environ, kept) })
	if text, _, failed := mcpCall(t, c, "start_session", map[string]any{"command": []string{"cat"}}); !failed ||
		!strings.Contains(text, "End one with stop_session first") {
		t.Errorf("one too many: %s", text)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	waitFor(t, "the end of what is not kept",
		func() bool { return strings.Count(printed(t, environ, "list", "--live", "--json"), `"id"`) == 1 })
	if left := printed(t, environ, "list", "--live", "--json"); !strings.Contains(left, kept) {
		t.Errorf("%s is not kept: %s", kept, left)
	}
}

// A server that runs in a recorded session, as those of agents often do, types into the sessions
// that it has started, and what runs in these still grants nothing.
func TestMCPInASessionTypesIntoWhatItStarted(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	dir := t.TempDir()
	first := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"start_session","arguments":{"command":["sh","-c",` +
		`"read -r x; echo got $x; ptyrec grant $OUTER; echo granted $?; cat"]}}}
`
	then := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"send","arguments":{"session":"last",` +
		`"text":"hello","enter":true}}}
`
	last := `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"wait","arguments":{"session":"last",` +
		`"until":"text","text":"granted 1"}}}
`
	for name, text := range map[string]string{"first": first, "then": then, "last": last} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := mcpSession(t, append(environ, "HOME="+dir, "DIR="+dir), "sh", "-c",
		`OUTER=$PTYREC_SESSION; export OUTER; answered() { until grep -q "\"id\":$1" "$DIR/out" 2>/dev/null; do sleep `+
			`0.02; done; }
		{ cat "$DIR/first"; answered 2; cat "$DIR/then"; answered 3; cat "$DIR/last"; answered 4; } | ptyrec mcp --write `+
			`--allow-run >"$DIR/out"; echo done; cat`)
	mcpRun(t, environ, "wait", id, "--log", "done", "--timeout", "60s")
	said, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil || !strings.Contains(string(said), "Typed into session") ||
		!strings.Contains(string(said), `"reason":"text"`) {
		t.Errorf("%v: %s", err, said)
	}
}

// mcpTools returns the names of the tools.
func mcpTools(t *testing.T, c *sdk.ClientSession) (names []string) {
	t.Helper()
	r, err := c.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// mcpJSON returns arguments with a session.
func mcpJSON(t *testing.T, text, id string) (arguments map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &arguments); err != nil {
		t.Fatal(err)
	}
	arguments["session"] = id
	return arguments
}
