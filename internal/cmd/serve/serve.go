// Package serve has the commands that serve sessions to programs: serve, mcp and agentapi.
package serve

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/server/listener"
	"github.com/ptyrec/ptyrec/internal/server/mcp"
	"github.com/ptyrec/ptyrec/internal/server/webserver"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// NewCmdServe returns the command serve.
func NewCmdServe(a *factory.Factory) *cobra.Command {
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
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), a, f) },
	}
	f.Register(cmd.Flags())
	return cmd
}

// serveGC is the garbage that serve may hold, in percent of what it uses (debug.SetGCPercent): less
// than usual, because it runs all day and has much to do only at times.
const serveGC = 50

func serve(ctx context.Context, a *factory.Factory, f webserver.Flags) error {
	defer debug.SetGCPercent(debug.SetGCPercent(serveGC))
	if err := f.Check(); err != nil {
		return err
	}
	level := slog.LevelInfo
	if f.Verbose {
		level = slog.LevelDebug
	}
	log := a.IO.Logger(level)
	if name, err := a.DatabaseName(); err == nil && postgres.Is(name) {
		return serveTeam(ctx, a, f, name, log)
	}
	db, err := a.Open.Store(ctx)
	if err != nil {
		return err
	}
	live, err := client.Dial(ctx, "", a.Live.Options(db))
	if err != nil {
		return err
	}
	lib, err := a.Open.Library(db)
	if err != nil {
		return err
	}
	c, err := a.Config()
	if err != nil {
		return err
	}
	agents, err := a.AgentRedactor()
	if err != nil {
		return err
	}
	o := webserver.Options{
		Flags: f, Database: db, Live: live, Library: lib, Usage: a.UsageForAPI(db), Shell: cli.Shell(), Environ: a.IO.Environ,
		NewMCP: func(log *slog.Logger) (*mcp.Server, error) { return newMCP(a, log) },
		Agents: agents, Input: c.Run.Input, Log: log, Notice: a.IO.Notice, Out: a.IO.Out,
	}
	if bool(a.IO.Colours()) {
		o.QRWidth = a.IO.Width()
	}
	return webserver.Serve(ctx, o)
}

// serveTeam serves the sessions of a database in PostgreSQL.
func serveTeam(ctx context.Context, a *factory.Factory, f webserver.Flags, dsn string, log *slog.Logger) error {
	if err := f.CheckTeam(); err != nil {
		return err
	}
	db, err := a.OpenTeam(ctx, dsn)
	if err != nil {
		return err
	}
	lib, err := a.Open.Library(db)
	if err != nil {
		return err
	}
	return webserver.ServeTeam(ctx, webserver.TeamOptions{Flags: f, Database: db, Library: lib, Usage: a.UsageForAPI(db), Log: log, Notice: a.IO.Notice, Out: a.IO.Out})
}
