package join

import (
	"context"
	"io"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Live finds the live sessions of this user on this machine.
type Live struct{ Open *opener.Opener }

// Dial returns a client for the live sessions of this user on this machine.
func (l Live) Dial(ctx context.Context) (*client.Client, error) {
	return client.Dial(ctx, "", l.Options(nil))
}

// Options returns the options for finding the live sessions of this machine. If db is nil, the
// database is opened when it is needed.
func (l Live) Options(db *sqlite.Store) client.Options {
	path, _ := l.Open.Database() // on an error, only the user's folders are searched
	return client.Options{Database: path, Other: func(ctx context.Context, ref string) (_ io.ReadWriteCloser, err error) {
		if db == nil {
			if db, err = l.Open.Existing(ctx); err != nil {
				return nil, err
			}
		}
		return l.follow(ctx, db, ref)
	}}
}

// Join attaches to a live session of this user on this machine, for a command that is not a viewer.
// The caller must close the stream.
func (l Live) Join(ctx context.Context, ref string, o client.AttachOptions) (*client.Stream, protocol.Hello, error) {
	ref, err := opener.LiveName(ref)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	c, err := l.Dial(ctx)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	return Session(ctx, c, ref, o)
}
