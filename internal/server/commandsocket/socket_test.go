package commandsocket_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/protocol/command"
)

// The messages of a command, in order, its input, and the close after its end.
func TestMessagesOfACommand(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	c := s.dial()
	c.send(`{"type":"execute","command":"echo out; read x; echo got $x >&2; exit 3","command_id":"c1","unknown":1}`)
	if m, _ := c.next(); m["type"] != "started" || m["command_id"] != "c1" || m["pid"].(float64) <= 0 || len(m) != 3 {
		t.Errorf("first message %v", m)
	}
	if m, _ := c.next(); fmt.Sprint(m) != "map[data:out\n offset:0 type:stdout]" {
		t.Errorf("second message %v", m)
	}
	c.send(`{"type":"news"}`)
	c.send(`{"type":"input","data":"hé\n"}`)
	text, last, code := c.all(4)
	if text[1] != "got hé\n" || last["exit_code"] != 3.0 || last["type"] != "exit" || len(last) != 2 ||
		code != websocket.StatusNormalClosure {
		t.Errorf("%q, %v, %d", text, last, code)
	}
}

// Chunks come in order of arrival, with offsets that count the text as it was sent, and hold whole
// characters.
func TestChunksHoldWholeCharacters(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	c := s.dial()
	// It writes the next piece when the one before has come: the order of arrival is known.
	c.send(`{"type":"execute","command":"for p in '\\303' '\\251x' '\\377' '\\360\\237' '\\230\\200'; do printf $p; ` +
		`read x; printf $p >&2; read x; done; exit 2"}`)
	if m, _ := c.next(); m["type"] != "started" {
		t.Fatal(m)
	}
	var at [2]int64
	for i, want := range []string{"", "", "\u00e9x", "\u00e9x", "\uFFFD", "\uFFFD", "", "", "\U0001F600", "\U0001F600"} {
		if want != "" {
			m, code := c.next()
			if m["type"] != [2]string{"stdout", "stderr"}[i%2] || m["data"] != want || m["offset"] != float64(at[i%2]) {
				t.Fatalf("%v (%d), want %q at %d", m, code, want, at[i%2])
			}
			at[i%2] += int64(len(want))
		}
		c.send(`{"type":"input","data":"\n"}`)
	}
	if text, last, _ := c.all(at[:]...); text != [2]string{} || last["exit_code"] != 2.0 {
		t.Errorf("%q %v", text, last)
	}
}

// Run_config is another form of env and cwd, in execute as in POST /execute.
func TestRunConfig(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	c := s.dial()
	c.send(fmt.Sprintf(`{"type":"execute","command":"echo $A; `+
		`pwd","run_config":{"env_vars":{"A":"b"},"work_dir":"/usr","user":%q}}`, me.Username))
	if text, last, _ := c.all(); text[0] != "b\n/usr\n" || last["exit_code"] != 0.0 {
		t.Errorf("%q %v", text, last)
	}
}

// Close_stdin as a field of execute and as a message.
func TestCloseStdin(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	c := s.dial()
	c.send(`{"type":"execute","command":"cat; echo end","close_stdin":true}`)
	if text, last, _ := c.all(); text[0] != "end\n" || last["exit_code"] != 0.0 {
		t.Errorf("%q %v", text, last)
	}
	c = s.dial()
	c.send(`{"type":"execute","command":"cat; echo end"}`)
	c.send(`{"type":"input","data":"a"}`)
	c.send(`{"type":"input","data":"b"}`)
	c.send(`{"type":"close_stdin"}`)
	if text, last, _ := c.all(); text[0] != "abend\n" || last["exit_code"] != 0.0 {
		t.Errorf("%q %v", text, last)
	}
}

