package factory

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
func (flags *TableFlags) Register(f *Factory, cmd *cobra.Command) {
	flags.FilterFlags.Register(f, cmd)
	cmd.Flags().BoolVar(&flags.AsJSON, "json", false, "as JSON")
}

// Register adds the flags to cmd.
func (flags *FilterFlags) Register(f *Factory, cmd *cobra.Command) {
	flags.Flags.Register(cmd.Flags())
	completeFilters(f, cmd)
}

// Sessions has sessions to read: a *sqlite.Store, or a *team.Reader.
type Sessions interface {
	store.Reader
	usage.Database
	IDs(ctx context.Context) ([]string, error)
	Sandboxes(ctx context.Context, f store.Filter) ([]store.SandboxInfo, error)
}

// OpenFor opens the database for reading, or the server of the team.
func (f *Factory) OpenFor(ctx context.Context, team bool) (Sessions, error) {
	if !team {
		return f.OpenExisting(ctx)
	}
	c, err := f.Config()
	if err != nil {
		return nil, err
	}
	return teamsync.NewReader(c.Team.Server)
}

// OpenIn is OpenSession, also for a session on the server of the team.
func (f *Factory) OpenIn(ctx context.Context, team bool, args []string) (store.Reader, *store.Info, archive.Ref, error) {
	if !team {
		return f.OpenSession(ctx, args)
	}
	db, err := f.OpenFor(ctx, team)
	if err != nil {
		return nil, nil, archive.Ref{}, err
	}
	info, ref, err := opener.Remote(ctx, db, args)
	return db, info, ref, err
}

// Choose opens the database and returns the sessions that the flags choose, the newest first, and
// no more than limit unless it is 0. Without a database it is nil and there are no sessions.
func (flags *FilterFlags) Choose(ctx context.Context, f *Factory, now time.Time, limit int) (Sessions, []*store.Info, store.Filter, error) {
	filter, err := flags.Filter(now)
	if err != nil {
		return nil, nil, filter, err
	}
	f.SayUnderstood(flags)
	filter.Limit = limit
	db, err := f.OpenFor(ctx, flags.Team)
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
func (f *Factory) SayUnderstood(flags *FilterFlags) {
	if text := flags.Understood(); text != "" {
		f.IO.Notice("%s", text)
	}
}

// NoticeNone says that there is nothing to show, and why.
func (f *Factory) NoticeNone(flags FilterFlags) {
	if flags.Any() {
		f.IO.Notice("no session matches")
		return
	}
	if f.Open.Hidden != nil {
		f.IO.Notice("no session can be read")
		return
	}
	f.IO.Notice("no session is recorded yet; to record one: ptyrec run -- COMMAND")
}
