package commandsocket_test

import (
	"context"
	"encoding/json"
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
	"github.com/ptyrec/ptyrec/internal/server/commandsocket"
	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
	"github.com/ptyrec/ptyrec/protocol/command"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func TestMain(m *testing.M) {
	process.BeHost()
	if socket := os.Getenv(puppetVariable); socket != "" {
		bePuppet(socket)
	}
	os.Exit(m.Run())
}

const token = servetest.Token

// puppetVariable makes this program one that does what a test says.
const puppetVariable = "PTYREC_TEST_PUPPET"

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// site is a server with the command socket, and a database, which outlives it.
type site struct {
	t       testing.TB
	dir     string
	url     string // http://127.0.0.1:port
	address string
	limit   int // of commands that run
	stop    func()
}

func newSite(t testing.TB) *site {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pr") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", dir)
	s := &site{t: t, dir: dir, limit: 256}
	s.serve()
	t.Cleanup(func() {
		s.stop()
		s.endAll()
		_ = os.RemoveAll(dir)
	})
	return s
}

// open opens the database and finds the commands that run.
func (s *site) open() (*sqlite.Store, *process.Manager) {
	s.t.Helper()
	db, err := sqlite.Open(context.Background(), filepath.Join(s.dir, "db"))
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := process.Open(context.Background(),
		process.Options{Store: db, Program: "/proc/self/exe", MaxRunning: s.limit})
	if err != nil {
		s.t.Fatal(err)
	}
	return db, m
}

func (s *site) endAll() {
	db, m := s.open()
	_, _ = m.KillAll(context.Background(), "box", process.Kill, 0)
	_ = m.Close()
	_ = db.Close()
}

// serve starts the server, at a new address.
func (s *site) serve() {
	s.t.Helper()
	db, m := s.open()
	sessions, err := client.Dial(context.Background(), "", client.Options{Dir: s.dir})
	if err != nil {
		s.t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = l.Addr().String()
	s.url = "http://" + s.address
	log := slog.New(slog.DiscardHandler)
	h := server.New(server.Options{
		Store: db, Live: sessions, Token: token, AllowRun: true, Log: log,
		Protocols: []server.Protocol{{Handlers: commandsocket.New(m, log)}},
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Serve(ctx, l) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
		_ = m.Close()
		_ = db.Close()
	})
}

// restart ends the server, in order, and starts another one.
func (s *site) restart() {
	s.t.Helper()
	s.stop()
	s.serve()
}

// do sends a request with the token and returns the response.
func (s *site) do(method, path, body string, header ...string) (int, string, http.Header) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set(command.KeyHeader, token)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

// makeBox makes the sandbox box.
func (s *site) makeBox() {
	s.t.Helper()
	if status, text, _ := s.do("POST", "/langsmith/boxes", `{"name":"box"}`); status != http.StatusCreated {
		s.t.Fatalf("%d %s", status, text)
	}
}

// commands returns a client of the sandbox box. address is the server's, or a proxy's.
func (s *site) commands(address string) *client.Commands {
	s.t.Helper()
	c, err := client.DialCommands(s.t.Context(), "http://"+address, "box", client.Options{Token: token})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// conn is a WebSocket to the sandbox box, on which a test sends raw messages.
type conn struct {
	t  testing.TB
	ws *websocket.Conn
}

func (s *site) dial() *conn {
	s.t.Helper()
	ws, _, err := websocket.Dial(s.t.Context(), s.url+"/langsmith/boxes/box"+command.Path, &websocket.DialOptions{
		HTTPHeader: http.Header{command.KeyHeader: {token}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	ws.SetReadLimit(-1)
	s.t.Cleanup(func() { _ = ws.CloseNow() })
	return &conn{s.t, ws}
}

func (c *conn) send(message string) {
	c.t.Helper()
	if err := c.ws.Write(context.Background(), websocket.MessageText, []byte(message)); err != nil {
		c.t.Fatal(err)
	}
}

// next returns the next message, or how the connection was closed.
func (c *conn) next() (message map[string]any, code websocket.StatusCode) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, text, err := c.ws.Read(ctx)
	if err != nil {
		return nil, websocket.CloseStatus(err)
	}
	if err := json.Unmarshal(text, &message); err != nil {
		c.t.Fatalf("%q: %v", text, err)
	}
	return message, 0
}

// all returns what comes until the connection is closed: the text of both streams, the last other
// message and the close code. It checks the offsets, which begin at from.
func (c *conn) all(from ...int64) (text [2]string, last map[string]any, code websocket.StatusCode) {
	c.t.Helper()
	at := [2]int64{}
	copy(at[:], from)
	for {
		message, code := c.next()
		if message == nil {
			return text, last, code
		}
		i := map[any]int{"stdout": 1, "stderr": 2}[message["type"]] - 1
		if i < 0 {
			last = message
			continue
		}
		if got := int64(message["offset"].(float64)); got != at[i] {
			c.t.Fatalf("%s at %d, want %d; info %v", message["type"], got, at[i], message["info"])
		}
		text[i] += message["data"].(string)
		at[i] += int64(len(message["data"].(string)))
	}
}
