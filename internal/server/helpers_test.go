//go:build linux

package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/internal/testkit/puppet"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

func TestMain(m *testing.M) {
	puppet.Main()
	ptytest.HeedSignals()
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

const token = "0123456789abcdef"

// site is a server with a database and a folder of sockets.
type site struct {
	t      testing.TB
	db     *sqlite.Store
	dir    string // of the sockets
	server *server.Server
	url    string // http://127.0.0.1:port
	log    *lines
	stop   func()
}

// newSite starts a server on a real socket. change may change what it is told.
func newSite(t testing.TB, change func(*server.Options)) *site {
	t.Helper()
	s := &site{t: t, log: &lines{}}
	var err error
	if s.db, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ptyrec.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	if s.dir, err = os.MkdirTemp("/tmp", "pr"); err != nil { // a socket's path is short
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(s.dir) })
	sessions, err := client.Dial(t.Context(), "", client.Options{Dir: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	o := server.Options{
		Store: s.db, Live: sessions, Token: token, Past: past{s.db}, Version: "test",
		Page: fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>ptyrec</title>")},
			"app.js": {Data: []byte("1")}},
		Log: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	s.server = server.New(o)
	server.SetWatchTime(s.server, 10*time.Millisecond)
	s.serve()
	return s
}

func (s *site) serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.url = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.server.Serve(ctx, l) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	s.t.Cleanup(func() { s.stop() })
}

// lines is a log that can be waited for.
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

// do sends a request with the token and returns the answer.
func (s *site) do(method, path, body string, header ...string) (*http.Response, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		switch {
		case header[i] == "Host":
			req.Host = header[i+1]
		case header[i+1] == "":
			req.Header.Del(header[i])
		default:
			req.Header.Set(header[i], header[i+1])
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp, string(got)
}

// get decodes an answer of success.
func (s *site) get(path string, v any) {
	s.t.Helper()
	resp, body := s.do(http.MethodGet, path, "")
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s %s", path, resp.Status, body)
	}
	if err := json.Unmarshal([]byte(body), v); err != nil {
		s.t.Fatalf("%s: %v in %s", path, err, body)
	}
}

// past reads what is stored, plainly.
type past struct{ db *sqlite.Store }

func (p past) Page(ctx context.Context, info *store.Info, span store.Span) (store.Page, *store.Reading, error) {
	page, err := p.db.Page(ctx, info.ID, span)
	return page, nil, err
}

func (p past) Screen(ctx context.Context, info *store.Info, at float64) (screen.Screen, int64, error) {
	t, seq := vterm.New(vterm.Options{Cols: info.Cols, Rows: info.Rows}), int64(0)
	for e, err := range p.db.Events(ctx, info.ID) {
		switch {
		case err != nil:
			return screen.Screen{}, 0, err
		case e.At.Seconds() > at:
		case e.Kind == session.Output:
			_, _ = t.Write(e.Data)
			seq += int64(len(e.Data))
		case e.Kind == session.Resize:
			t.Resize(e.Cols, e.Rows)
		}
	}
	return screen.Of(t), seq, nil
}

func (p past) Export(ctx context.Context, w io.Writer, format string, info *store.Info, part server.Part) error {
	if part.From == "none" {
		return server.ErrPart
	}
	entries, err := p.db.Entries(ctx, info.ID)
	if err != nil {
		return err
	}
	t := &session.Transcript{Format: session.TranscriptFormat, Version: session.TranscriptVersion, Session: info.Session,
		Entries: entries}
	switch format {
	case "json", "jsonl", "md", "txt":
		return render.Write(w, format, t)
	case "svg":
		shot, _, err := p.Screen(ctx, info, math.Inf(1))
		return errors.Join(err, screen.Write(w, "svg", shot))
	}
	_, err = io.WriteString(w, format)
	return err
}

// recorded puts a recording of a real agent into the database, and returns what it wrote.
func (s *site) recorded() (info *store.Info, output []byte) {
	s.t.Helper()
	r, err := cast.Open("../cast/testdata/claude.cast")
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Close()
	sess := session.Session{ID: store.NewID(), Command: []string{"claude"}, Cwd: "/home/dev/shop",
		StartedAt: time.Now().UTC().Add(-time.Hour), Cols: r.Header.Cols, Rows: r.Header.Rows}
	rec := store.NewRecording(sess.Cols, sess.Rows)
	p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: sess.Cols, Rows: sess.Rows, Started: sess.StartedAt,
		SessionID: sess.ID, Command: sess.Command})
	var at time.Duration
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.t.Fatal(err)
		}
		at = e.At
		rec.Write(e)
		p.Feed(e)
		if e.Kind == session.Output {
			output = append(output, e.Data...)
		}
	}
	p.Close(at)
	status, ended := 0, sess.StartedAt.Add(at)
	sess.ExitCode, sess.EndedAt, sess.Title, sess.Agents = &status, &ended, p.Title(), p.Agents()
	if err := s.db.Import(s.t.Context(), &sess, rec, p.Entries()); err != nil {
		s.t.Fatal(err)
	}
	if info, err = s.db.Find(s.t.Context(), sess.ID); err != nil {
		s.t.Fatal(err)
	}
	return info, output
}

// hosted is a live session: a command in a PTY of its own, shown by a real host, stored in the
// site's database.
type hosted struct {
	s    *site
	id   string
	host *live.Host
	cmd  *exec.Cmd // nil: there is none, and the test writes
	ptmx *os.File
	raw  *journal.Writer
	done chan struct{}

	mu    sync.Mutex // guards the fields below
	begun time.Time
	typed bytes.Buffer // what was typed
	sizes [][2]int
	sigs  []int
}

