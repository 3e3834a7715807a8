package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/session"
)

// What goes into the spool comes out of it, in order, also by way of the file.
func TestSpoolKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSpool(os.TempDir())
		var want, got []session.Event
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "put") {
				e := session.Event{
					At: time.Duration(i), Kind: session.EventKind(i % 3), Cols: i, Rows: -i, Status: i,
					Data: bytes.Repeat([]byte{byte(i)}, rapid.SampledFrom([]int{0, 10, 1 << 16, 1 << 18, 1 << 20}).Draw(t, "size")),
				}
				want = append(want, e)
				s.put(e)
				continue
			}
			got, _ = takeCopies(s, got)
		}
		s.close()
		for more := true; more; {
			got, more = takeCopies(s, got)
		}
		if lost, err := s.losses(); lost != 0 || err != nil {
			t.Fatalf("lost %d bytes: %v", lost, err)
		}
		if !slices.EqualFunc(want, got, sameEvent) {
			t.Fatalf("%d events came out, not the %d that went in", len(got), len(want))
		}
	})
}

// takeCopies appends what it takes to events.
func takeCopies(s *spool, events []session.Event) (_ []session.Event, more bool) {
	b, more, _ := s.take()
	if b == nil {
		return events, more
	}
	for _, e := range b.events {
		e.Data = bytes.Clone(e.Data)
		events = append(events, e)
	}
	s.giveBack(b)
	return events, more
}

func sameEvent(a, b session.Event) bool {
	return a.At == b.At && a.Kind == b.Kind && a.Cols == b.Cols && a.Rows == b.Rows && a.Status == b.Status && bytes.Equal(a.Data, b.Data)
}

// flakyLog is a Log that fails as long as it is told to, and keeps what it took, as Log demands.
type flakyLog struct {
	flaws  chan error // one for each Flush, nil: it succeeds; closed: all succeed
	events []session.Event
}

func (l *flakyLog) Write(e session.Event) error {
	e.Data = bytes.Clone(e.Data)
	l.events = append(l.events, e)
	return nil
}

func (l *flakyLog) Flush() error { return <-l.flaws }
func (l *flakyLog) Replay(from int64, fn func(session.Event) error) error {
	for _, e := range l.events[from:] {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// The first error is told. What the log took and could not make durable is for the log to count.
func TestLogWriterTellsErrors(t *testing.T) {
	bad := errors.New("no space")
	for _, flaws := range [][]error{{nil}, {bad, nil}, {bad, bad, bad}} {
		t.Run(fmt.Sprint(flaws), func(t *testing.T) {
			log := &flakyLog{flaws: make(chan error, len(flaws))}
			for _, err := range flaws {
				log.flaws <- err
			}
			s := newSpool(t.TempDir())
			s.put(session.Event{Data: []byte("hello")})
			s.close()
			w := startLogWriter(log, s)
			w.wait()
			if got := w.firstErr(); !errors.Is(got, flaws[0]) || w.lostBytes() > 0 {
				t.Errorf("error = %v, lost = %d; want %v, and 0", got, w.lostBytes(), flaws[0])
			}
		})
	}
}

// panickyLog panics.
type panickyLog struct{ flakyLog }

func (*panickyLog) Flush() error { panic("a fault") }

func TestLogWriterSurvivesPanic(t *testing.T) {
	s := newSpool(t.TempDir())
	s.put(session.Event{Data: []byte("hello")})
	s.close()
	w := startLogWriter(&panickyLog{}, s)
	w.wait()
	if w.firstErr() == nil {
		t.Error("no error is told")
	}
}

// What does not fit in the feed is left out, and asked for by number.
func TestFeedLeavesOut(t *testing.T) {
	f := newFeed()
	big := session.Event{Data: make([]byte, feedMemory/2)}
	for range 5 {
		f.put(big)
	}
	if _, _, missed := f.resume(); missed {
		t.Error("resumed before what is queued was taken")
	}
	events, _ := f.take()
	from, to, missed := f.resume()
	if len(events) != 1 || !missed || from != 1 || to != 5 {
		t.Errorf("took %d, left out [%d, %d) %v; want 1, [1, 5)", len(events), from, to, missed)
	}
	f.put(big)
	if events, _ := f.take(); len(events) != 1 {
		t.Errorf("took %d after resuming, want 1", len(events))
	}
}
