// Package oidc asks a provider of OpenID Connect who somebody is: by the authorization code flow,
// with PKCE (RFC 7636), state and nonce.
package oidc

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
)

// Provider is where people sign in. It may be used concurrently.
type Provider struct {
	issuer, client, secret string
	http                   *http.Client
	turns                  chan struct{} // holds a value for each call of Begin and Finish
	mu                     sync.Mutex    // guards found
	found                  *oidc.Provider
}

// Identity is who somebody is at the provider.
type Identity struct {
	Issuer  string
	Subject string // no other person gets it
	Email   string // empty unless the provider has verified it
}

var (
	// ErrIssuer says that an address is not that of a provider.
	ErrIssuer = errors.New("a provider's address begins with https:// (or is http://localhost)")
	// ErrUnavailable says that the provider did not answer, or too many sign in at a time.
	ErrUnavailable = errors.New("the provider does not answer now")
	// ErrRefused says that the provider let nobody in, or that what came is not its answer to
	// this browser.
	ErrRefused = errors.New("the provider does not confirm who you are")
)

const (
	callTime = 10 * time.Second // of one call to the provider
	maxTurns = 16               // browsers that are served at a time
)

// New returns the provider with this address, to which we are known as client. secret is empty if
// it has given us none. It asks nothing.
func New(issuer, client, secret string) (*Provider, error) {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, ErrIssuer
	}
	local := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return nil, ErrIssuer
	}
	return &Provider{issuer: issuer, client: client, secret: secret, http: redirect.SameHost(&http.Client{Timeout: callTime}), turns: make(chan struct{}, maxTurns)}, nil
}

// Name is what people know the provider by: its host.
func (p *Provider) Name() string {
	u, _ := url.Parse(p.issuer) // New has done it
	return u.Host
}

// Discover asks the provider for its addresses, unless they are known. The error wraps
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
	// The keys are fetched later, by the same client; the context of this request is over then.
	found, err := oidc.NewProvider(p.with(context.WithoutCancel(ctx)), p.issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	p.found = found
	return found, nil
}

// enter takes a turn; leave must be called. There is no queue: who waits for a provider that does
// not answer would wait long.
func (p *Provider) enter() (leave func(), err error) {
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	default:
		return nil, fmt.Errorf("%w: too many sign in", ErrUnavailable)
	}
}

// with returns a context in which calls are made by p's client.
func (p *Provider) with(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.http)
}

func (p *Provider) config(found *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{ClientID: p.client, ClientSecret: p.secret, Endpoint: found.Endpoint(), RedirectURL: redirect, Scopes: []string{oidc.ScopeOpenID, "email"}}
}

// Begin returns the address at which a browser signs in, to come back to redirect, and a secret
// that this browser keeps until then. The error wraps ErrUnavailable.
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

// Finish returns who came back to redirect with an answer, in a browser that keeps the secret. The
// error wraps ErrRefused or ErrUnavailable.
func (p *Provider) Finish(ctx context.Context, redirect, secret string, answer url.Values) (id Identity, err error) {
	leave, err := p.enter()
	if err != nil {
		return id, err
	}
	defer leave()
	parts := strings.Split(secret, ".")
	if len(parts) != 3 || parts[0] == "" || subtle.ConstantTimeCompare([]byte(parts[0]), []byte(answer.Get("state"))) != 1 {
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
		return id, fmt.Errorf("%w: it does not take the code (%d %.40q)", ErrRefused, refused.Response.StatusCode, refused.ErrorCode)
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

// identity returns who a verified token is about.
func identity(token *oidc.IDToken) (Identity, error) {
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if err := token.Claims(&claims); err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if token.Subject == "" {
		return Identity{}, fmt.Errorf("%w: its token names nobody", ErrRefused)
	}
	id := Identity{Issuer: token.Issuer, Subject: token.Subject}
	if claims.Verified {
		id.Email = claims.Email
	}
	return id, nil
}