// Reconnecting at any offsets yields the rest of both streams, to every client that asks.
func TestReconnectAtAnyOffset(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	c := s.dial()
	c.send(`{"type":"execute","command":"for i in 1 2 3; do printf 'h\\303\\251%s\\377' $i; printf 'e%s€' $i >&2; ` +
		`done; exit 4","command_id":"c","close_stdin":true}`)
	whole, _, _ := c.all()
	if whole != [2]string{"hé1\ufffdhé2\ufffdhé3\ufffd", "e1€e2€e3€"} {
		t.Fatalf("%q", whole)
	}
	for restarted := range 2 {
		for o := range len(whole[0]) + 1 {
			e := o * len(whole[1]) / len(whole[0])
			c := s.dial()
			c.send(fmt.Sprintf(`{"type":"reconnect","command_id":"c","stdout_offset":%d,"stderr_offset":%d}`, o, e))
			if m, _ := c.next(); m["type"] != "started" || m["command_id"] != "c" {
				t.Fatalf("first message %v", m)
			}
			wantOut, from := strings.ToValidUTF8(whole[0][o:], ""), len(whole[0])-len(strings.ToValidUTF8(whole[0][o:], ""))
			wantErr, fromErr := strings.ToValidUTF8(whole[1][e:], ""), len(whole[1])-len(strings.ToValidUTF8(whole[1][e:], ""))
			text, last, code := c.all(int64(from), int64(fromErr))
			if text != [2]string{wantOut, wantErr} || last["exit_code"] != 4.0 || code != websocket.StatusNormalClosure {
				t.Errorf("restarted %d, at %d and %d: %q %v %d", restarted, o, e, text, last, code)
			}
		}
		s.restart()
	}
}

// An id runs once, also at the same time, after a restart, and after its ttl.
func TestCommandRunsOnce(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	mark := filepath.Join(s.dir, "mark")
	message := fmt.Sprintf(`{"type":"execute","command":"echo x >>%s; sleep .2; echo done","command_id":"once"}`, mark)
	var conns []*conn
	for range 5 {
		c := s.dial()
		c.send(message)
		conns = append(conns, c)
	}
	s2 := func() {
		for _, c := range conns {
			if m, _ := c.next(); m["type"] != "started" {
				t.Errorf("first message %v", m)
			}
			if text, last, code := c.all(); text[0] != "done\n" || last["exit_code"] != 0.0 || code != 1000 {
				t.Errorf("%q %v %d", text, last, code)
			}
		}
	}
	s2()
	s.restart()
	conns = []*conn{s.dial()}
	conns[0].send(message)
	s2()
	c := s.dial()
	c.send(fmt.Sprintf(`{"type":"execute","command":"echo x >>%s","command_id":"short","ttl_seconds":0}`, mark))
	c.all()
	time.Sleep(10 * time.Millisecond) // the shortest ttl is 1 ms
	for range 2 {
		for _, message := range []string{
			fmt.Sprintf(`{"type":"execute","command":"echo x >>%s","command_id":"short"}`, mark),
			`{"type":"reconnect","command_id":"short","stdout_offset":0,"stderr_offset":0}`,
		} {
			c := s.dial()
			c.send(message)
			if _, last, code := c.all(); last["error_type"] != command.SessionExpired || code != 1000 {
				t.Errorf("after the ttl: %v, %d", last, code)
			}
		}
		s.restart()
	}
	if text, err := os.ReadFile(mark); string(text) != "x\nx\n" {
		t.Errorf("the two commands ran %q, %v", text, err)
	}
}

