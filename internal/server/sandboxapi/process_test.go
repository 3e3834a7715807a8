package sandboxapi_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit"
)

// TestUsedIDIsRefused: an id that is in use is refused.
func TestUsedIDIsRefused(t *testing.T) {
	s := newSite(t)
	s.startProcess(object{"command": "true", "processId": "p"})
	for _, session := range []string{"", "another"} {
		status, a := s.request("POST", "/api/process/start",
			object{"command": "true", "processId": "p", "sessionId": session})
		if status != http.StatusConflict || a.Code != "PROCESS_EXISTS" {
			t.Errorf("%q: %d %+v", session, status, a)
		}
	}
}

// TestCleanupTakesProcessesOffTheList: cleanup and autoCleanup take processes off the list.
func TestCleanupTakesProcessesOffTheList(t *testing.T) {
	s := newSite(t)
	list := func() (ids []string) {
		_, a := s.request("GET", "/api/process/list", nil)
		for _, p := range a.Processes {
			ids = append(ids, p.ID)
		}
		return ids
	}
	s.startProcess(object{"command": "true", "processId": "done"})
	s.startProcess(object{"command": "sleep 60", "processId": "runs"})
	s.await("done", ended)
	if got := fmt.Sprint(list()); got != "[done runs]" {
		t.Errorf("list: %s", got)
	}
	if status, a := s.request("POST", "/api/process/cleanup", nil); status != http.StatusOK || a.CleanedCount != 1 {
		t.Errorf("%d %+v", status, a)
	}
	if got := fmt.Sprint(list()); got != "[runs]" {
		t.Errorf("list: %s", got)
	}
	for _, path := range []string{"", "/logs", "/stream"} {
		if status, a := s.request("GET", "/api/process/done"+path, nil); status != http.StatusNotFound ||
			a.Code != "PROCESS_NOT_FOUND" {
			t.Errorf("%s: %d %+v", path, status, a)
		}
	}
	s.startProcess(object{"command": "echo hi", "processId": "brief", "autoCleanup": true})
	all := events(t, s.do("GET", "/api/process/brief/stream", "")) // it may have ended
	if stdout, _ := output(all); stdout != "hi\n" || all[len(all)-1].data["type"] != "exit" {
		t.Errorf("%v", all)
	}
	testkit.Eventually(t, "only one is listed", func() bool { return fmt.Sprint(list()) == "[runs]" })
	if status, _ := s.request("GET", "/api/process/brief", nil); status != http.StatusNotFound {
		t.Errorf("brief: %d", status)
	}
	for range 2 { // both ways free the id, and a restart does not change that
		for _, id := range []string{"done", "brief"} {
			s.startProcess(object{"command": "echo again", "processId": id, "autoCleanup": true})
			if stdout, _ := output(events(t, s.do("GET", "/api/process/"+id+"/stream", ""))); stdout != "again\n" {
				t.Errorf("%s once more: %q", id, stdout)
			}
			testkit.Eventually(t, id+" is not listed", func() bool { return !strings.Contains(fmt.Sprint(list()), id) })
		}
		s.stop()
		s.start()
	}
}

// TestKillEscalates: kill takes a signal, and escalates.
func TestKillEscalates(t *testing.T) {
	s := newSite(t)
	kill := func(query string, body any, trap string) process_ {
		t.Helper()
		id := s.startProcess(object{"command": trap + "; echo ready; while :; do sleep 0.05; done"})
		s.awaitOutput(id, "ready\n")
		if status, a := s.request("DELETE", "/api/process/"+id+query, body); status != http.StatusOK || a.ProcessID != id {
			t.Errorf("%s: %d %+v", query, status, a)
		}
		_, a := s.request("GET", "/api/process/"+id, nil)
		return a.Process
	}
	for _, c := range []struct {
		query string
		body  any
		trap  string
		code  int
	}{
		{"", nil, "true", 143},
		{"?signal=SIGINT", nil, "trap 'exit 5' INT", 5},
		{"", object{"signal": "hup"}, "trap 'exit 6' HUP", 6},
		{"?signal=9", nil, "trap '' TERM INT", 137},
	} {
		if p := kill(c.query, c.body, c.trap); p.Status != "killed" || p.ExitCode == nil || *p.ExitCode != c.code {
			t.Errorf("%+v: %+v", c, p)
		}
	}
	id := s.startProcess(object{"command": "true"})
	s.await(id, ended)
	if status, _ := s.request("DELETE", "/api/process/"+id+"?signal=NO", nil); status != http.StatusBadRequest {
		t.Errorf("no signal: %d", status)
	}
	if status, _ := s.request("DELETE", "/api/process/"+id, nil); status != http.StatusOK {
		t.Errorf("one that has ended: %d", status)
	}
	if p := s.await(id, ended); p.Status != "completed" {
		t.Errorf("it has become %s", p.Status)
	}
}

