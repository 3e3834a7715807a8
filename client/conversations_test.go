package client_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/protocol"
)

// talk is what a server says on one connection of a conversation of the management socket.
type talk struct {
	refusal string           // the answer to join_session; empty: the client joins
	said    []map[string]any // in order; behind the server's hello
}

// talks reads a conversation. Where two streams of messages may come in any interleaving, the
// first comes first, or, if turned, the last.
func talks(t *testing.T, file string, turned bool) map[string]*talk {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, joining := map[string]*talk{}, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var s struct {
			T       string
			Conn    string
			Msg     map[string]any
			Streams [][]map[string]any
			Times   int
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		if s.Conn != "" && all[s.Conn] == nil {
			all[s.Conn] = &talk{}
		}
		said := []map[string]any{s.Msg}
		switch s.T {
		case "c2s":
			joining[s.Conn] = s.Msg["type"] == "join_session"
			continue
		case "s2c":
		case "s2c_repeat":
			said = slices.Repeat(said, s.Times)
		case "s2c_interleave":
			if turned {
				slices.Reverse(s.Streams)
			}
			said = slices.Concat(s.Streams...)
		default:
			continue
		}
		for _, m := range said {
			m = concrete(m, s.Conn).(map[string]any)
			c := all[s.Conn]
			switch {
			case m["type"] == "server_hello":
			case m["type"] == "error" && joining[s.Conn] && !c.joins():
				c.refusal = m["message"].(string)
			default:
				c.said = append(c.said, m)
			}
		}
		joining[s.Conn] = false
	}
	return all
}

// joins reports whether the client was let into a session.
func (c *talk) joins() bool {
	return slices.ContainsFunc(c.said, func(m map[string]any) bool { return m["type"] == "session_joined" })
}

// shows returns what a client shows that has joined, and how the session ends: -1 if it does not.
func (c *talk) shows(t *testing.T) (text string, exit int) {
	t.Helper()
	next := -1.0
	for _, m := range c.said {
		seq, _ := m["seq"].(float64)
		switch {
		case m["type"] != "session_frame" || seq < next:
		case m["kind"] == "closed":
			status, _ := m["exit_code"].(float64)
			return text, int(status)
		case m["kind"] == "output":
			data, err := base64.StdEncoding.DecodeString(m["data"].(string))
			if err != nil {
				t.Fatal(err)
			}
			text, next = text+string(data), seq+1
		}
	}
	return text, -1
}

// concrete returns a value of a conversation with something in place of what may be anything.
func concrete(v any, conn string) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for name, value := range v {
			if name != "$partial" {
				m[name] = concrete(value, conn)
			}
		}
		return m
	case []any:
		list := []any{}
		for _, value := range v {
			list = append(list, concrete(value, conn))
		}
		return list
	case string:
		kind, rest, _ := strings.Cut(v, ":")
		name, _, _ := strings.Cut(rest, ":")
		switch {
		case kind == "$ts_ms":
			return 1_700_000_000_000.0
		case kind == "$int", kind == "$num":
			return 1.0
		case kind == "$clientid":
			return "ws-0000000" + strings.ToLower(rest)
		case (kind == "$ref" || kind == "$cap") && name == "sid":
			return sessionID
		case (kind == "$ref" || kind == "$cap") && strings.HasPrefix(name, "cmd"):
			return commandID
		case kind == "$prefix":
			return rest + "something"
		case kind == "$tmpl":
			return strings.ReplaceAll(rest, "$ref:sid", sessionID)
		}
	}
	return v
}

// The 38 conversations of the management socket with roles swapped: the server says what it says
// there to each of its clients, and ours shows the output of the session that it has joined, once,
// and nothing else. Messages for other kinds of clients do not disturb it.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("../internal/server/management/testdata/*.jsonl")
	if err != nil || len(files) != 38 {
		t.Fatalf("%d conversations, %v", len(files), err)
	}
	for _, file := range files {
		for _, turned := range []bool{false, true} {
			for conn, c := range talks(t, file, turned) {
				name := strings.TrimSuffix(filepath.Base(file), ".jsonl") + "/" + conn
				if turned {
					name += "/turned"
				}
				t.Run(name, func(t *testing.T) { c.play(t) })
			}
		}
	}
}

func (c *talk) play(t *testing.T) {
	const farewell = "the end of the conversation"
	want, exit := c.shows(t)
	m := &manager{banner: true, refuse: c.refusal, subscribe: true}
	frame := func(seq int64, f map[string]any) map[string]any {
		f["type"], f["session_id"], f["seq"], f["ts"] = "session_frame", sessionID, seq, 1_700_000_000_000
		return f
	}
	last := make(chan struct{})
	m.answer = func(to *managerConn, q map[string]any) bool {
		if q["type"] != "join_session" || c.refusal != "" {
			return false
		}
		if !c.joins() {
			to.send(map[string]any{"type": "session_joined", "session_id": sessionID, "role": "observer", "current_seq": 0})
		}
		for _, said := range c.said {
			to.send(said)
		}
		if exit < 0 {
			to.send(frame(1_000_000, map[string]any{"kind": "output", "stream": "stdout",
				"data": base64.StdEncoding.EncodeToString([]byte(farewell))}))
			to.send(frame(1_000_001, map[string]any{"kind": "closed", "exit_code": 7}))
		}
		close(last)
		return true
	}
	server := m.serve(t)
	m.mu.Lock()
	m.id = sessionID
	m.mu.Unlock()
	v := watch(t, server, client.AttachOptions{Mode: protocol.ModeBytes})
	if c.refusal != "" {
		testkit.Eventually(t, "the refusal is told", func() bool {
			return strings.Contains(v.told(), "live output only") && strings.Contains(v.told(), c.refusal)
		})
		return
	}
	<-last
	v.over(t)
	if exit < 0 {
		want, exit = want+farewell, 7
	}
	if status, ok := v.s.ExitStatus(); !ok || status != exit {
		t.Errorf("exit status %d %v, want %d", status, ok, exit)
	}
	if got := v.text(); got != want {
		t.Errorf("it shows %q, want %q", got, want)
	}
}
