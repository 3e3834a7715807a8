package sandboxapi_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// processes returns the site's processes. address is the server's, or a proxy's.
func (s *site) processes(address string) *client.Processes {
	s.t.Helper()
	transport := &http.Transport{DisableKeepAlives: true} // a proxy decides about each request
	s.t.Cleanup(transport.CloseIdleConnections)
	p, err := client.DialProcesses(s.t.Context(), "http://"+address, "box", client.Options{
		Token: token, HTTP: &http.Client{Transport: transport},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *site) address() string { return strings.TrimPrefix(s.url, "http://") }

// Start, list, get, logs from a cursor, kill; errors.
func TestClientOfProcesses(t *testing.T) {
	s := newSite(t)
	p := s.processes(s.address())
	ctx := t.Context()
	id, err := p.Start(ctx, client.ProcessSpec{
		ID: "p1", Command: `echo "$A" $PWD; read x < <(sleep 1000)`, Cwd: "/", Env: map[string]string{"A": "ä"},
	})
	if err != nil || id != "p1" {
		t.Fatal(id, err)
	}
	var refused *protocol.Error
	if _, err := p.Start(ctx, client.ProcessSpec{ID: "p1", Command: "true"}); !errors.As(err, &refused) ||
		refused.Code != "PROCESS_EXISTS" {
		t.Errorf("an id that is in use: %v", err)
	}
	if line, err := p.WaitForLog(ctx, id, regexp.MustCompile("^ä")); err != nil || line != "ä /" {
		t.Errorf("%q %v", line, err)
	}
	logs, err := p.Logs(ctx, id, "")
	if err != nil || logs.Stdout != "ä /\n" || logs.Cursor != "5.0" {
		t.Errorf("%+v %v", logs, err)
	}
	if logs, err = p.Logs(ctx, id, "3.0"); err != nil || logs.Stdout != "/\n" {
		t.Errorf("%+v %v", logs, err)
	}
	if all, err := p.List(ctx); err != nil || len(all) != 1 || all[0].ID != id || all[0].SessionID != "sandbox-box" ||
		all[0].Status != "running" {
		t.Errorf("%+v %v", all, err)
	}
	if err := p.Kill(ctx, id, syscall.SIGINT); err != nil {
		t.Error(err)
	}
	info, err := p.Get(ctx, id)
	if err != nil || info.ExitCode == nil || info.EndTime.IsZero() || info.Status != "killed" {
		t.Errorf("%+v %v", info, err)
	}
	if end, err := p.WaitForExit(ctx, id); err != nil || end.Code != *info.ExitCode {
		t.Errorf("%+v %v", end, err)
	}
	if _, err := p.Get(ctx, "none"); !errors.Is(err, session.ErrNotFound) {
		t.Error(err)
	}
	if _, err := p.WaitForExit(ctx, "none"); !errors.Is(err, session.ErrNotFound) {
		t.Error(err)
	}
	if _, err := client.DialProcesses(ctx, s.url, "", client.Options{Token: "wrong"}); !errors.Is(err, client.ErrToken) {
		t.Error(err)
	}
}

// A client waits for a log, a port and the exit; a process that ends first is an error.
func TestWaitForLogPortAndExit(t *testing.T) {
	s := newSite(t)
	p := s.processes(s.address())
	ctx := t.Context()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	start := func(spec client.ProcessSpec) string {
		t.Helper()
		id, err := p.Start(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := start(client.ProcessSpec{Command: "printf 'no\nrea'; sleep 0.1; printf 'dy >'; exec sleep 1000"})
	if line, err := p.WaitForLog(ctx, id, regexp.MustCompile("^ready >$")); err != nil || line != "ready >" {
		t.Errorf("%q %v", line, err)
	}
	if err := p.WaitForPort(ctx, id, port); err != nil {
		t.Error(err)
	}
	_ = listener.Close() // its port is free now
	waiting, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.WaitForExit(waiting, id); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ends := start(client.ProcessSpec{Command: "echo no; exit 3"})
	var exited *client.ExitedError
	if _, err := p.WaitForLog(ctx, ends, regexp.MustCompile("ready")); !errors.As(err, &exited) || exited.Code != 3 {
		t.Error(err)
	}
	if err := p.WaitForPort(ctx, ends, port); !errors.As(err, &exited) || exited.Code != 3 {
		t.Error(err)
	}
	late := start(client.ProcessSpec{Command: "sleep 1000", Timeout: 10 * time.Millisecond})
	if end, err := p.WaitForExit(ctx, late); err != nil || end.Code != 137 ||
		!strings.Contains(end.Reason, "Command timeout") {
		t.Errorf("%+v %v", end, err)
	}
}

// Over cut connections and a restart of the server, every byte comes once.
func TestClientResumesOverCutsAndRestarts(t *testing.T) {
	const lines, cuts = 20000, 6
	s := newSite(t)
	var cutting atomic.Bool
	var address atomic.Value
	address.Store(s.address())
	var proxy *servetest.Proxy
	proxy = servetest.NewProxy(t, func() string { return address.Load().(string) }, func() int64 {
		if !cutting.Load() || proxy.Cuts.Load() >= cuts {
			return -1
		}
		return rand.Int64N(20000) // all cuts together are less than the output
	})
	p := s.processes(proxy.Address)
	id, err := p.Start(t.Context(), client.ProcessSpec{Command: fmt.Sprintf("seq %d; seq %d >&2; exit 5", lines, lines/2)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.WaitForExit(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	cutting.Store(true)
	var text [2]string
	restarted, code := false, -1
	for e, err := range p.Output(t.Context(), id, "") {
		switch e := e.(type) {
		case client.Chunk:
			if e.Offset != int64(len(text[e.Stream])) {
				t.Fatalf("%v at %d, want %d", e.Stream, e.Offset, len(text[e.Stream]))
			}
			text[e.Stream] += e.Text
		case client.Exited:
			code = e.Code
		default:
			t.Fatal(e, err)
		}
		if proxy.Cuts.Load() >= cuts/2 && !restarted {
			restarted = true
			s.stop()
			s.start()
			address.Store(s.address())
		}
	}
	if n := proxy.Cuts.Load(); n < cuts {
		t.Errorf("only %d cuts", n)
	}
	for i, n := range []int{lines, lines / 2} {
		want, err := exec.Command("seq", strconv.Itoa(n)).Output()
		if err != nil {
			t.Fatal(err)
		}
		if text[i] != string(want) {
			t.Errorf("stream %d: %d bytes, want %d", i, len(text[i]), len(want))
		}
	}
	if code != 5 {
		t.Errorf("exit code %d", code)
	}
}

// A server that runs nothing says so.
func TestServerThatRunsNothingSaysSo(t *testing.T) {
	s := newSiteWith(t, func(o *server.Options, _ *process.Options) { o.AllowRun = false })
	_, err := client.DialProcesses(t.Context(), s.url, "", client.Options{Token: token})
	var refused *protocol.Error
	if !errors.As(err, &refused) || refused.Code != "PERMISSION_DENIED" {
		t.Error(err)
	}
}
