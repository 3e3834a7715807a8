package recording

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/recorder/notify"
	"github.com/ptyrec/ptyrec/session"
)

// Options say what is recorded, and where. Session, Database and Command are needed.
type Options struct {
	Command  []string
	Session  session.Session // its Command and Cwd may hold secrets; they are redacted
	Database string          // its path; the file need not exist
	Redact   archive.Redaction
	Server   string                        // what viewers are told: "ptyrec 1.2.3"
	Warn     func(format string, a ...any) // tells the user what is wrong, while the command does not run
	Hosted   func(id string)               // called when the command runs, if it has no terminal; nil: it has one
	Keep     bool                          // go on without the terminal when that goes away
	Starter  int                           // the process id of the program that types into the session, which has started it; 0: none
	Notify   notify.Options                // how the user is told that an agent waits
	Environ  []string                      // of the commands by which the user is told
}

// Recording is a session that is recorded. Close must be called.
type Recording struct {
	options    Options
	sink       *sink
	hosting    *hosting
	repository *repository
}

// Start prepares a recording: its journal begins. A damaged database does not matter to that, but
// the user is told. A file that is no database is an error.
func Start(ctx context.Context, o Options) (*Recording, error) {
	repo := watchRepository(ctx, o)
	to, err := startSink(ctx, o)
	if err != nil {
		repo.close()
		return nil, err
	}
	return &Recording{options: o, sink: to, hosting: newHosting(o, to), repository: repo}, nil
}

// Close lets go of the database and of the viewers.
func (r *Recording) Close() {
	r.repository.close()
	r.hosting.close()
	r.sink.close()
}

// Result says how a recorded command ended, and what went wrong with the recording.
type Result struct {
	recorder.Result
	DatabaseErr error // the database took less than it should have; the rest is next to it
	Forgotten   bool  // the recording was stopped, and what was recorded is deleted
	beside      bool  // the database is damaged, and the user knows it
}

// Run runs the command. o says how; its Command, SessionID, Started, Log, Index, Host and Keep are
// set here. If the command cannot be started, nothing of the recording stays, and the error is
// recorder.Run's.
func (r *Recording) Run(ctx context.Context, o recorder.Options) (Result, error) {
	o.Command, o.SessionID, o.Started = r.options.Command, r.sink.session.ID, r.sink.session.StartedAt
	o.Log, o.Index = r.sink, sinkIndex{r.sink}
	r.hosting.attended = o.Stdin != nil && term.IsTerminal(int(o.Stdin.Fd())) && r.options.Hosted == nil
	o.Host = func(c *recorder.Controls) recorder.Host {
		return r.watched(ctx, c, r.hosting.begin(c))
	}
	if r.options.Keep {
		o.Keep = r.hosting.headless
	}
	result, err := recorder.Run(ctx, o)
	if err != nil {
		return Result{}, errors.Join(err, r.sink.Discard())
	}
	return Result{Result: result, DatabaseErr: r.sink.finish(context.WithoutCancel(ctx), result), Forgotten: r.sink.forgotten.Load(), beside: r.sink.beside}, nil
}

// watched returns the host of the session whose controls are c, which also notes the state of the
// repository.
func (r *Recording) watched(ctx context.Context, c *recorder.Controls, host recorder.Host) recorder.Host {
	note := func(g session.Git) {
		c.Mark(session.GitMark(g))
		r.sink.git.Store(&g)
	}
	go r.repository.tellStart(note)
	return untilEnd{host, func() { r.repository.tellEnd(ctx, note) }}
}

// Warning returns what went wrong with the recording, or "".
func (r Result) Warning() string {
	switch {
	case r.Forgotten:
	case r.Lost > 0:
		return fmt.Sprintf("%d bytes of this session are not recorded: %v", r.Lost, r.LogErr)
	case r.DatabaseErr != nil:
		return fmt.Sprintf("the database can no longer be used; the rest of this session is kept next to it: %v", r.DatabaseErr)
	case r.LogErr != nil:
		return fmt.Sprintf("the recording was held up, but is whole: %v", r.LogErr)
	case r.IndexErr != nil:
		return fmt.Sprintf("the session is recorded, but its conversation could not be extracted: %v; try `ptyrec extract last`", r.IndexErr)
	}
	return ""
}

// InDatabase reports whether the session is whole, and the database usable.
func (r Result) InDatabase() bool { return !r.beside && !r.Forgotten && r.Warning() == "" }
