package main

import (
	"context"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/follow"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/process"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/transcript"
)

// follow connects to a command that a program runs, by its raw log. The error wraps
// session.ErrNotFound if ref names none that runs.
func (a *app) follow(ctx context.Context, db *store.Store, ref string) (io.ReadWriteCloser, error) {
	if ref == archive.Last {
		infos, err := db.Sessions(ctx, store.Filter{Live: true, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(infos) > 0 {
			ref = infos[0].ID
		}
	}
	r, err := a.redaction()
	if err != nil {
		return nil, err
	}
	return follow.Connect(ctx, follow.Options{
		Store: db, Server: "ptyrec " + buildinfo.Version(),
		Reader: func(s session.Session) follow.Reader { return newEntryReader(s, r) },
	}, ref)
}

// entryReader makes entries of a command's events. It implements follow.Reader.
type entryReader struct {
	redact  archive.Redaction
	command *process.Transcript // nil: it has a PTY
	*transcript.Processor
	last time.Duration
	fed  bool
}

func newEntryReader(s session.Session, r archive.Redaction) *entryReader {
	e := &entryReader{}
	if e.redact, _ = r.Of(s.Command); s.Piped() {
		e.command, e.fed = process.NewTranscript(s), true
		return e
	}
	e.Processor = archive.NewProcessor(s)
	return e
}

// Feed implements follow.Reader.
func (r *entryReader) Feed(e session.Event) {
	r.last = e.At
	if r.command == nil {
		r.Processor.Feed(e)
		return
	}
	r.command.Feed(e)
	r.fed = true
}

// Changes implements follow.Reader.
func (r *entryReader) Changes() (changed []*session.Entry, gone []string) {
	switch {
	case r.command == nil:
		changed, gone = r.Processor.Changes()
		for i, e := range changed {
			c := *e // the Processor changes its own
			changed[i] = &c
		}
	case r.fed:
		changed, r.fed = r.command.Entries(), false
	}
	return r.redact.Entries(changed, nil), gone
}

// Close implements follow.Reader.
func (r *entryReader) Close() {
	if r.command == nil {
		r.Processor.Close(r.last)
	}
}