// hostTerminal starts a command in a session; without one the test says what is written.
func (s *site) hostTerminal(cols, rows int, command ...string) (*hosted, error) {
	h := &hosted{s: s, id: store.NewID(), done: make(chan struct{}), begun: time.Now()}
	sess := session.Session{ID: h.id, Command: append([]string{"test"}, command...), StartedAt: h.begun.UTC(),
		Cols: cols, Rows: rows}
	ctx := context.Background()
	if len(command) > 0 {
		h.cmd = exec.Command(command[0], command[1:]...)
		h.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "PS1=$ ")
		var err error
		if h.ptmx, err = startOnPTY(h.cmd, cols, rows); err != nil {
			return nil, err
		}
	}
	if err := s.db.CreateSession(ctx, &sess); err != nil {
		return nil, err
	}
	var err error
	if h.raw, err = sqlite.Record(s.db.Path(), sess, nil); err != nil {
		return nil, err
	}
	h.host = live.New(live.Options{Session: sess, Server: "test", Command: h, Record: h, Past: h.past,
		Asks: extractor.Asks, Entries: func(ctx context.Context, after int) ([]*session.Entry, error) {
			return s.db.EntriesAfter(ctx, h.id, after)
		}})
	l, err := net.Listen("unix", rundir.Socket(s.dir, h.id))
	if err != nil {
		return nil, err
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = h.host.Serve(l) })
	s.t.Cleanup(func() { h.end(); serving.Wait() })
	if h.cmd == nil {
		return h, nil
	}
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := h.ptmx.Read(buf)
			if err != nil {
				break
			}
			h.write(buf[:n])
		}
		_ = h.cmd.Wait()
		status := h.cmd.ProcessState.ExitCode()
		if ws, ok := h.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			status = 128 + int(ws.Signal())
		}
		h.exit(status)
	}()
	return h, nil
}

func (s *site) host(cols, rows int, command ...string) *hosted {
	s.t.Helper()
	h, err := s.hostTerminal(cols, rows, command...)
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

// write is output of the session.
func (h *hosted) write(data []byte) {
	e := session.Event{At: time.Since(h.begun), Kind: session.Output, Data: bytes.Clone(data)}
	h.raw.Put(e)
	h.host.Event(e)
}

// exit ends the session.
func (h *hosted) exit(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.done:
		return
	default:
	}
	close(h.done)
	h.host.Finish()
	e := session.Event{At: time.Since(h.begun), Kind: session.Exit, Status: status}
	h.raw.Put(e)
	h.host.Event(e)
	ctx := context.Background()
	_, _ = h.raw.Close()
	_ = h.s.db.FinishSession(ctx, h.id, time.Now().UTC(), status, false)
	go h.host.Close()
}

// end ends the session whatever it does.
func (h *hosted) end() {
	if h.cmd != nil {
		_ = syscall.Kill(-h.cmd.Process.Pid, syscall.SIGKILL)
		<-h.done
		h.mu.Lock()
		_ = h.ptmx.Close()
		h.mu.Unlock()
	} else {
		h.exit(0)
	}
	h.host.Close()
}

func (h *hosted) past(ctx context.Context, from int64, fn func(seq int64, e session.Event) error) error {
	for e, err := range h.s.db.OutputFrom(ctx, h.id, from) {
		if err != nil {
			return err
		}
		if err := fn(e.Offset, e.Event); err != nil {
			return err
		}
	}
	return nil
}

// Type, Resize and Signal implement live.Command.
func (h *hosted) Type(_ context.Context, keys []byte, shown func([]byte)) error {
	shown(keys)
	h.mu.Lock()
	h.typed.Write(keys)
	h.mu.Unlock()
	if h.ptmx != nil {
		_, err := h.ptmx.Write(keys)
		return err
	}
	return nil
}

// startOnPTY starts a command in a PTY of its own.
func startOnPTY(cmd *exec.Cmd, cols, rows int) (ptmx *os.File, err error) {
	ptmx, tty, err := sys.OpenPTY()
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err = ptytest.SetSize(ptmx, cols, rows); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, ptmx.Close())
	}
	return ptmx, nil
}

func (h *hosted) Resize(cols, rows int) error {
	h.mu.Lock()
	h.sizes = append(h.sizes, [2]int{cols, rows})
	var err error
	if h.ptmx != nil { // which end closes under the lock
		err = ptytest.SetSize(h.ptmx, cols, rows)
	}
	h.mu.Unlock()
	if err != nil {
		return err
	}
	h.host.Event(session.Event{At: time.Since(h.begun), Kind: session.Resize, Cols: cols, Rows: rows})
	return nil
}

func (h *hosted) Signal(sig int) {
	h.mu.Lock()
	h.sigs = append(h.sigs, sig)
	h.mu.Unlock()
	if h.cmd != nil {
		_ = syscall.Kill(-h.cmd.Process.Pid, syscall.Signal(sig))
	}
}

// Mark, Settle and Drained implement live.Record.
func (h *hosted) Mark([]byte) {}

func (h *hosted) Settle(ctx context.Context) error { return h.raw.Settle(ctx) }

func (h *hosted) Drained() bool { return true }

// saw returns what was typed.
func (h *hosted) saw() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.typed.String()
}
