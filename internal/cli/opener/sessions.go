package opener

import (
	"context"
	"strings"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/usage"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Sessions are readable sessions. *sqlite.Store and *team.Reader implement it.
type Sessions interface {
	store.Reader
	usage.Database
	IDs(ctx context.Context) ([]string, error)
	Sandboxes(ctx context.Context, f store.Filter) ([]store.SandboxInfo, error)
}

// For opens the database for reading, or connects to the team's server.
func (o *Opener) For(ctx context.Context, team bool) (Sessions, error) {
	if !team {
		return o.Existing(ctx)
	}
	return o.Team()
}

// In is like Session, but also for a session on the team's server.
func (o *Opener) In(ctx context.Context, team bool, args []string) (store.Reader, *store.Info, archive.Ref, error) {
	if !team {
		return o.Session(ctx, args)
	}
	db, err := o.For(ctx, team)
	if err != nil {
		return nil, nil, archive.Ref{}, err
	}
	info, ref, err := Remote(ctx, db, args)
	return db, info, ref, err
}

// Sandbox opens the sandbox that the first of args names. It returns nil if that names a session.
func (o *Opener) Sandbox(ctx context.Context, team bool, args []string) (*library.Library, *library.Sandbox, error) {
	if len(args) == 0 || !strings.HasPrefix(args[0], library.SandboxPrefix) {
		return nil, nil, nil
	}
	ref, err := parseRef(args[0])
	if err != nil {
		return nil, nil, err
	}
	db, err := o.For(ctx, team)
	if err != nil {
		return nil, nil, err
	}
	lib, err := o.Library(db)
	if err != nil {
		return nil, nil, err
	}
	s, err := lib.Sandbox(ctx, ref)
	return lib, s, err
}

// Library returns the sessions of db as the user may see them.
func (o *Opener) Library(db store.Reader) (*library.Library, error) {
	r, err := o.Redaction()
	return &library.Library{
		Store: db, Redact: r, Warn: o.Notice,
		Progress: func(label string, total int64) *human.Bar { return o.Progress(label, "", total) },
	}, err
}

// ShortID returns the short form of an id.
func ShortID(ctx context.Context, db *sqlite.Store, id string) string {
	ids, err := db.IDs(ctx)
	if err != nil {
		return id
	}
	return listing.NewShortIDs(ids).Of(id)
}

// Sockets returns the sockets of this user's live sessions on this machine by id.
func (o *Opener) Sockets() map[string]string {
	path, _ := o.Database()         // on an error, only the user's folders are searched
	sockets, _ := rundir.Find(path) // doctor reports problems with folders
	return sockets
}

// IsOver reports whether a session is known and has ended. If so, its id in the environment was
// only inherited, for example by a tmux server.
func (o *Opener) IsOver(ctx context.Context, id string) bool {
	s, err := o.Existing(ctx)
	if err != nil {
		return false
	}
	info, err := s.Find(ctx, id)
	return err == nil && info.Status != store.Live
}

// IsLive reports whether a session is known and being recorded.
func (o *Opener) IsLive(ctx context.Context, id string) bool {
	s, err := o.Existing(ctx)
	if err != nil {
		return false
	}
	info, err := s.Find(ctx, id)
	return err == nil && info.Status == store.Live
}
