//go:build linux

package recorder_test

import (
	"context"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
)

// watcher is a Host that notes what it gets.
type watcher struct {
	controls *recorder.Controls
	output   chan string
	released chan struct{}
	finished chan struct{}
	exit     chan int
}

func (w *watcher) Event(e session.Event) {
	switch e.Kind {
	case session.Output:
		w.output <- string(e.Data)
	case session.Exit:
		w.exit <- e.Status
	}
}

// Typed keeps X from the child, and holds back h for a moment.
func (w *watcher) Typed(keys []byte) ([]byte, time.Duration) {
	switch {
	case len(keys) == 0:
		w.released <- struct{}{}
		return []byte("h"), 0
	case keys[0] == 'h':
		return keys[1:], 10 * time.Millisecond
	case keys[0] == 'X':
		return keys[1:], 0
	}
	return keys, 0
}

func (w *watcher) Finish() { close(w.finished) }

func (w *watcher) await(t *testing.T, text string) {
	t.Helper()
	limit := time.After(time.Minute)
	for got := ""; ; {
		select {
		case s := <-w.output:
			if got += s; len(got) >= len(text) && got[len(got)-len(text):] == text {
				return
			}
		case <-limit:
			t.Fatalf("the output is %q, want %q at its end", got, text)
		}
	}
}

func TestAHostSeesAndTypes(t *testing.T) {
	u := ptytest.New(t)
	w := &watcher{output: make(chan string, 1000), released: make(chan struct{}, 1), finished: make(chan struct{}),
		exit: make(chan int, 1)}
	log := &memoryLog{}
	done := make(chan recorder.Result)
	go func() {
		result, err := recorder.Run(context.Background(), recorder.Options{
			Command: []string{"sh", "-c", `stty -echo; echo ready; while read x; do echo "<$x>"; done; exit 4`}, Stdin: u.TTY,
			Stdout: u.TTY, Log: log,
			Host: func(c *recorder.Controls) recorder.Host {
				w.controls = c
				return w
			},
		})
		if err != nil {
			t.Error(err)
		}
		done <- result
	}()
	w.await(t, "ready\r\n")
	u.Type(t, "Xab\r")
	w.await(t, "<ab>\r\n")
	u.Type(t, "hi\r")
	w.await(t, "<i>\r\n")
	<-w.released
	u.Type(t, "\r")
	w.await(t, "<h>\r\n")
	shown := make(chan string, 1)
	if err := w.controls.Type(context.Background(), []byte("remote\r"),
		func(keys []byte) { shown <- string(keys) }); err != nil {
		t.Error(err)
	}
	if got := <-shown; got != "" {
		t.Errorf("the echo is off, and %q counts as shown", got)
	}
	w.await(t, "<remote>\r\n")
	if err := w.controls.Resize(100, 30); err != nil {
		t.Error(err)
	}
	w.controls.Mark([]byte("here"))
	w.controls.Alert("\x1b]9;ptyrec: look\x07\x07")
	u.Await(t, "\x1b]9;ptyrec: look\x07\x07")
	if err := w.controls.Settle(context.Background()); err != nil {
		t.Error(err)
	}
	u.Type(t, "\x04")
	if result := <-done; result.Status != 4 || <-w.exit != 4 {
		t.Errorf("%+v", result)
	}
	<-w.finished
	found := map[session.EventKind]int{}
	for _, e := range log.events {
		found[e.Kind]++
	}
	if found[session.Marker] != 1 || found[session.Resize] != 1 {
		t.Errorf("the log has %v", found)
	}
	if err := w.controls.Type(context.Background(), []byte("x"), func([]byte) {}); err == nil {
		t.Error("typing into a command that is over")
	}
}

// lastKeys is a Host that notes when the command is over, and the keys it is told about until then.
type lastKeys struct {
	controls *recorder.Controls
	ready    chan struct{}
	told     chan string
	before   string
}

func (l *lastKeys) Event(e session.Event) {
	if e.Kind == session.Output {
		l.ready <- struct{}{}
	}
}

func (l *lastKeys) Typed(keys []byte) ([]byte, time.Duration) { return keys, 0 }

func (l *lastKeys) Finish() {
	select {
	case l.before = <-l.told:
	default:
	}
}

// A key that ends the command is recorded, however soon the command is gone.
func TestKeysThatEndTheCommand(t *testing.T) {
	u := ptytest.New(t)
	for range 20 {
		l := &lastKeys{ready: make(chan struct{}, 100), told: make(chan string, 1)}
		typed := make(chan error, 1)
		go func() {
			<-l.ready
			typed <- l.controls.Type(context.Background(), []byte("\x04"), func(keys []byte) { l.told <- string(keys) })
		}()
		_, err := recorder.Run(context.Background(), recorder.Options{
			Command: []string{"sh", "-c", "echo ready; exec cat"}, Stdin: u.TTY, Stdout: u.TTY, Log: &memoryLog{},
			Host: func(c *recorder.Controls) recorder.Host {
				l.controls = c
				return l
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := <-typed; err != nil {
			t.Error(err)
		}
		if l.before != "\x04" {
			t.Fatalf("told of %q before the end", l.before)
		}
	}
}
