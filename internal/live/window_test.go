//go:build linux

package live_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// sized is a session of 40x6 whose window's size viewers change.
type sized struct {
	*fake
	watching *peer
	viewers  map[string]*peer
}

// asks lets a viewer ask for a size; it attaches where it has not.
func asks(name string, cols, rows int, keep bool) func(*sized) {
	return func(s *sized) {
		s.t.Helper()
		if s.viewers[name] == nil {
			s.viewers[name] = s.attach(protocol.Attach{Name: name, Kind: protocol.Human, Mode: protocol.ModeNone, Control: true})
		}
		if got := s.viewers[name].ask(protocol.TypeSize,
			protocol.SizeRequest{Cols: cols, Rows: rows, Keep: keep}); got != "done" {
			s.t.Fatalf("%s asks for %dx%d: %s", name, cols, rows, got)
		}
	}
}

// leaves cuts a viewer's connection, as when it is killed, and waits until the session knows.
func leaves(name string) func(*sized) {
	return func(s *sized) {
		s.t.Helper()
		_ = s.viewers[name].conn.Close()
		delete(s.viewers, name)
		for s.watching.control().Reason != name+" left" {
		}
	}
}

// terminal sets the size of the session's own terminal.
func terminal(cols, rows int) func(*sized) {
	return func(s *sized) { s.host.Event(session.Event{Kind: session.Resize, Cols: cols, Rows: rows}) }
}

// until waits until the window was given a size n times, and returns them.
func (s *sized) until(n int) [][2]int {
	s.t.Helper()
	limit := time.After(patience)
	for {
		sizes, _, _ := s.asked()
		if len(sizes) >= n {
			return sizes
		}
		select {
		case <-s.news:
		case <-limit:
			s.t.Fatalf("the window was given the sizes %v only", sizes)
		}
	}
}

// until waits until the window was given a size n times.
func until(n int) func(*sized) {
	return func(s *sized) {
		s.t.Helper()
		s.until(n)
	}
}

// The window gets its own size back when the last viewer who asked for another has left.
func TestResizeIsGivenBack(t *testing.T) {
	for name, c := range map[string]struct {
		steps []func(*sized)
		want  [][2]int // what the window was given, but by its terminal
	}{
		"one": {[]func(*sized){asks("a", 50, 9, false), leaves("a")}, [][2]int{{50, 9}, {40, 6}}},
		"its last size": {[]func(*sized){asks("a", 50, 9, false), asks("a", 60, 8, false), leaves("a")},
			[][2]int{{50, 9}, {60, 8}, {40, 6}}},
		"the last of two": {[]func(*sized){asks("a", 50, 9, false), asks("b", 60, 8, false), leaves("a"),
			asks("b", 61, 8, false), leaves("b")}, [][2]int{{50, 9}, {60, 8}, {61, 8}, {40, 6}}},
		"one after the other": {[]func(*sized){asks("a", 50, 9, false), leaves("a"), until(2), asks("b", 60, 8, false),
			leaves("b")}, [][2]int{{50, 9}, {40, 6}, {60, 8}, {40, 6}}},
		"its terminal changed": {[]func(*sized){asks("a", 50, 9, false), terminal(70, 7), asks("a", 60, 8, false),
			leaves("a")}, [][2]int{{50, 9}, {60, 8}, {70, 7}}},
		"its terminal took it up": {[]func(*sized){asks("a", 50, 9, false), terminal(50, 9), leaves("a"),
			asks("b", 60, 8, false), leaves("b")}, [][2]int{{50, 9}, {60, 8}, {50, 9}}},
		"it is as it was": {[]func(*sized){asks("a", 40, 6, false), leaves("a"), asks("b", 60, 8, false),
			leaves("b")}, [][2]int{{40, 6}, {60, 8}, {40, 6}}},
		"for good": {[]func(*sized){asks("a", 50, 9, true), leaves("a"), asks("b", 60, 8, false),
			leaves("b")}, [][2]int{{50, 9}, {60, 8}, {50, 9}}},
		"for good meanwhile": {[]func(*sized){asks("a", 50, 9, false), asks("b", 60, 8, true), leaves("a"),
			asks("b", 50, 9, false), leaves("b")}, [][2]int{{50, 9}, {60, 8}, {50, 9}, {60, 8}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, live.Options{})
			s := &sized{fake: f, watching: f.attach(human("watching", protocol.ModeNone)), viewers: map[string]*peer{}}
			for _, step := range c.steps {
				step(s)
			}
			if diff := cmp.Diff(c.want, s.until(len(c.want))); diff != "" {
				t.Errorf("the window's sizes (-want +got):\n%s", diff)
			}
		})
	}
}
