package sandboxapi_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExecuteReturnsWholeStreams: whole streams, the exit code and the real duration.
func TestExecuteReturnsWholeStreams(t *testing.T) {
	s := newSite(t)
	a := s.execute("s", `printf 'a\n\n'; printf 'e\xff' >&2; sleep 0.05`)
	if a.Stdout != "a\n\n" || a.Stderr != "e\uFFFD" || !a.Success || a.ExitCode != 0 || a.SessionID != "s" ||
		a.Duration < 50 {
		t.Errorf("%+v", a)
	}
}

// TestSessionKeepsItsState: a session keeps its folder, variables and functions; a request's own
// are for one command.
func TestSessionKeepsItsState(t *testing.T) {
	s := newSite(t)
	s.execute("s", `cd /; v=1; export w=2; f() { echo f$1; }`)
	if a := s.execute("s", "pwd; echo $v $w; f 3"); a.Stdout != "/\n1 2\nf3\n" {
		t.Errorf("the session has %q", a.Stdout)
	}
	a := s.executeWith(object{"sessionId": "s", "command": "pwd; echo $v $n", "cwd": "/usr",
		"env": object{"v": "9", "n": "8", "no": nil}})
	if a.Stdout != "/usr\n9 8\n" {
		t.Errorf("with cwd and env: %q", a.Stdout)
	}
	if a := s.execute("s", "pwd; echo $v [$n]"); a.Stdout != "/\n1 []\n" {
		t.Errorf("behind it: %q", a.Stdout)
	}
	for command, want := range map[string]int{"exit 3": 3, "exec sh -c 'exit 4'": 4, "kill -9 $$": 137,
		"set -e; (exit 5)": 5} {
		if a := s.execute("s", command); a.ExitCode != want || a.Success {
			t.Errorf("%s: %d", command, a.ExitCode)
		}
	}
	if a := s.execute("s", "pwd; echo $v"); a.Stdout != "/\n1\n" {
		t.Errorf("behind those: %q", a.Stdout)
	}
	if a := s.execute("other", "echo [$v]"); a.Stdout != "[]\n" {
		t.Errorf("another session: %q", a.Stdout)
	}
	if a := s.execute("__DISABLE_SESSION__", "v=1; echo $v"); a.Stdout != "1\n" {
		t.Errorf("no session: %q", a.Stdout)
	}
	if a := s.execute("a user@example.com", "v=5"); a.ExitCode != 0 {
		t.Errorf("an odd id: %+v", a)
	}
	if a := s.execute("a user@example.com", "echo $v"); a.Stdout != "5\n" {
		t.Errorf("an odd id: %+v", a)
	}
}

// TestSessionSurvivesARestart runs a command in the shell of a session after a restart of the
// server.
func TestSessionSurvivesARestart(t *testing.T) {
	s := newSite(t)
	s.execute("", "cd /usr; v=1")
	s.stop()
	s.start()
	if a := s.execute("default", "pwd; echo $v"); a.Stdout != "/usr\n1\n" {
		t.Errorf("%q", a.Stdout)
	}
}

// TestCommandsOfASessionRunInOrder: commands of a session run one after another.
func TestCommandsOfASessionRunInOrder(t *testing.T) {
	s := newSite(t)
	file := filepath.Join(t.TempDir(), "f")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			s.execute("s", fmt.Sprintf("echo begin >> %[1]s; sleep 0.05; echo end >> %[1]s", file))
		})
	}
	wait.Wait()
	got, err := os.ReadFile(file)
	if want := strings.Repeat("begin\nend\n", 4); err != nil || string(got) != want {
		t.Errorf("%v, %q", err, got)
	}
}

