//go:build linux

package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// scripted starts a management server with one machine and one session, whose answers to
// join_session and start_shell are the test's. It returns its URL.
func scripted(t *testing.T, join, shell []map[string]any) string {
	t.Helper()
	const machine, id, command = "agent-01", "019a0000-0000-7000-8000-00000000000a", "7b2d0000-0000-4000-8000-00000000000a"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = ws.CloseNow() }()
		send := func(messages ...map[string]any) {
			for i, m := range messages {
				if m["kind"] != nil {
					m["type"], m["ts"] = "session_frame", 1_700_000_000_000+int64(i)
				}
				m["session_id"], m["agent_id"], m["command_id"] = id, machine, command
				text, _ := json.Marshal(m) // can be
				_ = ws.Write(context.Background(), websocket.MessageText, text)
			}
		}
		for {
			_, text, err := ws.Read(r.Context())
			if err != nil {
				return
			}
			var q struct{ Type string }
			if err := json.Unmarshal(text, &q); err != nil {
				t.Errorf("the client sent %q", text)
			}
			switch q.Type {
			case "list_agents":
				send(map[string]any{"type": "agent_list",
					"agents": []any{map[string]any{"id": machine, "hostname": machine, "status": "Ready"}}})
			case "list_sessions":
				send(map[string]any{"type": "session_list", "sessions": []any{map[string]any{
					"session_name": "main", "session_id": id, "command_id": command, "session_type": "interactive", "running": true,
				}}})
			case "start_shell":
				send(map[string]any{"type": "shell_started"})
				send(shell...)
			case "subscribe":
				send(map[string]any{"type": "error", "message": "legacy agent-wide subscribe is disabled"})
			case "join_session":
				send(join...)
			}
		}
	}))
	t.Cleanup(s.Close)
	return "ws" + strings.TrimPrefix(s.URL, "http")
}

// frame is a session_frame of output.
func frame(seq int, text string) map[string]any {
	return map[string]any{"kind": "output", "seq": seq, "stream": "stdout",
		"data": base64.StdEncoding.EncodeToString([]byte(text))}
}

// The exit status of play is the one in closed, if the session ends before all is read.
func TestPlayExitsAsTheSession(t *testing.T) {
	environ, _ := liveEnv(t)
	url := scripted(t, []map[string]any{
		{"type": "session_joined", "role": "observer", "current_seq": 3},
		frame(0, "hello\r\n"), frame(1, "bye\r\n"), {"kind": "closed", "seq": 2, "exit_code": 5},
	}, nil)
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", "play", url, "--speed", "1000")
	cmd.Env = environ
	u.Start(t, cmd)
	if status := ptytest.Status(t, cmd); status != 5 {
		t.Errorf("status %d, want 5; shown: %q", status, u.Shown())
	}
	u.Await(t, "bye")
}

// If the join is refused, attach goes on live only, and says so on stderr.
func TestAttachWithoutTheJoinIsLiveOnly(t *testing.T) {
	for _, refusal := range []string{"Session '019a0000-0000-7000-8000-00000000000a' not found",
		"Invalid message: missing field `session_id`"} {
		environ, _ := liveEnv(t)
		url := scripted(t, []map[string]any{{"type": "error", "message": refusal}},
			[]map[string]any{{"type": "output", "stream": "stdout", "data": "live here\r\n", "ts": 1_700_000_000_000}})
		u := ptytest.New(t)
		stderr := filepath.Join(t.TempDir(), "stderr")
		cmd := exec.Command("sh", "-c", `exec ptyrec attach "$0" --control 2>"$1"`, url, stderr)
		cmd.Env = environ
		u.Start(t, cmd)
		u.Await(t, "live here")
		waitFor(t, "stderr has the refusal", func() bool {
			text, _ := os.ReadFile(stderr) // it may not be there yet
			return strings.Contains(string(text), "live output only") && strings.Contains(string(text), refusal)
		})
		u.Type(t, "\x1d")
		if status := ptytest.Status(t, cmd); status != 0 {
			t.Errorf("status %d, want 0", status)
		}
	}
}

// A gap in the frames becomes a marker of the recording.
func TestGapBecomesAMarker(t *testing.T) {
	environ, db := env(t)
	url := scripted(t, []map[string]any{
		{"type": "session_joined", "role": "observer", "current_seq": 5},
		frame(0, "before\r\n"), {"kind": "error", "seq": 3, "message": "frames 1 to 3 are lost"}, frame(4, "behind\r\n"),
		{"kind": "resize", "seq": 5, "cols": 100, "rows": 30}, {"kind": "closed", "seq": 6, "exit_code": 0},
	}, nil)
	u, cmd := attached(t, environ, url, "--record")
	if status := ptytest.Status(t, cmd); status != 0 {
		t.Fatalf("status %d: %q", status, u.Shown())
	}
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer func() { _ = s.Close() }()
	infos, err := s.Sessions(t.Context(), store.Filter{})
	if err != nil || len(infos) != 1 {
		t.Fatalf("%d sessions, %v", len(infos), err)
	}
	var got []session.Event
	for e, err := range s.Events(t.Context(), infos[0].ID) {
		if err != nil {
			t.Fatal(err)
		}
		e.At = 0
		got = append(got, e)
	}
	want := []session.Event{
		{Kind: session.Output, Data: []byte("before\r\n")},
		{Kind: session.Marker, Data: session.ControlMark(session.EventLost, map[string]any{"from": 1, "to": 3})},
		{Kind: session.Output, Data: []byte("behind\r\n")},
		{Kind: session.Resize, Cols: 100, Rows: 30},
		{Kind: session.Exit},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
