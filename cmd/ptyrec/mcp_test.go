//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpPatience is how long these tests wait for what must come.
const mcpPatience = 60 * time.Second

// mcpClient starts ptyrec mcp with these arguments, and connects to it.
func mcpClient(t *testing.T, environ []string, o *sdk.ClientOptions, args ...string) *sdk.ClientSession {
	t.Helper()
	cmd := exec.Command("ptyrec", append([]string{"mcp"}, args...)...)
	var stderr strings.Builder
	cmd.Env, cmd.Stderr = environ, &stderr
	ctx, cancel := context.WithTimeout(context.Background(), mcpPatience)
	defer cancel()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test-client", Version: "1"}, o).Connect(ctx,
		&sdk.CommandTransport{Command: cmd, TerminateDuration: mcpPatience}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("ptyrec mcp: %v", err)
		}
		if stderr.String() != "" {
			t.Errorf("on stderr: %s", stderr.String())
		}
	})
	return c
}

// mcpCall calls a tool, and returns its text and its structured result.
func mcpCall(t *testing.T, c *sdk.ClientSession, tool string, arguments map[string]any) (text string,
	structured map[string]any, failed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), mcpPatience)
	defer cancel()
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	for _, content := range r.Content {
		if of, ok := content.(*sdk.TextContent); ok {
			text += of.Text
		}
	}
	structured, _ = r.StructuredContent.(map[string]any)
	return text, structured, r.IsError
}

// mcpSession runs a command in a session without a terminal, and returns the session's id.
func mcpSession(t *testing.T, environ []string, command ...string) string {
	t.Helper()
	cmd := exec.Command("ptyrec", append([]string{"run", "--detach", "--"}, command...)...)
	cmd.Env = append(environ, "HOME="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(string(out))
	t.Cleanup(func() { endSession(t, environ, id) })
	return id
}

// endSession ends a session that a test has started.
func endSession(t *testing.T, environ []string, id string) {
	t.Helper()
	for _, args := range [][]string{{"grant", id}, {"send", id, "--keys", "C-c", "--force"},
		{"send", id, "--keys", "C-d", "--force"}, {"wait", id, "--exit", "--for", "30s"}} {
		cmd := exec.Command("ptyrec", args...)
		cmd.Env = environ
		_ = cmd.Run() // it may have ended
	}
}

// The tools see what runs: its screen, what it waits for, and its end. Secrets on the screen are
// covered, whatever the flags and variables say.
func TestMCPLive(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	const secret = "ghp_0123456789abcdefABCDEF0123456789abcd"
	id := mcpSession(t, environ, "sh", "-c",
		"echo token "+secret+"; echo ready; read line; echo got $line; read line; exit 3")
	bare := []string{}
	for _, v := range environ { // as Codex starts servers: without XDG_RUNTIME_DIR and the like
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "PTYREC_DB") || name == "PATH" || name == "HOME" ||
			name == "GORACE" {
			bare = append(bare, v)
		}
	}
	c := mcpClient(t, append(bare, "PTYREC_REDACT=false"), nil, "--redact=false")
	if _, got, failed := mcpCall(t, c, "wait",
		map[string]any{"session": id, "until": "text", "text": "^ready$"}); failed || got["reason"] != "text" {
		t.Fatalf("wait: %v", got)
	}
	text, got, failed := mcpCall(t, c, "read_screen", map[string]any{"session": id})
	if failed || !strings.Contains(text, "ready") || strings.Contains(text, secret[:20]) ||
		!strings.Contains(text, "token ****") {
		t.Errorf("read_screen: %s %v", text, got)
	}
	if _, got, _ := mcpCall(t, c, "wait", map[string]any{"session": id, "until": "text", "text": secret[:20],
		"timeout_s": 1}); got["reason"] != "timeout" {
		t.Errorf("a wait for a secret: %v", got)
	}
	_, got, _ = mcpCall(t, c, "list_sessions", map[string]any{"live": true})
	if list, _ := got["sessions"].([]any); len(list) != 1 || list[0].(map[string]any)["granted"] != false {
		t.Errorf("list_sessions: %v", got)
	}
	if _, got, _ := mcpCall(t, c, "wait", map[string]any{"session": id, "until": "idle"}); got["reason"] != "idle" {
		t.Errorf("wait for idle: %v", got)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if _, got, _ := mcpCall(t, c, "wait", map[string]any{"session": id, "until": "end"}); got["reason"] != "ended" {
			t.Errorf("wait for the end: %v", got)
		}
	})
	mcpCall(t, c, "list_sessions", nil) // a wait holds up no other call
	for _, args := range [][]string{{"grant", id}, {"send", id, "hello", "--enter"}, {"wait", id, "--text", "got hello"},
		{"send", id, "bye", "--enter"}} {
		mcpRun(t, environ, args...)
	}
	waiting.Wait()
}

