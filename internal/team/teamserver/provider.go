package teamserver

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/ptyrec/ptyrec/internal/sys/redirect"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// Provider is an OpenID Connect provider, which identifies a person by the authorization code flow,
// with PKCE (RFC 7636), state and nonce. It may be used concurrently.
type Provider struct {
	issuer, client, secret string
	http                   *http.Client
	turns                  chan struct{} // contains a value for each call of Begin and Finish in progress
	mu                     sync.Mutex    // guards found
	found                  *oidc.Provider
}

var (
	// ErrIssuer reports an invalid address of a provider.
	ErrIssuer = errors.New("a provider's address begins with https:// (or is http://localhost)")
	// ErrUnavailable reports that the provider did not respond, or that too many people are signing
	// in.
	ErrUnavailable = errors.New("the identity provider is not responding")
	// ErrRefused reports that the provider rejected the person, or that the response is not for
	// this browser.
	ErrRefused = errors.New("the identity provider did not confirm who you are")
)

const (
	callTime = 10 * time.Second // for one call to the provider
	maxTurns = 16               // maximum number of browsers at the same time
)

// NewProvider returns the provider at an address. client is our client id there; secret is empty if
// there is none. It sends nothing.
func NewProvider(issuer, client, secret string) (*Provider, error) {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, ErrIssuer
	}
	local := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return nil, ErrIssuer
	}
	return &Provider{issuer: issuer, client: client, secret: secret,
		http: redirect.SameHost(&http.Client{Timeout: callTime}), turns: make(chan struct{}, maxTurns)}, nil
}

// Name returns the provider's host, to show to people.
func (p *Provider) Name() string {
	u, _ := url.Parse(p.issuer) // NewProvider has parsed it before
	return u.Host
}

// Discover fetches the provider's configuration, unless it is known. The error wraps
// ErrUnavailable.
func (p *Provider) Discover(ctx context.Context) error {
	_, err := p.discover(ctx)
	return err
}

func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	// The keys are fetched later with this context, so it must outlive the request.
	found, err := oidc.NewProvider(p.with(context.WithoutCancel(ctx)), p.issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	p.found = found
	return found, nil
}

// enter reserves a place for a call; leave must be called afterwards. There is no queue, because
// one for a provider that does not respond would be slow.
func (p *Provider) enter() (leave func(), err error) {
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	default:
		return nil, fmt.Errorf("%w: too many sign-ins at once", ErrUnavailable)
	}
}

// with returns a context in which calls use p's client.
func (p *Provider) with(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.http)
}

func (p *Provider) config(found *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{ClientID: p.client, ClientSecret: p.secret, Endpoint: found.Endpoint(), RedirectURL: redirect,
		Scopes: []string{oidc.ScopeOpenID, "email"}}
}

// Begin returns the address at which a browser signs in and from which it comes back to redirect,
// and a secret for the browser to keep until then. The error wraps ErrUnavailable.
func (p *Provider) Begin(ctx context.Context, redirect string) (address, secret string, err error) {
	leave, err := p.enter()
	if err != nil {
		return "", "", err
	}
	defer leave()
	found, err := p.discover(ctx)
	if err != nil {
		return "", "", err
	}
	state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	address = p.config(found, redirect).AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
	return address, strings.Join([]string{state, nonce, verifier}, "."), nil
}

// Finish returns the identity of the person whose browser came back to redirect with an answer.
// secret is the one from Begin. The error wraps ErrRefused or ErrUnavailable.
func (p *Provider) Finish(ctx context.Context, redirect, secret string,
	answer url.Values) (id postgres.Identity, err error) {
	leave, err := p.enter()
	if err != nil {
		return id, err
	}
	defer leave()
	parts := strings.Split(secret, ".")
	if len(parts) != 3 || parts[0] == "" || subtle.ConstantTimeCompare([]byte(parts[0]),
		[]byte(answer.Get("state"))) != 1 {
		return id, fmt.Errorf("%w: the answer is not for this browser, or came too late", ErrRefused)
	}
	if code := answer.Get("error"); code != "" {
		return id, fmt.Errorf("%w: it answers %.40q", ErrRefused, code)
	}
	found, err := p.discover(ctx)
	if err != nil {
		return id, err
	}
	tokens, err := p.config(found, redirect).Exchange(p.with(ctx), answer.Get("code"), oauth2.VerifierOption(parts[2]))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError:
		return id, fmt.Errorf("%w: it rejected the code (%d %.40q)", ErrRefused, refused.Response.StatusCode,
			refused.ErrorCode)
	case err != nil:
		return id, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := found.Verifier(&oidc.Config{ClientID: p.client}).Verify(p.with(ctx), raw)
	if err != nil {
		return id, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(parts[1])) != 1 {
		return id, fmt.Errorf("%w: its token is not for this sign-in", ErrRefused)
	}
	return identity(token)
}

// identity returns the identity in a verified token.
func identity(token *oidc.IDToken) (postgres.Identity, error) {
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if err := token.Claims(&claims); err != nil {
		return postgres.Identity{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if token.Subject == "" {
		return postgres.Identity{}, fmt.Errorf("%w: its token names no user", ErrRefused)
	}
	id := postgres.Identity{Issuer: token.Issuer, Subject: token.Subject}
	if claims.Verified {
		id.Email = claims.Email
	}
	return id, nil
}
