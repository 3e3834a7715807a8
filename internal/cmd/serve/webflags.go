package serve

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/server/management"
)

// webFlags are the flags of the commands that serve the page and the API. Each command has some of
// them.
type webFlags struct {
	Address     address
	TokenFile   string
	NewToken    bool
	AllowRun    bool
	NoToken     bool
	MaxCommands int
	EndCommands bool
	ReadOnly    bool
	OpenReading bool
	PublicLinks bool
	OpenPage    bool
	Bridge      string
	BridgeFrom  string
	AgentID     string
	ShellGrace  time.Duration
	Subscribe   bool
	MCP         bool
	Agentapi    bool
	Verbose     bool
	Raw         string // s3://BUCKET/PREFIX
	URL         string // https://HOST of a proxy that terminates TLS
	Issuer      string // address of the identity provider
	Client      string // the provider's client id for this server
	SecretFile  string // file with the provider's client secret
}

// defaults returns the flags of a command that does not have all of them.
func defaults() webFlags { return webFlags{MaxCommands: 256, ShellGrace: management.ShellGrace} }

// registerAddress defines the flags of every server.
func (f *webFlags) registerAddress(flags *pflag.FlagSet) {
	flags.StringVar(&f.Address.Listen, "listen", defaultListen,
		"listen on `ADDRESS` (host:port; an empty host means all)")
	flags.StringVar(&f.Address.Cert, "cert", "", "serve https with the certificate in `FILE` (PEM)")
	flags.StringVar(&f.Address.Key, "key", "", "use the certificate's key in `FILE` (PEM)")
	flags.StringSliceVar(&f.Address.Hosts, "host", nil, "accept requests for host `NAME` (IP addresses are accepted)")
	flags.BoolVar(&f.Verbose, "verbose", false, "log all connections")
	cli.GroupFlags(flags, "Address", "host", "cert", "key")
}

// registerToken defines the flags of a server with one token.
func (f *webFlags) registerToken(flags *pflag.FlagSet) {
	flags.StringVar(&f.TokenFile, "token-file", "",
		"keep the token in `FILE`, and do not print it (default $XDG_STATE_HOME/ptyrec/token)")
	flags.BoolVar(&f.NewToken, "new-token", false, "replace the token, and invalidate all cookies")
	cli.GroupFlags(flags, "Access", "token-file", "new-token")
}

// registerPage defines the flags of `ptyrec serve` alone.
func (f *webFlags) registerPage(flags *pflag.FlagSet) {
	flags.BoolVar(&f.OpenReading, "open-reading", false, "require no token for reading")
	flags.BoolVar(&f.OpenPage, "open", false, "open the page in a browser")
	flags.StringVar(&f.Bridge, "bridge-command", "", "run `COMMAND` in terminals at /ws/pty/NAME (default $SHELL)")
	flags.StringVar(&f.BridgeFrom, "bridge-server", "",
		"serve terminals of the management server at `URL` instead (docs/management.md)")
	flags.BoolVar(&f.MCP, "mcp", false, "serve the Model Context Protocol at /mcp (docs/mcp.md)")
	flags.BoolVar(&f.Agentapi, "agentapi", false, "serve coder/agentapi's API at /agentapi/ID (docs/agentapi.md)")
	cli.GroupFlags(flags, "Access", "open-reading")
	cli.GroupFlags(flags, "Programs", "mcp", "agentapi", "bridge-command", "bridge-server")
}

// registerReadOnly defines the flag of the servers that can be read-only.
func (f *webFlags) registerReadOnly(flags *pflag.FlagSet) {
	flags.BoolVar(&f.ReadOnly, "read-only", false, "allow no typing and no changes")
}

// registerCommands defines the flags of `ptyrec sandbox`, and returns their names.
func (f *webFlags) registerCommands(flags *pflag.FlagSet) []string {
	flags.BoolVar(&f.NoToken, "unsafe-no-token", false, "require no token: anyone who can connect can run commands")
	flags.IntVar(&f.MaxCommands, "max-commands", f.MaxCommands, "run at most `N` commands of sandbox clients")
	flags.BoolVar(&f.EndCommands, "end-commands", false, "end commands of sandbox clients with the server")
	flags.StringVar(&f.AgentID, "agent-id", "", "call this machine `NAME` in dashboards (default: host name)")
	flags.DurationVar(&f.ShellGrace, "shell-grace", f.ShellGrace,
		"keep a dashboard's shell for `TIME` after it disconnects")
	flags.BoolVar(&f.Subscribe, "allow-subscribe", false, "let dashboards control what others have started")
	cli.GroupFlags(flags, "Access", "unsafe-no-token")
	cli.GroupFlags(flags, "Programs", "max-commands", "end-commands", "agent-id", "shell-grace", "allow-subscribe")
	return []string{"unsafe-no-token", "max-commands", "end-commands", "agent-id", "shell-grace", "allow-subscribe"}
}

