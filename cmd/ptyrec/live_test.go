//go:build linux

package main

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// liveEnv is the environment of live sessions, and the folder of their sockets.
func liveEnv(t *testing.T) (environ []string, dir string) {
	t.Helper()
	environ, _ = env(t)
	_, run, _ := strings.Cut(environ[len(environ)-1], "=")
	return environ, filepath.Join(run, "ptyrec")
}

// joinSession attaches to the newest live session.
func joinSession(t *testing.T, dir string, o client.AttachOptions) *client.Stream {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	c, err := client.Dial(ctx, "", client.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for {
		s, err := c.Attach(ctx, "last", o)
		if err == nil {
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// output reads a session's output until it holds text.
func output(t *testing.T, s *client.Stream, text string) {
	t.Helper()
	got, buf := "", make([]byte, 64<<10)
	for !strings.Contains(got, text) {
		n, err := s.Read(buf)
		got += string(buf[:n])
		if err != nil {
			t.Fatalf("%v behind %q", err, got)
		}
	}
}

func TestKeepGoesOnWithoutItsTerminal(t *testing.T) {
	t.Parallel()
	environ, dir := liveEnv(t)
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", "run", "--keep", "--", "sh", "-c",
		`echo ready; read x; printf '\033[6n'; echo "got $x"; sleep 0.2; exit 7`)
	cmd.Env = environ
	u.Start(t, cmd)
	u.Await(t, "ready")
	u.Hangup()
	s := joinSession(t, dir, client.AttachOptions{Name: "test", Mode: protocol.ModeBytes, Control: true})
	if _, err := s.Write([]byte("abc\r")); err != nil {
		t.Fatal(err)
	}
	output(t, s, "got abc")
	if _, err := io.ReadAll(s); err != nil {
		t.Error(err)
	}
	if status, ok := s.ExitStatus(); status != 7 || !ok {
		t.Errorf("status %d, %v", status, ok)
	}
	if got := ptytest.Status(t, cmd); got != 7 {
		t.Errorf("ptyrec's status is %d", got)
	}
}

func TestWithoutKeepASessionEndsWithItsTerminal(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", "run", "--", "sh", "-c", `echo ready; read x; read y`)
	cmd.Env = environ
	u.Start(t, cmd)
	u.Await(t, "ready")
	u.Hangup()
	if err := cmd.Wait(); err == nil || errors.Is(err, exec.ErrWaitDelay) {
		t.Errorf("it ended with %v", err)
	}
}

// D7, D10 and D12 in a real terminal: Ctrl+\ takes control back, is the command's when nobody has
// it, and the terminal is as it was.
func TestTakeControlInARealTerminal(t *testing.T) {
	t.Parallel()
	environ, dir := liveEnv(t)
	u := ptytest.New(t)
	before := u.Settings(t)
	cmd := exec.Command("ptyrec", "run", "--", "sh", "-c",
		`trap 'echo quit' QUIT; echo ready; while :; do read x && echo "<$x>"; done`)
	cmd.Env = environ
	u.Start(t, cmd)
	u.Await(t, "ready")
	user := joinSession(t, dir, client.AttachOptions{Name: "me", Mode: protocol.ModeNone})
	robot := joinSession(t, dir, client.AttachOptions{Name: "robot", Kind: protocol.Agent, Mode: protocol.ModeNone})
	if err := user.Grant(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	u.Await(t, "\x1b]9;ptyrec: programs may type here")
	if _, err := robot.Write([]byte("one\r")); err != nil {
		t.Fatal(err)
	}
	u.Await(t, "<one>")
	u.Type(t, "a\x1cb")
	u.Await(t, "\x1b]9;ptyrec: control taken back")
	u.Type(t, "\r")
	u.Await(t, "<ab>")
	var refusal *protocol.Error
	if _, err := robot.Write([]byte("two\r")); !errors.As(err, &refusal) || refusal.Code != protocol.CodeNoControl {
		t.Errorf("typing after the revoke: %v", err)
	}
	time.Sleep(1100 * time.Millisecond) // the key may be held down for so long
	u.Type(t, "\x1c")
	u.Await(t, "quit")
	if strings.Contains(string(u.Shown()), "two") {
		t.Error("what was refused was typed")
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ptytest.Status(t, cmd)
	if after := u.Settings(t); after != before {
		t.Errorf("the terminal's settings are %+v, were %+v", after, before)
	}
}

// A viewer that comes while the database is locked gets the entries, too, that wait for it.
func TestViewerWhileTheDatabaseIsLocked(t *testing.T) {
	t.Parallel()
	environ, dir := liveEnv(t)
	start := exec.Command("ptyrec", "run", "--detach", "--", "claude")
	start.Env = append(environ, "AGENT_LOG="+filepath.Join(dir, "prompts"))
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	first := joinSession(t, dir, client.AttachOptions{Name: "first", Mode: protocol.ModeNone, Control: true,
		Entries: new(int)})
	awaitEntry(t, first, func(e *session.Entry) bool { return e.Event == session.EventIdle })

	name := environ[slices.IndexFunc(environ, func(v string) bool { return strings.HasPrefix(v, "PTYREC_DB=") })]
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(name,
		"PTYREC_DB=")+"?_txlock=immediate&_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	lock, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Rollback() }()
	if err := first.Input(t.Context(), []byte("hello\r")); err != nil {
		t.Fatal(err)
	}
	replied := func(e *session.Entry) bool { return e.Text == "You said 5 letters" }
	awaitEntry(t, first, replied)
	second := joinSession(t, dir, client.AttachOptions{Name: "second", Mode: protocol.ModeNone, Entries: new(int)})
	awaitEntry(t, second, replied)
	if err := lock.Rollback(); err != nil {
		t.Error(err)
	}
	if err := first.Input(t.Context(), []byte("\x04")); err != nil {
		t.Error(err)
	}
	for err = nil; err == nil; { // until the session is over
		_, err = second.Next(t.Context())
	}
	if !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// awaitEntry reads a stream until it has an entry.
func awaitEntry(t *testing.T, s *client.Stream, is func(*session.Entry) bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for {
		e, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("the entry did not come: %v", err)
		}
		if u, ok := e.(protocol.Entries); ok && slices.ContainsFunc(u.Entries, is) {
			return
		}
	}
}
