package main

import (
	"context"
	"io"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/watch/join"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// liveSessions dials the live sessions of this user on this machine.
func (a *app) liveSessions(ctx context.Context) (*client.Client, error) {
	return client.Dial(ctx, "", a.liveOptions(nil))
}

// liveOptions says how to find the live sessions of this machine. If db is nil, the database is
// opened once it is needed.
func (a *app) liveOptions(db *sqlite.Store) client.Options {
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
	ref, err := opener.LiveName(ref)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	c, err := a.liveSessions(ctx)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	return join.Session(ctx, c, ref, o)
}
