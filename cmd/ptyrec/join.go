package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
)

// liveSessions dials the live sessions of this user on this machine.
func (a *app) liveSessions(ctx context.Context) (*client.Client, error) {
	return client.Dial(ctx, "", a.liveOptions(nil))
}

// liveOptions says how to find the live sessions of this machine. If db is nil, the database is
// opened once it is needed.
func (a *app) liveOptions(db *store.Store) client.Options {
	path, _ := a.dbPath() // without one, the user's folders are left
	return client.Options{Database: path, Other: func(ctx context.Context, ref string) (_ io.ReadWriteCloser, err error) {
		if db == nil {
			if db, err = a.openExisting(ctx); err != nil {
				return nil, err
			}
		}
		return a.follow(ctx, db, ref)
	}}
}

// joinLive attaches to a live session of this user on this machine, for a command that is no
// viewer. The caller must close the stream.
func joinLive(ctx context.Context, a *app, ref string, o client.AttachOptions) (*client.Stream, protocol.Hello, error) {
	ref, err := liveName(ref)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	c, err := a.liveSessions(ctx)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	s, err := c.Attach(ctx, ref, o)
	if errors.Is(err, session.ErrNotFound) {
		err = fail(fmt.Errorf("no live session %q can be joined", ref), "`ptyrec list --live` shows those that run")
	}
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	return joined(ctx, s)
}

// joined waits until s is connected, and returns what the session says then. It closes s if that
// fails.
func joined(ctx context.Context, s *client.Stream) (*client.Stream, protocol.Hello, error) {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			_ = s.Close()
			return nil, protocol.Hello{}, sessionOver(err)
		}
		if connected, ok := e.(client.Connected); ok {
			return s, connected.Hello, nil
		}
	}
}

// sessionOver says that a session ended before it did what was wanted.
func sessionOver(err error) error {
	if errors.Is(err, io.EOF) {
		return fail(errors.New("the session is over"), "`ptyrec show last` shows what was said")
	}
	return err
}

// refused adds a hint to the error of a request that a session refuses.
func refused(err error, id string) error {
	var e *protocol.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case protocol.CodeNoControl:
		return fail(e, "the session's user lets programs type with `ptyrec grant "+id[:min(8, len(id))]+"`")
	case protocol.CodeNotAllowed:
		return fail(e, "do it from a terminal outside of the session")
	case protocol.CodeAsking:
		hint := "`ptyrec screen " + id[:min(8, len(id))] + "` shows the question: answer it with --keys, or type all the same with --force"
		return &cli.Failure{Err: e, Hint: hint, Status: statusAsking}
	case protocol.CodeUnavailable:
		return fail(e, "look at it with `ptyrec screen "+id[:min(8, len(id))]+"`")
	}
	return e
}

// screenNow reads the screen of a session that was attached to in ModeScreen.
func screenNow(ctx context.Context, s *client.Stream) (*vterm.Term, error) {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return nil, sessionOver(err)
		}
		if snap, ok := e.(protocol.Snapshot); ok {
			t := vterm.New(vterm.Options{Cols: snap.Cols, Rows: snap.Rows})
			_, _ = t.Write(snap.Data) // never fails
			return t, nil
		}
	}
}
