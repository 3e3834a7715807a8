package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/agentattach"
	"github.com/ptyrec/ptyrec/internal/agentserver"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/token"
	"github.com/ptyrec/ptyrec/server/agentapi"
)

// agentapiName is the name of the program that `ptyrec agentapi` replaces.
const agentapiName = "agentapi"

// agentapiVersion is the version of agentapi whose API is served.
const agentapiVersion = "0.12.1"

// asAgentapi returns the arguments of ptyrec: those of a link named agentapi are the subcommand's.
func asAgentapi(args []string) []string {
	if filepath.Base(args[0]) == agentapiName {
		return append([]string{agentapiName}, args[1:]...)
	}
	return args[1:]
}

func newAgentapiCmd(a *app) *cobra.Command {
	var version bool
	cmd := &cobra.Command{
		Use:   agentapiName,
		Short: "Serve one session by the HTTP API of coder/agentapi",
		Long: `Agentapi serves a session by the HTTP API of coder/agentapi: programs send prompts, and read replies and whether the agent
works (docs/agentapi.md). A link named agentapi to ptyrec is this command. To serve the sessions that are there: ` + "`ptyrec serve --agentapi`.",
		Args: cli.Subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				_, err := fmt.Fprintf(a.stdout, "agentapi version %s (ptyrec %s)\n", agentapiVersion, buildinfo.Version())
				return err
			}
			return cmd.Help()
		},
	}
	cmd.Flags().BoolVar(&version, "version", false, "print the version of agentapi that this is compatible with")
	cmd.AddCommand(newAgentapiServerCmd(a), newAgentapiAttachCmd(a))
	return cmd
}

func newAgentapiAttachCmd(a *app) *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "attach [--url URL]",
		Short: "Show the screen of an agentapi server, and type into it",
		Long:  "Attach shows the screen of an agentapi server, of ptyrec or the original, and types into it what you type. Ctrl+C leaves; it is not typed.",
		Example: `  ptyrec agentapi attach
  ptyrec agentapi attach --url http://x:TOKEN@localhost:7681/agentapi/last`,
		Args: operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
				return fail(errors.New("attach needs a terminal"), "GET /messages has the conversation")
			}
			if err := agentattach.Attach(cmd.Context(), agentattach.URL(url), a.stdin, a.stdout); err != nil {
				return fail(err, "is the server at "+agentattach.URL(url)+"? See --url")
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&url, "url", "u", "localhost:3284", "the server's `URL`")
	return cmd
}

type agentapiFlags struct {
	agent        string
	port         int
	listen       string
	width        int
	height       int
	hosts        []string
	origins      []string
	prompt       string
	chatBase     string
	stateFile    string
	loadState    bool
	saveState    bool
	pidFile      string
	printOpenAPI bool
	acp          bool
	tokenFile    string
	content      string
	tools        bool
	verbose      bool
	exit         bool
}

// The sizes of the window that are accepted, in cells.
const minAgentapiSize = 10

func newAgentapiServerCmd(a *app) *cobra.Command {
	var f agentapiFlags
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
		Args: operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.FlagsFromEnvironment(cmd.Flags(), "AGENTAPI_"); err != nil {
				return err
			}
			if f.exit {
				return nil
			}
			if err := f.check(cmd.Flags(), args); err != nil {
				return err
			}
			if f.printOpenAPI {
				_, err := a.stdout.Write(agentapi.OpenAPI30())
				return err
			}
			return f.serve(cmd.Context(), a, args)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.StringVarP(&f.agent, "type", "t", "", "the `AGENT`: "+strings.Join(agentapi.TypeNames(), ", ")+" (default: by the command's name)")
	flags.IntVarP(&f.port, "port", "p", 3284, "listen on this `PORT`")
	flags.StringVar(&f.listen, "listen", "127.0.0.1", "listen on this `ADDRESS`; 0.0.0.0 is every address of the machine")
	flags.IntVarP(&f.width, "term-width", "W", 80, "the width of the window, in `CELLS`")
	flags.IntVarP(&f.height, "term-height", "H", 1000, "the height of the window, in `CELLS`")
	flags.StringSliceVarP(&f.hosts, "allowed-hosts", "a", nil, "the `NAMES` by which the server is called, without ports; * for all (default "+strings.Join(agentapi.DefaultHosts, ",")+")")
	flags.StringSliceVarP(&f.origins, "allowed-origins", "o", nil, "the `ORIGINS` whose pages may use the server; * for all (default "+strings.Join(agentapi.DefaultOrigins, ", ")+")")
	flags.StringVarP(&f.prompt, "initial-prompt", "I", "", "the first `PROMPT`; otherwise what comes from stdin, unless that is a terminal")
	flags.StringVarP(&f.chatBase, "chat-base-path", "c", "/chat", "the `PATH` of the chat page, as a proxy before the server has it")
	flags.StringVarP(&f.stateFile, "state-file", "s", "", "keep the messages in this `FILE` from one run to the next")
	flags.BoolVar(&f.loadState, "load-state", false, "read the state file at the start (default: if --state-file is set)")
	flags.BoolVar(&f.saveState, "save-state", false, "write the state file at the end (default: if --state-file is set)")
	flags.StringVar(&f.pidFile, "pid-file", "", "write the server's process id to this `FILE`")
	flags.BoolVarP(&f.printOpenAPI, "print-openapi", "P", false, "print the OpenAPI document and exit")
	flags.BoolVar(&f.acp, "experimental-acp", false, "refused: ptyrec reads the agent's terminal")
	flags.StringVar(&f.tokenFile, "token-file", "", "everything needs the token in this `FILE`, as Bearer or as the password")
	flags.StringVar(&f.content, "content", "text", "what messages have: `text` or markdown")
	flags.BoolVar(&f.tools, "tools", false, "messages have a line for each tool call")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log each refused request")
	flags.BoolVar(&f.exit, "exit", false, "")
	_ = flags.MarkHidden("exit") // agentapi's own tests use it
	return cmd
}

