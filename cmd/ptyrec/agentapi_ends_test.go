//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// eventsOf reads the events of a path until the test or the stream ends. The channel gets each as
// its name, a blank and its data; it is closed at the end of the stream.
func (s *agentServer) eventsOf(path string) <-chan string {
	s.t.Helper()
	resp, err := (&http.Client{Timeout: 2 * time.Minute}).Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := resp.Header.Get("Content-Type") + " " + resp.Header.Get("Cache-Control") + " " +
		resp.Header.Get("X-Accel-Buffering"); got != "text/event-stream no-cache, no-store, must-revalidate no" {
		s.t.Errorf("%s: the headers are %s", path, got)
	}
	events, done := make(chan string), make(chan struct{})
	s.t.Cleanup(func() { close(done); resp.Body.Close() })
	go func() {
		defer close(events)
		name := ""
		for lines := bufio.NewReader(resp.Body); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			if text, ok := strings.CutPrefix(line, "event: "); ok {
				name = strings.TrimSpace(text)
			} else if data, ok := strings.CutPrefix(line, "data: "); ok {
				select {
				case events <- name + " " + strings.TrimSpace(data):
				case <-done:
					return
				}
			}
		}
	}()
	return events
}

// TestAgentapiStreamsTheScreen: section 3, GET /internal/screen has the screen at once, and again
// when it changes.
func TestAgentapiStreamsTheScreen(t *testing.T) {
	t.Parallel()
	s := startAgentapi(t, nil)
	s.waitStable()
	events := s.eventsOf("/internal/screen")
	shows := func(text string) {
		t.Helper()
		for limit := time.After(time.Minute); ; {
			select {
			case e, ok := <-events:
				var screen struct{ Screen string }
				data, is := strings.CutPrefix(e, "screen ")
				if !ok || !is || json.Unmarshal([]byte(data), &screen) != nil {
					t.Fatalf("before %q came %q", text, e)
				}
				if strings.Contains(screen.Screen, text) {
					return
				}
			case <-limit:
				t.Fatalf("the screen does not show %q", text)
			}
		}
	}
	shows("? for shortcuts")
	s.ask("one two")
	shows("You said 7 letters")
}

// TestAgentapiSavesItsStateOnSignals: section 1, on SIGINT, SIGTERM and SIGHUP the server saves the
// state, ends the command and closes the streams.
func TestAgentapiSavesItsStateOnSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			ptytest.HeedSignals()
			state := filepath.Join(t.TempDir(), "state.json")
			s := startAgentapi(t, []string{"--state-file", state})
			s.waitStable()
			s.ask("hello")
			events, screens := s.eventsOf("/events"), s.eventsOf("/internal/screen")
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			for _, stream := range []<-chan string{events, screens} {
				for limit, open := time.After(time.Minute), true; open; {
					select {
					case _, open = <-stream:
					case <-limit:
						t.Fatal("a stream stays open")
					}
				}
			}
			if code := s.waitEnded(); code != 0 {
				t.Errorf("exit status %d: %s", code, s.stderr)
			}
			if text, _ := os.ReadFile(state); !strings.Contains(string(text), "You said 5 letters") {
				t.Errorf("it saved %s", text)
			}
			waitFor(t, "its recorder has ended, too", func() bool {
				list := exec.Command("ptyrec", "list", "--live", "--json")
				list.Env = s.cmd.Env
				out, err := list.Output()
				return err == nil && strings.TrimSpace(string(out)) == "[]"
			})
		})
	}
}