// A wait with a progress token gets progress; a cancelled one ends at once.
func TestMCPProgress(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	id := mcpSession(t, environ, "cat")
	told := make(chan struct{}, 100)
	c := mcpClient(t, environ, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
		r *sdk.ProgressNotificationClientRequest) {
		if r.Params.ProgressToken == "p" {
			told <- struct{}{}
		}
	}})
	ctx, cancel := context.WithTimeout(context.Background(), mcpPatience)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{
			Meta: sdk.Meta{"progressToken": "p"}, Name: "wait",
			Arguments: map[string]any{"session": id, "until": "end", "timeout_s": 300},
		})
		ended <- err
	}()
	for range 3 {
		select {
		case <-told:
		case <-ctx.Done():
			t.Fatal("no progress")
		}
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("a cancelled call has a result")
	}
}

// The changes of a live session are announced, to old clients and to new ones.
func TestMCPSubscriptions(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	id := mcpSession(t, environ, "cat")
	mcpRun(t, environ, "grant", id)
	changed := make(chan string, 100)
	c := mcpClient(t, environ, &sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context,
		r *sdk.ResourceUpdatedNotificationRequest) {
		changed <- r.Params.URI
	}})
	announces(t, environ, c, id, changed)
}

// announces subscribes to the screen of a session that is granted, and types until a change is
// announced.
func announces(t *testing.T, environ []string, c *sdk.ClientSession, id string, changed <-chan string) {
	t.Helper()
	uri := "ptyrec://session/" + id + "/screen"
	ctx, cancel := context.WithTimeout(context.Background(), mcpPatience)
	defer cancel()
	if err := c.Subscribe(ctx, &sdk.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	for {
		mcpRun(t, environ, "send", id, "x", "--enter")
		select {
		case got := <-changed:
			if got != uri {
				t.Errorf("%s changed", got)
			}
			return
		case <-ctx.Done():
			t.Fatal("no change was announced")
		case <-time.After(100 * time.Millisecond): // the subscription may not have begun
		}
	}
}

// mcpRun runs ptyrec.
func mcpRun(t *testing.T, environ []string, args ...string) {
	t.Helper()
	cmd := exec.Command("ptyrec", args...)
	cmd.Env = environ
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v %s", args, err, out)
	}
}

// SIGTERM ends the server, even while a call waits.
func TestMCPTerminated(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	id := mcpSession(t, environ, "cat")
	cmd := exec.Command("ptyrec", "mcp")
	cmd.Env = environ
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{},"progressToken":1}`
	if _, err := io.WriteString(in,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"session":"`+
			id+`","until":"end","timeout_s":300},`+meta+"}}\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // the progress has begun
		t.Fatal(err)
	}
	late := time.AfterFunc(mcpPatience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// Over HTTP the token is needed, for reading too; only the reading tools are there.
func TestMCPHTTP(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	id := mcpSession(t, environ, "sh", "-c", "echo over http; cat")
	url, token, _ := served(t, environ, "--mcp", "--open-reading", "--read-only")
	withToken := &http.Client{Transport: bearer(token)}
	for name, h := range map[string]*http.Client{"none": http.DefaultClient, "wrong": {Transport: bearer("x")}} {
		r, err := h.Post(url+"/mcp", "application/json", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		if r.StatusCode != http.StatusUnauthorized {
			t.Errorf("token %s: %s", name, r.Status)
		}
	}
	mcpRun(t, environ, "grant", id)
	changed := make(chan string, 100)
	c, err := sdk.NewClient(&sdk.Implementation{Name: "http", Version: "1"}, &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context,
			r *sdk.ResourceUpdatedNotificationRequest) {
			changed <- r.Params.URI
		},
	}).Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: withToken}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	tools, err := c.ListTools(context.Background(), nil)
	if err != nil || len(tools.Tools) != 5 {
		t.Fatalf("%v, %v", tools, err)
	}
	if _, got, _ := mcpCall(t, c, "wait", map[string]any{"session": id, "until": "text",
		"text": "over http"}); got["reason"] != "text" {
		t.Errorf("wait: %v", got)
	}
	announces(t, environ, c, id, changed)
	for version, ask := range map[string]string{
		"2025-11-25": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
			`"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
	} {
		r, err := http.NewRequest(http.MethodPost, url+"/mcp", strings.NewReader(ask))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := withToken.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || !strings.Contains(string(body), `"protocolVersion":"`+version+`"`) {
			t.Errorf("%s: %s %s %v", version, answer.Status, body, err)
		}
	}
}

// bearer is an http.RoundTripper that shows a token.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// A client that ends its input goes: a wait is over then, and answered, and so is the server.
func TestMCPWaitEndsWithTheInput(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	id := runDetached(t, environ, "80x24", "cat")
	cmd := exec.Command("ptyrec", "mcp")
	cmd.Env = environ
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":` +
		`"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":"p"},"arguments":` +
		`{"session":"` + id + `","until":"text","text":"never","timeout_s":300}}}
`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		var m struct {
			ID     int
			Result struct{ StructuredContent struct{ Reason string } }
		}
		if err := json.Unmarshal(line, &m); err == nil && m.ID == 2 {
			if m.Result.StructuredContent.Reason != "timeout" {
				t.Errorf("the wait ended with %s", line)
			}
			return
		}
	}
	t.Errorf("the wait has no answer in %s", out)
}
