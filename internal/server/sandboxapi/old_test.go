package sandboxapi_test

import (
	"net/http"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit"
)

// The messages of the SDK's 0.1 and 0.3, where they differ.
func TestMessagesOfOldReleases(t *testing.T) {
	s := newSite(t)
	create := object{"id": "sandbox-old", "env": object{"A": "1"}, "cwd": "/usr", "isolation": true}
	for range 2 { // it asks again when it is restarted
		if status, a := s.request("POST", "/api/session/create", create); status != http.StatusOK {
			t.Fatalf("create: %d %+v", status, a)
		}
	}
	if a := s.executeWith(object{"id": "sandbox-old", "command": "echo $A; pwd"}); a.Stdout != "1\n/usr\n" {
		t.Errorf("execute of 0.3: %q", a.Stdout)
	}
	if a := s.executeWith(object{"command": "echo hi", "sessionId": nil}); a.Stdout != "hi\n" {
		t.Errorf("execute of 0.1: %q", a.Stdout)
	}
	if stdout, _ := output(events(t, s.do("POST", "/api/execute/stream",
		`{"id":"sandbox-old","command":"pwd"}`))); stdout != "/usr\n" {
		t.Errorf("stream of 0.3: %q", stdout)
	}
	all := events(t, s.do("POST", "/api/execute/stream", `{"id":"sandbox-old","command":"sleep 60","timeoutMs":100}`))
	if text := all[1].text("error"); all[1].data["type"] != "error" || text == "" || text != all[1].text("data") {
		t.Errorf("an error in a stream: %v", all[1])
	}

	options := object{"processId": "p", "sessionId": "sandbox-old", "env": object{"B": "2"}, "cwd": "/",
		"timeout": 60_000, "encoding": "utf8", "autoCleanup": false}
	status, a := s.request("POST", "/api/process/start",
		object{"command": "echo $A$B; pwd; exec sleep 60", "options": options})
	if status != http.StatusOK || a.Process.ID != "p" || a.Process.Status != "running" || a.Process.StartTime == "" ||
		a.Process.PID == 0 {
		t.Errorf("start of 0.1: %d %+v", status, a)
	}
	s.awaitOutput("p", "12\n/\n")
	s.startProcess(object{"command": "sleep 60", "sessionId": "other", "options": object{"processId": "q"}})
	if _, a := s.request("GET", "/api/process/list?session=sandbox-old", nil); len(a.Processes) != 1 ||
		a.Processes[0].ID != "p" {
		t.Errorf("list of a session: %+v", a.Processes)
	}
	var killed struct{ CleanedCount, KilledCount int }
	decodeBody(t, s.do("DELETE", "/api/process/kill-all?session=sandbox-old", ""), &killed)
	if killed.KilledCount != 1 || killed.CleanedCount != 1 {
		t.Errorf("kill-all of 0.3: %+v", killed)
	}
	if p := s.await("q", func(process_) bool { return true }); p.Status != "running" {
		t.Errorf("a process of another session: %+v", p)
	}
	decodeBody(t, s.do("DELETE", "/api/process/kill-all", "", "Content-Type", "application/json"), &killed)
	if killed.KilledCount != 1 {
		t.Errorf("kill-all of 0.1: %+v", killed)
	}
	var unknown struct{ Error string }
	decodeBody(t, s.do("DELETE", "/api/process/x", ""), &unknown)
	if unknown.Error != "Process not found: x" {
		t.Errorf("%+v", unknown)
	}
	status, a = s.request("POST", "/api/process/start",
		object{"command": "sleep 60", "options": object{"timeout": 100, "processId": "late", "autoCleanup": true}})
	if status != http.StatusOK {
		t.Errorf("%d %+v", status, a)
	}
	testkit.Eventually(t, "after its timeout it is not listed", func() bool {
		_, a := s.request("GET", "/api/process/list", nil)
		return len(a.Processes) == 2
	})
}
