package main

import (
	"context"
	"errors"
	"time"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/follow"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/join"
	"github.com/ptyrec/ptyrec/internal/listing"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/internal/remotelog"
	"github.com/ptyrec/ptyrec/render"
	"github.com/ptyrec/ptyrec/session"
)

// managedTail writes the entries of a session of a management server.
type managedTail struct {
	giver
	app    *app
	log    *remotelog.Log
	redact archive.Redaction
	reader *entryReader // nil until the first event
	said   follow.List
	last   int  // so many entries of those that are there at first are given out; negative: all
	first  bool // none was given out yet
	tells  bool // which session it is
	fed    bool // something came since the last look
	ticks  int  // looks since something came
}

// quietLooks is how often the reader is told that nothing comes: then its entries are final.
const quietLooks = 3

// tailManaged follows the session at the URL of a management server. The session's exit status is
// that of the command.
func tailManaged(ctx context.Context, a *app, where string, f tailFlags, format render.Terminal, write func(*session.Entry) error) error {
	r, err := a.redaction()
	if err != nil {
		return err
	}
	log, err := openManaged(ctx, a, where)
	if err != nil {
		return err
	}
	defer func() { _ = log.Stream.Close() }()
	t := &managedTail{app: a, giver: newGiver(f, format, write), log: log, redact: r, last: f.last, first: true, tells: !f.asJSON}
	if err := t.follow(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	switch status, ok := log.Stream.ExitStatus(); {
	case !ok || status < 0:
		return fail(errors.New("the session is gone, and left no exit status"), "what it wrote until then was read")
	case status > 0:
		return cli.ExitStatus(status)
	}
	return nil
}

// follow reads the session until it ends.
func (t *managedTail) follow(ctx context.Context) error {
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

// feed hands an event of the stream to the reader.
func (t *managedTail) feed(event client.Event) {
	e, ok := t.log.Take(event)
	if !ok {
		return
	}
	if t.reader == nil {
		s := t.log.Session
		if t.tells {
			t.app.notice("%s, live: %s", s.ID[:min(listing.MinPrefix, len(s.ID))], printable.Line(s.Title))
		}
		t.reader = newEntryReader(s, t.redact)
		t.said = follow.List{Reader: t.reader}
	}
	t.reader.Feed(e)
	t.fed = true
}

// look writes what is final.
func (t *managedTail) look() error {
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

// end writes the rest of the session's entries. Another session may come behind it.
func (t *managedTail) end() error {
	if t.reader == nil {
		return nil
	}
	t.reader.Close()
	err := t.out(true)
	t.reader, t.seq, t.open, t.first, t.last = nil, 0, nil, true, -1
	return err
}

// out writes what is final; over says that all is.
func (t *managedTail) out(over bool) error {
	if t.first && !over {
		t.reader.Tick(t.log.Quiet(tailPoll)) // what is on the screen is part of what is there
	}
	t.said.Update()
	entries := t.said.After(t.seq)
	if t.first {
		t.first = false
		t.skip(entries, t.last)
	}
	return t.give(entries, over)
}
