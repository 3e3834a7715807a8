package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/detached"
	"github.com/ptyrec/ptyrec/internal/listener"
	"github.com/ptyrec/ptyrec/internal/peer"
	"github.com/ptyrec/ptyrec/process"
	"github.com/ptyrec/ptyrec/server"
	"github.com/ptyrec/ptyrec/server/commandsocket"
	"github.com/ptyrec/ptyrec/server/management"
	"github.com/ptyrec/ptyrec/server/mcp"
	"github.com/ptyrec/ptyrec/server/sandboxapi"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/pg"
	"github.com/ptyrec/ptyrec/web"
)

type serveFlags struct {
	at          listener.Address
	tokenFile   string
	newToken    bool
	allowRun    bool
	noToken     bool
	maxCommands int
	endCommands bool
	readOnly    bool
	openReading bool
	openPage    bool
	bridge      string
	bridgeFrom  string
	bridgeTTL   time.Duration
	agentID     string
	shellGrace  time.Duration
	subscribe   bool
	mcp         bool
	agentapi    bool
	verbose     bool
}

func newServeCmd(a *app) *cobra.Command {
	var f serveFlags
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
	flags := cmd.Flags()
	flags.StringVar(&f.at.Listen, "listen", listener.Default, "listen on this `ADDRESS`, host:port; an empty host is every address of the machine")
	flags.StringVar(&f.tokenFile, "token-file", "", "keep the token in this `FILE` (default $XDG_STATE_HOME/ptyrec/token), and do not print it")
	flags.BoolVar(&f.newToken, "new-token", false, "replace the token by a new one")
	flags.StringVar(&f.at.Cert, "cert", "", "serve https with this certificate `FILE` (PEM)")
	flags.StringVar(&f.at.Key, "key", "", "the certificate's key `FILE` (PEM)")
	flags.StringSliceVar(&f.at.Hosts, "host", nil, "a `NAME` by which the server is reached, besides localhost and IP addresses")
	flags.BoolVar(&f.allowRun, "allow-run", false, "let everyone who has the token run any command")
	flags.BoolVar(&f.noToken, "unsafe-no-token", false, "let anyone who reaches the server run any command: where nobody else reaches it")
	flags.IntVar(&f.maxCommands, "max-commands", 256, "how `MANY` commands of sandbox clients may run at a time")
	flags.BoolVar(&f.endCommands, "end-commands", false, "end the commands of sandbox clients when the server ends")
	flags.BoolVar(&f.readOnly, "read-only", false, "nobody types or changes anything, token or not")
	flags.BoolVar(&f.openReading, "open-reading", false, "let anyone who reaches the server read all sessions without the token")
	flags.BoolVar(&f.openPage, "open", false, "open the page in your browser")
	flags.StringVar(&f.bridge, "bridge-command", "", "the `COMMAND` line of the terminals at /ws/pty/NAME (default $SHELL)")
	flags.StringVar(&f.bridgeFrom, "bridge-server", "", "show those of a management server instead, ws://HOST:PORT/AGENT; its token is in $PTYREC_TOKEN or `URL`?token=")
	flags.DurationVar(&f.bridgeTTL, "bridge-ttl", 0, "how long such a terminal lives without anybody")
	flags.StringVar(&f.agentID, "agent-id", "", "the `NAME` by which dashboards at /ws/sandbox know this machine (default: the host name)")
	flags.DurationVar(&f.shellGrace, "shell-grace", management.ShellGrace, "how long a dashboard's shell waits for it to come back")
	flags.BoolVar(&f.subscribe, "allow-subscribe", false, "let dashboards follow, type into and end what others have started")
	flags.BoolVar(&f.mcp, "mcp", false, "let agents that have the token read by the Model Context Protocol, at /mcp: docs/mcp.md")
	flags.BoolVar(&f.agentapi, "agentapi", false, "serve each session by the API of coder/agentapi, too, below /agentapi/ID (docs/agentapi.md)")
	flags.BoolVar(&f.verbose, "verbose", false, "log each connection")
	_ = flags.MarkHidden("bridge-ttl") // for tests
	return cmd
}

// check says what is wrong with the command line.
func (f *serveFlags) check() error {
	switch {
	case f.readOnly && f.allowRun:
		return usageError(errors.New("--read-only and --allow-run exclude each other"))
	case f.noToken && !f.allowRun:
		return usageError(errors.New("--unsafe-no-token goes with --allow-run only"))
	case f.maxCommands < 1:
		return usageError(errors.New("--max-commands must be at least 1"))
	}
	return f.at.Check()
}

// serveGC is the garbage that serve may hold, in percent of what it uses (debug.SetGCPercent): less
// than usual, because it runs all day and has much to do only at times.
const serveGC = 50

