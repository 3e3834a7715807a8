package watch

import (
	"context"
	"errors"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/live/follow"
	"github.com/ptyrec/ptyrec/session"
)

// remoteTail writes the entries of a session of a management server.
type remoteTail struct {
	finalWriter
	log    *join.Log
	redact archive.Redaction
	begins func(s session.Session)
	reader *archive.EntryReader // nil before the first event
	said   follow.List
	first  bool // nothing was written yet
	fed    bool // an event arrived since the last look
	ticks  int  // number of looks since the last event
}

// quietLooks is the number of looks without an event after which the reader is told so; its entries
// are then final.
const quietLooks = 3

// tailRemote writes the entries of the session of log until its stream ends or ctx is cancelled. If
// another session replaces it, that one is followed. begins, if not nil, is called with each
// session before its first entry.
func tailRemote(ctx context.Context, log *join.Log, r archive.Redaction, begins func(s session.Session),
	o tailOutput) error {
	t := &remoteTail{finalWriter: o.finalWriter(), log: log, redact: r, begins: begins, first: true}
	return t.follow(ctx)
}

// follow reads the session until it ends.
func (t *remoteTail) follow(ctx context.Context) error {
	looked := time.Now()
	for {
		wait, cancel := context.WithDeadline(ctx, looked.Add(tailPoll))
		event, err := t.log.Stream.Next(wait)
		waited := wait.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the user has stopped it
		case err == nil:
			if t.log.IsOther(event) {
				if err := t.end(); err != nil {
					return err
				}
			}
			t.feed(event)
		case !waited:
			if err := archive.IgnoreEnd(err); err != nil {
				return errors.Join(t.end(), join.Error(err))
			}
			return t.end()
		}
		if time.Since(looked) < tailPoll {
			continue
		}
		if err := t.look(); err != nil {
			return err
		}
		looked = time.Now()
	}
}

// feed passes an event of the stream to the reader.
func (t *remoteTail) feed(event client.Event) {
	e, ok := t.log.Take(event)
	if !ok {
		return
	}
	if t.reader == nil {
		s := t.log.Session
		if t.begins != nil {
			t.begins(s)
		}
		t.reader = archive.NewEntryReader(s, t.redact)
		t.said = follow.List{Reader: t.reader}
	}
	t.reader.Feed(e)
	t.fed = true
}

// look writes the final entries.
func (t *remoteTail) look() error {
	if t.reader == nil {
		return nil
	}
	if t.ticks++; t.fed {
		t.fed, t.ticks = false, 0
	}
	if t.ticks > 0 && t.ticks <= quietLooks {
		t.reader.Tick(t.log.Quiet(tailPoll))
	}
	if !t.log.Whole {
		return nil
	}
	return t.out(false)
}

// end writes the rest of the session's entries. Another session may follow.
func (t *remoteTail) end() error {
	if t.reader == nil {
		return nil
	}
	t.reader.Close()
	err := t.out(true)
	t.reader, t.seq, t.open, t.first, t.Last = nil, 0, nil, true, -1
	return err
}

// out writes the final entries. over means that all are final.
func (t *remoteTail) out(over bool) error {
	if t.first && !over {
		t.reader.Tick(t.log.Quiet(tailPoll)) // what is on the screen at the start counts as old
	}
	t.said.Update()
	entries := t.said.After(t.seq)
	if t.first {
		t.first = false
		t.skip(entries, t.Last)
	}
	return t.put(entries, over)
}
