package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptyrec/ptyrec/live"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// sinkWait is how long a live recording waits for other programs that have locked the database: its command's prompt may wait for it.
const sinkWait = time.Second

// finishTries is how often the end of a session is stated in a database that is locked, each for sinkWait.
const finishTries = 2

// sinkDelay is how long the command has the processor for itself, before the sink is opened: somebody waits for its first output.
const sinkDelay = 20 * time.Millisecond

// sink carries a live session into the store: its raw log and its entries. It is opened when the command has started, or is needed.
type sink struct {
	ctx     context.Context // of the recording: sink's methods are called by the recorder, which has none
	folder  string          // of the database
	session session.Session // as the store has it
	redact  redaction
	title   string // as it was found, secrets and all

	unsaved   []recorder.Update // what the database did not take yet, without secrets
	described bool              // the database has session as it is

	refused atomic.Int64 // bytes of output that came while there was no store

	host atomic.Pointer[live.Host] // nil: nobody else sees the session

	needed chan struct{} // gets a value when somebody waits
	opened chan struct{} // closed when the fields below hold
	err    error         // why there is no store; nil: there is one
	beside bool          // the user knows that store records beside a damaged database
	begun  session.Session
	store  *store.Store
	raw    *store.RawLog

	mu   sync.Mutex // guards kept
	kept error      // the last Flush's, where what it wrote stands beside the database
}

// setHost makes h show what is found from now on.
func (s *sink) setHost(h *live.Host) { s.host.Store(h) }

// startSink begins to add s to the store as a live session. What is wrong with the database is told at once, as far as a look at its first bytes tells;
// the rest comes from the sink's methods.
func startSink(ctx context.Context, a *app, s session.Session) (*sink, error) {
	path, err := a.dbPath()
	if err != nil {
		return nil, err
	}
	r, err := a.redaction()
	if err != nil {
		return nil, err
	}
	to := &sink{ctx: ctx, folder: filepath.Dir(path), session: s, redact: r, described: true, needed: make(chan struct{}, 1), opened: make(chan struct{})}
	if store.Ready(path) {
		go func() {
			select {
			case <-to.needed:
			case <-time.After(sinkDelay):
			}
			to.open(path)
		}()
		return to, nil
	}
	// A database that is to be made first, maybe by many at once, is waited for: the command has not begun.
	made, err := openDatabase(ctx, path, databaseWait)
	switch {
	case errors.Is(err, session.ErrCorrupt):
		to.beside = true
		a.notice("warning: this session is recorded beside the database: %v; `ptyrec doctor --repair` repairs it and takes the session in", err)
	case err != nil:
		return nil, err
	default:
		_ = made.Close() // the errors that matter came before
	}
	to.open(path)
	if to.err == nil {
		to.err = to.raw.Flush(ctx)
	}
	if to.store != nil && (errors.Is(to.err, session.ErrBusy) || errors.Is(to.err, session.ErrKept)) {
		to.err = nil // each Flush tries it again
	}
	if to.err != nil {
		to.close()
	}
	return to, to.err
}

func (s *sink) open(path string) {
	defer close(s.opened)
	defer func() {
		if p := recover(); p != nil {
			s.err = fmt.Errorf("the database: %v", p)
		}
	}()
	s.store, s.err = openDatabase(s.ctx, path, sinkWait)
	if errors.Is(s.err, session.ErrCorrupt) {
		s.store, s.err = store.Beside(path, s.err)
	}
	if s.err != nil {
		return
	}
	s.redact, s.session.Command = s.redact.of(s.session.Command)
	s.begun = s.session
	s.raw = s.store.Record(s.session)
	s.keep(s.raw.Flush(s.ctx)) // others see the session from now on; what fails is tried again by each Flush
}

// await waits until the sink is open, and gives the error that says that it never will be.
func (s *sink) await() error {
	select {
	case s.needed <- struct{}{}:
	default:
	}
	<-s.opened
	return s.err
}

