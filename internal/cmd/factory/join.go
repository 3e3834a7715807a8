package factory

import (
	"context"
	"io"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// LiveSessions dials the live sessions of this user on this machine.
func (f *Factory) LiveSessions(ctx context.Context) (*client.Client, error) {
	return client.Dial(ctx, "", f.LiveOptions(nil))
}

// LiveOptions says how to find the live sessions of this machine. If db is nil, the database is
// opened once it is needed.
func (f *Factory) LiveOptions(db *sqlite.Store) client.Options {
	path, _ := f.DatabasePath() // without one, the user's folders are left
	return client.Options{Database: path, Other: func(ctx context.Context, ref string) (_ io.ReadWriteCloser, err error) {
		if db == nil {
			if db, err = f.OpenExisting(ctx); err != nil {
				return nil, err
			}
		}
		return f.Follow(ctx, db, ref)
	}}
}

// Join attaches to a live session of this user on this machine, for a command that is no
// viewer. The caller must close the stream.
func Join(ctx context.Context, f *Factory, ref string, o client.AttachOptions) (*client.Stream, protocol.Hello, error) {
	ref, err := opener.LiveName(ref)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	c, err := f.LiveSessions(ctx)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	return join.Session(ctx, c, ref, o)
}