// check completes the flags, and says what is wrong with them.
func (f *agentapiFlags) check(flags *pflag.FlagSet, command []string) (err error) {
	if f.acp {
		return misuse("start it without --experimental-acp", "--experimental-acp: there is no ACP here, ptyrec reads the agent's terminal")
	}
	if f.agent == "" {
		f.agent = agentapi.TypeOfCommand(command)
	} else if agent, ok := agentapi.TypeOf(f.agent); ok {
		f.agent = agent
	} else {
		return misuse("--type is one of "+strings.Join(agentapi.TypeNames(), ", "), "invalid agent type: %s", f.agent)
	}
	switch {
	case f.width < minAgentapiSize:
		return usageError(errors.New("term width must be at least 10"))
	case f.height < minAgentapiSize:
		return usageError(errors.New("term height must be at least 10"))
	case f.port < 0 || f.port > 65535:
		return usageError(fmt.Errorf("--port %d: it must be 1 to 65535", f.port))
	case f.content != "text" && f.content != "markdown":
		return usageError(fmt.Errorf("--content %q: it must be text or markdown", f.content))
	case f.stateFile == "" && f.loadState:
		return usageError(errors.New("--load-state requires --state-file to be set"))
	case f.stateFile == "" && f.saveState:
		return usageError(errors.New("--save-state requires --state-file to be set"))
	}
	if !flags.Changed("allowed-hosts") {
		f.hosts = agentapi.DefaultHosts
	}
	if !flags.Changed("allowed-origins") {
		f.origins = agentapi.DefaultOrigins
	}
	f.loadState = f.stateFile != "" && (f.loadState || !flags.Changed("load-state"))
	f.saveState = f.stateFile != "" && (f.saveState || !flags.Changed("save-state"))
	if f.hosts, err = agentapi.CheckHosts(f.hosts); err != nil {
		return usageError(fmt.Errorf("--allowed-hosts: %w", err))
	}
	if f.origins, err = agentapi.CheckOrigins(f.origins); err != nil {
		return usageError(fmt.Errorf("--allowed-origins: %w", err))
	}
	return nil
}

// access says who may use the server.
func (f *agentapiFlags) access() (agentapi.Access, error) {
	access := agentapi.Access{Hosts: f.hosts, Origins: f.origins}
	if f.tokenFile == "" {
		return access, nil
	}
	var err error
	if access.Token, err = token.Load(f.tokenFile); err != nil {
		return access, fail(err, "--token-file is a file that only you can read, with the token in it")
	}
	return access, nil
}

// serve serves a new session until it ends, or a signal comes.
func (f *agentapiFlags) serve(ctx context.Context, a *app, command []string) error {
	level := slog.LevelWarn
	if f.verbose {
		level = slog.LevelDebug
	}
	access, err := f.access()
	if err != nil {
		return err
	}
	path, err := a.dbPath()
	if err != nil {
		return err
	}
	sessions, err := a.liveSessions(ctx)
	if err != nil {
		return err
	}
	return agentserver.Serve(ctx, agentserver.Options{
		Command: command, Agent: f.agent, Cols: f.width, Rows: f.height, Prompt: f.prompt, Stdin: a.stdin,
		Database: path, Environ: a.environ, Sessions: sessions,
		Address: net.JoinHostPort(f.listen, strconv.Itoa(f.port)), Access: access, ChatBase: f.chatBase,
		Markdown: f.content == "markdown", Tools: f.tools,
		StateFile: f.stateFile, LoadState: f.loadState, SaveState: f.saveState, PIDFile: f.pidFile,
		Listening: func(at net.Addr) { a.notice("agentapi's API is at http://%s/", at) }, Stderr: a.stderr, Log: a.logger(level),
	})
}