func serve(ctx context.Context, a *app, f serveFlags) error {
	defer debug.SetGCPercent(debug.SetGCPercent(serveGC))
	if err := f.check(); err != nil {
		return err
	}
	if name, err := a.dbName(); err == nil && pg.Is(name) {
		return serveTeam(ctx, a, f, name)
	}
	secret, err := listener.LoadToken(f.tokenFile, f.newToken)
	if err != nil {
		return err
	}
	db, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	live, err := client.Dial(ctx, "", a.liveOptions(db))
	if err != nil {
		return err
	}
	commands, err := f.commands(ctx, a, db)
	if err != nil {
		return err
	}
	l, err := f.at.Open(ctx)
	if err != nil {
		return err
	}
	bridge := cli.SplitCommand(f.bridge)
	var bridgeServer *client.Client
	if f.bridgeFrom != "" {
		if bridgeServer, err = f.managementServer(ctx); err != nil {
			return errors.Join(err, l.Close())
		}
	} else if len(bridge) == 0 {
		bridge = []string{shell()}
	}
	starter, err := detached.NewStarter(db.Path(), a.environ)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { _ = starter.Close() }() // which ends the bridge's sessions
	level := slog.LevelInfo
	if f.verbose {
		level = slog.LevelDebug
	}
	log := a.logger(level)
	dashboards, err := f.dashboards(a, db, live, starter, log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer dashboards.Close()
	protocols := []server.Protocol{
		dashboards,
		sandboxapi.New(sandboxapi.Options{Manager: commands, Version: buildinfo.Version(), Log: log}),
		commandsocket.New(commands, log),
	}
	if f.mcp {
		agents, err := newMCP(a, log)
		if err != nil {
			return errors.Join(err, l.Close())
		}
		defer agents.Close()
		protocols = append(protocols, agents)
	}
	past, err := newPast(a, db)
	if err != nil {
		return err
	}
	defer func() { _ = past.Close() }() // what it reads can be read again
	if f.agentapi {
		sessions := agentapiSessions(db, live, past, log)
		defer sessions.Close()
		protocols = append(protocols, sessions)
	}
	s := server.New(server.Options{
		Store: db, Live: live, Page: web.Files(), Past: past, Usage: a.usageForAPI(db), Version: buildinfo.Version(), Log: log,
		Token: secret, OpenReading: f.openReading, Hosts: f.at.Names(), TLS: f.at.Cert != "", ReadOnly: f.readOnly,
		AllowRun: f.allowRun, NoToken: f.noToken,
		Start: startFor(starter), Bridge: bridge, BridgeServer: bridgeServer, BridgeTTL: f.bridgeTTL,
		Inside:    peer.Sessions,
		Protocols: protocols,
	})
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	url, err := f.at.URL(l.Addr())
	if err == nil {
		err = f.announce(a, url, secret, db.Path())
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if f.openPage {
		if err := cli.OpenBrowser(strings.TrimSuffix(url, "/") + s.OpenPath()); err != nil {
			a.notice("warning: cannot open a browser: %v", err)
		}
	}
	err = s.Serve(ctx, l)
	if f.endCommands && commands != nil {
		err = errors.Join(err, commands.EndAll(context.WithoutCancel(ctx)))
	}
	return err
}

// startFor returns what starts sessions for the server: a session of the bridge ends with it.
func startFor(s *detached.Starter) func(context.Context, server.StartOptions) (string, error) {
	return func(ctx context.Context, o server.StartOptions) (string, error) {
		start := s.Start
		if o.Name != "" {
			start = s.StartOwned
		}
		return start(ctx, o.Command, o.Cwd, o.Cols, o.Rows)
	}
}

// managementServer returns the server whose terminals the bridge shows.
func (f *serveFlags) managementServer(ctx context.Context) (*client.Client, error) {
	const hint = "write ws://HOST:PORT/AGENT"
	if !strings.HasPrefix(f.bridgeFrom, "ws://") && !strings.HasPrefix(f.bridgeFrom, "wss://") {
		return nil, misuse(hint, "--bridge-server does not name a management server")
	}
	c, err := client.Dial(ctx, f.bridgeFrom, client.Options{Token: os.Getenv("PTYREC_TOKEN")})
	if err != nil {
		return nil, fail(err, hint)
	}
	return c, nil
}

// commands returns what runs the commands of sandbox clients; nil if they may run none.
func (f *serveFlags) commands(ctx context.Context, a *app, db *store.Store) (*process.Manager, error) {
	if !f.allowRun {
		return nil, nil
	}
	c, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	r, err := a.redaction()
	if err != nil {
		return nil, err
	}
	m, err := process.Open(ctx, process.Options{
		Store: db, Program: detached.Program(), MaxRunning: f.maxCommands, Redact: r.Command, Input: c.Run.Input,
		Log: a.logger(slog.LevelInfo),
	})
	if err == nil {
		a.closeLater(m)
	}
	return m, err
}

// dashboards returns what serves /ws/sandbox.
func (f *serveFlags) dashboards(a *app, db *store.Store, live *client.Client, s *detached.Starter, log *slog.Logger) (*management.Protocol, error) {
	r, err := a.redaction()
	if err != nil {
		return nil, err
	}
	id := f.agentID
	if id == "" {
		if id, err = os.Hostname(); err != nil {
			return nil, fail(err, "name this machine with --agent-id")
		}
	}
	return management.New(management.Options{
		Sessions: live, Store: db, Shell: []string{shell()}, AgentID: id, Version: buildinfo.Version(), Redact: r.Redactor,
		ShellGrace: f.shellGrace, AllowSubscribe: f.subscribe, Log: log,
		Start: s.Start,
	}), nil
}

// announce tells the user where the server is and who may use it.
func (f *serveFlags) announce(a *app, url, secret, db string) error {
	n := listener.Announcement{
		Address: f.at, URL: url, Token: secret, TokenFile: f.tokenFile, Database: db,
		OpenReading: f.openReading, AllowRun: f.allowRun, NoToken: f.noToken, Notice: a.notice,
	}
	if f.mcp {
		n.MCPPath = mcp.Path
	}
	if bool(a.colours()) {
		n.Width = a.width()
	}
	return n.Write(a.stdout)
}
