// Package serve implements the commands that serve sessions: serve, sandbox, team serve, mcp and
// agentapi.
package serve

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cli/usage"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/server/mcp"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// serveOptions are the options of serve, sandbox and team serve.
type serveOptions struct {
	webFlags
	IO       *cli.IO
	Open     *opener.Opener
	Live     join.Live
	Config   func() (*config.Config, error)
	Database func() (name string, err error) // returns a path, or a connection string of PostgreSQL
	OpenTeam func(ctx context.Context, name string) (*postgres.Store, error)
	Usage    func(db usage.Database) func(ctx context.Context, infos []*store.Info) map[string]any
	Agents   func() (*redact.Redactor, error) // masks secrets in screens for agents
	NewMCP   func(log *slog.Logger) (*mcp.Server, error)
}

func newServeOptions(f *factory.Factory) *serveOptions {
	servers := mcpServers{Quiet: f.Quiet}
	return &serveOptions{
		webFlags: defaults(), IO: f.IO, Open: f.Open, Live: f.Live, Config: f.Config, Database: f.DatabaseName,
		OpenTeam: f.OpenTeam, Usage: f.UsageForAPI, Agents: f.AgentRedactor, NewMCP: servers.stateless,
	}
}

// NewCmdServe returns the serve command.
func NewCmdServe(f *factory.Factory) *cobra.Command {
	o := newServeOptions(f)
	var moved movedFlags
	cmd := &cobra.Command{
		Use:        "serve",
		SuggestFor: []string{"server", "web", "http"},
		Short:      "Serve sessions, live and past, as a web page and an API",
		Long: `Serve shows all sessions of the database on a web page, with conversations and terminals, and
serves an API for programs (docs/api.md). It listens on 127.0.0.1:7681, for this machine only.
Reading, typing and changing need the token, which is part of the printed address. The token is
kept in a file that only you can read; a browser that has opened the address keeps a cookie.
Sessions continue when the server ends.

From another machine, ssh is the safest way: ssh -L 7681:127.0.0.1:7681 HOST. See docs/serve.md.
Programs run commands on a server of ` + "`ptyrec sandbox`; `ptyrec team serve`" + ` serves a team.`,
		Example: `  ptyrec serve
  ptyrec serve --open
  ptyrec serve --read-only
  ptyrec serve --listen 192.168.1.5:7681 --cert CERT --key KEY --host laptop.lan
  ptyrec serve --new-token    the old token and its cookies are void`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			hints := moved.Hints(cmd.Flags())
			if name, err := o.Database(); err == nil && postgres.Is(name) {
				hints = []string{"use `ptyrec team serve` for a team's sessions, which the next release of `ptyrec serve` " +
					"does not serve"}
			}
			for _, hint := range hints {
				o.IO.Notice("warning: %s", hint)
			}
			return serve(cmd.Context(), o)
		},
	}
	o.registerAddress(cmd.Flags())
	o.registerToken(cmd.Flags())
	o.registerReadOnly(cmd.Flags())
	o.registerPage(cmd.Flags())
	moved = o.registerMoved(cmd.Flags())
	return cmd
}

// NewCmdSandbox returns the sandbox command.
func NewCmdSandbox(f *factory.Factory) *cobra.Command {
	o := newServeOptions(f)
	cmd := &cobra.Command{
		Use:        "sandbox",
		SuggestFor: []string{"sandboxes"},
		Short:      "Run and record commands for programs",
		Long: `Sandbox serves the protocols by which programs run commands here, each of them recorded: the SDKs
of Cloudflare Sandbox (/) and of LangSmith (/langsmith), and ` + "`ptyrec exec`" + ` (docs/sandbox.md), and
dashboards (docs/management.md). It also serves the page and the API of ` + "`ptyrec serve`" + `, at the same
address and with the same token. Whoever has the token can run any command as you. Commands
continue when the server ends, and the next one finds them.`,
		Example: `  ptyrec sandbox
  ptyrec sandbox --end-commands --max-commands 8
  ptyrec sandbox --agent-id build-7`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if name, err := o.Database(); err == nil && postgres.Is(name) {
				return failure.Misuse("name a file: --db FILE", "commands are not recorded in a team's database")
			}
			o.AllowRun = true
			return serve(cmd.Context(), o)
		},
	}
	o.registerAddress(cmd.Flags())
	o.registerToken(cmd.Flags())
	o.registerCommands(cmd.Flags())
	return cmd
}

// NewCmdTeamServe returns the team serve command.
func NewCmdTeamServe(f *factory.Factory) *cobra.Command {
	o := newServeOptions(f)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the sessions of a team",
		Long: `Serve shows the sessions of a team, which are in PostgreSQL, on a web page, and serves the API to
which machines send them (docs/team.md). Users have tokens (` + "`ptyrec team token add`" + `), or sign in
at an OpenID provider. It runs no commands.`,
		Example: `  ptyrec team serve --db postgres://ptyrec@db.example.com/ptyrec
  ptyrec team serve --url https://ptyrec.example.com`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, err := o.Database()
			if err == nil && !postgres.Is(name) {
				err = failure.Misuse("name the database: --db postgres://USER@HOST/NAME", "a team's database is in PostgreSQL")
			}
			if err != nil {
				return err
			}
			return serve(cmd.Context(), o)
		},
	}
	o.registerAddress(cmd.Flags())
	o.registerReadOnly(cmd.Flags())
	o.registerTeam(cmd.Flags())
	return cmd
}

// serveGC is the garbage collection target of serve (debug.SetGCPercent). It is low, because serve
// runs all day and is busy only at times.
const serveGC = 50

func serve(ctx context.Context, o *serveOptions) error {
	defer debug.SetGCPercent(debug.SetGCPercent(serveGC))
	if err := o.Check(); err != nil {
		return err
	}
	level := slog.LevelInfo
	if o.Verbose {
		level = slog.LevelDebug
	}
	log := o.IO.Logger(level)
	if name, err := o.Database(); err == nil && postgres.Is(name) {
		return serveTeam(ctx, o, name, log)
	}
	db, err := o.Open.Store(ctx)
	if err != nil {
		return err
	}
	live, err := client.Dial(ctx, "", o.Live.Options(db))
	if err != nil {
		return err
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	c, err := o.Config()
	if err != nil {
		return err
	}
	agents, err := o.Agents()
	if err != nil {
		return err
	}
	opts := webServer{
		webFlags: o.webFlags, Database: db, Live: live, Library: lib, Usage: o.Usage(db), Shell: cli.Shell(),
		Environ: o.IO.Environ,
		NewMCP:  o.NewMCP,
		Agents:  agents, Input: c.Run.Input, Log: log, Notice: o.IO.Notice, Out: o.IO.Out,
	}
	if bool(o.IO.Colours()) {
		opts.QRWidth = o.IO.Width()
	}
	return serveWeb(ctx, opts)
}

// serveTeam serves the sessions of a PostgreSQL database.
func serveTeam(ctx context.Context, o *serveOptions, name string, log *slog.Logger) error {
	if err := o.CheckTeam(); err != nil {
		return err
	}
	db, err := o.OpenTeam(ctx, name)
	if err != nil {
		return err
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	return serveTeamWeb(ctx, teamServer{webFlags: o.webFlags, Database: db, Library: lib, Usage: o.Usage(db),
		Log: log, Notice: o.IO.Notice, Out: o.IO.Out})
}
