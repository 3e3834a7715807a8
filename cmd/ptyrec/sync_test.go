package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/store/sqlite"
)

// teamServer takes what is sent, and keeps it.
type teamServer struct {
	*httptest.Server
	mu    sync.Mutex // guards the fields below
	sent  bytes.Buffer
	ended map[string]bool
	down  int // so many calls are refused with 503
}

func newTeamServer(t *testing.T) *teamServer {
	s := &teamServer{ended: map[string]bool{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *teamServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what comes
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.sent, "%s %s %v\n%s\n", r.Method, r.URL, r.Header, body)
	if s.down > 0 {
		s.down--
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	id := strings.Split(r.URL.Path+"////", "/")[3]
	switch {
	case r.Method == http.MethodGet || strings.HasSuffix(r.URL.Path, "/check"):
		_, _ = io.WriteString(w, "{}")
		return
	case strings.HasSuffix(r.URL.Path, "/end"):
		s.ended[id] = true
	case r.Method == http.MethodPut && !strings.HasSuffix(r.URL.Path, "/raw"):
		_ = json.NewEncoder(w).Encode(map[string]any{"id": id})
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// has reports how many sessions it has, and all that came.
func (s *teamServer) has() (ended int, sent string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ended), s.sent.String()
}

// teamMachine is a machine with a configuration.
type teamMachine struct {
	environ  []string
	home, db string
}

func newTeamMachine(t *testing.T, config string) *teamMachine {
	t.Helper()
	environ, db := env(t)
	m := &teamMachine{home: tempDir(t), db: db}
	m.environ = append(environ, "HOME="+m.home, "XDG_CONFIG_HOME="+filepath.Join(m.home, "config"),
		"XDG_STATE_HOME="+filepath.Join(m.home, "state"),
		"PTYREC_DB="+db, "PTYREC_PRIVATE=", "PTYREC_TEAM_SERVER=", "PTYREC_TEAM_TOKEN=", "PTYREC_TEAM_SPACE=",
		"PTYREC_REDACT=")
	for _, dir := range []string{"config/ptyrec", "work", "other"} {
		if err := os.MkdirAll(filepath.Join(m.home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m.configure(t, config)
	return m
}

func (m *teamMachine) configure(t *testing.T, config string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.home, "config", "ptyrec", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}

// do runs ptyrec in a folder of the home folder, and returns what it wrote.
func (m *teamMachine) do(t *testing.T, folder string, args ...string) (out string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ptyrec", args...)
	cmd.Dir, cmd.Env = filepath.Join(m.home, folder), m.environ
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func (m *teamMachine) must(t *testing.T, folder string, args ...string) string {
	t.Helper()
	out, err := m.do(t, folder, args...)
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return out
}

// login lets the machine send to a server.
func (m *teamMachine) login(t *testing.T, url string) {
	t.Helper()
	token := filepath.Join(m.home, "token")
	if err := os.WriteFile(token, []byte("ptr_test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.must(t, "", "login", url, "--token-file", token)
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	for limit := time.Now().Add(3 * time.Minute); !met(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%s: not within 3 minutes", what)
		}
	}
}

// idle waits until no process in the background sends.
func (m *teamMachine) idle(t *testing.T) {
	t.Helper()
	eventually(t, "the sync in the background ends", func() bool {
		out, err := m.do(t, "", "sync", "--status")
		return err != nil || !strings.Contains(out, "in the background")
	})
}

// Without a server, folders and a login nothing connects, nothing is started, and nothing is left
// behind.
func TestWithoutATeamNothingConnects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config string
		login  bool
		files  bool // the lock may be there
	}{
		"no [team]":      {config: "", login: true},
		"no folders":     {config: "[team]\nserver = %q\n", login: true},
		"no login":       {config: "[team]\nserver = %q\nfolders = [\"~/work\"]\n"},
		"no server":      {config: "[team]\nfolders = [\"~/work\"]\n", login: true},
		"redaction off":  {config: "[team]\nserver = %q\nfolders = [\"~/work\"]\n[redact]\nenabled = false\n", login: true},
		"another folder": {config: "[team]\nserver = %q\nfolders = [\"~/other\"]\n", login: true, files: true},
		"another agent": {config: "[team]\nserver = %q\nfolders = [\"~/work\"]\nagents = [\"claude\"]\n", login: true,
			files: true},
		"a private one":   {config: "[team]\nserver = %q\nfolders = [\"~/work\"]\n", login: true, files: true},
		"another machine": {config: "[team]\nserver = \"https://localhost:1\"\nfolders = [\"~/work\"]\n", login: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newTeamServer(t)
			config := c.config
			if strings.Contains(config, "%q") {
				config = fmt.Sprintf(config, server.URL)
			}
			m := newTeamMachine(t, config)
			if c.login {
				m.login(t, server.URL)
			}
			_, before := server.has()
			args := []string{"run", "--", "echo", "hello"}
			if c.files {
				args = []string{"run", "--private=" + fmt.Sprint(name == "a private one"), "--", "echo", "hello"}
			}
			m.must(t, "work", args...)
			if c.files {
				eventually(t, "a process in the background looks",
					func() bool { _, err := os.Stat(m.db + "-sync"); return err == nil })
			}
			if _, err := os.Stat(m.db + "-sync"); err == nil && !c.files {
				t.Error("a process was started")
			}
			m.idle(t)
			if out, err := m.do(t, "", "sync"); err == nil && !strings.Contains(out, "sent 0 of 0 sessions") {
				t.Errorf("sync: %s", out)
			}
			if _, sent := server.has(); sent != before {
				t.Errorf("it sent %s", sent[len(before):])
			}
			db, err := sqlite.Open(t.Context(), m.db)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if pushes, err := db.Pushes(t.Context()); err != nil || len(pushes) != 0 {
				t.Errorf("%v, %v", pushes, err)
			}
		})
	}
}

// run sends its session when it has ended, also where the server is down for a while, and list says
// so.
func TestRunSendsItsSession(t *testing.T) {
	t.Parallel()
	server := newTeamServer(t)
	m := newTeamMachine(t, fmt.Sprintf("[team]\nserver = %q\nfolders = [\"~/work\"]\n", server.URL))
	m.login(t, server.URL)
	server.mu.Lock()
	server.down = 2
	server.mu.Unlock()
	m.must(t, "other", "run", "--", "echo", "outsider")
	m.must(t, "work", "run", "--private", "--", "echo", "insider")
	m.must(t, "work", "run", "--", "echo", "hello-there")
	eventually(t, "it is sent", func() bool { n, _ := server.has(); return n == 1 })
	m.idle(t)
	n, sent := server.has()
	if n != 1 || strings.Contains(sent, "outsider") || strings.Contains(sent, "insider") ||
		strings.Contains(sent, m.home) {
		t.Errorf("%d sessions: %s", n, sent)
	}
	var list []struct {
		Command []string `json:"command"`
		SentAt  string   `json:"sent_at"`
		Private bool     `json:"private"`
	}
	if err := json.Unmarshal([]byte(m.must(t, "", "list", "--json")), &list); err != nil || len(list) != 3 {
		t.Fatal(err, list)
	}
	if list[0].SentAt == "" || list[0].Private || list[1].SentAt != "" || !list[1].Private || list[2].SentAt != "" ||
		list[2].Private {
		t.Errorf("%+v", list)
	}
	if out := m.must(t, "", "list"); strings.Count(out, "sent") != 1 || strings.Count(out, "private") != 1 {
		t.Error(out)
	}
	// A change is sent with the next session, and --never counts.
	m.must(t, "", "tag", "last", "+x")
	m.must(t, "", "sync", "--never", "last")
	m.must(t, "work", "run", "--", "echo", "second")
	eventually(t, "the second is sent", func() bool { n, _ := server.has(); return n == 2 })
	m.idle(t)
	if out := m.must(t, "", "sync", "--status"); strings.Contains(out, "echo") {
		t.Error(out)
	}
}

// In a container, `run --sync=end` ends after its session was sent. What cannot be sent in time
// delays it no longer than --sync-wait, and its status stays that of the command.
func TestSyncAtTheEnd(t *testing.T) {
	t.Parallel()
	s := newTeamServer(t)
	m := newTeamMachine(t, "")
	m.environ = append(m.environ, "PTYREC_TEAM_SERVER="+s.URL, "PTYREC_TEAM_TOKEN=ptr_container", "PTYREC_TEAM_SPACE=shop")
	run := func(args ...string) (string, int) {
		cmd := exec.CommandContext(t.Context(), "ptyrec", append([]string{"run"}, args...)...)
		cmd.Env, cmd.Dir = m.environ, m.home
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, status := run("--sync=end", "--", "sh", "-c", "echo needle; exit 3"); status != 3 ||
		strings.Contains(out, "not sent") {
		t.Errorf("status %d: %s", status, out)
	}
	if ended, sent := s.has(); ended != 1 || !strings.Contains(sent, `"space":"shop"`) ||
		!strings.Contains(sent, "Bearer ptr_container") {
		t.Errorf("%d were sent when the command had ended: %s", ended, sent)
	}
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hangs.Close()
	defer close(release)
	m.environ = append(m.environ, "PTYREC_TEAM_SERVER="+hangs.URL)
	if out, status := run("--sync=end", "--sync-wait=100ms", "--", "sh", "-c", "exit 4"); status != 4 ||
		!strings.Contains(out, "warning: the session was not sent: it took longer than 100ms") {
		t.Errorf("status %d: %s", status, out)
	}
	for _, args := range [][]string{{"--sync=now", "--", "true"}, {"--sync=end", "--detach", "--", "true"},
		{"--sync-wait=0s", "--", "true"}} {
		if out, status := run(args...); status != 2 || !strings.Contains(out, "ptyrec: error:") {
			t.Errorf("%q: status %d: %s", args, status, out)
		}
	}
}
