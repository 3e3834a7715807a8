package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/bytelock"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/internal/xdg"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/team"
)

type syncFlags struct {
	dryRun, status, withdraw, never bool
}

func newSyncCmd(a *app) *cobra.Command {
	var f syncFlags
	cmd := &cobra.Command{
		Use:   "sync [S…]",
		Short: "Send sessions to the server of your team",
		Long: `Sync sends the sessions that have ended and that the settings of [team] choose, or the named ones of these, to the server of a team (docs/team.md):
without secrets, and without what you typed. It sends what is new, and ends. A session is never sent if its folder is not one of ` + "`folders`" + `.`,
		Example: `  ptyrec sync --dry-run          what would be sent
  ptyrec sync
  ptyrec sync --status           what waits, since when, and why
  ptyrec sync --withdraw last    the server deletes it
  ptyrec sync --never last       it is never sent`,
		Args:              operands(0, -1),
		ValidArgsFunction: completeSessions(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return syncSessions(cmd.Context(), a, f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.dryRun, "dry-run", false, "only print what would be sent")
	flags.BoolVar(&f.status, "status", false, "only print what waits, since when and why")
	flags.BoolVar(&f.withdraw, "withdraw", false, "take the named sessions back, and never send them again")
	flags.BoolVar(&f.never, "never", false, "never send the named sessions")
	return cmd
}

func syncSessions(ctx context.Context, a *app, f syncFlags, args []string) error {
	if (f.withdraw || f.never) && len(args) == 0 {
		return usageError(errors.New("--withdraw and --never need a session"))
	}
	db, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	infos := make([]*store.Info, 0, len(args))
	for _, ref := range args {
		info, err := db.Find(ctx, ref)
		if err != nil {
			return err
		}
		infos = append(infos, info)
	}
	if f.never {
		for _, info := range infos {
			if err := team.Never(ctx, db, info.ID); err != nil {
				return err
			}
		}
		return nil
	}
	s, err := a.syncer(db)
	if err != nil {
		return err
	}
	switch {
	case f.withdraw:
		for _, info := range infos {
			if err := s.Withdraw(ctx, info.ID); err != nil {
				return fail(err, "it is never sent again; try `ptyrec sync --withdraw` once more when the server can be reached")
			}
		}
		return nil
	case f.dryRun, f.status:
		return a.printWaiting(ctx, s, f.status)
	}
	unlock, err := lockSync(db.Path())
	if err != nil {
		return err
	}
	defer unlock()
	if len(args) == 0 {
		if infos, _, err = s.Waiting(ctx); err != nil {
			return err
		}
	}
	return a.sendAll(ctx, s, infos, len(args) > 0)
}

// sendAll sends sessions, and goes on with the next where one fails.
func (a *app) sendAll(ctx context.Context, s *team.Syncer, infos []*store.Info, named bool) error {
	sent, failed := 0, error(nil)
	for _, info := range infos {
		err := s.Send(ctx, info)
		switch {
		case err == nil:
			sent++
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, team.ErrRedactionOff):
			return fail(err, "turn redaction on: docs/privacy.md")
		case errors.Is(err, team.ErrNever) && !named:
		default:
			a.notice("%s was not sent: %s", info.ID, printable.Line(err.Error()))
			failed = err
		}
	}
	a.notice("sent %d of %d sessions to %s", sent, len(infos), s.Server.URL())
	if failed != nil {
		return fail(errors.New("some sessions were not sent"), "`ptyrec sync --status` says why; they are sent the next time")
	}
	return nil
}

func (a *app) printWaiting(ctx context.Context, s *team.Syncer, status bool) error {
	infos, pushes, err := s.Waiting(ctx)
	if err != nil {
		return err
	}
	for _, info := range infos {
		line := info.ID + "\t" + printable.Line(info.Title)
		if p := pushes[info.ID]; status && !p.Waits.IsZero() {
			line += "\t" + p.Waits.Local().Format(time.DateTime) + "\t" + printable.Line(p.Failed)
		}
		if _, err := fmt.Fprintln(a.stdout, line); err != nil {
			return err
		}
	}
	return nil
}

// tokenVariable holds a token for the server of a team. Where it is set and no folders are
// configured, everything is sent: the environment is the consent.
const tokenVariable = "PTYREC_TEAM_TOKEN"

// syncer returns what sends sessions, by the configuration.
func (a *app) syncer(db *store.Store) (*team.Syncer, error) {
	c, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	const hint = "set [team] server and folders in the configuration, and `ptyrec login URL --token-file FILE` (docs/team.md)"
	if c.Team.Server == "" {
		return nil, fail(errors.New("no server of a team is configured"), hint)
	}
	token := os.Getenv(tokenVariable)
	everything := token != ""
	server, err := team.NewServer(c.Team.Server, token)
	if err != nil {
		return nil, fail(err, hint)
	}
	if token == "" {
		path, err := team.LoginPath()
		if err != nil {
			return nil, err
		}
		login, err := team.LoadLogin(path)
		if err == nil && login.Server != server.URL() {
			err = fmt.Errorf("the login is for %s", login.Server)
		}
		if err != nil {
			return nil, fail(err, "ptyrec login "+server.URL()+" --token-file FILE")
		}
		if server, err = team.NewServer(c.Team.Server, login.Token); err != nil {
			return nil, err
		}
	}
	rules, err := c.Team.Rules(everything)
	if err != nil {
		return nil, err
	}
	l, err := a.library(db)
	if err != nil {
		return nil, err
	}
	home, _ := xdg.Home() // without one, nothing is called ~
	return &team.Syncer{Store: db, Library: l, Server: server, Rules: rules, Home: home}, nil
}

// lockSync lets one sync of a database run at a time.
func lockSync(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path+"-sync", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := bytelock.Lock(f, 0); err != nil {
		return nil, errors.Join(fail(errors.New("another sync is running"), "it sends what there is"), f.Close())
	}
	return func() { _ = f.Close() }, nil
}
