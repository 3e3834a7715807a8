// Package livetest hosts live sessions without a command, for tests of programs that attach to
// them.
package livetest

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/session"
)

// ID is the id of each session.
const ID = "01a1fd63-e33f-7a35-8c40-000000000001"

// Session is a session that a test controls: it writes what the test passes, and accepts keys. It
// ends with the test.
type Session struct {
	Host   *live.Host
	Client *client.Client // for the session's folder

	mu     sync.Mutex // guards the fields below
	events []session.Event
	ended  bool
}

// New hosts a session of 40x6 cells. name is the name of its command.
func New(t testing.TB, name string) *Session {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pr") // short, because paths of sockets are limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := live.Listen(dir, "", ID)
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{}
	s.Host = live.New(live.Options{
		Session: session.Session{ID: ID, Command: []string{name}, Cols: 40, Rows: 6}, Command: command{s},
		Record: record{s}, Past: s.past,
		Entries: func(context.Context, int) ([]*session.Entry, error) { return nil, nil },
	})
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Host.Serve(l) // ends with the host
	}()
	t.Cleanup(func() {
		s.Exit(0)
		s.Host.Close()
		<-served
	})
	if s.Client, err = client.Dial(t.Context(), "", client.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return s
}

// Write makes the command write a text.
func (s *Session) Write(text string) {
	s.event(session.Event{Kind: session.Output, Data: []byte(text)})
}

// Exit ends the command with a status. Only the first call has an effect.
func (s *Session) Exit(status int) {
	s.mu.Lock()
	ended := s.ended
	s.ended = true
	s.mu.Unlock()
	if ended {
		return
	}
	s.Host.Finish()
	s.event(session.Event{Kind: session.Exit, Status: status})
}

// event appends an event to the log, and notifies the host.
func (s *Session) event(e session.Event) {
	s.mu.Lock()
	s.events = append(s.events, e)
	s.mu.Unlock()
	s.Host.Event(e)
}

// past implements live.Options.Past.
func (s *Session) past(_ context.Context, from int64, fn func(seq int64, e session.Event) error) error {
	s.mu.Lock()
	events := s.events
	s.mu.Unlock()
	var seq int64
	for _, e := range events {
		if seq += int64(len(e.Data)); e.Kind == session.Output && seq > from {
			if err := fn(seq-int64(len(e.Data)), e); err != nil {
				return err
			}
		}
	}
	return nil
}

type command struct{ s *Session }

func (command) Type(_ context.Context, keys []byte, shown func([]byte)) error {
	shown(keys)
	return nil
}

func (c command) Resize(cols, rows int) error {
	c.s.event(session.Event{Kind: session.Resize, Cols: cols, Rows: rows})
	return nil
}

func (command) Signal(int) {}

type record struct{ s *Session }

func (r record) Mark(label []byte) { r.s.event(session.Event{Kind: session.Marker, Data: label}) }

func (record) Drained() bool                { return true }
func (record) Settle(context.Context) error { return nil }
