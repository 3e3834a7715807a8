package sandboxapi_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// message is one of the WebSocket.
type message struct {
	Type    string
	ID      string
	Status  int
	Done    bool
	Body    answer
	Data    string
	Code    string
	Message string
}

// socket is a WebSocket of the SDK's.
type socket struct {
	*websocket.Conn
	t *testing.T
}

func (s socket) send(v any) {
	s.t.Helper()
	text, ok := v.(string)
	if !ok {
		bytes, _ := json.Marshal(v) // can be
		text = string(bytes)
	}
	if err := s.Write(s.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

func (s socket) next() (m message) {
	s.t.Helper()
	_, text, err := s.Read(s.t.Context())
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
	return m
}

// TestRequestsOverTheSocket sends requests of the API over one WebSocket.
func TestRequestsOverTheSocket(t *testing.T) {
	s := newSite(t)
	ws := socket{s.dial("/ws"), t}
	ws.send(object{"type": "request", "id": "1", "method": "POST", "path": "/api/execute",
		"body": object{"command": "echo hi"}})
	if m := ws.next(); m.Type != "response" || m.ID != "1" || m.Status != 200 || !m.Done || m.Body.Stdout != "hi\n" {
		t.Errorf("execute: %+v", m)
	}
	ws.send(object{"type": "request", "id": "2", "method": "GET", "path": "/api/process/x"})
	if m := ws.next(); m.ID != "2" || m.Status != 404 || m.Body.Code != "PROCESS_NOT_FOUND" {
		t.Errorf("a process that is not there: %+v", m)
	}
	ws.send(object{"type": "request", "id": "3", "method": "POST", "path": "/api/execute/stream",
		"body": object{"command": "echo a; (exit 3)"}})
	for _, want := range []string{`"start"`, `"a\n"`, `"exitCode":3`} {
		if m := ws.next(); m.Type != "stream" || m.ID != "3" || !strings.Contains(m.Data, want) {
			t.Errorf("a stream: %+v, want %s", m, want)
		}
	}
	if m := ws.next(); m.Type != "response" || m.ID != "3" || m.Status != 200 || !m.Done {
		t.Errorf("its end: %+v", m)
	}
	ws.send("{")
	if m := ws.next(); m.Type != "error" || m.Code != "PARSE_ERROR" || m.Status != 400 {
		t.Errorf("no JSON: %+v", m)
	}
	for _, bad := range []object{{"type": "x"}, {"type": "request", "id": "4", "method": "GET", "path": "http://x/"},
		{"type": "request", "id": "4"}} {
		ws.send(bad)
		if m := ws.next(); m.Type != "error" || m.Code != "INVALID_REQUEST" {
			t.Errorf("%v: %+v", bad, m)
		}
	}
	ws.send(object{"type": "request", "id": "5", "method": "GET", "path": "/api/nope"})
	if m := ws.next(); m.Status != 404 || m.Body.Code != "UNKNOWN_ERROR" {
		t.Errorf("no such path: %+v", m)
	}
}

// TestCancelledStreamEndsAlone: a stream that is cancelled ends; others and the process go on.
func TestCancelledStreamEndsAlone(t *testing.T) {
	s := newSite(t)
	id := s.startProcess(object{"command": "echo a; sleep 60"})
	ws := socket{s.dial("/ws"), t}
	for _, stream := range []string{"1", "2"} {
		ws.send(object{"type": "request", "id": stream, "method": "GET", "path": "/api/process/" + id + "/stream"})
		for _, want := range []string{"process_info", "stdout"} {
			if m := ws.next(); m.ID != stream || !strings.Contains(m.Data, want) {
				t.Fatalf("%+v", m)
			}
		}
	}
	ws.send(object{"type": "cancel", "id": "1"})
	ws.send(object{"type": "request", "id": "3", "method": "DELETE", "path": "/api/process/" + id})
	types := map[string]int{}
	for types["2 response"] == 0 || types["3 response"] == 0 {
		m := ws.next()
		types[m.ID+" "+m.Type]++
	}
	if types["1 stream"] != 0 || types["2 stream"] != 1 {
		t.Errorf("%v", types)
	}
}

// TestAccess: who may, and how they show it.
func TestAccess(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/api/execute", "/api/process/start", "/api/session/create"} {
		for _, header := range [][]string{{"Authorization", ""}, {"Authorization", "Bearer x"}, {"X-Api-Key", "x"}} {
			status, a := s.request("POST", path, object{"command": "touch /nope", "id": "x"}, header...)
			if status != http.StatusUnauthorized || a.HTTPStatus != status || a.Code == "" || a.Context == nil {
				t.Errorf("%s %v: %d %+v", path, header, status, a)
			}
		}
		if status, _ := s.request("POST", path, object{}, "Origin", "http://evil.example"); status != http.StatusForbidden {
			t.Errorf("%s from another site: %d", path, status)
		}
	}
	if status, _ := s.request("POST", "/api/execute", object{"command": "true"}, "Authorization", "", "X-Api-Key",
		token); status != http.StatusOK {
		t.Errorf("X-Api-Key: %d", status)
	}
	for query, o := range map[string]*websocket.DialOptions{
		"?token=" + token: nil, "": {Subprotocols: []string{"bearer." + base64.RawURLEncoding.EncodeToString([]byte(token))}},
	} {
		for _, path := range []string{"/ws", "/ws/pty"} {
			address := s.url + path + query
			if path == "/ws/pty" {
				address = s.url + path + "?sessionId=s&" + strings.TrimPrefix(query, "?")
			}
			ws, _, err := websocket.Dial(t.Context(), address, o)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			_ = ws.CloseNow()
		}
	}
	for _, path := range []string{"/ws", "/ws?token=x", "/ws/pty?sessionId=s&token=x"} {
		if _, resp, err := websocket.Dial(t.Context(), s.url+path, nil); err == nil || resp == nil ||
			resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %v", path, resp)
		}
	}
	if strings.Contains(s.log.String(), token) {
		t.Error("the log shows the token")
	}
}

