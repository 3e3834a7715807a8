package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cli/sessionflags"
	"github.com/ptyrec/ptyrec/internal/cli/usage"
	"github.com/ptyrec/ptyrec/internal/cmd/team/teamsync"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/store"
)

// filterFlags are the flags by which list, search and others choose sessions.
type filterFlags struct{ sessionflags.Flags }

// tableFlags are those of commands that show sessions to people, and to programs as JSON.
type tableFlags struct {
	filterFlags
	asJSON bool
}

func (f *tableFlags) register(a *app, cmd *cobra.Command) {
	f.filterFlags.register(a, cmd)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "as JSON")
}

func (f *filterFlags) register(a *app, cmd *cobra.Command) {
	f.Register(cmd.Flags())
	completeFilters(a, cmd)
}

// database has sessions to read: a *sqlite.Store, or a *team.Reader.
type database interface {
	library.Store
	usage.Database
	usage.Store
	IDs(ctx context.Context) ([]string, error)
	Sandboxes(ctx context.Context, f store.Filter) ([]store.SandboxInfo, error)
}

// openFor opens the database for reading, or the server of the team.
func (a *app) openFor(ctx context.Context, team bool) (database, error) {
	if !team {
		return a.openExisting(ctx)
	}
	c, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	return teamsync.NewReader(c.Team.Server)
}

// openIn is openSession, also for a session on the server of the team.
func (a *app) openIn(ctx context.Context, team bool, args []string) (library.Store, *store.Info, archive.Ref, error) {
	if !team {
		return a.openSession(ctx, args)
	}
	db, err := a.openFor(ctx, team)
	if err != nil {
		return nil, nil, archive.Ref{}, err
	}
	info, ref, err := opener.Remote(ctx, db, args)
	return db, info, ref, err
}

// sessions opens the database and returns the sessions that the flags choose, the newest first, and
// no more than limit unless it is 0. Without a database it is nil and there are no sessions.
func (f *filterFlags) sessions(ctx context.Context, a *app, now time.Time, limit int) (database, []*store.Info, store.Filter, error) {
	filter, err := f.Filter(now)
	if err != nil {
		return nil, nil, filter, err
	}
	a.sayUnderstood(f)
	filter.Limit = limit
	db, err := a.openFor(ctx, f.Team)
	if errors.Is(err, opener.ErrNoDatabase) {
		return nil, nil, filter, nil
	}
	if err != nil {
		return nil, nil, filter, err
	}
	infos, err := db.Sessions(ctx, filter)
	return db, infos, filter, err
}

// sayUnderstood says which day a weekday was taken for.
func (a *app) sayUnderstood(f *filterFlags) {
	if text := f.Understood(); text != "" {
		a.notice("%s", text)
	}
}

// noticeNone says that there is nothing to show, and why.
func (a *app) noticeNone(f filterFlags) {
	if f.Any() {
		a.notice("no session matches")
		return
	}
	if a.open.Hidden != nil {
		a.notice("no session can be read")
		return
	}
	a.notice("no session is recorded yet; to record one: ptyrec run -- COMMAND")
}
