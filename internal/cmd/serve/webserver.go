package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/internal/server/commandsocket"
	"github.com/ptyrec/ptyrec/internal/server/management"
	"github.com/ptyrec/ptyrec/internal/server/mcp"
	"github.com/ptyrec/ptyrec/internal/server/sandboxapi"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
	"github.com/ptyrec/ptyrec/web"
)

// webServer is a server of the page and the API to start, with its options. All but QRWidth are
// required.
type webServer struct {
	webFlags
	Database *sqlite.Store
	Live     *client.Client
	Library  *library.Library // reads Database
	Agents   *redact.Redactor // masks secrets in the screens for agents
	Usage    func(ctx context.Context, infos []*store.Info) map[string]any
	NewMCP   func(log *slog.Logger) (*mcp.Server, error) // called if the flags ask for it
	Shell    string                                      // the user's shell
	Environ  []string                                    // for sessions that the server starts
	Input    bool                                        // record the input of these sessions
	Log      *slog.Logger
	Notice   func(format string, args ...any) // prints a notice to the user
	Out      io.Writer                        // receives the URL
	QRWidth  int                              // see serve.announcement.Width
}

// serveWeb serves the sessions of this machine until ctx is cancelled or a signal arrives. Its
// errors have hints.
func serveWeb(ctx context.Context, o webServer) (err error) {
	if err := o.checkLocal(); err != nil {
		return err
	}
	secret, err := loadToken(o.TokenFile, o.NewToken)
	if err != nil {
		return err
	}
	commands, err := o.commands(ctx)
	if err != nil {
		return err
	}
	if commands != nil {
		defer func() { err = errors.Join(err, commands.Close()) }()
	}
	l, err := o.Address.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // it may already be closed
	bridge, bridgeServer, err := o.bridge(ctx)
	if err != nil {
		return err
	}
	starter, err := detached.NewStarter(o.Database.Path(), o.Environ)
	if err != nil {
		return err
	}
	defer func() { _ = starter.Close() }() // ends the bridge's sessions
	dashboards, err := o.dashboards(starter)
	if err != nil {
		return err
	}
	defer dashboards.Close()
	past := newServedPast(o.Library)
	defer func() { _ = past.Close() }() // an interrupted extraction is repeated
	protocols, closeAll, err := o.protocols(past)
	if err != nil {
		return err
	}
	defer closeAll()
	protocols = append(protocols, server.Protocol{Handlers: dashboards},
		server.Protocol{Handlers: sandboxapi.New(sandboxapi.Options{Manager: commands, Version: buildinfo.Version(),
			Log: o.Log})},
		server.Protocol{Handlers: commandsocket.New(commands, o.Log)})
	s := server.New(server.Options{
		Store: o.Database, Live: o.Live, Page: web.Files(), Past: past, Usage: o.Usage, Version: buildinfo.Version(),
		Log:   o.Log,
		Token: secret, OpenReading: o.OpenReading, Hosts: o.Address.Names(), TLS: o.Address.Cert != "", ReadOnly: o.ReadOnly,
		AllowRun: o.AllowRun, NoToken: o.NoToken,
		Start: startFor(starter), Bridge: bridge, BridgeServer: bridgeServer,
		Inside: peer.Inside, AgentRedact: o.Agents,
		Protocols: protocols,
	})
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if peer.Here() != peer.Outside {
		o.Notice("warning: this server runs in a recorded session: its clients can control only sessions that it has started")
	}
	url, err := o.Address.URL(l.Addr())
	if err == nil {
		err = o.announce(url, secret)
	}
	if err != nil {
		return err
	}
	if o.OpenPage {
		if err := cli.OpenBrowser(strings.TrimSuffix(url, "/") + s.OpenPath()); err != nil {
			o.Notice("warning: cannot open a browser: %v", err)
		}
	}
	err = s.Serve(ctx, l)
	if o.EndCommands && commands != nil {
		err = errors.Join(err, commands.EndAll(context.WithoutCancel(ctx)))
	}
	return err
}