// TestNoAllowRun: without --allow-run nothing is run.
func TestNoAllowRun(t *testing.T) {
	s := newSiteWith(t, func(o *server.Options, _ *process.Options) { o.AllowRun = false })
	for _, c := range []string{"POST /api/execute", "GET /api/process/list", "GET /api/process/x", "GET /api/ping",
		"POST /api/read", "GET /ws"} {
		method, path, _ := strings.Cut(c, " ")
		status, a := s.request(method, path, object{"command": "true"})
		if status != http.StatusForbidden || a.HTTPStatus != status ||
			!strings.Contains(a.Message, "run `ptyrec sandbox`") {
			t.Errorf("%s: %d %+v", c, status, a)
		}
	}
}

// TestNoToken: --unsafe-no-token opens the sandboxes' protocols and nothing else.
func TestNoToken(t *testing.T) {
	s := newSiteWith(t, func(o *server.Options, _ *process.Options) { o.NoToken = true })
	if status, a := s.request("POST", "/api/execute", object{"command": "echo hi"}, "Authorization",
		""); status != http.StatusOK || a.Stdout != "hi\n" {
		t.Errorf("execute: %d %+v", status, a)
	}
	if status, _ := s.request("GET", "/api/sessions", nil, "Authorization", ""); status != http.StatusUnauthorized {
		t.Errorf("the sessions: %d", status)
	}
	if status, _ := s.request("POST", "/api/execute", object{}, "Authorization", "", "Origin",
		"http://evil.example"); status != http.StatusForbidden {
		t.Errorf("from another site: %d", status)
	}
	if status, _ := s.request("POST", "/api/execute", object{"command": "true"}, "Authorization",
		"Bearer x"); status != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d", status)
	}
}

// TestMaxCommands: --max-commands.
func TestMaxCommands(t *testing.T) {
	s := newSiteWith(t, func(_ *server.Options, o *process.Options) { o.MaxRunning = 1 })
	id := s.startProcess(object{"command": "sleep 60"})
	for path, code := range map[string]string{
		"/api/execute": "COMMAND_EXECUTION_ERROR", "/api/execute/stream": "STREAM_START_ERROR",
		"/api/process/start": "PROCESS_ERROR",
	} {
		resp := s.do("POST", path, `{"command":"true"}`)
		var a answer
		if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
			t.Error(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "1" || a.Code != code {
			t.Errorf("%s: %s %v %+v", path, resp.Status, resp.Header, a)
		}
	}
	s.request("DELETE", "/api/process/"+id, nil)
	s.execute("", "true")
}

// TestAsked: the record of a command names who asked for it.
func TestAsked(t *testing.T) {
	s := newSite(t)
	s.executeWith(object{"command": "true", "sessionId": "sandbox-agent-1"})
	s.stop()
	db, err := sqlite.Open(t.Context(), s.db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	infos, err := db.Sessions(t.Context(), store.Filter{Sandbox: "agent-1"})
	if err != nil || len(infos) != 1 || infos[0].Asked == nil ||
		!strings.Contains(infos[0].Asked.By, "Go-http-client") || !strings.Contains(infos[0].Asked.By, "127.0.0.1") {
		t.Fatalf("%v, %+v", err, infos)
	}
}

// TestTerminalOfASession: a terminal of the session, which the next client finds again.
func TestTerminalOfASession(t *testing.T) {
	s := newSite(t)
	s.execute("s", "cd /usr; export v=found")
	a := s.dial("/ws/pty?sessionId=s&cols=90&rows=30")
	read := func(ws *websocket.Conn, want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for text := ""; !strings.Contains(text, want); {
			_, message, err := ws.Read(ctx)
			if err != nil {
				t.Fatalf("%v behind %q, want %q", err, text, want)
			}
			text += string(message)
		}
	}
	write := func(ws *websocket.Conn, kind websocket.MessageType, text string) {
		t.Helper()
		if err := ws.Write(t.Context(), kind, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	read(a, `{"type":"ready"}`)
	write(a, websocket.MessageBinary, "pwd; echo is $v; stty size\r")
	read(a, "/usr\r\nis found\r\n30 90\r\n")
	write(a, websocket.MessageText, `{"type":"resize","cols":70,"rows":20}`)
	write(a, websocket.MessageBinary, "stty size\r")
	read(a, "20 70\r\n")
	_ = a.CloseNow()
	b := s.dial("/ws/pty?sessionId=s")
	_, message, err := b.Read(t.Context())
	if err != nil || !strings.Contains(string(message), "is found") {
		t.Fatalf("%v, %q", err, message)
	}
	read(b, `{"type":"ready"}`)
	write(b, websocket.MessageBinary, "exit 4\r")
	read(b, `{"code":4,"type":"exit"}`)
	if _, _, err := b.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("%v", err)
	}
	c := s.dial("/ws/pty?sessionId=s")
	read(c, `{"type":"ready"}`) // a new one
	write(c, websocket.MessageBinary, "echo a''gain\r")
	read(c, "again\r\n")
}
