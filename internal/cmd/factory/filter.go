package factory

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/store"
)

// FilterFlags are the flags with which list, search and other commands select sessions.
type FilterFlags struct{ SessionFlags }

// TableFlags are the flags of commands that print sessions for people, or as JSON for programs.
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
	flags.SessionFlags.Register(cmd.Flags())
	completeFilters(open, cmd)
}

// Choose opens the database and returns the sessions that the flags select, newest first, at most
// limit unless it is 0. If there is no database, it returns nil and no sessions.
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

// SayUnderstood prints the date for which a weekday was taken.
func (flags *FilterFlags) SayUnderstood(notice func(format string, args ...any)) {
	if text := flags.Understood(); text != "" {
		notice("%s", text)
	}
}

// NoticeNone prints that there is nothing to show, and why.
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
