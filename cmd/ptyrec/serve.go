package main

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/server/listener"
	"github.com/ptyrec/ptyrec/internal/server/mcp"
	"github.com/ptyrec/ptyrec/internal/server/webserver"
	"github.com/ptyrec/ptyrec/store/postgres"
)

func newServeCmd(a *app) *cobra.Command {
	var f webserver.Flags
	cmd := &cobra.Command{
		Use:        "serve",
		SuggestFor: []string{"server", "web", "http"},
		Short:      "Show the sessions, live and past, in a web page and by an API",
		Long: `Serve shows all sessions of the database in a web page, with their conversations and terminals, and answers programs
(JSON over HTTP, server-sent events, WebSockets: docs/serve.md). It listens on ` + listener.Default + `, for this machine only. Whoever reads,
types or changes anything needs the token, which is part of the address that it prints. The token is made once and kept in a file that only
you can read; a browser that has opened the address keeps a cookie instead. Sessions do not depend on the server: they go on when it ends.

From elsewhere it is safest reached through ssh: ssh -L 7681:127.0.0.1:7681 HOST.`,
		Example: `  ptyrec serve
  ptyrec serve --open
  ptyrec serve --read-only
  ptyrec serve --allow-run    the SDKs of Cloudflare Sandbox (/) and of LangSmith
                              (/langsmith) run commands: docs/sandbox.md
  ptyrec serve --listen 192.168.1.5:7681 --cert CERT --key KEY --host laptop.lan
  ptyrec serve --new-token    the old token and its cookies are void
  ptyrec serve --db postgres://ptyrec@db.example.com/ptyrec
                              the sessions of a team: docs/team.md`,
		Args: operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), a, f) },
	}
	f.Register(cmd.Flags())
	return cmd
}

// serveGC is the garbage that serve may hold, in percent of what it uses (debug.SetGCPercent): less
// than usual, because it runs all day and has much to do only at times.
const serveGC = 50

func serve(ctx context.Context, a *app, f webserver.Flags) error {
	defer debug.SetGCPercent(debug.SetGCPercent(serveGC))
	if err := f.Check(); err != nil {
		return err
	}
	level := slog.LevelInfo
	if f.Verbose {
		level = slog.LevelDebug
	}
	log := a.logger(level)
	if name, err := a.dbName(); err == nil && postgres.Is(name) {
		return serveTeam(ctx, a, f, name, log)
	}
	db, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	live, err := client.Dial(ctx, "", a.liveOptions(db))
	if err != nil {
		return err
	}
	lib, err := a.library(db)
	if err != nil {
		return err
	}
	c, err := a.loadConfig()
	if err != nil {
		return err
	}
	agents, err := a.agentRedactor()
	if err != nil {
		return err
	}
	o := webserver.Options{
		Flags: f, Database: db, Live: live, Library: lib, Usage: a.usageForAPI(db), Shell: shell(), Environ: a.environ,
		NewMCP: func(log *slog.Logger) (*mcp.Server, error) { return newMCP(a, log) },
		Agents: agents, Input: c.Run.Input, Log: log, Notice: a.notice, Out: a.stdout,
	}
	if bool(a.colours()) {
		o.QRWidth = a.width()
	}
	return webserver.Serve(ctx, o)
}

// serveTeam serves the sessions of a database in PostgreSQL.
func serveTeam(ctx context.Context, a *app, f webserver.Flags, dsn string, log *slog.Logger) error {
	if err := f.CheckTeam(); err != nil {
		return err
	}
	db, err := openTeam(ctx, a, dsn)
	if err != nil {
		return err
	}
	lib, err := a.library(db)
	if err != nil {
		return err
	}
	return webserver.ServeTeam(ctx, webserver.TeamOptions{Flags: f, Database: db, Library: lib, Usage: a.usageForAPI(db), Log: log, Notice: a.notice, Out: a.stdout})
}

// openTeam opens a database in PostgreSQL until the command ends.
func openTeam(ctx context.Context, a *app, dsn string) (*postgres.Store, error) {
	db, err := postgres.Open(ctx, dsn)
	if err != nil {
		return nil, failure.New(err, "the database is named as postgres://USER@HOST/NAME; $PGPASSWORD or ~/.pgpass has the password")
	}
	a.closeLater(db)
	return db, nil
}
