//go:build unix

package recording_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/recorder/recording"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// place is a database in a new folder, and folders for sockets that are nobody else's.
func place(t *testing.T) (database string) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pr") // short: sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("TMPDIR", dir)
	return filepath.Join(dir, "db")
}

// options are those of a session in the background. What is told goes to told.
func options(database string, told *[]string, command ...string) recording.Options {
	return recording.Options{
		Command: command, Database: database, Server: "ptyrec test",
		Session: session.Session{ID: store.NewID(), Command: command, StartedAt: time.Now().UTC(), Cols: 80, Rows: 24,
			Agents: []session.Agent{}},
		Warn:   func(format string, a ...any) { *told = append(*told, fmt.Sprintf(format, a...)) },
		Hosted: func(id string) { *told = append(*told, "runs: "+id) },
	}
}

// record runs a command to its end.
func record(t *testing.T, o recording.Options) (recording.Result, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	r, err := recording.Start(ctx, o)
	if err != nil {
		return recording.Result{}, err
	}
	defer r.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	return r.Run(ctx, recorder.Options{Stdin: null, Stdout: null, Cols: o.Session.Cols, Rows: o.Session.Rows})
}

func TestRun(t *testing.T) {
	db := place(t)
	var told []string
	o := options(db, &told, "sh", "-c", "echo hello; exit 3")
	result, err := record(t, o)
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != 3 || result.Warning() != "" || !result.InDatabase() {
		t.Errorf("result %+v, %q", result, result.Warning())
	}
	if len(told) != 1 || told[0] != "runs: "+o.Session.ID {
		t.Errorf("told %q", told)
	}
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer s.Close()
	info, err := s.Find(t.Context(), o.Session.ID)
	if err != nil || info.Status != store.Ended || info.ExitCode == nil || *info.ExitCode != 3 {
		t.Errorf("the database has %+v, %v", info, err)
	}
	var output strings.Builder
	for e, err := range s.Events(t.Context(), o.Session.ID) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.Output {
			output.Write(e.Data)
		}
	}
	if got := output.String(); got != "hello\r\n" {
		t.Errorf("recorded %q", got)
	}
}

// A viewer attaches while the command runs, and reads what came before.
func TestAttach(t *testing.T) {
	db := place(t)
	var told []string
	gate := filepath.Join(filepath.Dir(db), "gate")
	o := options(db, &told, "sh", "-c", "echo before; until [ -e "+gate+" ]; do sleep 0.05; done; echo after")
	running := make(chan struct{})
	o.Hosted = func(string) { close(running) }
	ended := make(chan error, 1)
	go func() {
		_, err := record(t, o)
		ended <- err
	}()
	<-running
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	c, err := client.Dial(ctx, "", client.Options{Database: db})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := c.Attach(ctx, o.Session.ID,
		client.AttachOptions{Name: "test", Mode: protocol.ModeBytes, From: new(int64)})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var seen strings.Builder
	for !strings.Contains(seen.String(), "after\r\n") {
		e, err := stream.Next(ctx)
		if err != nil {
			t.Fatalf("saw %q: %v", seen.String(), err)
		}
		if output, ok := e.(client.Output); ok {
			seen.Write(output.Data)
		}
		if strings.Contains(seen.String(), "before\r\n") {
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A program that the command starts at once finds the socket, which goes with the session.
func TestSocketBeforeCommand(t *testing.T) {
	db := place(t)
	var told []string
	o := options(db, &told, "true")
	r, err := recording.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if sockets, err := rundir.Find(db); sockets[o.Session.ID] == "" {
		t.Errorf("before the command starts the sockets are %v, %v", sockets, err)
	}
	r.Close()
	if sockets, _ := rundir.Find(db); len(sockets) > 0 {
		t.Errorf("%v are left", sockets)
	}
}

// Nothing stays of a command that cannot be started.
func TestNoSuchCommand(t *testing.T) {
	db := place(t)
	var told []string
	o := options(db, &told, "/no/such/command")
	_, err := record(t, o)
	var start *sys.StartError
	if !errors.As(err, &start) {
		t.Errorf("error %v", err)
	}
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer s.Close()
	if infos, err := s.Sessions(t.Context(), store.Filter{}); len(infos) > 0 || err != nil {
		t.Errorf("%d sessions, %v", len(infos), err)
	}
}

// A file that is no database is refused; a damaged one is not needed, and the user is told.
func TestDatabase(t *testing.T) {
	db := place(t)
	var told []string
	if err := os.WriteFile(db, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := record(t, options(db, &told, "true")); !errors.Is(err, session.ErrNotDatabase) {
		t.Errorf("a text: %v", err)
	}
	if err := os.Remove(db); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(db, append(text[:100], make([]byte, 4000)...), 0o600); err != nil {
		t.Fatal(err)
	}
	told = nil
	result, err := record(t, options(db, &told, "true"))
	if err != nil || result.InDatabase() {
		t.Errorf("a damaged database: %+v, %v", result, err)
	}
	if len(told) == 0 || !strings.Contains(told[0], "recorded next to the database") {
		t.Errorf("told %q", told)
	}
}

// The user is told the name of the session as often as most says.
func TestName(t *testing.T) {
	db := place(t)
	var told []string
	for n, want := range []bool{true, true, false, false} {
		o := options(db, &told, "true")
		r, err := recording.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		name, ok := r.Name(t.Context(), 2)
		if ok != want || ok && !strings.HasSuffix(o.Session.ID, name) {
			t.Errorf("session %d, %s: %q, %v", n+1, o.Session.ID, name, ok)
		}
		if name, ok := r.Name(t.Context(), 0); !ok || !strings.HasSuffix(o.Session.ID, name) {
			t.Errorf("session %d, %s, always: %q, %v", n+1, o.Session.ID, name, ok)
		}
		r.Close()
	}
}

// Secrets of the command line are not recorded with it.
func TestCommandIsRedacted(t *testing.T) {
	db := place(t)
	var told []string
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	o := options(db, &told, "true", secret)
	var err error
	if o.Redact, err = redaction(); err != nil {
		t.Fatal(err)
	}
	if _, err := record(t, o); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	defer s.Close()
	info, err := s.Find(t.Context(), o.Session.ID)
	if err != nil || strings.Contains(strings.Join(info.Command, " "), secret) {
		t.Errorf("recorded as %q, %v", info.Command, err)
	}
}

func redaction() (archive.Redaction, error) {
	r, err := redact.New(redact.Options{})
	return archive.Redaction{Redactor: r}, err
}