// TestSessionsAreCreatedListedAndDeleted: the SDK creates, lists and deletes sessions.
func TestSessionsAreCreatedListedAndDeleted(t *testing.T) {
	s := newSite(t)
	create := func(o object) (int, answer) { return s.request("POST", "/api/session/create", o) }
	if status, _ := create(object{"id": "sandbox-a", "env": object{"A": "1"},
		"cwd": "/workspace"}); status != http.StatusOK {
		t.Fatalf("create: %d", status)
	}
	if status, a := create(object{"id": "sandbox-a"}); status != http.StatusConflict ||
		a.Code != "SESSION_ALREADY_EXISTS" || !strings.Contains(a.Message, "already exists") {
		t.Errorf("again: %d %+v", status, a)
	}
	if status, _ := create(object{"id": "usr", "cwd": "/usr"}); status != http.StatusOK {
		t.Errorf("with a folder: %d", status)
	}
	if status, _ := create(object{"id": "brief", "commandTimeoutMs": 100}); status != http.StatusOK {
		t.Errorf("with a timeout: %d", status)
	}
	if status, a := create(object{"id": "no", "cwd": "/no such folder"}); status != http.StatusBadRequest {
		t.Errorf("a folder that is not there: %d %+v", status, a)
	}
	if a := s.execute("sandbox-a", "echo $A"); a.Stdout != "1\n" {
		t.Errorf("its variable: %q", a.Stdout)
	}
	if a := s.execute("usr", "pwd"); a.Stdout != "/usr\n" {
		t.Errorf("its folder: %q", a.Stdout)
	}
	if status, a := s.request("POST", "/api/execute",
		object{"sessionId": "brief", "command": "sleep 60"}); status != http.StatusInternalServerError ||
		!strings.HasSuffix(a.Message, "Command timeout after 100ms") {
		t.Errorf("its timeout: %d %+v", status, a)
	}
	id := s.startProcess(object{"sessionId": "usr", "command": "sleep 60"})
	if status, _ := s.request("POST", "/api/session/delete", object{"sessionId": "usr"}); status != http.StatusOK {
		t.Errorf("delete: %d", status)
	}
	if p := s.await(id, ended); p.Status != "killed" {
		t.Errorf("its process: %+v", p)
	}
	status, a := s.request("POST", "/api/session/delete", object{"sessionId": "usr"})
	if status != http.StatusInternalServerError || a.Code != "INTERNAL_ERROR" || a.Message != "Session 'usr' not found" {
		t.Errorf("again: %d %+v", status, a)
	}
}

// TestTimeoutIsNotAnExitCode: a timeout kills the command and is told apart from its exit code.
func TestTimeoutIsNotAnExitCode(t *testing.T) {
	s := newSite(t)
	status, a := s.request("POST", "/api/execute", object{"sessionId": "s", "command": "sleep 60", "timeoutMs": 100})
	want := "Failed to execute command 'sleep 60' in session 's': Command timeout after 100ms"
	if status != http.StatusInternalServerError || a.Code != "COMMAND_EXECUTION_ERROR" || a.Message != want {
		t.Errorf("%d %+v", status, a)
	}
	if a := s.execute("s", "exit 124"); a.ExitCode != 124 {
		t.Errorf("its own 124: %+v", a)
	}
	var types []string
	for _, e := range events(t, s.do("POST", "/api/execute/stream",
		`{"sessionId":"s","command":"sleep 60","timeoutMs":100}`)) {
		types = append(types, fmt.Sprint(e.data["type"]))
		if e.data["type"] == "error" && e.text("data") != want {
			t.Errorf("%v", e.data)
		}
	}
	if diff := cmp.Diff([]string{"start", "error", "complete"}, types); diff != "" {
		t.Error(diff)
	}
	id := s.startProcess(object{"command": "sleep 60", "timeoutMs": 100})
	if p := s.await(id, ended); p.Status != "killed" {
		t.Errorf("a process: %+v", p)
	}
	if all := events(t, s.do("GET", "/api/process/"+id+"/stream",
		"")); all[1].text("data") != "Command timeout after 100ms" {
		t.Errorf("%v", all)
	}
}

// TestTooMuchOutputIsRefused: execute returns up to 64 MiB of a stream.
func TestTooMuchOutputIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 65 MiB")
	}
	s := newSite(t)
	status, a := s.request("POST", "/api/execute", object{"command": "head -c 68157440 /dev/zero | tr '\\0' x"})
	if status != http.StatusInternalServerError || !strings.Contains(a.Message, "/api/execute/stream") {
		t.Errorf("%d %+.300v", status, a)
	}
}