// TestStatusesOfProcesses: the words for how a process has ended.
func TestStatusesOfProcesses(t *testing.T) {
	s := newSite(t)
	started := filepath.Join(t.TempDir(), "started") // of the last one
	for _, c := range []struct {
		command, status string
		code            int // -1: none is known
	}{
		{"true", "completed", 0},
		{"(exit 3)", "failed", 3},
		{"kill -TERM $$", "killed", 143},
		{"kill -KILL $$", "killed", 137},
		{"kill -HUP $$", "failed", 129},
		// Its host, which alone would learn the exit code.
		{"until [ -e " + started + " ]; do sleep 0.01; done; kill -KILL $PPID", "error", -1},
	} {
		id := s.startProcess(object{"command": c.command})
		if c.code < 0 {
			if err := os.WriteFile(started, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := s.await(id, func(p process_) bool { return p.Status != "running" })
		code := -1
		if p.ExitCode != nil {
			code = *p.ExitCode
		}
		if p.Status != c.status || code != c.code {
			t.Errorf("%s: %+v, exit code %d", c.command, p, code)
		}
		if _, a := s.request("GET", "/api/process/list?status="+c.status, nil); len(a.Processes) == 0 ||
			a.Processes[len(a.Processes)-1].ID != id {
			t.Errorf("%s: it is not listed as %s: %+v", c.command, c.status, a.Processes)
		}
	}
	id := s.startProcess(object{"command": "echo born; read x < <(sleep 1000)"})
	s.awaitOutput(id, "born\n")
	if p := s.await(id, func(process_) bool { return true }); p.Status != "running" || p.ExitCode != nil ||
		p.EndTime != "" {
		t.Errorf("one that runs: %+v", p)
	}
}

// awaitOutput waits until a process has written a text to stdout.
func (s *site) awaitOutput(id, want string) {
	s.t.Helper()
	testkit.Eventually(s.t, id+" has written "+want, func() bool {
		_, a := s.request("GET", "/api/process/"+id+"/logs", nil)
		return a.Stdout == want
	})
}

// TestLogsKeepTheirOrder: order, history and what comes later; logs go on at a cursor.
func TestLogsKeepTheirOrder(t *testing.T) {
	s := newSite(t)
	id := s.startProcess(object{"command": "for i in $(seq 200); do echo o$i; echo e$i >&2; done; sleep 0.2; echo end"})
	first := make(chan []event, 1)
	resp := s.do("GET", "/api/process/"+id+"/stream", "")
	go func() { first <- events(t, resp) }()
	s.await(id, ended)
	wantOut, wantErr := "", ""
	for i := range 200 {
		wantOut += fmt.Sprintf("o%d\n", i+1)
		wantErr += fmt.Sprintf("e%d\n", i+1)
	}
	var orders []string
	for name, all := range map[string][]event{"early": <-first,
		"late": events(t, s.do("GET", "/api/process/"+id+"/stream", ""))} {
		order := ""
		for _, e := range all[1 : len(all)-1] {
			order += e.text("data")
		}
		orders = append(orders, order)
		if stdout, stderr := output(all); stdout != wantOut+"end\n" || stderr != wantErr {
			t.Errorf("%s: %q, %q", name, stdout, stderr)
		}
		if all[0].data["type"] != "process_info" || all[len(all)-1].text("data") != "Process completed with exit code 0" {
			t.Errorf("%s: %v, %v", name, all[0], all[len(all)-1])
		}
	}
	if orders[0] != orders[1] {
		t.Errorf("the order differs: %q, %q", orders[0], orders[1])
	}
	_, a := s.request("GET", "/api/process/"+id+"/logs", nil)
	if _, b := s.request("GET", "/api/process/"+id+"/logs?since=3.6", nil); b.Stdout != a.Stdout[3:] ||
		b.Stderr != a.Stderr[6:] || b.Cursor != a.Cursor {
		t.Errorf("since 3.6: %+v, want %+v", b, a)
	}
	if status, b := s.request("GET", "/api/process/"+id+"/logs?since=x", nil); status != http.StatusBadRequest {
		t.Errorf("since x: %d %+v", status, b)
	}
}

// TestLeavingStopsNothing: a client that leaves stops neither the process nor other clients .
func TestLeavingStopsNothing(t *testing.T) {
	s := newSite(t)
	id := s.startProcess(object{"command": "echo a; read -t 0.3 < <(sleep 1); echo b"})
	stays := s.do("GET", "/api/process/"+id+"/stream", "")
	leaves := s.do("GET", "/api/process/"+id+"/stream", "")
	if _, err := nextEvent(bufio.NewReader(leaves.Body)); err != nil {
		t.Fatal(err)
	}
	_ = leaves.Body.Close()
	if stdout, _ := output(events(t, stays)); stdout != "a\nb\n" {
		t.Errorf("%q", stdout)
	}
	ctx, cancel := context.WithCancel(t.Context())
	// is valid
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/execute",
		strings.NewReader(`{"command":"v=1; sleep 0.3; v=2"}`))
	req.Header.Set("Authorization", "Bearer "+token)
	go func() {
		time.Sleep(100 * time.Millisecond) // before or after the start: both are allowed
		cancel()
	}()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
	}
	if a := s.execute("", "echo $v"); a.Stdout != "2\n" && a.Stdout != "\n" {
		t.Errorf("a command whose client has left: %q", a.Stdout)
	}
}

