package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/peer"
	"github.com/ptyrec/ptyrec/server"
	"github.com/ptyrec/ptyrec/server/team"
	"github.com/ptyrec/ptyrec/store/pg"
	"github.com/ptyrec/ptyrec/web"
)

// checkTeam returns an error if the command line asks for what a server of a database in PostgreSQL
// does not do: nothing runs or is recorded there.
func (f *serveFlags) checkTeam() error {
	if f.newToken || f.tokenFile != "" || f.openReading {
		return usageError(errors.New("with a database in PostgreSQL, each user has tokens of their own (`ptyrec team token add`): leave out --token-file, --new-token and --open-reading"))
	}
	if f.allowRun || f.bridge != "" || f.bridgeFrom != "" || f.openPage || f.subscribe || f.agentID != "" || f.mcp || f.agentapi {
		return usageError(errors.New("with a database in PostgreSQL, serve runs no commands: leave out --allow-run, --bridge-command, --bridge-server, --open, " +
			"--allow-subscribe, --agent-id, --mcp and --agentapi"))
	}
	return nil
}

// serveTeam shows the sessions of a database in PostgreSQL.
func serveTeam(ctx context.Context, a *app, f serveFlags, dsn string) error {
	if err := f.checkTeam(); err != nil {
		return err
	}
	db, err := openTeam(ctx, a, dsn)
	if err != nil {
		return err
	}
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
	log := a.logger(level)
	s := server.New(server.Options{
		Store: db, Live: live, Page: web.Files(), Past: past, Version: buildinfo.Version(), Log: log,
		Users: team.Users{Store: db}, Protocols: []server.Protocol{team.NewPush(db, log)}, Hosts: f.at.Names(), TLS: f.at.Cert != "", ReadOnly: f.readOnly, Inside: peer.Sessions,
	})
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	url, err := f.at.URL(l.Addr())
	if err == nil {
		err = f.announceTeam(a, url, db.Name())
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	return s.Serve(ctx, l)
}

// announceTeam prints the address, says what it is, and warns.
func (f *serveFlags) announceTeam(a *app, url, db string) error {
	if !f.at.Loopback() && f.at.Cert == "" {
		a.notice("warning: without --cert and --key, others on the network can see the sessions and the tokens")
	}
	a.notice("the sessions of %s, for those who have a token:", db)
	if _, err := fmt.Fprintln(a.stdout, url); err != nil {
		return err
	}
	a.notice("`ptyrec team token add` makes tokens; Ctrl+C stops the server")
	return nil
}

// openTeam opens a database in PostgreSQL until the command ends.
func openTeam(ctx context.Context, a *app, dsn string) (*pg.Store, error) {
	db, err := pg.Open(ctx, dsn)
	if err != nil {
		return nil, fail(err, "the database is named as postgres://USER@HOST/NAME; $PGPASSWORD or ~/.pgpass has the password")
	}
	a.closeLater(db)
	return db, nil
}
