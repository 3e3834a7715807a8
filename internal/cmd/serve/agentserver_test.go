//go:build linux

package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

// programVariable names the ptyrec that this test becomes when the server starts itself.
const programVariable = "AGENTSERVER_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Args[0] == "ptyrec" {
		program := os.Getenv(programVariable)
		fmt.Fprintln(os.Stderr, syscall.Exec(program, os.Args, os.Environ()))
		os.Exit(1)
	}
	os.Exit(test(m))
}

func test(m *testing.M) int {
	dir, err := os.MkdirTemp("", "agentserver")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		var program string
		if program, err = servetest.Program(dir); err == nil {
			err = os.Setenv(programVariable, program)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// options are those of a server of a shell command.
func options(t *testing.T, stderr io.Writer, script string) agentServer {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pr") // short: sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("TMPDIR", dir)
	t.Setenv("HOME", dir)
	db := filepath.Join(dir, "db")
	sessions, err := client.Dial(t.Context(), "", client.Options{Database: db})
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close() })
	return agentServer{
		Command: []string{"sh", "-c", script}, Agent: "custom", Cols: 80, Rows: 24, Stdin: stdin, Database: db,
		Environ: os.Environ(), Sessions: sessions,
		Address: "127.0.0.1:0", Access: agentapi.Access{Hosts: agentapi.DefaultHosts()},
		PIDFile:   filepath.Join(dir, "sub", "pid"),
		StateFile: filepath.Join(dir, "state"), SaveState: true,
		Listening: func(net.Addr) {}, Stderr: stderr, Log: slog.New(slog.DiscardHandler),
	}
}

// A server answers until it is stopped. Then the session is over, the state saved, and the file
// with the process id gone.
func TestServe(t *testing.T) {
	o := options(t, io.Discard, "echo ready; cat")
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	o.Listening = func(at net.Addr) {
		if pid, err := os.ReadFile(o.PIDFile); err != nil || strings.TrimSpace(string(pid)) != strconv.Itoa(os.Getpid()) {
			t.Errorf("the file has the process id %q, %v", pid, err)
		}
		go func() {
			defer stop()
			r, err := http.Get("http://" + at.String() + "/status")
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Body.Close()
			if text, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusOK || !strings.Contains(string(text), `"status"`) {
				t.Errorf("GET /status: %s: %s", r.Status, text)
			}
		}()
	}
	if err := serveAgent(ctx, o); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(o.PIDFile); err == nil {
		t.Error("the file with the process id is left")
	}
	if _, err := agentapi.ReadState(o.StateFile); err != nil {
		t.Error(err)
	}
	testkit.Eventually(t, "no session runs", func() bool {
		running, err := o.Sessions.Sessions(t.Context())
		return len(running) == 0 && err == nil
	})
}

// An agent that fails is an error, behind its last screen.
func TestServeFails(t *testing.T) {
	var stderr bytes.Buffer
	gate := filepath.Join(t.TempDir(), "gate")
	o := options(t, &stderr, "echo no such model; until [ -e "+gate+" ]; do sleep 0.05; done; exit 3")
	o.Listening = func(net.Addr) {
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	err := serveAgent(t.Context(), o)
	if err == nil || err.Error() != "the agent ended with status 3" ||
		!strings.Contains(stderr.String(), "no such model") {
		t.Errorf("error %v, stderr %q", err, stderr.String())
	}
	o = options(t, io.Discard, "")
	o.Command = []string{"/no/such/agent"}
	err = serveAgent(t.Context(), o)
	if err == nil || !strings.HasPrefix(err.Error(), "the command did not start: cannot run /no/such/agent") {
		t.Errorf("a command that is not there: %v", err)
	}
}

// An agent may be gone before the server attaches to it. That is an error with a hint. (In
// TestServeFails, the server has attached.)
func TestServeEndsAtOnce(t *testing.T) {
	o := options(t, io.Discard, "exit 3")
	starter, err := detached.NewStarter(o.Database, o.Environ)
	if err != nil {
		t.Fatal(err)
	}
	defer starter.Close()
	id, err := starter.StartOwned(t.Context(), o.Command, "", o.Cols, o.Rows)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the session has ended", func() bool {
		running, err := o.Sessions.Sessions(t.Context())
		return len(running) == 0 && err == nil
	})
	_, err = o.attach(t.Context(), id)
	var failed *failure.Error
	if !errors.As(err, &failed) || err.Error() != "the command ended before it could be served" ||
		!strings.Contains(failed.Hint, "ptyrec show") {
		t.Errorf("error %v", err)
	}
}

// A port that is taken, and a file that cannot be written, are errors before the command starts.
func TestServeRefuses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := options(t, io.Discard, "echo started >&2")
	o.Address = l.Addr().String()
	if err := serveAgent(t.Context(), o); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a port that is taken: %v", err)
	}
	o.Address, o.PIDFile = "127.0.0.1:0", "/proc/no/such/file"
	if err := serveAgent(t.Context(), o); err == nil {
		t.Error("the process id was written into /proc")
	}
	if _, err := os.Stat(o.Database); err == nil {
		t.Error("a session was recorded")
	}
}

// The first prompt is all of a stdin that ends.
func TestPromptFrom(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.WriteString(w, "Fix\nthis"); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	if got := promptFrom(r); got != "Fix\nthis" {
		t.Errorf("promptFrom() = %q", got)
	}
}
