// Package teamsync implements `ptyrec sync`: it sends sessions to a team's server, lists those that
// wait, and withdraws sessions. While sessions are live, a background process sends them.
package teamsync

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Flags select what to do. At most one of them may be set; without one, sessions are sent.
type Flags struct {
	DryRun, Status bool // list what waits; Status adds since when and why
	Withdraw       bool // delete the named sessions on the server and exclude them
	Never          bool // exclude the named sessions
	Check          bool // first ask the server whether it still has what was sent
	Background     bool // send what waits as long as sessions are live
}

// Options are the options of Run.
type Options struct {
	Flags
	Database *sqlite.Store
	Settings func() (*config.Config, error)                // returns the current configuration
	Library  func(*sqlite.Store) (*library.Library, error) // for the database
	Out      io.Writer
	Notice   func(format string, args ...any)
}

// Run sends the sessions with these ids, or all that wait if there are none. The errors have hints.
func Run(ctx context.Context, o Options, ids []string) error {
	if (o.Withdraw || o.Never) && len(ids) == 0 {
		return &failure.Error{Err: errors.New("--withdraw and --never require a session"), Misuse: true}
	}
	infos := make([]*store.Info, 0, len(ids))
	for _, ref := range ids {
		info, err := o.Database.Find(ctx, ref)
		if err != nil {
			return err
		}
		infos = append(infos, info)
	}
	if o.Never {
		return o.exclude(ctx, infos)
	}
	if o.Background {
		return o.background(ctx)
	}
	s, err := o.syncer()
	switch {
	case err != nil:
		return err
	case o.Withdraw:
		return o.withdraw(ctx, s, infos)
	case o.DryRun, o.Status:
		return o.printWaiting(ctx, s, infos)
	}
	unlock, err := o.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := o.check(ctx, s, len(ids) > 0); err != nil {
		return err
	}
	if len(ids) == 0 {
		if infos, _, err = s.Waiting(ctx); err != nil {
			return err
		}
	}
	return o.send(ctx, s, infos, len(ids) > 0)
}

// exclude excludes sessions from sending.
func (o *Options) exclude(ctx context.Context, infos []*store.Info) error {
	for _, info := range infos {
		if err := team.Never(ctx, o.Database, info.ID); err != nil {
			return err
		}
		o.Notice("%s is now excluded from sync; `ptyrec sync --withdraw` also deletes it on the server", info.ID)
	}
	return nil
}

// withdraw deletes sessions from the server.
func (o *Options) withdraw(ctx context.Context, s *team.Syncer, infos []*store.Info) error {
	for _, info := range infos {
		if err := s.Withdraw(ctx, info.ID); err != nil {
			return failure.New(err,
				"it is excluded from sync; to delete it on the server, repeat `ptyrec sync --withdraw` later")
		}
		o.Notice("%s is deleted on the server, and excluded from sync", info.ID)
	}
	return nil
}

// send sends sessions. If one fails, it continues with the next.
func (o *Options) send(ctx context.Context, s *team.Syncer, infos []*store.Info, named bool) error {
	if len(infos) > 0 {
		var err error
		if s.Library, err = o.Library(o.Database); err != nil {
			return err
		}
	}
	sent, failed := 0, error(nil)
	for _, info := range infos {
		err := s.Send(ctx, info)
		switch {
		case err == nil:
			sent++
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, team.ErrRedactionOff):
			return failure.New(err, "turn redaction on: docs/privacy.md")
		case errors.Is(err, team.ErrNever) && !named:
		default:
			o.Notice("%s was not sent: %s", info.ID, printable.Line(err.Error()))
			failed = err
		}
	}
	o.Notice("sent %d of %d sessions to %s", sent, len(infos), s.Server.URL())
	var told *failure.Error
	if named && errors.As(hinted(failed), &told) {
		return told
	}
	if failed != nil {
		return failure.New(errors.New("some sessions were not sent"),
			"`ptyrec sync --status` says why; they are sent the next time")
	}
	return nil
}

// check compares what was sent with what the server has, if a day has passed or the user asks for
// it.
func (o *Options) check(ctx context.Context, s *team.Syncer, named bool) error {
	if named && !o.Check {
		return nil
	}
	compared, differ, err := s.Check(ctx, !o.Check)
	switch {
	case err != nil && (o.Check || ctx.Err() != nil):
		return failure.New(err, "check that the server is up; `ptyrec sync --status` shows what waits")
	case err != nil:
		o.Notice("could not check whether the server still has the sessions: %s", printable.Line(err.Error()))
	case o.Check || differ > 0:
		o.Notice("the server lacks parts of %d of %d sessions", differ, compared)
	}
	return nil
}

// printWaiting prints the waiting sessions, or those of named that wait.
func (o *Options) printWaiting(ctx context.Context, s *team.Syncer, named []*store.Info) error {
	infos, pushes, err := s.Waiting(ctx)
	if err != nil {
		return err
	}
	if !s.Rules.All && len(s.Rules.Folders) == 0 {
		o.Notice("nothing is sent: `folders` in [team] of the configuration is empty")
	}
	for _, info := range infos {
		if len(named) > 0 && !slices.ContainsFunc(named, func(n *store.Info) bool { return n.ID == info.ID }) {
			continue
		}
		line := info.ID + "\t" + printable.Line(listing.Title(info))
		if o.Status {
			since, why := waiting(info, pushes[info.ID])
			line += "\t" + since.Local().Format(time.DateTime) + "\t" + printable.Line(why)
		}
		if _, err := fmt.Fprintln(o.Out, line); err != nil {
			return err
		}
	}
	if o.Status && running(o.Database.Path()) {
		o.Notice("a sync in the background sends them")
	}
	return nil
}

// waiting returns since when and why a session waits.
func waiting(info *store.Info, p store.Push) (since time.Time, why string) {
	ended := info.StartedAt.Add(info.Duration)
	if info.EndedAt != nil {
		ended = *info.EndedAt
	}
	switch {
	case !p.Waits.IsZero():
		return p.Waits, p.Failed
	case !p.Sent.IsZero():
		return p.Sent, "changed since it was sent"
	}
	return ended, "not sent yet"
}

// syncer returns the Syncer for the configuration, without a Library.
func (o *Options) syncer() (*team.Syncer, error) {
	c, err := o.Settings()
	if err != nil {
		return nil, err
	}
	if c.Team.Server == "" {
		return nil, errNoServer()
	}
	server, everything, err := Connect(c.Team.Server)
	if err != nil {
		return nil, err
	}
	rules, err := c.Team.Rules(everything)
	if err != nil {
		return nil, err
	}
	home, _ := sys.HomeFolder() // without a home folder, ~ is not replaced
	return &team.Syncer{Store: o.Database, Server: server, Rules: rules, Home: home}, nil
}
