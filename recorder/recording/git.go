package recording

import (
	"context"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/git"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
)

// repository reads the state of the repository in a session's folder: at the start while the
// command starts, and at the end before the last event, for at most git.Limit.
type repository struct {
	dir     string
	started time.Time
	redact  archive.Redaction
	known   chan struct{} // closed when the state at the start is known, or will not be
	told    chan struct{} // closed when tellStart has reported it
	stop    context.CancelFunc
	git     session.Git
}

// watchRepository starts to read the state at the start.
func watchRepository(ctx context.Context, o Options) *repository {
	r := &repository{dir: o.Session.Cwd, started: o.Session.StartedAt, redact: o.Redact, known: make(chan struct{}),
		told: make(chan struct{})}
	ctx, r.stop = context.WithTimeout(ctx, git.Limit())
	go func() {
		defer close(r.known)
		r.git.Start = r.shown(git.StateOf(ctx, r.dir, false))
	}()
	return r
}

// shown returns a state without secrets.
func (r *repository) shown(s *session.GitState) *session.GitState {
	if s != nil && r.redact.Redactor != nil {
		s.Branch = r.redact.Text(s.Branch, nil)
	}
	return s
}

// tellStart calls tell with the state at the start when it is known.
func (r *repository) tellStart(tell func(session.Git)) {
	defer close(r.told)
	<-r.known
	if r.git.Start != nil {
		tell(r.git)
	}
}

// tellEnd calls tell with the states at the start and the end, after tellStart was called. If git
// did not report in time at the start whether files differ, tellEnd does not ask for that again.
func (r *repository) tellEnd(ctx context.Context, tell func(session.Git)) {
	<-r.told
	if r.git.Start == nil {
		return // there is none, or git did not answer
	}
	ctx, cancel := context.WithTimeout(ctx, git.Limit())
	defer cancel()
	g := r.git
	quick := g.Start.Dirty == nil
	if g.End = r.shown(git.StateOf(ctx, r.dir, quick)); g.End == nil {
		return
	}
	g.Commits = slices.Clip(git.Commits(ctx, r.dir, g.Start.Commit, g.End.Commit, r.started))
	tell(g)
}

// close cancels what is in progress.
func (r *repository) close() {
	r.stop()
	<-r.known
}

// untilEnd is a session's host that finishes when the state at the end is known.
type untilEnd struct {
	recorder.Host
	before func()
}

// Finish implements recorder.Host.
func (u untilEnd) Finish() {
	u.Host.Finish()
	u.before()
}
