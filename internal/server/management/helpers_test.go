//go:build linux

package management_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/server/management"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/internal/testkit/puppet"
	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// program is the real ptyrec, which hosts the sessions.
var program string

func TestMain(m *testing.M) {
	puppet.Main()
	ptytest.HeedSignals()
	dir, err := os.MkdirTemp("", "pm")
	if err != nil {
		panic(err)
	}
	if program, err = servetest.Program(dir); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// patience is how long a test waits for what must come.
const patience = 2 * time.Minute

const token = servetest.Token

// site is a server of the protocol, with sessions of the real program.
type site struct {
	t       testing.TB
	dir     string
	db      *sqlite.Store
	command []string // what is started; nil: what is asked for
	change  func(*management.Options)
	p       *management.Protocol
	url     string // ws://…/ws/sandbox
	addr    string
	stop    func()
}

func newSite(t testing.TB, change func(*management.Options)) *site {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ps") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("XDG_STATE_HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("PTYREC_SESSION", "")
	s := &site{t: t, dir: dir, addr: "127.0.0.1:0", change: change}
	if s.db, err = sqlite.Open(t.Context(), filepath.Join(dir, "ptyrec.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	t.Cleanup(s.endAll)
	s.serve()
	return s
}

// serve starts a server, at the same address as before.
func (s *site) serve() {
	s.t.Helper()
	live, err := client.Dial(s.t.Context(), "", client.Options{Database: s.db.Path()})
	if err != nil {
		s.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	o := management.Options{
		Sessions: live, Store: s.db, Start: s.start, Shell: []string{"/bin/sh"}, AgentID: "agent-01", Version: "test",
		Log: log,
	}
	if s.change != nil {
		s.change(&o)
	}
	s.p = management.New(o)
	h := server.New(server.Options{Store: s.db, Live: live, Token: token, AllowRun: true, Version: "test", Log: log,
		Protocols: []server.Protocol{{Handlers: s.p}}})
	var l net.Listener
	testkit.Eventually(s.t, "the address is free", func() bool {
		l, err = net.Listen("tcp", s.addr)
		return err == nil
	})
	s.addr = l.Addr().String()
	s.url = "ws://" + s.addr + management.Path
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Serve(ctx, l) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
		s.p.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	s.t.Cleanup(func() { s.stop() })
}

// start is management.Options.Start.
func (s *site) start(ctx context.Context, command []string, cwd string, cols, rows int) (string, error) {
	if s.command != nil {
		command = s.command
	}
	args := append([]string{"--db", s.db.Path(), "run", "--nested", "--detach", "--size",
		fmt.Sprintf("%dx%d", cols, rows), "--"}, command...)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = cwd
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s", exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// endAll ends all sessions.
func (s *site) endAll() {
	live, err := client.Dial(context.Background(), "", client.Options{Database: s.db.Path()})
	if err != nil {
		s.t.Error(err)
		return
	}
	ids, err := live.IDs()
	if err != nil {
		s.t.Error(err)
	}
	for _, id := range ids {
		stream, err := live.Attach(context.Background(), id, client.AttachOptions{Mode: "none", Control: true})
		if err != nil {
			continue
		}
		_ = stream.Kill(context.Background(), 9)
		for {
			if _, err := stream.Next(context.Background()); err != nil {
				break
			}
		}
		_ = stream.Close()
	}
}

// message is one of the server's.
type message map[string]any

// peer is a client.
type peer struct {
	t    testing.TB
	ws   *websocket.Conn
	in   chan message
	err  error // why in ended
	list []any // of the hello
}

// dial connects and reads the hello.
func (s *site) dial() *peer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, s.url+"?token="+token, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	ws.SetReadLimit(-1)
	p := &peer{t: s.t, ws: ws, in: make(chan message, 100_000)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(p.in)
		for {
			_, b, err := ws.Read(context.Background())
			if err != nil {
				p.err = err
				return
			}
			var m message
			if err := json.Unmarshal(b, &m); err != nil {
				p.err = err
				return
			}
			p.in <- m
		}
	}()
	s.t.Cleanup(func() { _ = ws.CloseNow(); <-done })
	hello := p.next()
	if hello["type"] != "server_hello" {
		s.t.Fatalf("the first message is %v", hello)
	}
	p.list, _ = hello["supported_client_messages"].([]any)
	return p
}

func (p *peer) send(v any) {
	p.t.Helper()
	b, ok := v.([]byte)
	if !ok {
		var err error
		if b, err = json.Marshal(v); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := p.ws.Write(context.Background(), websocket.MessageText, b); err != nil {
		p.t.Fatal(err)
	}
}

// next returns the next message.
func (p *peer) next() message {
	p.t.Helper()
	select {
	case m, ok := <-p.in:
		if !ok {
			p.t.Fatalf("the connection ended: %v", p.err)
		}
		return m
	case <-time.After(patience):
		p.t.Fatal("no message comes")
	}
	panic("not reached")
}

// await returns the next message of a type or kind, over others.
func (p *peer) await(what string) message {
	p.t.Helper()
	for {
		if m := p.next(); m["type"] == what || m["kind"] == what {
			return m
		}
	}
}

// quiet fails if a message comes.
func (p *peer) quiet(d time.Duration) {
	p.t.Helper()
	select {
	case m, ok := <-p.in:
		if ok {
			p.t.Fatalf("it got %v", m)
		}
	case <-time.After(d):
	}
}

// shell starts the shell, and returns its command and session ids.
func (p *peer) shell() (command, sid string) {
	p.t.Helper()
	p.send(message{"type": "start_shell", "agent_id": "agent-01"})
	command, _ = p.await("shell_started")["command_id"].(string)
	p.send(message{"type": "list_sessions", "agent_id": "agent-01"})
	for _, e := range p.await("session_list")["sessions"].([]any) {
		if e := e.(map[string]any); e["command_id"] == command {
			sid = e["session_id"].(string)
		}
	}
	if sid == "" {
		p.t.Fatal("the shell is not listed")
	}
	return command, sid
}

func (p *peer) join(sid, role string, from ...int64) message {
	p.t.Helper()
	m := message{"type": "join_session", "session_id": sid, "role": role}
	if len(from) > 0 {
		m["replay_from"] = from[0]
	}
	p.send(m)
	return p.await("session_joined")
}
