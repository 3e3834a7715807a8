package factory

import (
	"context"
	"errors"
	"strings"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/progress"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// DatabasePath returns the path of the database, which is a file.
func (f *Factory) DatabasePath() (string, error) {
	name, err := f.DatabaseName()
	if err == nil && postgres.Is(name) {
		return "", failure.New(errors.New("this command needs a database file, not PostgreSQL"),
			"leave out --db and $PTYREC_DB: sessions are recorded into a file, without a network; `ptyrec serve` shows those in PostgreSQL")
	}
	return name, err
}

// DatabaseName returns the path of the database, or the connection string of one in PostgreSQL.
func (f *Factory) DatabaseName() (string, error) {
	if f.Database != "" {
		return f.Database, nil
	}
	return config.DatabasePath(f.Config)
}

// newOpener returns what opens the database, and what the arguments name, until the command ends.
func newOpener(f *Factory) *opener.Opener {
	return &opener.Opener{Database: f.DatabasePath, Recording: f.OpenRecording, Progress: f.IO.Progress, Notice: f.IO.Notice, Temps: &f.IO.Temps}
}

// OpenStore opens the database, and makes it if there is none.
func (f *Factory) OpenStore(ctx context.Context) (*sqlite.Store, error) {
	defer f.Retain()
	return f.Open.Store(ctx)
}

// OpenExisting opens the database. The error wraps opener.ErrNoDatabase if there is none.
func (f *Factory) OpenExisting(ctx context.Context) (*sqlite.Store, error) {
	defer f.Retain()
	return f.Open.Existing(ctx)
}

// Resolve finds out what the first of args names.
func (f *Factory) Resolve(ctx context.Context, args []string) (opener.Target, error) {
	return f.Open.Resolve(ctx, args)
}

// OpenSession opens the session, or the recording, that the first of args names.
func (f *Factory) OpenSession(ctx context.Context, args []string) (*sqlite.Store, *store.Info, archive.Ref, error) {
	defer f.Retain()
	return f.Open.Session(ctx, args)
}

// OpenStored opens the session of the database that the first of args names.
func (f *Factory) OpenStored(ctx context.Context, args []string) (*sqlite.Store, *store.Info, archive.Ref, error) {
	return f.Open.Stored(ctx, args)
}

// ShortID returns the beginning of an id that no other session shares.
func ShortID(ctx context.Context, db *sqlite.Store, id string) string {
	ids, err := db.IDs(ctx)
	if err != nil {
		return id
	}
	return listing.NewShortIDs(ids).Of(id)
}

// Library returns the sessions of db as the user may see them.
func (f *Factory) Library(db store.Reader) (*library.Library, error) {
	r, err := f.Redaction()
	return &library.Library{
		Store: db, Redact: r, Warn: f.IO.Notice,
		Progress: func(label string, total int64) *progress.Bar { return f.IO.Progress(label, "", total) },
	}, err
}

// Sockets returns those of the live sessions of this user on this machine, by the sessions' ids.
func (f *Factory) Sockets() map[string]string {
	path, _ := f.DatabasePath()     // without one, the user's folders are left
	sockets, _ := rundir.Find(path) // doctor says what is wrong with a folder
	return sockets
}

// OpenSandbox opens the sandbox that the first of args names. It is nil if that is a session.
func (f *Factory) OpenSandbox(ctx context.Context, team bool, args []string) (*library.Library, *library.Sandbox, error) {
	if len(args) == 0 || !strings.HasPrefix(args[0], library.SandboxPrefix) {
		return nil, nil, nil
	}
	ref, err := opener.ParseRef(args[0])
	if err != nil {
		return nil, nil, err
	}
	db, err := f.OpenFor(ctx, team)
	if err != nil {
		return nil, nil, err
	}
	lib, err := f.Library(db)
	if err != nil {
		return nil, nil, err
	}
	s, err := lib.Sandbox(ctx, ref)
	return lib, s, err
}

// IsOver reports whether a session is known and has ended. Then its id in the environment was
// inherited, by a tmux server for example, and means nothing any more.
func (f *Factory) IsOver(ctx context.Context, id string) bool {
	s, err := f.OpenExisting(ctx)
	if err != nil {
		return false
	}
	info, err := s.Find(ctx, id)
	return err == nil && info.Status != store.Live
}

// IsLive reports whether a session is known and being recorded.
func (f *Factory) IsLive(ctx context.Context, id string) bool {
	s, err := f.OpenExisting(ctx)
	if err != nil {
		return false
	}
	info, err := s.Find(ctx, id)
	return err == nil && info.Status == store.Live
}

// OpenTeam opens a database in PostgreSQL until the command ends.
func (f *Factory) OpenTeam(ctx context.Context, dsn string) (*postgres.Store, error) {
	db, err := postgres.Open(ctx, dsn)
	if err != nil {
		return nil, failure.New(err, "the database is named as postgres://USER@HOST/NAME; $PGPASSWORD or ~/.pgpass has the password")
	}
	f.CloseLater(db)
	return db, nil
}
