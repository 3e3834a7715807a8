// Package teamsync is `ptyrec sync`: it sends sessions to the server of a team, says which wait,
// and takes sessions back.
package teamsync

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ptyrec/ptyrec/internal/bytelock"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/internal/xdg"
	"github.com/ptyrec/ptyrec/library"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/team"
)

// Flags say what is done. At most one of them is set; without one, sessions are sent.
type Flags struct {
	DryRun, Status bool // print what waits; with Status, since when and why, too
	Withdraw       bool // the server deletes the named sessions, which are never sent again
	Never          bool // the named sessions are never sent
	Check          bool // before that, ask the server whether it still has what was sent
}

// Options are what Run needs.
type Options struct {
	Flags
	Database *store.Store
	Library  *library.Library // of Database
	Server   string           // the URL of the team's server; empty: none is configured
	Rules    func(everything bool) (team.Rules, error)
	Out      io.Writer
	Notice   func(format string, args ...any)
}

// Run sends the sessions of ids, or all that wait if there are none. The errors have hints.
func Run(ctx context.Context, o Options, ids []string) error {
	if (o.Withdraw || o.Never) && len(ids) == 0 {
		return &cli.Failure{Err: errors.New("--withdraw and --never need a session"), Status: cli.StatusUsage}
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
		for _, info := range infos {
			if err := team.Never(ctx, o.Database, info.ID); err != nil {
				return err
			}
		}
		return nil
	}
	s, err := o.syncer()
	if err != nil {
		return err
	}
	switch {
	case o.Withdraw:
		for _, info := range infos {
			if err := s.Withdraw(ctx, info.ID); err != nil {
				return cli.Fail(err, "it is never sent again; try `ptyrec sync --withdraw` once more when the server can be reached")
			}
		}
		return nil
	case o.DryRun, o.Status:
		return o.printWaiting(ctx, s)
	}
	unlock, err := lock(o.Database.Path())
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

// send sends sessions, and goes on with the next where one fails.
func (o *Options) send(ctx context.Context, s *team.Syncer, infos []*store.Info, named bool) error {
	sent, failed := 0, error(nil)
	for _, info := range infos {
		err := s.Send(ctx, info)
		switch {
		case err == nil:
			sent++
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, team.ErrRedactionOff):
			return cli.Fail(err, "turn redaction on: docs/privacy.md")
		case errors.Is(err, team.ErrNever) && !named:
		default:
			o.Notice("%s was not sent: %s", info.ID, printable.Line(err.Error()))
			failed = err
		}
	}
	o.Notice("sent %d of %d sessions to %s", sent, len(infos), s.Server.URL())
	if failed != nil {
		return cli.Fail(errors.New("some sessions were not sent"), "`ptyrec sync --status` says why; they are sent the next time")
	}
	return nil
}

// check compares what was sent with what the server has, if a day has passed or the user wants it.
func (o *Options) check(ctx context.Context, s *team.Syncer, named bool) error {
	if named && !o.Check {
		return nil
	}
	compared, differ, err := s.Check(ctx, !o.Check)
	switch {
	case err != nil && (o.Check || ctx.Err() != nil):
		return cli.Fail(err, "is the server up? `ptyrec sync --status` shows what waits")
	case err != nil:
		o.Notice("the server was not asked whether it still has what was sent: %s", printable.Line(err.Error()))
	case o.Check || differ > 0:
		o.Notice("the server lacks something of %d of %d sessions", differ, compared)
	}
	return nil
}

// printWaiting prints the sessions that are to be sent.
func (o *Options) printWaiting(ctx context.Context, s *team.Syncer) error {
	infos, pushes, err := s.Waiting(ctx)
	if err != nil {
		return err
	}
	for _, info := range infos {
		line := info.ID + "\t" + printable.Line(info.Title)
		if p := pushes[info.ID]; o.Status && !p.Waits.IsZero() {
			line += "\t" + p.Waits.Local().Format(time.DateTime) + "\t" + printable.Line(p.Failed)
		}
		if _, err := fmt.Fprintln(o.Out, line); err != nil {
			return err
		}
	}
	return nil
}

// tokenVariable holds a token for the server of a team. Where it is set and no folders are
// configured, everything is sent: the environment is the consent.
const tokenVariable = "PTYREC_TEAM_TOKEN"

// syncer returns what sends sessions, by the configuration.
func (o *Options) syncer() (*team.Syncer, error) {
	const hint = "set [team] server and folders in the configuration, and `ptyrec login URL --token-file FILE` (docs/team.md)"
	if o.Server == "" {
		return nil, cli.Fail(errors.New("no server of a team is configured"), hint)
	}
	token := os.Getenv(tokenVariable)
	everything := token != ""
	server, err := team.NewServer(o.Server, token)
	if err != nil {
		return nil, cli.Fail(err, hint)
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
			return nil, cli.Fail(err, "ptyrec login "+server.URL()+" --token-file FILE")
		}
		if server, err = team.NewServer(o.Server, login.Token); err != nil {
			return nil, err
		}
	}
	rules, err := o.Rules(everything)
	if err != nil {
		return nil, err
	}
	home, _ := xdg.Home() // without one, nothing is called ~
	return &team.Syncer{Store: o.Database, Library: o.Library, Server: server, Rules: rules, Home: home}, nil
}

// lock lets one sync of a database run at a time.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path+"-sync", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := bytelock.Lock(f, 0); err != nil {
		return nil, errors.Join(cli.Fail(errors.New("another sync is running"), "it sends what there is"), f.Close())
	}
	return func() { _ = f.Close() }, nil
}