// registerTeam defines the flags of `ptyrec team serve`, and returns their names.
func (f *webFlags) registerTeam(flags *pflag.FlagSet) []string {
	flags.BoolVar(&f.PublicLinks, "public-links", false, "allow links that open without signing in")
	flags.StringVar(&f.Raw, "raw", "", "keep raw logs in the bucket s3://`BUCKET/PREFIX`")
	flags.StringVar(&f.URL, "url", "", "set the public `URL`, if a proxy terminates TLS")
	flags.StringVar(&f.Issuer, "oidc-issuer", "", "let users sign in at the OpenID provider at `URL`")
	flags.StringVar(&f.Client, "oidc-client", "", "use client `ID` at the provider")
	flags.StringVar(&f.SecretFile, "oidc-secret-file", "", "read the client's secret from `FILE`, if it has one")
	cli.GroupFlags(flags, "Address", "url")
	cli.GroupFlags(flags, "Access", "public-links", "oidc-issuer", "oidc-client", "oidc-secret-file")
	return []string{"public-links", "raw", "url", "oidc-issuer", "oidc-client", "oidc-secret-file"}
}

// movedFlags are the flags that `ptyrec serve` had before other commands took them, by command. The
// next release removes them from serve.
type movedFlags map[string][]string

// registerMoved defines the moved flags for `ptyrec serve`, hidden from its help.
func (f *webFlags) registerMoved(flags *pflag.FlagSet) movedFlags {
	flags.BoolVar(&f.AllowRun, "allow-run", false, "let clients with the token run any command")
	moved := movedFlags{"sandbox": append(f.registerCommands(flags), "allow-run"), "team serve": f.registerTeam(flags)}
	for _, names := range moved {
		for _, name := range names {
			_ = flags.MarkHidden(name) // the flag exists
		}
	}
	return moved
}

// Hints returns a hint for each command that has a flag that was used.
func (m movedFlags) Hints(flags *pflag.FlagSet) (hints []string) {
	for _, command := range slices.Sorted(maps.Keys(m)) {
		for _, name := range m[command] {
			if flags.Changed(name) {
				hints = append(hints, fmt.Sprintf("use `ptyrec %s` instead of `ptyrec serve --%s`, which the next release "+
					"does not accept", command, name))
				break
			}
		}
	}
	return hints
}

// Check validates the flags. It returns a usage error.
func (f *webFlags) Check() error {
	var wrong string
	switch {
	case f.ReadOnly && f.AllowRun:
		wrong = "--read-only and --allow-run cannot be combined"
	case f.NoToken && !f.AllowRun:
		wrong = "--unsafe-no-token requires --allow-run"
	case f.MaxCommands < 1:
		wrong = "--max-commands must be at least 1"
	default:
		return f.Address.Check()
	}
	return wrongUsage(wrong)
}

// checkLocal returns a usage error if a flag requires a team's database.
func (f *webFlags) checkLocal() error {
	if f.PublicLinks {
		return misuse(errors.New("--public-links requires a team's database: --db postgres://…"))
	}
	if f.Raw != "" || f.URL != "" || f.Issuer != "" || f.Client != "" || f.SecretFile != "" {
		return misuse(errors.New("--raw, --url, --oidc-issuer, --oidc-client and --oidc-secret-file require " +
			"a team's database: --db postgres://…"))
	}
	return nil
}

func wrongUsage(text string) error { return misuse(errors.New(text)) }

// CheckTeam returns a usage error if a flag cannot be used with a team's database: that server runs
// and records nothing, and each user has tokens.
func (f *webFlags) CheckTeam() error {
	if err := f.checkNotLocal(); err != nil {
		return err
	}
	if (f.Issuer == "") != (f.Client == "") || f.SecretFile != "" && f.Issuer == "" {
		return misuse(errors.New("--oidc-issuer and --oidc-client require each other; --oidc-secret-file requires both"))
	}
	if u, err := url.Parse(f.URL); f.URL != "" &&
		(err != nil || u.Scheme != "https" || u.Host == "" || f.URL != "https://"+u.Host) {
		return failure.Misuse("write https://HOST", "--url %q is not the address of a server", f.URL)
	}
	return nil
}

// checkNotLocal returns a usage error if a flag does not work with a team's database.
func (f *webFlags) checkNotLocal() error {
	if f.NewToken || f.TokenFile != "" || f.OpenReading {
		return misuse(errors.New("with a database in PostgreSQL, each user has tokens of their own (`ptyrec team token " +
			"add`): leave out --token-file, --new-token and --open-reading"))
	}
	if f.AllowRun || f.Bridge != "" || f.BridgeFrom != "" || f.OpenPage || f.Subscribe || f.AgentID != "" || f.MCP ||
		f.Agentapi {
		return wrongUsage("with a database in PostgreSQL, serve runs no commands: leave out --allow-run, " +
			"--bridge-command, --bridge-server, --open, " +
			"--allow-subscribe, --agent-id, --mcp and --agentapi")
	}
	return nil
}