// protocols returns the protocols that the flags ask for. closeAll must be called at the end.
func (o *webServer) protocols(past *servedPast) (all []server.Protocol, closeAll func(), err error) {
	closeAll = func() {}
	if o.MCP {
		agents, err := o.NewMCP(o.Log)
		if err != nil {
			return nil, nil, err
		}
		closeAll = agents.Close
		all = append(all, server.Protocol{Handlers: agents, Access: server.ReadOnly})
	}
	if o.Agentapi {
		sessions, closeRest := o.agentapi(past), closeAll
		closeAll = func() { sessions.Close(); closeRest() }
		all = append(all, server.Protocol{Handlers: sessions, Access: server.ShowSessions})
	}
	return all, closeAll, nil
}

// startFor returns a function that starts sessions for the server. A session of the bridge ends
// with the server.
func startFor(s *detached.Starter) func(context.Context, server.StartOptions) (string, error) {
	return func(ctx context.Context, o server.StartOptions) (string, error) {
		start := s.Start
		if o.Name != "" {
			start = s.StartOwned
		}
		return start(ctx, o.Command, o.Cwd, o.Cols, o.Rows)
	}
}

// bridge returns the command for the terminals at /ws/pty, or the management server whose terminals
// are shown there.
func (o *webServer) bridge(ctx context.Context) (command []string, from *client.Client, err error) {
	if o.BridgeFrom == "" {
		if command = archive.SplitCommand(o.Bridge); len(command) == 0 {
			command = []string{o.Shell}
		}
		return command, nil, nil
	}
	const hint = "write ws://HOST:PORT/AGENT"
	if !strings.HasPrefix(o.BridgeFrom, "ws://") && !strings.HasPrefix(o.BridgeFrom, "wss://") {
		return nil, nil, failure.Misuse(hint, "--bridge-server does not name a management server")
	}
	if from, err = client.Dial(ctx, o.BridgeFrom, client.Options{Token: os.Getenv("PTYREC_TOKEN")}); err != nil {
		return nil, nil, failure.New(err, hint)
	}
	return archive.SplitCommand(o.Bridge), from, nil
}

// commands returns the Manager that runs commands for sandbox clients, or nil if that is not
// allowed.
func (o *webServer) commands(ctx context.Context) (*process.Manager, error) {
	if !o.AllowRun {
		return nil, nil
	}
	return process.Open(ctx, process.Options{
		Store: o.Database, Program: detached.Program(), MaxRunning: o.MaxCommands, Redact: o.Library.Redact.Command,
		Input: o.Input, Log: o.Log,
	})
}

// dashboards returns the protocol at /ws/sandbox.
func (o *webServer) dashboards(s *detached.Starter) (*management.Protocol, error) {
	id := o.AgentID
	if id == "" {
		var err error
		if id, err = os.Hostname(); err != nil {
			return nil, failure.New(err, "name this machine with --agent-id")
		}
	}
	return management.New(management.Options{
		Sessions: o.Live, Store: o.Database, Shell: []string{o.Shell}, AgentID: id, Version: buildinfo.Version(),
		Redact:     o.Library.Redact.Redactor,
		ShellGrace: o.ShellGrace, AllowSubscribe: o.Subscribe, Log: o.Log,
		Start: s.Start,
	}), nil
}

// agentapi returns the protocol at /agentapi.
func (o *webServer) agentapi(past *servedPast) *agentapi.Sessions {
	return agentapi.NewSessions(agentapi.SessionsOptions{
		Store: o.Database, Live: o.Live, Banner: banner, Redact: o.Agents, Version: buildinfo.Version(), Log: o.Log,
		Entries: past.entries,
		Sender: func(id string, r *http.Request) agentapi.Sender {
			return senderFor(o.Live, id, r)
		},
	})
}

// announce prints the server's address and who may use it.
func (o *webServer) announce(url, secret string) error {
	n := announcement{
		Address: o.Address, URL: url, Token: secret, TokenFile: o.TokenFile, Database: o.Database.Path(),
		OpenReading: o.OpenReading, AllowRun: o.AllowRun, NoToken: o.NoToken, Width: o.QRWidth, Notice: o.Notice,
	}
	if o.MCP {
		n.MCPPath = mcp.Path
	}
	return n.Write(o.Out)
}
