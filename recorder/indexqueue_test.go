package recorder

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/recorder/echo"
	"github.com/ptyrec/ptyrec/session"
)

// What does not fit in the queue is left out, and asked for by number.
func TestFeedLeavesOut(t *testing.T) {
	f := newIndexQueue()
	big := session.Event{Data: make([]byte, queueMemory/2)}
	for range 5 {
		f.put(big)
	}
	events, from, to, _ := f.take()
	if len(events) != 1 || from != 1 || to != 5 {
		t.Errorf("took %d, left out [%d, %d); want 1, [1, 5)", len(events), from, to)
	}
	f.put(big)
	if events, from, to, _ := f.take(); len(events) != 1 || from != to {
		t.Errorf("took %d and left out [%d, %d) after that, want 1 and none", len(events), from, to)
	}
}

// floodLog is a Log whose command goes on to write, and ends, while it is replayed.
type floodLog struct {
	Log
	queue *indexQueue
	taken int
}

func (l *floodLog) Settle(context.Context) error { return nil }

func (l *floodLog) Replay(_ context.Context, from int64, fn func(int64, session.Event) error) error {
	for number := from; number < 4; number++ {
		if err := fn(number, session.Event{Data: []byte("x")}); err != nil {
			return err
		}
		if l.taken++; l.taken == 1 {
			for range 2 * readSpeed / queueMemory {
				l.queue.put(session.Event{Data: make([]byte, queueMemory)})
			}
			l.queue.close()
		}
	}
	return nil
}

// A flood that starts again while an earlier one is read is not read along with it.
func TestFloodGoesOn(t *testing.T) {
	queue := newIndexQueue()
	log := &floodLog{queue: queue}
	f := &indexer{
		processor: transcript.NewProcessor(transcript.ProcessorOptions{Cols: 80, Rows: 24}), progress: make(chan struct{}, 1),
		echo: echo.New(nil), queue: queue, log: log, catchUp: time.Second, ctx: t.Context(),
	}
	for range 4 {
		queue.put(session.Event{Data: []byte("x")})
	}
	if err := f.readOn(0, 4); !errors.Is(err, errStopped) || log.taken != 1 {
		t.Errorf("%d events were processed, %v; want 1 and errStopped", log.taken, err)
	}
}