// close closes the store, if it is open.
func (s *sink) close() {
	select {
	case <-s.opened:
		if s.store != nil {
			_ = s.store.Close() // the errors that matter came before
		}
	default:
	}
}

// discard removes the session: there was none.
func (s *sink) discard() error {
	if s.await() != nil {
		return nil //nolint:nilerr // then nothing was written
	}
	err := s.store.DeleteSession(s.ctx, s.session.ID)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// Write implements recorder.Log.
func (s *sink) Write(e session.Event) error {
	if err := s.await(); err != nil {
		if e.Kind == session.Output {
			s.refused.Add(int64(len(e.Data)))
		}
		return err
	}
	return s.raw.Write(s.ctx, e)
}

// Flush implements recorder.Log.
func (s *sink) Flush() error {
	if err := s.await(); err != nil {
		return err
	}
	err := s.raw.Flush(s.ctx)
	s.keep(err)
	return err
}

// keep notes whether what the last Flush wrote stands beside the database.
func (s *sink) keep(err error) {
	if !errors.Is(err, session.ErrKept) {
		err = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = err
}

func (s *sink) lastKept() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept
}

// Replay implements recorder.Log. It reads over what is damaged.
func (s *sink) Replay(from int64, fn func(session.Event) error) error {
	if err := s.await(); err != nil {
		return err
	}
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

// Put implements recorder.Index. What a locked database does not take waits for the next update.
func (s *sink) Put(u recorder.Update) error {
	if err := s.await(); err != nil {
		return err
	}
	u.Entries = s.redact.entries(u.Entries, nil)
	s.describe(u)
	if h := s.host.Load(); h != nil {
		h.Update(protocol.Entries{Entries: u.Entries, Gone: u.Gone, Title: s.session.Title, Agents: s.session.Agents})
	}
	s.unsaved = append(s.unsaved, u)
	return s.save()
}

// describe notes what is new about the session.
func (s *sink) describe(u recorder.Update) {
	if u.Title != s.title {
		s.title, s.session.Title, s.described = u.Title, s.redact.title(u.Title, u.Entries), false
	}
	if !slices.Equal(u.Agents, s.session.Agents) {
		s.session.Agents, s.described = slices.Clone(u.Agents), false
	}
}

// save writes what is not saved yet, as far as the database takes it.
func (s *sink) save() error {
	if s.lastKept() != nil {
		return nil //nolint:nilerr // these would wait, too
	}
	for len(s.unsaved) > 0 {
		u := s.unsaved[0]
		err := s.store.SaveEntries(s.ctx, s.session.ID, u.Entries, u.Gone...)
		if errors.Is(err, session.ErrBusy) {
			return nil
		}
		s.unsaved = s.unsaved[1:]
		if err != nil {
			return err
		}
	}
	if s.described {
		return nil
	}
	err := s.store.UpdateSession(s.ctx, &s.session)
	s.described = err == nil
	if errors.Is(err, session.ErrBusy) {
		return nil
	}
	return err
}

// finish states the end of the session, and adds to r what is lost of its output.
func (s *sink) finish(r *recorder.Result) error {
	r.Lost += s.refused.Load()
	if errors.Is(r.LogErr, recorder.ErrLogStuck) || s.err != nil {
		return nil //nolint:nilerr // it would wait, too, and tellLosses has it
	}
	err := s.raw.Close(s.ctx)
	r.Lost += s.raw.Lost()
	if err != nil {
		return err // the end stands in the raw log
	}
	s.keep(nil)
	read := !r.Behind && r.IndexErr == nil // else the follower may still be at work
	if read {
		err = s.save()
		read = err == nil && len(s.unsaved) == 0
	}
	ended := s.session.StartedAt.Add(r.Duration)
	for range finishTries {
		finishErr := s.store.FinishSession(s.ctx, s.session.ID, ended, r.Status, read)
		if !errors.Is(finishErr, session.ErrBusy) {
			return errors.Join(err, finishErr)
		}
	}
	return err // who reads the session next finds its end in the raw log
}
