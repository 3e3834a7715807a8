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
	Database string          // path of the database; the file need not exist
	Redact   archive.Redaction
	Server   string                        // name of the server for viewers: "ptyrec 1.2.3"
	Warn     func(format string, a ...any) // prints a warning for the user before the command runs
	Hosted   func(id string)               // called when the command runs, if it has no terminal; nil if it has one
	Keep     bool                          // continue without the terminal when that is lost
	Starter  int                           // process id of the program that started the session and types into it; 0: none
	Notify   notify.Options                // how to notify the user that an agent waits
	Environ  []string                      // environment of notification commands
}

// Recording is a session being recorded. The caller must Close it.
type Recording struct {
	options    Options
	sink       *sink
	hosting    *hosting
	repository *repository
}

// Start prepares a recording and begins its journal. A damaged database is no obstacle, but the
// user is warned. A file that is not a database is an error.
func Start(ctx context.Context, o Options) (*Recording, error) {
	repo := watchRepository(ctx, o)
	to, err := startSink(ctx, o)
	if err != nil {
		repo.close()
		return nil, err
	}
	return &Recording{options: o, sink: to, hosting: newHosting(o, to), repository: repo}, nil
}

// Close closes the database and disconnects the viewers.
func (r *Recording) Close() {
	r.repository.close()
	r.hosting.close()
	r.sink.close()
}

// Result says how a recorded command ended, and what went wrong with the recording.
type Result struct {
	recorder.Result
	DatabaseErr error // the database lacks some data, which is next to it
	Forgotten   bool  // the recording was stopped and deleted
	beside      bool  // the database is damaged, and the user was warned
}

// Run runs the command. It sets the Command, SessionID, Started, Log, Index, Host and Keep of o. If
// the command cannot be started, the recording is removed, and the error is that of recorder.Run.
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
	return Result{Result: result, DatabaseErr: r.sink.finish(context.WithoutCancel(ctx), result),
		Forgotten: r.sink.forgotten.Load(), beside: r.sink.beside}, nil
}

// watched returns the host of the session with the controls c, which also records the state of the
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
		return fmt.Sprintf("the database can no longer be used; the rest of this session is kept next to it: %v",
			r.DatabaseErr)
	case r.LogErr != nil:
		return fmt.Sprintf("the recording was held up, but is whole: %v", r.LogErr)
	case r.IndexErr != nil:
		return fmt.Sprintf("the session is recorded, but its conversation could not be extracted: %v; try `ptyrec extract "+
			"last`", r.IndexErr)
	}
	return ""
}

// InDatabase reports whether the session is complete and the database usable.
func (r Result) InDatabase() bool { return !r.beside && !r.Forgotten && r.Warning() == "" }
