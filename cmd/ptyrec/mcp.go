package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/timespan"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/server/mcp"
	"github.com/ptyrec/ptyrec/internal/server/webserver"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/recorder/peer"
)

type mcpFlags struct {
	write    bool
	ask      bool
	allowRun bool
	verbose  bool
}

// check says what is wrong with the command line.
func (f mcpFlags) check() error {
	if (f.ask || f.allowRun) && !f.write {
		return failure.Usage(errors.New("--ask and --allow-run go with --write"))
	}
	return nil
}

func newMCPCmd(a *app) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let agents search, read and watch the sessions (Model Context Protocol)",
		Long: `Mcp is an MCP server on stdin and stdout, for agents such as Claude Code, Codex and Gemini CLI. They find
what was said and done in all recorded sessions, see what runs, and wait for it. Secrets are always
taken out of what they read, whatever --redact and the configuration say.`,
		Example: `  ptyrec mcp install
  claude mcp add --scope user ptyrec -- ptyrec mcp --write`,
		Args: operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return serveMCP(cmd.Context(), a, f) },
	}
	cmd.AddCommand(newMCPInstallCmd(a))
	cmd.Flags().BoolVar(&f.write, "write", false, "let agents type into sessions that you have granted (ptyrec grant)")
	cmd.Flags().BoolVar(&f.ask, "ask", false, "without a grant, have the agent ask you; some agents answer such questions themselves")
	cmd.Flags().BoolVar(&f.allowRun, "allow-run", false, "let agents run commands in sessions of their own")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "log to stderr")
	return cmd
}

// mcpGC is the garbage that mcp may hold, in percent of what it uses: each agent has a server of
// its own.
const mcpGC = 50

func serveMCP(ctx context.Context, a *app, f mcpFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(mcpGC))
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	var log *slog.Logger
	if f.verbose {
		log = a.logger(slog.LevelDebug)
	}
	o, err := mcpOptions(a, log)
	if err != nil {
		return err
	}
	o.Write, o.Inside = f.write, sessionsAround
	o.Ask = f.ask && peer.Here() == peer.Outside // what runs in a session may not grant another
	if f.allowRun {
		path, err := a.dbPath()
		if err != nil {
			return err
		}
		starter, err := detached.NewStarter(path, a.environ)
		if err != nil {
			return err
		}
		defer func() { _ = starter.Close() }() // which ends what it has started, but for what is kept
		o.Start = func(ctx context.Context, o mcp.StartOptions) (string, error) {
			start := starter.StartOwned
			if o.Keep {
				start = starter.Start
			}
			return start(ctx, o.Command, o.Cwd, o.Cols, o.Rows)
		}
	}
	s := mcp.New(o)
	defer s.Close()
	return s.Serve(ctx, a.stdin, a.stdout)
}

// sessionsAround returns the ids of the sessions that this process runs inside, as mcp.Options has
// it.
func sessionsAround() (ids []string, known bool) {
	around, known := peer.Around()
	for _, s := range around {
		ids = append(ids, s.ID)
	}
	return ids, known
}

// newMCP returns the MCP server of serve. The caller must close it.
func newMCP(a *app, log *slog.Logger) (*mcp.Server, error) {
	o, err := mcpOptions(a, nil)
	if err != nil {
		return nil, err
	}
	o.Stateless, o.Log = true, log
	return mcp.New(o), nil
}

// mcpOptions returns what all MCP servers have in common.
func mcpOptions(a *app, log *slog.Logger) (mcp.Options, error) {
	quiet, err := a.quiet(log != nil)
	if err != nil {
		return mcp.Options{}, err
	}
	r, err := quiet.redaction()
	if err != nil {
		return mcp.Options{}, err
	}
	return mcp.Options{
		Open: mcp.Reopen(quiet.dbPath, quiet.openArchive), Redact: r.Redactor, Command: r.Command, Version: buildinfo.Version(), Log: log,
		When: func(text string) (start, end time.Time, err error) {
			s, err := timespan.Parse(text, time.Now())
			return s.Start, s.End, err
		},
	}, nil
}

// quiet returns an app like a that shows no secrets, whatever the flags and the configuration say,
// and prints notices only if it is loud. a closes what it opens.
func (a *app) quiet(loud bool) (*app, error) {
	safe, err := a.safeConfig()
	if err != nil {
		return nil, err
	}
	q := &app{stdin: a.stdin, stdout: a.stdout, stderr: a.stderr, environ: a.environ, dbFlag: a.dbFlag, config: safe}
	q.open = newOpener(q)
	if !loud {
		if q.stderr, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
			return nil, err
		}
		q.closeLater(q.stderr)
	}
	a.closeLater(opener.Closer(func() error { q.close(); return nil }))
	return q, nil
}

// safeConfig returns the configuration with redaction on, whatever it says.
func (a *app) safeConfig() (*config.Config, error) {
	c, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	safe := *c
	safe.Redact.Enabled, safe.Redact.Known = true, true
	return &safe, nil
}

// agentRedactor returns what takes the secrets out of the screens that agents are shown.
func (a *app) agentRedactor() (*redact.Redactor, error) {
	safe, err := a.safeConfig()
	if err != nil {
		return nil, err
	}
	return safe.Redact.Redactor()
}

// openArchive opens what MCP servers read; nil if there is no database.
func (a *app) openArchive(ctx context.Context) (*mcp.Archive, error) {
	db, err := a.openExisting(ctx)
	if errors.Is(err, opener.ErrNoDatabase) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lib, err := a.library(db)
	if err != nil {
		return nil, err
	}
	past := webserver.NewPast(lib)
	a.closeLater(past)
	live, err := client.Dial(ctx, "", a.liveOptions(db))
	if err != nil {
		return nil, err
	}
	return &mcp.Archive{Store: db, Live: live, Past: past}, nil
}
