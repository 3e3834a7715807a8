package main

import (
	"context"
	"errors"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/progress"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// dbPath returns the path of the database, which is a file.
func (a *app) dbPath() (string, error) {
	name, err := a.dbName()
	if err == nil && postgres.Is(name) {
		return "", failure.New(errors.New("this command needs a database file, not PostgreSQL"),
			"leave out --db and $PTYREC_DB: sessions are recorded into a file, without a network; `ptyrec serve` shows those in PostgreSQL")
	}
	return name, err
}

// dbName returns the path of the database, or the connection string of one in PostgreSQL.
func (a *app) dbName() (string, error) {
	if a.dbFlag != "" {
		return a.dbFlag, nil
	}
	return config.DatabasePath(a.loadConfig)
}

// newOpener returns what opens the database, and what the arguments name, until the command ends.
func newOpener(a *app) *opener.Opener {
	return &opener.Opener{Database: a.dbPath, Recording: a.openRecording, Progress: a.progress, Notice: a.notice, Temps: &a.temps}
}

func (a *app) openStore(ctx context.Context) (*sqlite.Store, error) {
	defer a.retain()
	return a.open.Store(ctx)
}

func (a *app) openExisting(ctx context.Context) (*sqlite.Store, error) {
	defer a.retain()
	return a.open.Existing(ctx)
}

func (a *app) resolve(ctx context.Context, args []string) (opener.Target, error) {
	return a.open.Resolve(ctx, args)
}

func (a *app) openSession(ctx context.Context, args []string) (*sqlite.Store, *store.Info, archive.Ref, error) {
	defer a.retain()
	return a.open.Session(ctx, args)
}

func (a *app) openStored(ctx context.Context, args []string) (*sqlite.Store, *store.Info, archive.Ref, error) {
	return a.open.Stored(ctx, args)
}

// shortID returns the beginning of an id that no other session shares.
func shortID(ctx context.Context, db *sqlite.Store, id string) string {
	ids, err := db.IDs(ctx)
	if err != nil {
		return id
	}
	return listing.NewShortIDs(ids).Of(id)
}

// library returns the sessions of db as the user may see them.
func (a *app) library(db library.Store) (*library.Library, error) {
	r, err := a.redaction()
	return &library.Library{
		Store: db, Redact: r, Warn: a.notice,
		Progress: func(label string, total int64) *progress.Bar { return a.progress(label, "", total) },
	}, err
}