// Error messages have a type, and the connection is closed with 1000 after them.
func TestErrorsOfTheSocket(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	long := strings.Repeat("x", maxCommand+1)
	for _, c := range []struct{ message, kind, text string }{
		{`{"type":"reconnect","command_id":"nope"}`, "CommandNotFound", "nope"},
		{`{"type":"execute","command":"sleep 9","timeout_seconds":0.2}`, "CommandTimeout", "timed out after"},
		{`{"type":"execute","command":"` + long + `"}`, "CommandError", "128 KiB"},
		{`{"type":"execute","command":"true","command_id":"../x"}`, "CommandError", "128 of"},
		{`{"type":"execute","command":"true","shell":"/no/such"}`, "CommandError", "/no/such"},
		{`{"type":"execute","command":"true","cwd":"/no/such"}`, "CommandError", "/no/such"},
		{`{"type":"execute","command":"true","env":{"A=B":"x"}}`, "CommandError", "env"},
		{`{"type":"execute","command":"a\u0000b"}`, "CommandError", "NUL"},
		{`{"type":"execute"}`, "CommandError", "command is missing"},
		{`{"type":"execute","command":"true","run_config":{"user":"nobody-here"}}`, "CommandError", "nobody-here"},
		{`{"type":"execute","command":"true","cwd":"/","run_config":{"work_dir":"/"}}`, "CommandError", "run_config"},
		{`hello`, "CommandError", "Invalid message: it is not JSON"},
		{``, "CommandError", "Invalid message: "},
		{`[]`, "CommandError", "Invalid message: "},
		{`{}`, "CommandError", "Invalid message: type is missing"},
		{`{"type":"kill"}`, "CommandError", "Invalid message: "},
		{`{"type":"execute","command":5}`, "CommandError", "Invalid message: command must not be a JSON number"},
		{`{"type":"input","data":"` + strings.Repeat("x", 1<<20) + `"}`, "CommandError", "longer than 1 MiB"},
	} {
		ws := s.dial()
		ws.send(c.message)
		_, last, code := ws.all()
		text, _ := last["error"].(string)
		if last["type"] != "error" || last["error_type"] != c.kind || !strings.Contains(text, c.text) ||
			strings.Contains(text, "Go ") || code != 1000 {
			t.Errorf("%.60s: %v, %d", c.message, last, code)
		}
	}
	ws := s.dial()
	ws.send(`{"type":"execute","command":"sleep 9","command_id":"running"}`)
	ws.send(`{"type":`)
	if _, last, code := ws.all(); last["error_type"] != "CommandError" || code != 1000 {
		t.Errorf("a malformed message later on: %v, %d", last, code)
	}
}

// maxCommand is the limit of a command, in bytes.
const maxCommand = 128 << 10

// A kill ends the command's process group at once, and the processes that have left the group.
func TestKill(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	c := s.dial()
	c.send(`{"type":"execute","command":"trap '' TERM; setsid sleep 1000 & echo $!; sleep 1000 & echo $!; echo ready; ` +
		`wait"}`)
	text := ""
	for !strings.HasSuffix(text, "ready\n") {
		m, _ := c.next()
		if m == nil {
			t.Fatal("closed")
		}
		data, _ := m["data"].(string)
		text += data
	}
	c.send(`{"type":"kill"}`)
	if _, last, code := c.all(int64(len(text))); last["exit_code"] != 137.0 || code != 1000 {
		t.Errorf("%v %d", last, code)
	}
	for _, pid := range strings.Fields(text)[:2] {
		n, _ := strconv.Atoi(pid)
		testkit.Eventually(t, "process "+pid+" ends", func() bool { return syscall.Kill(n, 0) != nil || zombie(n) })
	}
}

// zombie reports whether a process is over, and nobody has waited for it.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

