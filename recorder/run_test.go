package recorder_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/creack/pty"

	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
)

// memoryLog is a Log in memory.
type memoryLog struct {
	mu     sync.Mutex // guards events
	events []session.Event
}

func (l *memoryLog) Write(e session.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Data = bytes.Clone(e.Data)
	l.events = append(l.events, e)
	return nil
}

func (l *memoryLog) Flush() error { return nil }

func (l *memoryLog) Replay(from int64, fn func(session.Event) error) error {
	l.mu.Lock()
	events := l.events[from:]
	l.mu.Unlock()
	for _, e := range events {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// output is all that the child wrote, as the log has it.
func (l *memoryLog) output() []byte {
	var b []byte
	for _, e := range l.events {
		if e.Kind == session.Output {
			b = append(b, e.Data...)
		}
	}
	return b
}

// user is a terminal with somebody before it: the test types on it and sees what it shows.
type user struct {
	ptmx, tty *os.File
	screen    chan []byte
	shown     bytes.Buffer
}

func newUser(t testing.TB) *user {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	u := &user{ptmx: ptmx, tty: tty, screen: make(chan []byte, 1<<16)}
	go func() {
		defer close(u.screen)
		buf := make([]byte, 64<<10)
		for {
			n, err := ptmx.Read(buf)
			if n > 0 {
				u.screen <- bytes.Clone(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		_ = ptmx.Close()
		for range u.screen {
		}
	})
	return u
}

// await returns when the terminal has shown text since the last call that found its text.
func (u *user) await(t testing.TB, text string) {
	t.Helper()
	for {
		if _, rest, ok := bytes.Cut(u.shown.Bytes(), []byte(text)); ok {
			rest = bytes.Clone(rest)
			u.shown.Reset()
			u.shown.Write(rest)
			return
		}
		b, ok := <-u.screen
		if !ok {
			t.Fatalf("the terminal never showed %q, but %q", text, u.shown.Bytes())
		}
		u.shown.Write(b)
	}
}

func (u *user) typeKeys(t testing.TB, keys string) {
	t.Helper()
	if _, err := io.WriteString(u.ptmx, keys); err != nil {
		t.Fatal(err)
	}
}

type outcome struct {
	recorder.Result
	err error
}

// start runs a recording on u's terminal.
func (u *user) start(ctx context.Context, o recorder.Options) <-chan outcome {
	o.Stdin, o.Stdout = u.tty, u.tty
	done := make(chan outcome, 1)
	go func() {
		result, err := recorder.Run(ctx, o)
		done <- outcome{result, err}
	}()
	return done
}

func TestRunStatus(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script string
		status int
	}{
		{"success", "exit 0", 0},
		{"failure", "exit 3", 3},
		{"signal", "kill -TERM $$", 143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := newUser(t)
			got := <-u.start(t.Context(), recorder.Options{Command: []string{"sh", "-c", tt.script}})
			if got.err != nil || got.Status != tt.status {
				t.Errorf("status = %d, %v; want %d", got.Status, got.err, tt.status)
			}
		})
	}
}

func TestRunCannotStart(t *testing.T) {
	plain := t.TempDir() + "/plain"
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"no-such-command-here": 127, plain: 126, t.TempDir(): 126} {
		u := newUser(t)
		got := <-u.start(t.Context(), recorder.Options{Command: []string{name}})
		var start *recorder.StartError
		if !errors.As(got.err, &start) || start.Status != want {
			t.Errorf("%s: error = %v, want status %d", name, got.err, want)
		}
	}
}

func TestRunOutputIsWhole(t *testing.T) {
	for range 20 {
		u := newUser(t)
		log := &memoryLog{}
		got := <-u.start(t.Context(), recorder.Options{
			Command: []string{"sh", "-c", "stty raw; head -c 1000000 /dev/zero; printf the-end"}, Log: log,
		})
		if got.err != nil || got.Status != 0 || got.LogErr != nil {
			t.Fatalf("result = %+v", got)
		}
		u.await(t, "the-end")
		if n := len(log.output()); n != 1000007 {
			t.Fatalf("the log has %d bytes, want 1000007", n)
		}
	}
}

func TestRunPassesKeys(t *testing.T) {
	u := newUser(t)
	log := &memoryLog{}
	done := u.start(t.Context(), recorder.Options{Command: []string{"sh", "-c", "printf ready; read line; echo got-$line"}, Log: log})
	u.await(t, "ready")
	u.typeKeys(t, "hello\r")
	u.await(t, "got-hello")
	if got := <-done; got.Status != 0 {
		t.Errorf("result = %+v", got)
	}
}
