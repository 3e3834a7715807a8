//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// agentServer is `ptyrec agentapi server` with the fake agent.
type agentServer struct {
	t      *testing.T
	url    string
	log    string // the prompts that the agent took
	cmd    *exec.Cmd
	ended  chan struct{} // closed when it has ended; before that, cmd and stderr belong to it
	stderr *bytes.Buffer
}

// startAgentapi starts the server with flags, and the command, by default the fake agent.
func startAgentapi(t *testing.T, flags []string, command ...string) *agentServer {
	t.Helper()
	return startAs(t, []string{"ptyrec", agentapiName}, flags, command...)
}

// startAs is startAgentapi by another name.
func startAs(t *testing.T, program, flags []string, command ...string) *agentServer {
	t.Helper()
	environ, dir := liveEnv(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	_, port, _ := net.SplitHostPort(address)
	if len(command) == 0 {
		command = []string{"claude"}
	}
	s := &agentServer{t: t, url: "http://" + address, log: filepath.Join(dir, "prompts"), stderr: &bytes.Buffer{},
		ended: make(chan struct{})}
	args := slices.Concat(program[1:], []string{"server", "--port", port, "--term-width", "80", "--term-height", "60"},
		flags, []string{"--"}, command)
	s.cmd = exec.Command(program[0], args...)
	s.cmd.Env = append(environ, "AGENT_LOG="+s.log, "HOME="+dir)
	s.cmd.Stderr = s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		<-s.ended
	})
	waitFor(t, "the server listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return s
}

// get reads a JSON answer.
func (s *agentServer) get(path string, into any) {
	s.t.Helper()
	resp, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s, %v", path, resp.Status, err)
	}
}

type agentMessage struct {
	ID      int       `json:"id"`
	Role    string    `json:"role"`
	Content string    `json:"content"`
	Time    time.Time `json:"time"`
}

func (s *agentServer) messages() []agentMessage {
	s.t.Helper()
	var answer struct {
		Messages []agentMessage `json:"messages"`
	}
	s.get("/messages", &answer)
	return answer.Messages
}

func (s *agentServer) status() string {
	s.t.Helper()
	var answer struct {
		Status string `json:"status"`
	}
	s.get("/status", &answer)
	return answer.Status
}

func (s *agentServer) waitStable() {
	s.t.Helper()
	waitFor(s.t, "stable", func() bool { return s.status() == "stable" })
}

