package sandboxapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/server/sandboxapi"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func TestMain(m *testing.M) {
	process.BeHost()
	// terminals start interactive shells, whose settings are not to be those of whoever tests
	home, err := os.MkdirTemp("", "ps")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("HOME", home); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(status)
}

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

const token = servetest.Token

// site is a server that runs real commands.
type site struct {
	t       testing.TB
	db      string
	options func(*server.Options, *process.Options)
	url     string // http://127.0.0.1:port
	log     *lines
	stop    func() // stops the server; the commands run on
}

func newSite(t testing.TB) *site {
	return newSiteWith(t, func(*server.Options, *process.Options) {})
}

// newSiteWith starts a server; options may change what it is told.
func newSiteWith(t testing.TB, options func(*server.Options, *process.Options)) *site {
	t.Helper()
	s := &site{t: t, db: filepath.Join(servetest.Dir(t), "ptyrec.db"), options: options, log: &lines{}}
	s.start()
	t.Cleanup(func() { s.stop() })
	return s
}

// start starts the server, again where it was stopped.
func (s *site) start() {
	s.t.Helper()
	db, err := sqlite.Open(s.t.Context(), s.db)
	if err != nil {
		s.t.Fatal(err)
	}
	live, err := client.Dial(s.t.Context(), "", client.Options{Dir: s.t.TempDir()})
	if err != nil {
		s.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	po := process.Options{Store: db, Log: log, Program: os.Args[0]}
	so := server.Options{Store: db, Live: live, Token: token, Version: "test", Log: log, AllowRun: true}
	s.options(&so, &po)
	manager, err := process.Open(s.t.Context(), po)
	if err != nil {
		s.t.Fatal(err)
	}
	so.Protocols = []server.Protocol{{Handlers: sandboxapi.New(sandboxapi.Options{Manager: manager, Version: "1.2.3",
		Log: log})}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.url = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.New(so).Serve(ctx, l) }()
	s.stop = sync.OnceFunc(func() {
		if s.t.Context().Err() != nil { // the test is over, and so are its commands
			if err := manager.EndAll(context.Background()); err != nil {
				s.t.Error(err)
			}
		}
		cancel()
		http.DefaultClient.CloseIdleConnections()
		for _, err := range []error{<-done, manager.Close(), db.Close()} {
			if err != nil {
				s.t.Error(err)
			}
		}
	})
}

// lines is a log.
type lines struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// do sends a request with the token. The caller closes the body.
func (s *site) do(method, path, body string, header ...string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(header); i += 2 {
		if header[i+1] == "" {
			req.Header.Del(header[i])
			continue
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

// answer is what any request is answered with.
type answer struct {
	Success      bool
	ExitCode     int
	Stdout       string
	Stderr       string
	Command      string
	Duration     int
	SessionID    string
	ProcessID    string
	CleanedCount int
	Cursor       string
	Process      process_
	Processes    []process_

	Code       string
	Message    string
	HTTPStatus int
	Context    map[string]any
	Suggestion string
}

type process_ struct {
	ID, Command, Status, StartTime, EndTime string
	PID                                     int
	ExitCode                                *int
}

// request sends a request and decodes the answer.
func (s *site) request(method, path string, body any, header ...string) (int, answer) {
	s.t.Helper()
	text := []byte{}
	if body != nil {
		text, _ = json.Marshal(body) // can be
	}
	resp := s.do(method, path, string(text), header...)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(got, &a); err != nil {
		s.t.Fatalf("%s %s: %s: %v in %.300q", method, path, resp.Status, err, got)
	}
	return resp.StatusCode, a
}

// object is the body of a request.
type object map[string]any

// execute runs a command in a session and returns the result.
func (s *site) execute(session, command string) answer {
	s.t.Helper()
	return s.executeWith(object{"sessionId": session, "command": command})
}

func (s *site) executeWith(o object) answer {
	s.t.Helper()
	status, a := s.request("POST", "/api/execute", o)
	if status != http.StatusOK {
		s.t.Fatalf("%v: %d %s", o, status, a.Message)
	}
	return a
}

// startProcess starts a process and returns its id.
func (s *site) startProcess(o object) string {
	s.t.Helper()
	status, a := s.request("POST", "/api/process/start", o)
	if status != http.StatusOK {
		s.t.Fatalf("%v: %d %s", o, status, a.Message)
	}
	return a.ProcessID
}

// await reads a process until it is as wanted.
func (s *site) await(id string, want func(process_) bool) process_ {
	s.t.Helper()
	var a answer
	testkit.Eventually(s.t, id+" is as it should be", func() bool {
		_, a = s.request("GET", "/api/process/"+id, nil)
		return want(a.Process)
	})
	return a.Process
}

func ended(p process_) bool { return p.EndTime != "" }

// event is a server-sent event.
type event struct {
	id   string
	data map[string]any
}

func (e event) text(name string) string {
	text, _ := e.data[name].(string)
	return text
}

// nextEvent reads an event. Like the SDK it takes no notice of comments.
func nextEvent(r *bufio.Reader) (event, error) {
	var e event
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return e, err
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		if id, ok := bytes.CutPrefix(line, []byte("id: ")); ok {
			e.id = string(id)
		}
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			if err := json.Unmarshal(data, &e.data); err != nil {
				return e, err
			}
		}
		if len(line) == 0 && e.data != nil {
			return e, nil
		}
	}
}

// events reads a stream to its end.
func events(t testing.TB, resp *http.Response) (all []event) {
	t.Helper()
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body) // for the message
		t.Fatalf("%s: %s", resp.Status, text)
	}
	r := bufio.NewReader(resp.Body)
	for {
		e, err := nextEvent(r)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

// output joins the texts of events by their type.
func output(all []event) (stdout, stderr string) {
	var texts [2]strings.Builder
	for _, e := range all {
		switch e.data["type"] {
		case "stdout":
			texts[0].WriteString(e.text("data"))
		case "stderr":
			texts[1].WriteString(e.text("data"))
		}
	}
	return texts[0].String(), texts[1].String()
}

func (s *site) dialOptions() *websocket.DialOptions {
	return &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}}
}

func (s *site) dial(path string) *websocket.Conn {
	s.t.Helper()
	ws, _, err := websocket.Dial(s.t.Context(), s.url+path, s.dialOptions())
	if err != nil {
		s.t.Fatal(err)
	}
	ws.SetReadLimit(64 << 20)
	s.t.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

// decodeBody decodes the body of a response.
func decodeBody(t testing.TB, resp *http.Response, v any) {
	t.Helper()
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		t.Fatal(err)
	}
}