// The timeouts without a client, kill_on_disconnect, and -1.
func TestIdleCommandEnds(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	ended := func(id string) map[string]any {
		c := s.dial()
		c.send(fmt.Sprintf(`{"type":"reconnect","command_id":%q}`, id))
		_, last, _ := c.all()
		return last
	}
	gone := func(fields string) int {
		pid := filepath.Join(s.dir, "pid")
		_ = os.Remove(pid)
		c := s.dial()
		c.send(`{"type":"execute","command":"echo $$ >` + pid + `; echo; sleep 1000",` + fields + `}`)
		for m, _ := c.next(); m["type"] != "stdout"; m, _ = c.next() {
		}
		_ = c.ws.CloseNow()
		text, err := os.ReadFile(pid)
		n, bad := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || bad != nil {
			t.Fatal(err, bad)
		}
		return n
	}
	for _, fields := range []string{`"command_id":"a","kill_on_disconnect":true`,
		`"command_id":"b","idle_timeout_seconds":0.1`} {
		pid := gone(fields)
		testkit.Eventually(t, "the command ends: "+fields, func() bool { return zombie(pid) })
	}
	for _, id := range []string{"a", "b"} {
		if last := ended(id); last["exit_code"] != 137.0 {
			t.Errorf("%s: %v", id, last)
		}
	}
	pid := gone(`"command_id":"c","idle_timeout_seconds":-1,"timeout_seconds":-1,"ttl_seconds":-1`)
	if zombie(pid) {
		t.Error("a command without limits has ended")
	}
	c := s.dial()
	c.send(`{"type":"reconnect","command_id":"c"}`)
	c.send(`{"type":"kill"}`)
	if _, last, _ := c.all(); last["exit_code"] != 137.0 {
		t.Errorf("killed: %v", last)
	}
}

// A command in a PTY writes one stream.
func TestCommandInATerminal(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	c := s.dial()
	c.send(`{"type":"execute","command":"tty >/dev/null && echo yes; read x; echo err-$x ` +
		`>&2","pty":true,"close_stdin":true}`)
	c.send(`{"type":"input","data":"in\n"}`)
	if text, last, _ := c.all(); !strings.Contains(text[0], "yes\r\n") || !strings.Contains(text[0], "err-in\r\n") ||
		text[1] != "" || last["exit_code"] != 0.0 {
		t.Errorf("%q %v", text, last)
	}
}

// When the server ends, its sockets are closed with 1001, and the command runs on.
func TestShutdownClosesTheSockets(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	c := s.dial()
	c.send(`{"type":"execute","command":"echo a; read x; echo $x","command_id":"c"}`)
	for m, _ := c.next(); m["type"] != "stdout"; m, _ = c.next() {
	}
	silent := s.dial() // that has sent nothing yet
	ended := make(chan websocket.StatusCode, 2)
	for _, c := range []*conn{c, silent} {
		go func() { _, code := c.next(); ended <- code }()
	}
	s.restart()
	for range 2 {
		if code := <-ended; code != websocket.StatusGoingAway {
			t.Errorf("closed with %d", code)
		}
	}
	c = s.dial()
	c.send(`{"type":"reconnect","command_id":"c","stdout_offset":2}`)
	c.send(`{"type":"input","data":"b\n"}`)
	if text, last, _ := c.all(2); text[0] != "b\n" || last["exit_code"] != 0.0 {
		t.Errorf("%q %v", text, last)
	}
}

// Limits: input that the command does not read.
func TestInputLimit(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	c := s.dial()
	c.send(`{"type":"execute","command":"sleep 1000","command_id":"c"}`)
	message := `{"type":"input","data":"` + strings.Repeat("x", 512<<10) + `"}`
	for range 10 {
		if c.ws.Write(context.Background(), websocket.MessageText, []byte(message)) != nil {
			break
		}
	}
	if _, last, code := c.all(); last["error_type"] != "CommandError" ||
		!strings.Contains(last["error"].(string), "4 MiB") || code != 1000 {
		t.Errorf("%v, %d", last, code)
	}
}

// Limits: a client whose connection was cut comes back to its command while too many run.
func TestComeBackWhenFull(t *testing.T) {
	s := newSite(t)
	s.stop()
	s.limit = 1
	s.serve()
	s.makeBox()
	first := s.dial()
	first.send(`{"type":"execute","command":"read x","command_id":"c"}`)
	if _, _, err := first.ws.Read(t.Context()); err != nil { // started
		t.Fatal(err)
	}
	_ = first.ws.CloseNow()
	testkit.Eventually(t, "the server notices that the client is gone", func() bool {
		ws, resp, err := websocket.Dial(t.Context(), s.url+"/langsmith/boxes/box/execute/ws", &websocket.DialOptions{
			HTTPHeader: http.Header{command.KeyHeader: {token}},
		})
		if err == nil {
			_ = ws.CloseNow()
			return true
		}
		if resp == nil || resp.StatusCode != http.StatusTooManyRequests {
			t.Fatal(err)
		}
		return false
	})
}

