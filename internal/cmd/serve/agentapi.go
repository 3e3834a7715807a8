package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/server/agentapi"
)

// agentapiVersion is the version of agentapi whose API is implemented.
const agentapiVersion = "0.12.1"

// NewCmdAgentapi returns the agentapi command.
func NewCmdAgentapi(f *factory.Factory) *cobra.Command {
	var version bool
	cmd := &cobra.Command{
		Use:   "agentapi",
		Short: "Serve an agent with the HTTP API of coder/agentapi",
		Long: `Agentapi serves a session with the HTTP API of coder/agentapi: programs send prompts, and read
replies and the agent's state (docs/agentapi.md). A link named agentapi to ptyrec runs this
command. ` + "`ptyrec serve --agentapi`" + ` serves existing sessions.`,
		Args: cli.Subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				_, err := fmt.Fprintf(f.IO.Out, "agentapi version %s (ptyrec %s)\n", agentapiVersion, buildinfo.Version())
				return err
			}
			return cmd.Help()
		},
	}
	cmd.Flags().BoolVar(&version, "version", false, "print the compatible version of agentapi")
	cmd.AddCommand(NewCmdAgentapiServer(f), NewCmdAgentapiAttach(f))
	return cmd
}

// NewCmdAgentapiAttach returns the agentapi attach command.
func NewCmdAgentapiAttach(f *factory.Factory) *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "attach [--url URL]",
		Short: "Attach to an agentapi server",
		Long: `Attach shows the screen of an agentapi server, ptyrec's or the original, and types your keys into
it. Ctrl+C leaves.`,
		Example: `  ptyrec agentapi attach
  ptyrec agentapi attach --url http://x:TOKEN@localhost:7681/agentapi/last`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cli.IsTerminal(f.IO.In) || !cli.IsTerminal(f.IO.Out) {
				return failure.New(errors.New("attach needs a terminal"), "read the conversation with GET /messages")
			}
			if err := AttachAgentapi(cmd.Context(), agentapiURL(url), f.IO.In, f.IO.Out); err != nil {
				return failure.New(err, "is the server at "+agentapiURL(url)+"? See --url")
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&url, "url", "u", "localhost:3284", "connect to `URL`")
	return cmd
}

// agentapiOptions are the options of agentapi server.
type agentapiOptions struct {
	agentFlags
	IO       *cli.IO
	Database func() (path string, err error)
	Live     join.Live
	Redactor func() (*redact.Redactor, error)
}

// NewCmdAgentapiServer returns the agentapi server command.
func NewCmdAgentapiServer(f *factory.Factory) *cobra.Command {
	o := &agentapiOptions{IO: f.IO, Database: f.DatabasePath, Live: f.Live, Redactor: f.AgentRedactor}
	cmd := &cobra.Command{
		Use:   "server [flags] -- COMMAND…",
		Short: "Record an agent, and serve it over HTTP",
		Long: `Server starts COMMAND in a recorded session without a terminal, and serves agentapi's HTTP API on
127.0.0.1:3284. Programs can type until ` + "`ptyrec revoke`" + `. The session ends with the server. If the
command fails, the server prints the last screen to stderr and exits with its status. SIGUSR1
saves the state file. You can set flags in the environment, such as AGENTAPI_PORT for --port;
separate lists by spaces there.`,
		Example: `  ptyrec agentapi server -- claude
  ptyrec agentapi server --type codex --term-width 67 --term-height 1190 -- bash -c 'codex --full-auto'
  curl localhost:3284/message -H 'Content-Type: application/json' \
    -d '{"type": "user", "content": "Which tests are slow?"}'`,
		Args: cli.Operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.FlagsFromEnvironment(cmd.Flags(), "AGENTAPI_"); err != nil {
				return err
			}
			if o.Exit {
				return nil
			}
			if err := o.Check(cmd.Flags(), args); err != nil {
				return err
			}
			if o.PrintOpenAPI {
				_, err := o.IO.Out.Write(agentapi.OpenAPI30())
				return err
			}
			return agentapiServer(cmd.Context(), o, args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	o.Register(cmd.Flags())
	return cmd
}

// agentapiServer serves a new session until it ends or a signal arrives.
func agentapiServer(ctx context.Context, o *agentapiOptions, command []string) error {
	opts, err := o.Options()
	if err != nil {
		return err
	}
	if opts.Database, err = o.Database(); err != nil {
		return err
	}
	if opts.Sessions, err = o.Live.Dial(ctx); err != nil {
		return err
	}
	if opts.Redact, err = o.Redactor(); err != nil {
		return err
	}
	level := slog.LevelWarn
	if o.Verbose {
		level = slog.LevelDebug
	}
	opts.Command, opts.Environ, opts.Stdin, opts.Stderr, opts.Log = command, o.IO.Environ, o.IO.In, o.IO.Err,
		o.IO.Logger(level)
	opts.Listening = func(at net.Addr) {
		o.IO.Notice("agentapi's API is at http://%s/", at)
		if file, err := tokenPath(); err == nil && o.OwnToken() {
			o.IO.Notice("your programs need no token; other users, and programs in recorded sessions, need the one in %s", file)
		}
	}
	return serveAgent(ctx, opts)
}
