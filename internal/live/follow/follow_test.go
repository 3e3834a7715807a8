package follow_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/live/follow"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/sqlite"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// reader implements follow.Reader for commands with pipes.
type reader struct{ *process.Transcript }

func (r reader) Changes() ([]*session.Entry, []string) { return r.Entries(), nil }
func (r reader) Close()                                {}

// start runs a command and returns it, and the live sessions of its database.
func start(t *testing.T, spec process.Spec) (*process.Command, *client.Client) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pr")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", dir)
	path := filepath.Join(dir, "db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := process.Open(t.Context(), process.Options{Store: s, Program: "/proc/self/exe"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = m.KillAll(context.Background(), "box", process.Kill, 0)
		_, _, _ = m.Close(), s.Close(), os.RemoveAll(dir)
	})
	spec.Sandbox = "box"
	c, _, err := m.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	live, err := client.Dial(t.Context(), "",
		client.Options{Database: path, Other: func(ctx context.Context, ref string) (io.ReadWriteCloser, error) {
			return follow.Connect(ctx, follow.Options{
				Store: s, Server: "test", Reader: func(s session.Session) follow.Reader { return reader{process.NewTranscript(s)} },
			}, ref)
		}})
	if err != nil {
		t.Fatal(err)
	}
	return c, live
}

// attach attaches to the command.
func attach(t *testing.T, live *client.Client, c *process.Command, o client.AttachOptions) *client.Stream {
	t.Helper()
	s, err := live.Attach(t.Context(), c.Info().SessionID[:13], o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// until reads events until done returns true, for a minute at most.
func until(t *testing.T, s *client.Stream, done func(e client.Event) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		e, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if done(e) {
			return
		}
	}
}

// input writes to the command.
func input(t *testing.T, c *process.Command, text string) {
	t.Helper()
	if err := c.Write(t.Context(), []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// A running command is a live session: its bytes from the beginning, those that come, and its exit
// status.
func TestWatchBytesOfACommand(t *testing.T) {
	c, live := start(t, process.Spec{Command: `printf 'one\n\377'; read x; echo "$x" >&2; exit 3`})
	for e, err := range c.Read(t.Context(), process.Offsets{}) { // so that it is behind the viewer
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(e.Text, "one") {
			break
		}
	}
	s := attach(t, live, c, client.AttachOptions{Mode: protocol.ModeBytes})
	got := ""
	until(t, s, func(e client.Event) bool {
		if o, ok := e.(client.Output); ok {
			got += string(o.Data)
		}
		return strings.Contains(got, "\xff")
	})
	input(t, c, "two\n")
	until(t, s, func(e client.Event) bool {
		if o, ok := e.(client.Output); ok {
			got += string(o.Data)
		}
		x, over := e.(protocol.Exit)
		if over && x.Status != 3 {
			t.Errorf("exit status %d, want 3", x.Status)
		}
		return over
	})
	if got != "one\n\xfftwo\n" {
		t.Errorf("output %q", got)
	}
	if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := live.Attach(t.Context(), c.Info().SessionID, client.AttachOptions{}); !errors.Is(err,
		session.ErrNotFound) {
		t.Errorf("attach to one that has ended: %v", err)
	}
}

// The screen of a running command has each line at its left edge.
func TestWatchScreenOfACommand(t *testing.T) {
	c, live := start(t, process.Spec{Command: `echo one; echo two; read x`})
	s := attach(t, live, c, client.AttachOptions{Mode: protocol.ModeText})
	until(t, s, func(e client.Event) bool {
		shot, ok := e.(protocol.Screen)
		return ok && len(shot.Lines) > 1 && strings.HasPrefix(shot.Lines[0], "one") && strings.HasPrefix(shot.Lines[1], "two")
	})
	s = attach(t, live, c, client.AttachOptions{Mode: protocol.ModeScreen})
	until(t, s, func(e client.Event) bool {
		snap, ok := e.(protocol.Snapshot)
		if !ok {
			return false
		}
		term := vterm.New(vterm.Options{Cols: snap.Cols, Rows: snap.Rows})
		_, _ = term.Write(snap.Data)
		return strings.HasPrefix(screen.Of(term).Lines[1].Text, "two")
	})
}

// The size of a terminal is the one that it has now.
func TestWatchTerminalOfACommand(t *testing.T) {
	c, live := start(t, process.Spec{Command: `read x; echo "got $x"; read x`, PTY: true})
	if err := c.Resize(t.Context(), 100, 30); err != nil {
		t.Fatal(err)
	}
	input(t, c, "hello\n")
	for e, err := range c.Read(t.Context(), process.Offsets{}) {
		if err != nil || strings.Contains(e.Text, "got hello") {
			break
		}
	}
	s := attach(t, live, c, client.AttachOptions{Mode: protocol.ModeText})
	until(t, s, func(e client.Event) bool {
		shot, ok := e.(protocol.Screen)
		return ok && shot.Cols == 100 && shot.Rows == 30 && strings.Contains(strings.Join(shot.Lines, "\n"), "got hello")
	})
}

// The entry of a running command grows.
func TestEntryOfARunningCommandGrows(t *testing.T) {
	c, live := start(t, process.Spec{Command: `echo one; read x; echo two; exit 4`})
	s := attach(t, live, c, client.AttachOptions{Mode: protocol.ModeNone, Entries: new(int)})
	output := func(want, status string) func(e client.Event) bool {
		return func(e client.Event) bool {
			u, ok := e.(protocol.Entries)
			return ok && len(u.Entries) == 1 && u.Entries[0].Output == want && u.Entries[0].Status == status
		}
	}
	until(t, s, output("one", session.StatusStreaming))
	input(t, c, "\n")
	until(t, s, output("one\ntwo", session.StatusComplete))
}

// Nobody types into what programs run.
func TestWatchedOnly(t *testing.T) {
	c, live := start(t, process.Spec{Command: `read x`})
	s := attach(t, live, c, client.AttachOptions{})
	until(t, s, func(e client.Event) bool { _, ok := e.(client.Connected); return ok })
	for name, err := range map[string]error{"take": s.Take(t.Context()), "input": s.Input(t.Context(), []byte("x")),
		"grant": s.Grant(t.Context(), 0)} {
		var refused *protocol.Error
		if !errors.As(err, &refused) || refused.Code != protocol.CodeUnavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}