// Limits: too many commands. The upgrade is refused unless a client of the sandbox may come back to
// a command that it has; reconnects are served. Our own client waits for its turn.
func TestTooManyCommands(t *testing.T) {
	s := newSite(t)
	s.stop()
	s.limit = 1
	s.serve()
	s.makeBox()
	first, err := s.commands(s.address).Start(t.Context(), client.Exec{Command: "read x", ID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	status, text, header := s.do("POST", "/langsmith/boxes/box/execute", `{"command":"true"}`)
	if status != http.StatusTooManyRequests || header.Get("Retry-After") != "1" || !strings.Contains(text, `"detail"`) {
		t.Errorf("%d %s %v", status, text, header)
	}
	if status, text, _ := s.do("POST", "/langsmith/boxes", `{"name":"empty"}`); status >= 300 {
		t.Fatal(status, text)
	}
	for _, box := range []string{"empty", "box"} {
		_, resp, err := websocket.Dial(t.Context(), s.url+"/langsmith/boxes/"+box+"/execute/ws", &websocket.DialOptions{
			HTTPHeader: http.Header{command.KeyHeader: {token}},
		})
		if err == nil || resp == nil || resp.StatusCode != http.StatusTooManyRequests ||
			resp.Header.Get("Retry-After") != "1" {
			t.Errorf("upgrade in %s: %v %v", box, resp, err)
		}
	}
	again, err := s.commands(s.address).Resume(t.Context(), "c", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	go func() { _ = first.CloseInput(t.Context()) }()
	second, err := s.commands(s.address).Start(t.Context(), client.Exec{Command: "echo second"}) // waits for its turn
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	for _, c := range []*client.Command{first, again, second} {
		if _, err := c.Result(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// POST /execute: whole streams and an exit code; errors have their type.
func TestExecuteRequests(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"command":"echo out; echo err >&2; cat; exit 3","timeout":60,"shell":"/bin/bash"}`, 200,
			`{"exit_code":3,"stderr":"err\n","stdout":"out\n"}`},
		{`{"command":"echo $A; pwd","env":{"A":"<b>"},"cwd":"/"}`, 200, `{"exit_code":0,"stderr":"","stdout":"<b>\n/\n"}`},
		{`{"command":"echo $A; pwd","run_config":{"env_vars":{"A":"b"},"work_dir":"/"}}`, 200,
			`{"exit_code":0,"stderr":"","stdout":"b\n/\n"}`},
		{`{"command":"sleep 9","timeout":0.1}`, 400, `"error":"CommandTimeout"`},
		{`{"command":""}`, 400, `"error":"CommandError"`},
		{`{`, 400, `"error":"InvalidRequest"`},
	} {
		status, text, _ := s.do("POST", "/langsmith/boxes/box/execute", c.body)
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s", c.body, status, text)
		}
	}
}

// The box API.
func TestSandboxesAreCreatedAndListed(t *testing.T) {
	s := newSite(t)
	var box struct{ ID, Name, Status, Dataplane_URL, Created_At string }
	status, text, _ := s.do("POST", "/langsmith/boxes", `{"wait_for_ready":true,"timeout":30}`)
	if err := json.Unmarshal([]byte(text), &box); err != nil || status != 201 || box.Name == "" || box.ID == "" ||
		box.Status != "ready" {
		t.Fatalf("%d %s %v", status, text, err)
	}
	if want := s.url + "/langsmith/boxes/" + box.Name; box.Dataplane_URL != want {
		t.Errorf("dataplane %s, want %s", box.Dataplane_URL, want)
	}
	s.makeBox()
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "", `{"name":"box"}`, 409, `"detail":{`},
		{"POST", "", `{"name":"../x"}`, 400, `"detail":{`},
		{"POST", "", `{"name":5}`, 400, `"message":"name must not be a JSON number"`},
		{"GET", "", "", 200, `"name":"box"`},
		{"GET", "/" + box.Name, "", 200, `"name":"` + box.Name + `"`},
		{"GET", "/" + box.ID, "", 200, `"name":"` + box.Name + `"`},
		{"GET", "/box/status", "", 200, `{"status":"ready"}`},
		{"POST", "/box/start", "{}", 200, `"status":"ready"`},
		{"POST", "/box/stop", "{}", 200, `"name":"box"`},
		{"GET", "/nope", "", 404, `{"detail":{"error":"NotFound","message":"no sandbox \"nope\""}}`},
		{"GET", "/nope/status", "", 404, `"detail"`},
		{"DELETE", "/nope", "", 404, `"detail"`},
		{"POST", "/nope/execute", `{"command":"true"}`, 404, `"detail"`},
		{"GET", "/nope/execute/ws", "", 404, `"detail"`},
		{"GET", "/box/execute/ws", "", 426, `"detail"`},
		{"POST", "/box/upload?path=x", "x", 404, `ptyrec does not serve POST /langsmith/boxes/box/upload`},
		{"GET", "/box/download?path=x", "", 404, `ptyrec does not serve`},
		{"PATCH", "/box", "{}", 404, `ptyrec does not serve PATCH`},
		{"DELETE", "/" + box.Name, "", 204, ``},
		{"GET", "/" + box.Name, "", 404, `"detail"`},
	} {
		status, text, _ := s.do(c.method, "/langsmith/boxes"+c.path, c.body)
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, status, text)
		}
	}
	if status, text, _ := s.do("GET", "/langsmith/snapshots", ""); status != 404 ||
		!strings.Contains(text, "ptyrec does not serve GET /langsmith/snapshots") {
		t.Errorf("%d %s", status, text)
	}
	s.restart()
	if status, text, _ := s.do("GET", "/langsmith/boxes/box", ""); status != 200 {
		t.Errorf("after a restart: %d %s", status, text)
	}
}

// DELETE ends what runs in the box.
func TestDeletingASandboxEndsItsCommands(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	c := s.dial()
	c.send(`{"type":"execute","command":"echo; sleep 1000"}`)
	for m, _ := c.next(); m["type"] != "stdout"; m, _ = c.next() {
	}
	if status, text, _ := s.do("DELETE", "/langsmith/boxes/box", ""); status != 204 {
		t.Errorf("%d %s", status, text)
	}
	if _, last, code := c.all(1); last["exit_code"] != 137.0 && last["exit_code"] != 143.0 || code != 1000 {
		t.Errorf("%v, %d", last, code)
	}
}

// Access: a wrong token is refused before anything runs, in the protocol's form.
func TestAccess(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	for _, header := range [][]string{{command.KeyHeader, "wrong"}, {command.KeyHeader, ""}} {
		for _, path := range []string{"", "/box", "/box/execute/ws"} {
			status, text, _ := s.do("GET", "/langsmith/boxes"+path, "", header...)
			if status != 401 || !strings.HasPrefix(text, `{"detail":{"error":"Unauthorized","message":"`) {
				t.Errorf("%v %s: %d %s", header, path, status, text)
			}
		}
	}
	if _, _, err := websocket.Dial(t.Context(), s.url+"/langsmith/boxes/box"+command.Path, &websocket.DialOptions{
		Subprotocols: []string{client.TokenPrefix + "MDEyMzQ1Njc4OWFiY2RlZg"}, // of the token
	}); err != nil {
		t.Errorf("the token as a subprotocol: %v", err)
	}
}