// TestAgentapiAttach: section 1, agentapi attach shows the screen of a server and types
// into it; Ctrl+C leaves, and the server stays. Both are started by the name of a link.
func TestAgentapiAttach(t *testing.T) {
	t.Parallel()
	s := startAs(t, []string{agentapiName}, nil)
	s.waitStable()
	u := ptytest.New(t)
	cmd := exec.Command(agentapiName, "attach", "--url", s.url)
	cmd.Env = s.cmd.Env
	u.Start(t, cmd)
	u.Await(t, "? for shortcuts")
	u.Type(t, "typed by hand")
	u.Await(t, "typed by hand")
	u.Type(t, "\r")
	u.Await(t, "You said 13 letters")
	u.Type(t, "\x03")
	if status := ptytest.Status(t, cmd); status != 0 {
		t.Errorf("exit status %d", status)
	}
	waitFor(t, "the messages", func() bool {
		list := s.messages()
		return len(list) == 3 && list[1].Role == "user" && list[1].Content == "typed by hand" &&
			list[2].Content == "You said 13 letters"
	})
	if got := s.prompts(); len(got) != 1 || got[0] != "typed by hand" {
		t.Errorf("the agent took %q", got)
	}
}

// TestLinkNamedAgentapi: section 1, a link named agentapi to ptyrec is `ptyrec agentapi`.
func TestLinkNamedAgentapi(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Env = environ
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %q: %v", name, args, err)
		}
		return string(out)
	}
	for _, args := range [][]string{{"--help"}, {"--version"}, {"server", "--help"}, {"server", "-P", "--", "claude"}} {
		if got, want := run(agentapiName, args...), run("ptyrec",
			append([]string{agentapiName}, args...)...); got != want || got == "" {
			t.Errorf("%q: %s\nwant %s", args, got, want)
		}
	}
	cmd := exec.Command(agentapiName, "attach")
	cmd.Env = environ
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "attach needs a terminal") {
		t.Errorf("attach without a terminal: %v %s", err, out)
	}
}

// TestAgentapiFlags: section 1, what the flags that say who may use the server, and how it is
// called, do.
func TestAgentapiFlags(t *testing.T) {
	t.Parallel()
	const secret = "a-token-for-the-flags"
	name := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(name, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startAgentapi(t, []string{
		"-t", "cursor-agent", "-c", "/proxy/chat", "--listen", "127.0.0.1", "--token-file", name, "-a",
		"agent.example,127.0.0.1", "-o", "https://page.example",
	})
	client := &http.Client{Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, test := range []struct {
		method, path, host, origin, token string
		status                            int
		header, want                      string
	}{
		{"GET", "/status", "", "", "", 401, "WWW-Authenticate", `Basic realm="agentapi", charset="UTF-8"`},
		{"GET", "/status", "", "", "another", 401, "", ""},
		{"GET", "/status", "", "", secret, 200, "Content-Type", "application/json"},
		{"GET", "/status", "agent.example:80", "", secret, 200, "", ""},
		{"GET", "/status", "evil.example", "", secret, 400, "", ""},
		{"GET", "/status", "", "https://page.example", secret, 200, "Access-Control-Allow-Origin", "https://page.example"},
		{"GET", "/status", "", "https://evil.example", secret, 200, "Access-Control-Allow-Origin", ""},
		{"POST", "/message", "", "https://evil.example", secret, 403, "", ""},
		{"GET", "/", "", "", secret, 307, "Location", "/proxy/chat/embed"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), test.method, s.url+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = test.host
		if test.origin != "" {
			req.Header.Set("Origin", test.origin)
		}
		if test.token != "" {
			req.SetBasicAuth("x", test.token)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != test.status || test.header != "" && resp.Header.Get(test.header) != test.want {
			t.Errorf("%s %s, host %q, origin %q: %s, %s %q; want %d, %q", test.method, test.path, test.host, test.origin,
				resp.Status, test.header, resp.Header.Get(test.header), test.status, test.want)
		}
	}
	s.url = strings.Replace(s.url, "http://", "http://x:"+secret+"@", 1)
	s.waitStable()
	var status struct {
		Type string `json:"agent_type"`
	}
	if s.get("/status", &status); status.Type != "cursor" {
		t.Errorf("the type is %q", status.Type)
	}
}
