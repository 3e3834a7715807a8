package main

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/ptyrec/ptyrec/live"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// sink carries a live session into the store: its raw log and its entries.
type sink struct {
	ctx     context.Context // of the recording: sink's methods are called by the recorder, which has none
	store   *store.Store
	raw     *store.RawLog
	session session.Session // as the store has it
	redact  redaction
	title   string // as it was found, secrets and all

	host atomic.Pointer[live.Host] // nil: nobody else sees the session
}

// setHost makes h show what is found from now on.
func (s *sink) setHost(h *live.Host) { s.host.Store(h) }

// newSink adds s to the store as a live session.
func newSink(ctx context.Context, a *app, db *store.Store, s session.Session) (*sink, error) {
	r, err := a.redaction()
	if err != nil {
		return nil, err
	}
	r, s.Command = r.of(s.Command)
	if err := db.CreateSession(ctx, &s); err != nil {
		return nil, err
	}
	raw, err := db.RawLog(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	return &sink{ctx: ctx, store: db, raw: raw, session: s, redact: r}, nil
}

// Write implements recorder.Log.
func (s *sink) Write(e session.Event) error { return s.raw.Write(s.ctx, e) }

// Flush implements recorder.Log.
func (s *sink) Flush() error { return s.raw.Flush(s.ctx) }

// Replay implements recorder.Log. It reads over what is damaged.
func (s *sink) Replay(from int64, fn func(session.Event) error) error {
	source := newStored(s.ctx, s.store, s.session.ID, from)
	defer source.stop()
	for {
		e, err := source.Next()
		if err != nil {
			return ignoreEnd(err)
		}
		if err := fn(e); err != nil {
			return err
		}
	}
}

// Put implements recorder.Index.
func (s *sink) Put(u recorder.Update) error {
	err := s.store.SaveEntries(s.ctx, s.session.ID, s.redact.entries(u.Entries, nil), u.Gone...)
	if u.Title == s.title && slices.Equal(u.Agents, s.session.Agents) {
		return err
	}
	if u.Title != s.title {
		s.title, s.session.Title = u.Title, s.redact.title(u.Title, u.Entries)
	}
	s.session.Agents = slices.Clone(u.Agents)
	return errors.Join(err, s.store.UpdateSession(s.ctx, &s.session))
}

// finish states the end of the session.
func (s *sink) finish(r recorder.Result) error {
	if errors.Is(r.LogErr, recorder.ErrLogStuck) {
		return nil // it would wait, too, and tellLosses has it
	}
	ended := s.session.StartedAt.Add(r.Duration)
	return errors.Join(s.raw.Close(s.ctx), s.store.FinishSession(s.ctx, s.session.ID, ended, r.Status))
}
