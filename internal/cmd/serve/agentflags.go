package serve

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/recorder/peer"
)

// agentFlags are the flags of agentapi's server and a few additional ones.
type agentFlags struct {
	PrintOpenAPI bool // print the OpenAPI document, and exit
	Exit         bool // do nothing; used by agentapi's own tests
	Verbose      bool // log each rejected request

	options   agentServer
	port      int
	listen    string
	acp       bool
	tokenFile string
	content   string
}

// minWindow is the minimum width and height of the window, in cells.
const minWindow = 10

// Register defines the flags.
func (f *agentFlags) Register(flags *pflag.FlagSet) {
	flags.StringVarP(&f.options.Agent, "type", "t", "",
		"set the type of `AGENT`: "+strings.Join(agentapi.TypeNames(), ", ")+" (default: by the command's name)")
	flags.IntVarP(&f.port, "port", "p", 3284, "listen on `PORT`")
	flags.StringVar(&f.listen, "listen", "127.0.0.1", "listen on `ADDRESS`; 0.0.0.0 means all")
	flags.IntVarP(&f.options.Cols, "term-width", "W", 80, "set the width of the window to `CELLS`")
	flags.IntVarP(&f.options.Rows, "term-height", "H", 1000, "set the height of the window to `CELLS`")
	flags.StringSliceVarP(&f.options.Access.Hosts, "allowed-hosts", "a", nil,
		"accept these host `NAMES` without ports; * for all (default "+strings.Join(agentapi.DefaultHosts(), ",")+")")
	flags.StringSliceVarP(&f.options.Access.Origins, "allowed-origins", "o", nil,
		"accept requests of pages of these `ORIGINS`; * for all (default "+strings.Join(agentapi.DefaultOrigins(), ", ")+")")
	flags.StringVarP(&f.options.Prompt, "initial-prompt", "I", "",
		"send `PROMPT` first (default: stdin, if not a terminal)")
	flags.StringVarP(&f.options.ChatBase, "chat-base-path", "c", "/chat",
		"serve the chat page at `PATH`, as proxies see it")
	flags.StringVarP(&f.options.StateFile, "state-file", "s", "", "keep messages in `FILE` across restarts")
	flags.BoolVar(&f.options.LoadState, "load-state", false,
		"load the state file at the start (default with --state-file)")
	flags.BoolVar(&f.options.SaveState, "save-state", false, "save the state file at the end (default with --state-file)")
	flags.StringVar(&f.options.PIDFile, "pid-file", "", "write the process id to `FILE`")
	flags.BoolVarP(&f.PrintOpenAPI, "print-openapi", "P", false, "print the OpenAPI document and exit")
	flags.BoolVar(&f.acp, "experimental-acp", false, "not supported: ptyrec reads the agent's terminal")
	flags.StringVar(&f.tokenFile, "token-file", "", "require the token in `FILE` from everyone (see docs/agentapi.md)")
	flags.StringVar(&f.content, "content", "text", "write messages as `FORMAT`: text or markdown")
	flags.BoolVar(&f.options.Tools, "tools", false, "add a line for each tool call to messages")
	flags.BoolVarP(&f.Verbose, "verbose", "v", false, "log refused requests")
	flags.BoolVar(&f.Exit, "exit", false, "")
	_ = flags.MarkHidden("exit") // agentapi's own tests use it
	cli.GroupFlags(flags, "Access", "listen", "allowed-hosts", "allowed-origins", "chat-base-path", "token-file")
	cli.GroupFlags(flags, "State", "state-file", "load-state", "save-state", "pid-file")
	cli.GroupFlags(flags, "Window", "term-width", "term-height")
	cli.GroupFlags(flags, "Compatibility", "print-openapi", "experimental-acp")
}

// Check sets defaults and validates the flags. The error is a *failure.Error.
func (f *agentFlags) Check(flags *pflag.FlagSet, command []string) (err error) {
	if f.acp {
		return failure.Misuse("start it without --experimental-acp",
			"--experimental-acp is not supported: ptyrec reads the agent's terminal")
	}
	if f.options.Agent == "" {
		f.options.Agent = agentapi.TypeOfCommand(command)
	} else if agent, ok := agentapi.TypeOf(f.options.Agent); ok {
		f.options.Agent = agent
	} else {
		return failure.Misuse("--type is one of "+strings.Join(agentapi.TypeNames(), ", "), "invalid agent type: %s",
			f.options.Agent)
	}
	if err := f.checkValues(); err != nil {
		return misuse(err)
	}
	if !flags.Changed("allowed-hosts") {
		f.options.Access.Hosts = agentapi.DefaultHosts()
	}
	if !flags.Changed("allowed-origins") {
		f.options.Access.Origins = agentapi.DefaultOrigins()
	}
	f.options.LoadState = f.options.StateFile != "" && (f.options.LoadState || !flags.Changed("load-state"))
	f.options.SaveState = f.options.StateFile != "" && (f.options.SaveState || !flags.Changed("save-state"))
	if f.options.Access.Hosts, err = agentapi.CheckHosts(f.options.Access.Hosts); err != nil {
		return misuse(fmt.Errorf("--allowed-hosts: %w", err))
	}
	if f.options.Access.Origins, err = agentapi.CheckOrigins(f.options.Access.Origins); err != nil {
		return misuse(fmt.Errorf("--allowed-origins: %w", err))
	}
	return nil
}

// checkValues returns an error if a flag has an invalid value.
func (f *agentFlags) checkValues() error {
	switch {
	case f.options.Cols < minWindow:
		return errors.New("term width must be at least 10")
	case f.options.Rows < minWindow:
		return errors.New("term height must be at least 10")
	case f.port < 0 || f.port > 65535:
		return fmt.Errorf("--port must be 1 to 65535, not %d", f.port)
	case f.content != "text" && f.content != "markdown":
		return fmt.Errorf("--content must be text or markdown, not %q", f.content)
	case f.options.StateFile == "" && f.options.LoadState:
		return errors.New("--load-state requires --state-file to be set")
	case f.options.StateFile == "" && f.options.SaveState:
		return errors.New("--save-state requires --state-file to be set")
	}
	return nil
}

// misuse marks err as a usage error.
func misuse(err error) error { return &failure.Error{Err: err, Misuse: true} }

// isUser reports whether the client of a connection is a process of this user that was not started
// in a recorded session. The agent was started in one.
func isUser(client, server netip.AddrPort) bool {
	return peer.Own(client, server) && !peer.Inside(client, server)
}

// OwnToken reports whether the token is the user's own, which is not required of this user's
// clients.
func (f *agentFlags) OwnToken() bool { return f.tokenFile == "" }

// Options returns the options for serveAgent. Check must have been called.
func (f *agentFlags) Options() (agentServer, error) {
	o := f.options
	o.Address = net.JoinHostPort(f.listen, strconv.Itoa(f.port))
	o.Markdown = f.content == "markdown"
	if f.tokenFile == "" {
		o.Access.Own = isUser
	}
	var err error
	o.Access.Token, err = loadToken(f.tokenFile, false)
	return o, err
}
