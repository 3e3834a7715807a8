package serve

import (
	"context"
	"errors"
	"log/slog"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/server/mcp"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/recorder/peer"
)

type mcpFlags struct {
	write    bool
	ask      bool
	allowRun bool
	verbose  bool
}

// check validates the command line.
func (f mcpFlags) check() error {
	if (f.ask || f.allowRun) && !f.write {
		return failure.Usage(errors.New("--ask and --allow-run require --write"))
	}
	return nil
}

// mcpOptions are the options of mcp.
type mcpOptions struct {
	mcpFlags
	IO       *cli.IO
	Database func() (path string, err error)
	Servers  mcpServers
}

// NewCmdMCP returns the mcp command.
func NewCmdMCP(f *factory.Factory) *cobra.Command {
	o := &mcpOptions{IO: f.IO, Database: f.DatabasePath, Servers: mcpServers{Quiet: f.Quiet}}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let agents search and read sessions (Model Context Protocol)",
		Long: `Mcp serves recorded sessions to agents such as Claude Code, Codex and Gemini CLI, with the Model
Context Protocol on stdin and stdout. They can search and read all sessions, see which ones run,
and wait for them. Secrets are always removed, whatever --redact and the configuration say.`,
		Example: `  ptyrec mcp install
  claude mcp add --scope user ptyrec -- ptyrec mcp --write`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return serveMCP(cmd.Context(), o) },
	}
	cmd.AddCommand(NewCmdMCPInstall(f))
	cmd.Flags().BoolVar(&o.write, "write", false, "let agents type into sessions that you grant")
	cmd.Flags().BoolVar(&o.ask, "ask", false, "let the agent ask you for a grant (some answer themselves)")
	cmd.Flags().BoolVar(&o.allowRun, "allow-run", false, "let agents run commands in new sessions")
	cmd.Flags().BoolVar(&o.verbose, "verbose", false, "log to stderr")
	return cmd
}

// mcpGC is the garbage collection target of mcp (debug.SetGCPercent). It is low, because each agent
// has its own server.
const mcpGC = 50

func serveMCP(ctx context.Context, o *mcpOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(mcpGC))
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	var log *slog.Logger
	if o.verbose {
		log = o.IO.Logger(slog.LevelDebug)
	}
	opts, err := o.Servers.options(log)
	if err != nil {
		return err
	}
	opts.Write, opts.Inside = o.write, sessionsAround
	opts.Ask = o.ask && peer.Here() == peer.Outside // a program that runs in a session may not grant another
	if o.allowRun {
		path, err := o.Database()
		if err != nil {
			return err
		}
		starter, err := detached.NewStarter(path, o.IO.Environ)
		if err != nil {
			return err
		}
		defer func() { _ = starter.Close() }() // ends the sessions it has started, except those to keep
		opts.Start = func(ctx context.Context, what mcp.StartOptions) (string, error) {
			start := starter.StartOwned
			if what.Keep {
				start = starter.Start
			}
			return start(ctx, what.Command, what.Cwd, what.Cols, what.Rows)
		}
	}
	s := mcp.New(opts)
	defer s.Close()
	return s.Serve(ctx, o.IO.In, o.IO.Out)
}

// sessionsAround returns the ids of the sessions in which this process runs, for
// mcp.Options.Inside.
func sessionsAround() (ids []string, known bool) {
	around, known := peer.Around()
	for _, s := range around {
		ids = append(ids, s.ID)
	}
	return ids, known
}

// mcpServers creates MCP servers.
type mcpServers struct {
	Quiet func(loud bool) (*opener.Opener, error) // returns an Opener that removes secrets
}

// stateless returns the MCP server for serve. The caller must close it.
func (s mcpServers) stateless(log *slog.Logger) (*mcp.Server, error) {
	opts, err := s.options(nil)
	if err != nil {
		return nil, err
	}
	opts.Stateless, opts.Log = true, log
	return mcp.New(opts), nil
}

// options returns the options that all MCP servers share.
func (s mcpServers) options(log *slog.Logger) (mcp.Options, error) {
	quiet, err := s.Quiet(log != nil)
	if err != nil {
		return mcp.Options{}, err
	}
	r, err := quiet.Redaction()
	if err != nil {
		return mcp.Options{}, err
	}
	return mcp.Options{
		Open: mcp.Reopen(quiet.Database, func(ctx context.Context) (*mcp.Archive,
			error) {
			return openArchive(ctx, quiet)
		}), Redact: r.Redactor, Command: r.Command, Version: buildinfo.Version(), Log: log,
		When: func(text string) (start, end time.Time, err error) {
			span, err := human.ParseSpan(text, time.Now())
			return span.Start, span.End, err
		},
	}, nil
}

// openArchive opens the database for an MCP server. It returns nil if there is none.
func openArchive(ctx context.Context, open *opener.Opener) (*mcp.Archive, error) {
	db, err := open.Existing(ctx)
	if errors.Is(err, opener.ErrNoDatabase) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lib, err := open.Library(db)
	if err != nil {
		return nil, err
	}
	past := newServedPast(lib)
	open.CloseLater(past)
	live, err := client.Dial(ctx, "", join.Live{Open: open}.Options(db))
	if err != nil {
		return nil, err
	}
	return &mcp.Archive{Store: db, Live: live, Past: past}, nil
}
