package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/team/bucket"
	"github.com/ptyrec/ptyrec/internal/team/teamserver"
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
	"github.com/ptyrec/ptyrec/web"
)

// teamServer is the server of a team to start, with its options. All are required.
type teamServer struct {
	webFlags
	Database *postgres.Store
	Library  *library.Library // reads Database
	Usage    func(ctx context.Context, infos []*store.Info) map[string]any
	Log      *slog.Logger
	Notice   func(format string, args ...any)
	Out      io.Writer
}

// serveTeamWeb serves the sessions of a team until ctx is cancelled or a signal arrives.
func serveTeamWeb(ctx context.Context, o teamServer) error {
	nothing, err := os.MkdirTemp("", "ptyrec-serve-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(nothing) }()
	following := teamserver.NewFollow(o.Database, o.Log)
	defer following.Close()
	// This machine's sessions do not belong to the team.
	live, err := client.Dial(ctx, "", client.Options{Dir: nothing, Other: following.Connect})
	if err != nil {
		return err
	}
	past := newServedPast(o.Library)
	defer func() { _ = past.Close() }() // an interrupted extraction is repeated
	l, err := o.Address.Open(ctx)
	if err != nil {
		return err
	}
	if o.Raw != "" {
		b, err := bucket.Open(ctx, o.Raw)
		if err != nil {
			return errors.Join(failure.New(err,
				"write --raw s3://BUCKET/PREFIX, and set $AWS_ENDPOINT_URL_S3, $AWS_REGION and $AWS_ACCESS_KEY_ID"),
				l.Close())
		}
		o.Database.UseObjects(b)
	}
	signIn, err := o.signIn(ctx)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	push := teamserver.NewPush(o.Database, o.Log)
	s := server.New(server.Options{
		Store: o.Database, Live: live, Page: web.Files(), Past: past, Usage: o.Usage, Version: buildinfo.Version(),
		Log:    o.Log,
		Users:  teamserver.Users{Store: o.Database, PublicLinks: o.PublicLinks},
		SignIn: signIn,
		URL:    o.URL,
		Protocols: []server.Protocol{
			{Handlers: push, Access: server.ShowSessions},
			{Handlers: teamserver.NewLinks(push, o.PublicLinks), Access: server.ShowSessions},
			{Handlers: teamserver.NewPull(push), Access: server.ShowSessions},
			{Handlers: teamserver.NewAdmin(push), Access: server.ShowSessions},
			{Handlers: teamserver.NewLogins(push), Access: server.Anybody},
		},
		Hosts: o.names(), TLS: o.Address.Cert != "", ReadOnly: o.ReadOnly, Inside: peer.Inside, Health: o.Database.Ping,
	})
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	url, err := o.Address.URL(l.Addr())
	if err == nil {
		err = o.announce(url)
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	if !o.ReadOnly {
		beside.Go(func() { teamserver.Keep(ctx, o.Database, o.Log) })
	}
	return s.Serve(ctx, l)
}

// names returns the host names that requests may use.
func (o *teamServer) names() []string {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" {
		return o.Address.Names()
	}
	return append(o.Address.Names(), strings.ToLower(u.Hostname()))
}

// maxSecret is the maximum size of the file with the provider's secret, in bytes.
const maxSecret = 4096

// signIn returns the identity provider, or nil if there is none. A provider that does not respond
// now is asked again when a user signs in.
func (o *teamServer) signIn(ctx context.Context) (server.SignIn, error) {
	if o.Issuer == "" {
		return nil, nil
	}
	var secret []byte
	if o.SecretFile != "" {
		f, err := os.Open(o.SecretFile)
		if err == nil {
			secret, err = io.ReadAll(io.LimitReader(f, maxSecret))
			_ = f.Close()
		}
		if err != nil {
			return nil, failure.New(err, "check --oidc-secret-file: it must name the file with the provider's secret")
		}
	}
	p, err := teamserver.NewProvider(o.Issuer, o.Client, strings.TrimSpace(string(secret)))
	if err != nil {
		return nil, failure.New(err, "write --oidc-issuer as the provider's /.well-known/openid-configuration does")
	}
	if err := p.Discover(ctx); err != nil {
		o.Notice("warning: users cannot sign in at %s: %v", o.Issuer, err)
	}
	return teamserver.SignIn{Store: o.Database, Provider: p}, nil
}

// announce prints the address, explains it, and warns.
func (o *teamServer) announce(url string) error {
	if !o.Address.Loopback() && o.Address.Cert == "" {
		o.Notice("warning: without --cert and --key, others on the network can see the sessions and the tokens")
	}
	o.Notice("to see the sessions in %s, open this address and sign in:", o.Database.Name())
	if _, err := fmt.Fprintln(o.Out, url); err != nil {
		return err
	}
	o.Notice("`ptyrec team token add` makes tokens; Ctrl+C stops the server")
	return nil
}
