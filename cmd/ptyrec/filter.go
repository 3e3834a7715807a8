package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/opener"
	"github.com/ptyrec/ptyrec/internal/sessionflags"
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

// sessions opens the database and returns the sessions that the flags choose, the newest first, and
// no more than limit unless it is 0. Without a database the Store is nil and there are no sessions.
func (f *filterFlags) sessions(ctx context.Context, a *app, now time.Time, limit int) (*store.Store, []*store.Info, store.Filter, error) {
	filter, err := f.Filter(now)
	if err != nil {
		return nil, nil, filter, err
	}
	filter.Limit = limit
	db, err := a.openExisting(ctx)
	if errors.Is(err, opener.ErrNoDatabase) {
		return nil, nil, filter, nil
	}
	if err != nil {
		return nil, nil, filter, err
	}
	infos, err := db.Sessions(ctx, filter)
	return db, infos, filter, err
}

// noticeNone says that there is nothing to show, and why.
func (a *app) noticeNone(f filterFlags) {
	if f.Any() {
		a.notice("no session matches")
		return
	}
	a.notice("no session is recorded yet; to record one: ptyrec run -- COMMAND")
}