// TestExecuteStreamHasStartOutputAndEnd streams commands that exit at once. Each stream has the
// events start, output and complete, in this order.
func TestExecuteStreamHasStartOutputAndEnd(t *testing.T) {
	s := newSite(t)
	for i := range 20 {
		all := events(t, s.do("POST", "/api/execute/stream", fmt.Sprintf(`{"command":"echo %d; (exit 7)"}`, i)))
		if len(all) != 3 || all[0].data["type"] != "start" || all[1].text("data") != fmt.Sprintln(i) ||
			all[2].data["exitCode"] != 7.0 {
			t.Fatalf("%v", all)
		}
	}
}

// TestExecuteStreamContinuesAtItsLocation: what was streamed is continued at another address, and
// never run again by a client that continues.
func TestExecuteStreamContinuesAtItsLocation(t *testing.T) {
	s := newSite(t)
	resp := s.do("POST", "/api/execute/stream", `{"command":"echo a; echo b"}`)
	all := events(t, resp)
	if resp := s.do("POST", "/api/execute/stream", `{"command":"echo a; echo b"}`, "Last-Event-ID",
		"2.0"); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("it runs again: %s", resp.Status)
	}
	rest := events(t, s.do("GET", resp.Header.Get("Content-Location")+"?since=2.0", ""))
	before, _ := output(all)
	after, _ := output(rest)
	if before != "a\nb\n" || after != "b\n" || rest[len(rest)-1].data["type"] != "exit" {
		t.Errorf("%v, then %v", all, rest)
	}
}

// TestErrorsOfBadRequests: errors have a code, a message, a status and a context.
func TestErrorsOfBadRequests(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		path   string
		body   any
		status int
		code   string
	}{
		{"/api/execute", object{"command": " "}, 400, "INVALID_COMMAND"},
		{"/api/execute", object{"command": "a\x00b"}, 400, "INVALID_COMMAND"},
		{"/api/execute", object{"command": 5}, 400, "VALIDATION_FAILED"},
		{"/api/execute", object{"command": "true", "timeoutMs": -1}, 400, "VALIDATION_FAILED"},
		{"/api/execute", object{"command": "true", "env": object{"a b": "1"}}, 400, "VALIDATION_FAILED"},
		{"/api/execute", object{"command": "true" + strings.Repeat(" ", 9<<20)}, 413, "VALIDATION_FAILED"},
		{"/api/execute/stream", object{"command": ""}, 400, "INVALID_COMMAND"},
		{"/api/process/start", object{"command": "true", "processId": "../x"}, 400, "VALIDATION_FAILED"},
		{"/api/process/start", object{"command": "true", "processId": ".x"}, 400, "VALIDATION_FAILED"},
		{"/api/process/start", object{"command": "true", "processId": strings.Repeat("x", 129)}, 400, "VALIDATION_FAILED"},
		{"/api/port-watch", object{"port": 0}, 400, "INVALID_PORT"},
		{"/api/session/delete", object{}, 400, "VALIDATION_FAILED"},
	} {
		if status, a := s.request("POST", c.path, c.body); status != c.status || a.Code != c.code ||
			a.HTTPStatus != c.status || a.Context == nil {
			t.Errorf("%s %.60v: %d %+.300v", c.path, c.body, status, a)
		}
	}
}

// TestWhatIsNotServedSaysSo calls the parts of the API that ptyrec does not have.
func TestWhatIsNotServedSaysSo(t *testing.T) {
	s := newSite(t)
	for path, what := range map[string]string{
		"/api/read": "files", "/api/write": "files", "/api/git/checkout": "git", "/api/contexts": "code contexts",
		"/api/execute/code":  "code contexts",
		"/api/backup/create": "backups", "/api/desktop/start": "desktops", "/api/expose-port": "exposed ports",
		"/api/commands": "a list of commands",
	} {
		if status, a := s.request("POST", path, object{}); status != 404 || a.Code != "UNKNOWN_ERROR" ||
			a.Message != "ptyrec does not serve "+what {
			t.Errorf("%s: %d %+v", path, status, a)
		}
	}
}
