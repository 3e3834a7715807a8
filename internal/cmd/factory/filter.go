package factory

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cli/sessionflags"
	"github.com/ptyrec/ptyrec/store"
)

// FilterFlags are the flags by which list, search and others choose sessions.
type FilterFlags struct{ sessionflags.Flags }

// TableFlags are those of commands that show sessions to people, and to programs as JSON.
type TableFlags struct {
	FilterFlags
	AsJSON bool
}

// Register adds the flags to cmd.
func (flags *TableFlags) Register(open *opener.Opener, cmd *cobra.Command) {
	flags.FilterFlags.Register(open, cmd)
	cmd.Flags().BoolVar(&flags.AsJSON, "json", false, "write JSON")
}

// Register adds the flags to cmd.
func (flags *FilterFlags) Register(open *opener.Opener, cmd *cobra.Command) {
	flags.Flags.Register(cmd.Flags())
	completeFilters(open, cmd)
}

// Choose opens the database and returns the sessions that the flags choose, the newest first, and
// no more than limit unless it is 0. Without a database it is nil and there are no sessions.
func (flags *FilterFlags) Choose(ctx context.Context, open *opener.Opener, now time.Time, limit int) (opener.Sessions,
	[]*store.Info, store.Filter, error) {
	filter, err := flags.Filter(now)
	if err != nil {
		return nil, nil, filter, err
	}
	flags.SayUnderstood(open.Notice)
	filter.Limit = limit
	db, err := open.For(ctx, flags.Team)
	if errors.Is(err, opener.ErrNoDatabase) {
		return nil, nil, filter, nil
	}
	if err != nil {
		return nil, nil, filter, err
	}
	infos, err := db.Sessions(ctx, filter)
	return db, infos, filter, err
}

// SayUnderstood says which day a weekday was taken for.
func (flags *FilterFlags) SayUnderstood(notice func(format string, args ...any)) {
	if text := flags.Understood(); text != "" {
		notice("%s", text)
	}
}

// NoticeNone says that there is nothing to show, and why.
func (flags *FilterFlags) NoticeNone(open *opener.Opener) {
	if flags.Any() {
		open.Notice("no session matches")
		return
	}
	if open.Hidden != nil {
		open.Notice("no session can be read")
		return
	}
	open.Notice("no session is recorded yet; to record one: ptyrec run -- COMMAND")
}