// post sends a message, and returns the status and the body.
func (s *agentServer) post(kind, content string) (int, string) {
	s.t.Helper()
	body, _ := json.Marshal(map[string]string{"type": kind, "content": content})
	resp, err := http.Post(s.url+"/message", "application/json", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

// prompts returns what the fake agent took.
func (s *agentServer) prompts() (taken []string) {
	text, _ := os.ReadFile(s.log)
	for dec := json.NewDecoder(bytes.NewReader(text)); dec.More(); {
		var prompt string
		if err := dec.Decode(&prompt); err != nil {
			s.t.Fatal(err)
		}
		taken = append(taken, prompt)
	}
	return taken
}

// ask sends a prompt, waits for stable, and returns the newest message.
func (s *agentServer) ask(prompt string) agentMessage {
	s.t.Helper()
	if status, body := s.post("user", prompt); status != http.StatusOK {
		s.t.Fatalf("%q: %d %s", prompt, status, body)
	}
	s.waitStable()
	list := s.messages()
	return list[len(list)-1]
}

// A script sends a prompt, waits for stable and reads the answer.
func TestAgentapiServerAnswers(t *testing.T) {
	t.Parallel()
	s := startAgentapi(t, nil)
	s.waitStable()
	list := s.messages()
	if len(list) != 1 || list[0].ID != 0 || list[0].Role != "agent" ||
		!strings.Contains(list[0].Content, "Claude Code") || strings.Contains(list[0].Content, "shortcuts") {
		t.Errorf("at the start: %+v", list)
	}
	for i, prompt := range []string{"Is this it? Why?", "one\ntwo", "Is this it? Why?"} {
		got := s.ask(prompt)
		if want := fmt.Sprintf("You said %d letters", len(prompt)); got.ID != 2*i+2 || got.Role != "agent" ||
			got.Content != want {
			t.Errorf("%q: %+v, want %q", prompt, got, want)
		}
		if list := s.messages(); list[2*i+1].Role != "user" || list[2*i+1].Content != prompt {
			t.Errorf("%q: the user's message is %+v", prompt, list[2*i+1])
		}
	}
	if diff := cmp.Diff([]string{"Is this it? Why?", "one\ntwo", "Is this it? Why?"}, s.prompts()); diff != "" {
		t.Errorf("what arrived (-want +got):\n%s", diff)
	}
}

// While the agent asks, the status is stable, a prompt is refused, and raw keys answer.
func TestAgentapiApproval(t *testing.T) {
	t.Parallel()
	s := startAgentapi(t, nil)
	s.waitStable()
	if got := s.ask("ask me"); !strings.Contains(got.Content, "I want to run it.") {
		t.Errorf("while it asks: %+v", got)
	}
	if status, body := s.post("user", "please say no"); status != http.StatusInternalServerError ||
		!strings.Contains(body, "failed to send message") {
		t.Errorf("a prompt while it asks: %d %s", status, body)
	}
	if status, body := s.post("raw", "1"); status != http.StatusOK {
		t.Errorf("an answer: %d %s", status, body)
	}
	waitFor(t, "the reply", func() bool {
		list := s.messages()
		return strings.HasSuffix(list[len(list)-1].Content, "It is approved.")
	})
	if diff := cmp.Diff([]string{"ask me", "approved"}, s.prompts()); diff != "" {
		t.Errorf("what arrived (-want +got):\n%s", diff)
	}
}

// Two prompts at once: one is taken, and the other refused.
func TestAgentapiTakesOneOfTwoPrompts(t *testing.T) {
	t.Parallel()
	s := startAgentapi(t, nil)
	s.waitStable()
	var wait sync.WaitGroup
	var statuses [2]int
	for i := range statuses {
		wait.Go(func() { statuses[i], _ = s.post("user", fmt.Sprint("slow ", i)) })
	}
	wait.Wait()
	if statuses[0]+statuses[1] != 200+500 {
		t.Errorf("answers %v", statuses)
	}
	s.waitStable()
	if got := s.prompts(); len(got) != 1 {
		t.Errorf("it took %q", got)
	}
}

// Events come in the original's form, the first ones at once; none are lost.
func TestAgentapiEvents(t *testing.T) {
	t.Parallel()
	s := startAgentapi(t, nil)
	s.waitStable()
	resp, err := (&http.Client{Timeout: time.Minute}).Get(s.url + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() (name, data string) {
		for lines.Scan() {
			line := lines.Text()
			if text, ok := strings.CutPrefix(line, "event: "); ok {
				name = text
			} else if text, ok := strings.CutPrefix(line, "data: "); ok {
				data = text
			} else if line == "" && name != "" {
				return name, data
			}
		}
		t.Fatal("the stream ended: ", lines.Err())
		return "", ""
	}
	if name, data := next(); name != "message_update" || !strings.HasPrefix(data, `{"id":0,"role":"agent","message":"`) {
		t.Errorf("%s %s", name, data)
	}
	if name, data := next(); name != "status_change" || data != `{"status":"stable","agent_type":"claude"}` {
		t.Errorf("%s %s", name, data)
	}
	if status, body := s.post("user", "hello"); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	var seen []string
	for reply := ""; reply != "You said 5 letters" || seen[len(seen)-1] != "stable"; {
		name, data := next()
		var e struct {
			ID                    int
			Role, Message, Status string
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%s: %s", name, data)
		}
		seen = append(seen, e.Status+e.Role)
		if e.Role == "agent" {
			reply = e.Message
		}
	}
	var order []string
	for _, what := range seen {
		if len(order) == 0 || order[len(order)-1] != what {
			order = append(order, what)
		}
	}
	if diff := cmp.Diff([]string{"running", "user", "agent", "stable"}, order); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// The server ends as the command does, with its last screen if that failed.
func TestAgentapiServerEndsWithItsCommand(t *testing.T) {
	t.Parallel()
	for _, code := range []int{0, 3} {
		s := startAgentapi(t, nil, "sh", "-c", fmt.Sprintf("echo working; sleep 1; echo the last words; exit %d", code))
		if got := s.waitEnded(); (got == 0) != (code == 0) {
			t.Errorf("exit status %d, want that of %d: %s", got, code, s.stderr)
		}
		if got := strings.Contains(s.stderr.String(), "the last words"); got != (code != 0) {
			t.Errorf("with %d, it wrote %q", code, s.stderr)
		}
	}
}

// waitEnded waits until the server has ended, and returns its exit status.
func (s *agentServer) waitEnded() int {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		s.t.Fatal("it did not end")
	}
	return s.cmd.ProcessState.ExitCode()
}

// SIGUSR1 saves the state, SIGTERM saves it and ends the command; the next run goes on from it, and
// does not send the first prompt again.
func TestAgentapiContinuesFromItsState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state, pid := filepath.Join(dir, "state.json"), filepath.Join(dir, "pid")
	flags := []string{"--state-file", state, "--pid-file", pid, "--initial-prompt", "hello there"}
	saved := func() (s struct {
		Version           int
		Messages          []struct{ Message string }
		InitialPromptSent bool `json:"initial_prompt_sent"`
	}) {
		text, _ := os.ReadFile(state)
		_ = json.Unmarshal(text, &s)
		return s
	}
	s := startAgentapi(t, flags)
	s.waitStable()
	if text, _ := os.ReadFile(pid); string(text) != fmt.Sprintln(s.cmd.Process.Pid) {
		t.Errorf("the pid file has %q", text)
	}
	if err := s.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the saved state", func() bool { return len(saved().Messages) == 3 })
	s.ask("more")
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := s.waitEnded(); code != 0 {
		t.Errorf("exit status %d: %s", code, s.stderr)
	}
	if got := saved(); got.Version != 1 || len(got.Messages) != 5 || !got.InitialPromptSent ||
		got.Messages[4].Message != "You said 4 letters" {
		t.Errorf("it saved %+v", got)
	}
	if _, err := os.Stat(pid); err == nil {
		t.Error("the pid file is still there")
	}
	s = startAgentapi(t, flags)
	s.waitStable()
	if list := s.messages(); len(list) != 5 || list[1].Content != "hello there" {
		t.Errorf("after the restart: %+v", list)
	}
	if got := s.ask("again"); got.ID != 6 || got.Content != "You said 5 letters" {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff([]string{"again"}, s.prompts()); diff != "" {
		t.Errorf("what arrived at the second agent (-want +got):\n%s", diff)
	}
}

// What arrives is what was sent.
func TestAgentapiMessagesArriveWhole(t *testing.T) {
	t.Parallel()
	s := startAgentapi(t, nil)
	s.waitStable()
	var want []string
	for _, prompt := range []struct{ sent, arrives string }{
		{"a\tb\tc", "a\tb\tc"}, {strings.Repeat("word ", 800), strings.TrimSpace(strings.Repeat("word ", 800))},
		{"缓存 テスト 한국어 🙂👩‍👩‍👧", "缓存 テスト 한국어 🙂👩‍👩‍👧"},
		{"before\x1b[201~\rrm -rf x\r\nafter", "before[201~\nrm -rf x\nafter"},
		{strings.Repeat("line\n", 40), strings.TrimSpace(strings.Repeat("line\n", 40))},
	} {
		s.ask(prompt.sent)
		list := s.messages()
		if got := list[len(list)-2]; got.Role != "user" || got.Content != prompt.arrives {
			t.Errorf("%.40q: the message is %s %q", prompt.sent, got.Role, got.Content)
		}
		want = append(want, prompt.arrives)
	}
	if diff := cmp.Diff(want, s.prompts()); diff != "" {
		t.Errorf("what arrived (-want +got):\n%s", diff)
	}
}

// serve shows live and past sessions below /agentapi/ID, by its own rules.
func TestServeShowsSessionsByAgentapi(t *testing.T) {
	t.Parallel()
	environ, dir := liveEnv(t)
	prompts := filepath.Join(dir, "prompts")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("ptyrec", args...)
		cmd.Env = append(environ, "AGENT_LOG="+prompts, "HOME="+dir, "PTYREC_NOTICE=never")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	past := run("run", "--detach", "--size", "80x30", "--", "claude")
	run("grant", past)
	run("prompt", past, "--timeout", "60s", "a first one")
	run("send", past, "--keys", "C-d")
	run("wait", past, "--exit")
	live := run("run", "--detach", "--size", "80x30", "--", "claude")
	t.Cleanup(func() {
		run("grant", live)
		run("send", live, "--keys", "C-d")
	})
	url, secret, _ := served(t, append(environ, "HOME="+dir), "--agentapi")
	address := strings.TrimPrefix(url, "http://")
	if resp, err := http.Get("http://" + address + "/agentapi/" + live + "/status"); err != nil ||
		resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %v %v", resp, err)
	} else {
		resp.Body.Close()
	}
	of := func(id string) *agentServer {
		return &agentServer{t: t, url: "http://x:" + secret + "@" + address + "/agentapi/" + id, log: prompts}
	}
	p := of(past)
	var got []string
	for _, m := range p.messages() {
		got = append(got, m.Role+": "+m.Content)
	}
	if len(got) != 3 || !strings.HasPrefix(got[0], "agent: Claude Code") || got[1] != "user: a first one" ||
		got[2] != "agent: You said 11 letters" || p.status() != "stable" {
		t.Errorf("the past session: %s %q", p.status(), got)
	}
	for _, kind := range []string{"user", "raw"} {
		if status, body := p.post(kind, "too late"); status != http.StatusInternalServerError ||
			!strings.Contains(body, "failed to send message: the session is over") {
			t.Errorf("%s to the past session: %d %s", kind, status, body)
		}
	}
	s := of("last")
	s.waitStable()
	if status, body := s.post("user", "not granted"); status != http.StatusInternalServerError ||
		!strings.Contains(body, "nobody has granted it") {
		t.Errorf("without a grant: %d %s", status, body)
	}
	run("grant", live)
	if got := s.ask("a second one"); got.Content != "You said 12 letters" {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff([]string{"a first one", "a second one"}, s.prompts()); diff != "" {
		t.Errorf("what arrived (-want +got):\n%s", diff)
	}
}
