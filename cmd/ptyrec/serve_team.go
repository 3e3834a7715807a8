package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/listener"
	"github.com/ptyrec/ptyrec/internal/peer"
	"github.com/ptyrec/ptyrec/server"
	"github.com/ptyrec/ptyrec/store/pg"
	"github.com/ptyrec/ptyrec/web"
)

// checkTeam returns an error if the command line asks for what a server of a database in PostgreSQL
// does not do: nothing runs or is recorded there.
func (f *serveFlags) checkTeam() error {
	if f.allowRun || f.bridge != "" || f.bridgeFrom != "" || f.subscribe || f.agentID != "" || f.mcp || f.agentapi {
		return usageError(errors.New("with a database in PostgreSQL, serve runs no commands: leave out --allow-run, --bridge-command, --bridge-server, " +
			"--allow-subscribe, --agent-id, --mcp and --agentapi"))
	}
	return nil
}

// serveTeam shows the sessions of a database in PostgreSQL.
func serveTeam(ctx context.Context, a *app, f serveFlags, dsn string) error {
	if err := f.checkTeam(); err != nil {
		return err
	}
	secret, err := listener.LoadToken(f.tokenFile, f.newToken)
	if err != nil {
		return err
	}
	db, err := pg.Open(ctx, dsn)
	if err != nil {
		return fail(err, "the database is named as postgres://USER@HOST/NAME; $PGPASSWORD or ~/.pgpass has the password")
	}
	a.closeLater(db)
	nothing, err := os.MkdirTemp("", "ptyrec-serve-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(nothing) }()
	live, err := client.Dial(ctx, "", client.Options{Dir: nothing}) // this machine's sessions are not the team's
	if err != nil {
		return err
	}
	past, err := newPast(a, db)
	if err != nil {
		return err
	}
	defer func() { _ = past.Close() }() // what it reads can be read again
	l, err := f.at.Open(ctx)
	if err != nil {
		return err
	}
	level := slog.LevelInfo
	if f.verbose {
		level = slog.LevelDebug
	}
	s := server.New(server.Options{
		Store: db, Live: live, Page: web.Files(), Past: past, Version: buildinfo.Version(), Log: a.logger(level),
		Token: secret, OpenReading: f.openReading, Hosts: f.at.Names(), TLS: f.at.Cert != "", ReadOnly: f.readOnly, Inside: peer.Sessions,
	})
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	url, err := f.at.URL(l.Addr())
	if err == nil {
		err = f.announce(a, url, secret, db.Name())
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	f.openBrowser(a, url, s)
	return s.Serve(pg.As(ctx, pg.Viewer{All: true}), l)
}
