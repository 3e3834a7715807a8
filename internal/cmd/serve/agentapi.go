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
	"github.com/ptyrec/ptyrec/internal/cmd/watch/agentattach"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/internal/server/agentserver"
	"github.com/ptyrec/ptyrec/internal/server/token"
)

// agentapiVersion is the version of agentapi whose API is served.
const agentapiVersion = "0.12.1"

// NewCmdAgentapi returns the command agentapi.
func NewCmdAgentapi(a *factory.Factory) *cobra.Command {
	var version bool
	cmd := &cobra.Command{
		Use:   "agentapi",
		Short: "Serve one session by the HTTP API of coder/agentapi",
		Long: `Agentapi serves a session by the HTTP API of coder/agentapi: programs send prompts, and read replies and whether the agent
works (docs/agentapi.md). A link named agentapi to ptyrec is this command. To serve the sessions that are there: ` + "`ptyrec serve --agentapi`.",
		Args: cli.Subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				_, err := fmt.Fprintf(a.IO.Out, "agentapi version %s (ptyrec %s)\n", agentapiVersion, buildinfo.Version())
				return err
			}
			return cmd.Help()
		},
	}
	cmd.Flags().BoolVar(&version, "version", false, "print the version of agentapi that this is compatible with")
	cmd.AddCommand(NewCmdAgentapiServer(a), NewCmdAgentapiAttach(a))
	return cmd
}

// NewCmdAgentapiAttach returns the command agentapi attach.
func NewCmdAgentapiAttach(a *factory.Factory) *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "attach [--url URL]",
		Short: "Show the screen of an agentapi server, and type into it",
		Long:  "Attach shows the screen of an agentapi server, of ptyrec or the original, and types into it what you type. Ctrl+C leaves; it is not typed.",
		Example: `  ptyrec agentapi attach
  ptyrec agentapi attach --url http://x:TOKEN@localhost:7681/agentapi/last`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cli.IsTerminal(a.IO.In) || !cli.IsTerminal(a.IO.Out) {
				return failure.New(errors.New("attach needs a terminal"), "GET /messages has the conversation")
			}
			if err := agentattach.Attach(cmd.Context(), agentattach.URL(url), a.IO.In, a.IO.Out); err != nil {
				return failure.New(err, "is the server at "+agentattach.URL(url)+"? See --url")
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&url, "url", "u", "localhost:3284", "the server's `URL`")
	return cmd
}

// NewCmdAgentapiServer returns the command agentapi server.
func NewCmdAgentapiServer(a *factory.Factory) *cobra.Command {
	var f agentserver.Flags
	cmd := &cobra.Command{
		Use:   "server [flags] -- COMMAND…",
		Short: "Record an agent, and let programs talk to it over HTTP",
		Long: `Server starts COMMAND in a recorded session without a terminal, and serves it by agentapi's HTTP API on 127.0.0.1:3284. Starting it lets
programs type, until ` + "`ptyrec revoke`" + `. The session ends with the server. If the command fails, so does the server, and writes the last screen to stderr.
SIGUSR1 saves the state file. Each flag can be set by the environment: AGENTAPI_PORT for --port; lists are separated by blanks there.`,
		Example: `  ptyrec agentapi server -- claude
  ptyrec agentapi server --type codex --term-width 67 --term-height 1190 -- bash -c 'codex --full-auto'
  curl localhost:3284/message -H 'Content-Type: application/json' \
    -d '{"type": "user", "content": "Which tests are slow?"}'`,
		Args: cli.Operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.FlagsFromEnvironment(cmd.Flags(), "AGENTAPI_"); err != nil {
				return err
			}
			if f.Exit {
				return nil
			}
			if err := f.Check(cmd.Flags(), args); err != nil {
				return err
			}
			if f.PrintOpenAPI {
				_, err := a.IO.Out.Write(agentapi.OpenAPI30())
				return err
			}
			return agentapiServer(cmd.Context(), a, f, args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	f.Register(cmd.Flags())
	return cmd
}

// agentapiServer serves a new session until it ends, or a signal comes.
func agentapiServer(ctx context.Context, a *factory.Factory, f agentserver.Flags, command []string) error {
	o, err := f.Options()
	if err != nil {
		return err
	}
	if o.Database, err = a.Open.Database(); err != nil {
		return err
	}
	if o.Sessions, err = a.Live.Dial(ctx); err != nil {
		return err
	}
	if o.Redact, err = a.AgentRedactor(); err != nil {
		return err
	}
	level := slog.LevelWarn
	if f.Verbose {
		level = slog.LevelDebug
	}
	o.Command, o.Environ, o.Stdin, o.Stderr, o.Log = command, a.IO.Environ, a.IO.In, a.IO.Err, a.IO.Logger(level)
	o.Listening = func(at net.Addr) {
		a.IO.Notice("agentapi's API is at http://%s/", at)
		if file, err := token.Path(); err == nil && f.OwnToken() {
			a.IO.Notice("your programs use it; those of others, and what runs in recorded sessions, need the token in %s", file)
		}
	}
	return agentserver.Serve(ctx, o)
}