// TestEveryByteComesOnceOverCutsAndRestarts: every byte once over many disconnects at random bytes
// and ten restarts of the server.
func TestEveryByteComesOnceOverCutsAndRestarts(t *testing.T) {
	cuts, lines := 40, 20000
	if os.Getenv("PTYREC_LONG_TESTS") != "" {
		cuts, lines = 1000, 400000
	}
	s := newSite(t)
	command := fmt.Sprintf(`seq 1 %d; printf 'ä\xff\xe2\x82' ; seq 1 %d >&2; printf '\xf0\x9f' >&2; (exit 5)`, lines,
		lines/2)
	id := s.startProcess(object{"command": command})
	var stdout, stderr strings.Builder
	last, code, n := "", -1, 0
	for code < 0 {
		resp := s.do("GET", "/api/process/"+id+"/stream", "", "Last-Event-ID", last)
		limit := int64(1) << 40
		if n++; n <= cuts {
			limit = rand.Int64N(int64(24 * lines / cuts))
		}
		r := bufio.NewReader(http.MaxBytesReader(nil, resp.Body, limit))
		for {
			e, err := nextEvent(r)
			if err != nil {
				break
			}
			last = e.id
			switch e.data["type"] {
			case "stdout":
				stdout.WriteString(e.text("data"))
			case "stderr":
				stderr.WriteString(e.text("data"))
			case "exit":
				code, _ = strconv.Atoi(fmt.Sprint(e.data["exitCode"]))
			case "error":
				t.Fatalf("%v", e.data)
			}
		}
		_ = resp.Body.Close()
		if n%(cuts/10) == 0 && n <= cuts {
			s.stop()
			s.start()
		}
	}
	seq := func(n int) string {
		out, err := exec.Command("seq", "1", strconv.Itoa(n)).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for i, c := range [][2]string{{stdout.String(), seq(lines) + "ä\uFFFD\uFFFD"},
		{stderr.String(), seq(lines/2) + "\uFFFD"}} {
		if sha256.Sum256([]byte(c[0])) != sha256.Sum256([]byte(c[1])) {
			t.Errorf("stream %d differs: %d bytes, want %d", i, len(c[0]), len(c[1]))
		}
	}
	if code != 5 {
		t.Errorf("exit code %d", code)
	}
}

// TestPortIsWatched waits until a server in the sandbox answers.
func TestPortIsWatched(t *testing.T) {
	s := newSite(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan int, 100)
	h := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := 500 // until it is ready
		select {
		case status = <-answers:
		default:
			answers <- 204
		}
		w.WriteHeader(status)
	})}
	go func() { _ = h.Serve(l) }()
	t.Cleanup(func() { _ = h.Close() })
	port := l.Addr().(*net.TCPAddr).Port
	watch := func(o object) string {
		t.Helper()
		text := ""
		body := fmt.Sprintf(`{"port":%v,"mode":%q,"path":"/x","processId":%q,"interval":1}`, o["port"], o["mode"],
			o["processId"])
		for _, e := range events(t, s.do("POST", "/api/port-watch", body)) {
			delete(e.data, "port")
			text += fmt.Sprint(e.data, " ")
		}
		return text
	}
	id := s.startProcess(object{"command": "(exit 9)"})
	s.await(id, ended)
	for _, c := range []struct {
		o    object
		want string
	}{
		{object{"port": port, "mode": "http", "processId": ""}, "map[type:watching] map[statusCode:204 type:ready] "},
		{object{"port": port, "mode": "tcp", "processId": ""}, "map[type:watching] map[type:ready] "},
		{object{"port": 1, "mode": "tcp", "processId": id}, "map[type:watching] map[exitCode:9 type:process_exited] "},
		{object{"port": 1, "mode": "tcp", "processId": "no"}, "map[type:watching] map[error:Process not found type:error] "},
	} {
		if got := watch(c.o); got != c.want {
			t.Errorf("%v: %s, want %s", c.o, got, c.want)
		}
	}
}
