package webserver

import (
	"errors"
	"net/url"
	"time"

	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/server/listener"
	"github.com/ptyrec/ptyrec/internal/server/management"
)

// Flags are those of `ptyrec serve`.
type Flags struct {
	Address     listener.Address
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
	BridgeTTL   time.Duration
	AgentID     string
	ShellGrace  time.Duration
	Subscribe   bool
	MCP         bool
	Agentapi    bool
	Verbose     bool
	Raw         string // s3://BUCKET/PREFIX
	URL         string // https://HOST, of the proxy that speaks TLS
	Issuer      string // address of the provider where users sign in
	Client      string // by which name the provider knows us
	SecretFile  string // holds what the provider has given us besides
}

// Register defines the flags.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&f.Address.Listen, "listen", listener.Default, "listen on this `ADDRESS`, host:port; an empty host is every address of the machine")
	flags.StringVar(&f.TokenFile, "token-file", "", "keep the token in this `FILE` (default $XDG_STATE_HOME/ptyrec/token), and do not print it")
	flags.BoolVar(&f.NewToken, "new-token", false, "replace the token by a new one")
	flags.StringVar(&f.Address.Cert, "cert", "", "serve https with this certificate `FILE` (PEM)")
	flags.StringVar(&f.Address.Key, "key", "", "the certificate's key `FILE` (PEM)")
	flags.StringSliceVar(&f.Address.Hosts, "host", nil, "a `NAME` by which the server is reached, besides localhost and IP addresses")
	flags.BoolVar(&f.AllowRun, "allow-run", false, "let everyone who has the token run any command")
	flags.BoolVar(&f.NoToken, "unsafe-no-token", false, "let anyone who reaches the server run any command: where nobody else reaches it")
	flags.IntVar(&f.MaxCommands, "max-commands", 256, "how `MANY` commands of sandbox clients may run at a time")
	flags.BoolVar(&f.EndCommands, "end-commands", false, "end the commands of sandbox clients when the server ends")
	flags.BoolVar(&f.ReadOnly, "read-only", false, "nobody types or changes anything, token or not")
	flags.BoolVar(&f.OpenReading, "open-reading", false, "let anyone who reaches the server read all sessions without the token")
	flags.BoolVar(&f.PublicLinks, "public-links", false, "of a team's sessions: let their owners make links that anyone can open, without a token (docs/team.md)")
	flags.BoolVar(&f.OpenPage, "open", false, "open the page in your browser")
	flags.StringVar(&f.Bridge, "bridge-command", "", "the `COMMAND` line of the terminals at /ws/pty/NAME (default $SHELL)")
	flags.StringVar(&f.BridgeFrom, "bridge-server", "", "show those of a management server instead, ws://HOST:PORT/AGENT; its token is in $PTYREC_TOKEN or `URL`?token=")
	flags.DurationVar(&f.BridgeTTL, "bridge-ttl", 0, "how long such a terminal lives without anybody")
	flags.StringVar(&f.AgentID, "agent-id", "", "the `NAME` by which dashboards at /ws/sandbox know this machine (default: the host name)")
	flags.DurationVar(&f.ShellGrace, "shell-grace", management.ShellGrace, "how long a dashboard's shell waits for it to come back")
	flags.BoolVar(&f.Subscribe, "allow-subscribe", false, "let dashboards follow, type into and end what others have started")
	flags.BoolVar(&f.MCP, "mcp", false, "let agents that have the token read by the Model Context Protocol, at /mcp: docs/mcp.md")
	flags.BoolVar(&f.Agentapi, "agentapi", false, "serve each session by the API of coder/agentapi, too, below /agentapi/ID (docs/agentapi.md)")
	flags.StringVar(&f.Raw, "raw", "", "keep the raw logs of a team's sessions in the bucket s3://`BUCKET/PREFIX`: docs/team.md")
	flags.StringVar(&f.URL, "url", "", "of a team's server behind a proxy that speaks TLS: the address that browsers use, https://`HOST`")
	flags.StringVar(&f.Issuer, "oidc-issuer", "", "let a team's users sign in at this OpenID Connect provider, https://`HOST` (docs/team.md)")
	flags.StringVar(&f.Client, "oidc-client", "", "the `ID` by which the provider knows this server")
	flags.StringVar(&f.SecretFile, "oidc-secret-file", "", "the `FILE` with the secret that the provider has given this server, if it has")
	flags.BoolVar(&f.Verbose, "verbose", false, "log each connection")
	_ = flags.MarkHidden("bridge-ttl") // for tests
}

// Check says what is wrong with the flags. The error is one of usage.
func (f *Flags) Check() error {
	var wrong string
	switch {
	case f.ReadOnly && f.AllowRun:
		wrong = "--read-only and --allow-run exclude each other"
	case f.NoToken && !f.AllowRun:
		wrong = "--unsafe-no-token goes with --allow-run only"
	case f.MaxCommands < 1:
		wrong = "--max-commands must be at least 1"
	default:
		return f.Address.Check()
	}
	return usage(wrong)
}

// checkLocal returns an error of usage if the flags ask for what only a server of a team's database
// does.
func (f *Flags) checkLocal() error {
	if f.PublicLinks {
		return usage("--public-links needs the sessions of a team: --db postgres://…")
	}
	if f.Raw != "" || f.URL != "" || f.Issuer != "" || f.Client != "" || f.SecretFile != "" {
		return usage("--raw, --url, --oidc-issuer, --oidc-client and --oidc-secret-file need the sessions of a team: --db postgres://…")
	}
	return nil
}

func usage(text string) error { return &failure.Error{Err: errors.New(text), Misuse: true} }

// CheckTeam returns an error of usage if the flags ask for what a server of a team's database does
// not do: nothing runs or is recorded there, and each user has tokens.
func (f *Flags) CheckTeam() error {
	if f.NewToken || f.TokenFile != "" || f.OpenReading {
		return usage("with a database in PostgreSQL, each user has tokens of their own (`ptyrec team token add`): leave out --token-file, --new-token and --open-reading")
	}
	if f.AllowRun || f.Bridge != "" || f.BridgeFrom != "" || f.OpenPage || f.Subscribe || f.AgentID != "" || f.MCP || f.Agentapi {
		return usage("with a database in PostgreSQL, serve runs no commands: leave out --allow-run, --bridge-command, --bridge-server, --open, " +
			"--allow-subscribe, --agent-id, --mcp and --agentapi")
	}
	if (f.Issuer == "") != (f.Client == "") || f.SecretFile != "" && f.Issuer == "" {
		return usage("--oidc-issuer and --oidc-client go together; --oidc-secret-file goes with them")
	}
	if u, err := url.Parse(f.URL); f.URL != "" && (err != nil || u.Scheme != "https" || u.Host == "" || f.URL != "https://"+u.Host) {
		return failure.Misuse("write https://HOST", "--url %q is no address of a server", f.URL)
	}
	return nil
}
