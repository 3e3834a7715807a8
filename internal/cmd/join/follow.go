package join

import (
	"context"
	"io"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/live/follow"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// follow connects to a command that a program runs, by its raw log. The error wraps
// session.ErrNotFound if ref names no running command.
func (l Live) follow(ctx context.Context, db *sqlite.Store, ref string) (io.ReadWriteCloser, error) {
	if ref == archive.Last {
		infos, err := db.Sessions(ctx, store.Filter{Live: true, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(infos) > 0 {
			ref = infos[0].ID
		}
	}
	r, err := l.Open.Redaction()
	if err != nil {
		return nil, err
	}
	return follow.Connect(ctx, follow.Options{
		Store: db, Server: "ptyrec " + buildinfo.Version(),
		Reader: func(s session.Session) follow.Reader { return archive.NewEntryReader(s, r) },
	}, ref)
}
