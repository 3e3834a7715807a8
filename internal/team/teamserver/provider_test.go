package teamserver_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/team/teamserver"
	"github.com/ptyrec/ptyrec/internal/testkit/oidctest"
	"github.com/ptyrec/ptyrec/store/postgres"
)

const redirect = "https://ptyrec.example.com/login/callback"

var ann = map[string]any{"sub": "1", "email": "ann@example.com", "email_verified": true}

// signIn goes through the provider's page, and returns what it answers.
func signIn(t *testing.T, p *teamserver.Provider) (secret string, answer url.Values) {
	t.Helper()
	address, secret, err := p.Begin(t.Context(), redirect)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	back, err := resp.Location()
	if err != nil || !strings.HasPrefix(back.String(), redirect+"?") {
		t.Fatalf("%s: %v, %v", resp.Status, back, err)
	}
	return secret, back.Query()
}

func provider(t *testing.T, issuer, secret string) *teamserver.Provider {
	t.Helper()
	p, err := teamserver.NewProvider(issuer, oidctest.Client, secret)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Somebody who signs in is known by issuer and subject, and by an address only if it is verified.
func TestIdentityOfAPerson(t *testing.T) {
	there := oidctest.New(t, ann)
	p := provider(t, there.URL, oidctest.Secret)
	for name, c := range map[string]struct {
		person map[string]any
		want   postgres.Identity
	}{
		"verified": {ann, postgres.Identity{Issuer: there.URL, Subject: "1", Email: "ann@example.com"}},
		"unverified": {map[string]any{"sub": "2", "email": "ann@example.com", "email_verified": false},
			postgres.Identity{Issuer: there.URL, Subject: "2"}},
		"not said": {map[string]any{"sub": "3", "email": "ann@example.com"},
			postgres.Identity{Issuer: there.URL, Subject: "3"}},
		"no address": {map[string]any{"sub": "4"}, postgres.Identity{Issuer: there.URL, Subject: "4"}},
	} {
		there.Is(c.person, nil)
		secret, answer := signIn(t, p)
		if got, err := p.Finish(t.Context(), redirect, secret, answer); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A token that was not made for this sign-in, this server, or now, lets nobody in.
func TestBadTokensLetNobodyIn(t *testing.T) {
	there, other := oidctest.New(t, ann), oidctest.New(t, ann)
	p := provider(t, there.URL, oidctest.Secret)
	set := func(name string, value any) func(header, claims map[string]any) {
		return func(_, claims map[string]any) { claims[name] = value }
	}
	for name, change := range map[string]func(header, claims map[string]any){
		"nonce of another": set("nonce", "x"), "no nonce": func(_, c map[string]any) { delete(c, "nonce") },
		"audience": set("aud", "other"), "issuer": set("iss", other.URL),
		"expired":       set("exp", time.Now().Add(-time.Minute).Unix()),
		"never valid":   func(_, c map[string]any) { delete(c, "exp") },
		"not yet valid": set("nbf", time.Now().Add(time.Hour).Unix()), "nobody": set("sub", ""),
		"an address that is none": set("email", 7),
		"alg none":                func(h, _ map[string]any) { h["alg"] = "none" },
		"alg HS256":               func(h, _ map[string]any) { h["alg"] = "HS256" },
		"unknown key":             func(h, _ map[string]any) { h["kid"] = "2" },
	} {
		there.Is(ann, change)
		secret, answer := signIn(t, p)
		got, err := p.Finish(t.Context(), redirect, secret, answer)
		if !errors.Is(err, teamserver.ErrRefused) || got != (postgres.Identity{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// An answer is for the browser that has asked, once.
func TestAnswerIsForItsBrowserOnce(t *testing.T) {
	there := oidctest.New(t, ann)
	p := provider(t, there.URL, oidctest.Secret)
	secret, answer := signIn(t, p)
	others, _ := signIn(t, p)
	with := func(name, value string) url.Values {
		changed := url.Values{}
		for k, v := range answer {
			changed[k] = v
		}
		changed.Set(name, value)
		return changed
	}
	parts, other := strings.Split(secret, "."), strings.Split(others, ".")
	before := there.Asked()
	for name, c := range map[string]struct {
		secret string
		answer url.Values
	}{
		"another browser": {others, answer}, "no browser": {"", answer}, "half a secret": {parts[0], answer},
		"empty state": {"..", with("state", "")},
		"wrong state": {secret, with("state", "x")}, "no state": {secret, with("state", "")},
		"an error": {secret, with("error", "access_denied")},
	} {
		if _, err := p.Finish(t.Context(), redirect, c.secret, c.answer); !errors.Is(err, teamserver.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := there.Asked(); n != before {
		t.Errorf("%d codes were shown to the provider that were not for this browser", n-before)
	}
	if _, err := p.Finish(t.Context(), "https://evil.example/login/callback", secret, answer); !errors.Is(err,
		teamserver.ErrRefused) {
		t.Errorf("another address: %v", err)
	}
	secret, answer = signIn(t, p)
	parts = strings.Split(secret, ".")
	if _, err := p.Finish(t.Context(), redirect, parts[0]+"."+parts[1]+"."+other[2], answer); !errors.Is(err,
		teamserver.ErrRefused) {
		t.Errorf("another's PKCE verifier: %v", err)
	}
	secret, answer = signIn(t, p)
	if _, err := p.Finish(t.Context(), redirect, secret, answer); err != nil {
		t.Errorf("the right one: %v", err)
	}
	if _, err := p.Finish(t.Context(), redirect, secret, answer); !errors.Is(err, teamserver.ErrRefused) {
		t.Errorf("the same once more: %v", err)
	}
	if _, err := provider(t, there.URL, "wrong").Finish(t.Context(), redirect, secret, answer); !errors.Is(err,
		teamserver.ErrRefused) {
		t.Errorf("a wrong secret of the server: %v", err)
	}
}

// A provider that does not answer is asked again later.
func TestUnreachableProvider(t *testing.T) {
	there := oidctest.New(t, ann)
	p := provider(t, there.URL, oidctest.Secret)
	away := provider(t, "http://127.0.0.1:1", "")
	if err := away.Discover(t.Context()); !errors.Is(err, teamserver.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	secret, answer := signIn(t, p)
	there.Close()
	if _, err := p.Finish(t.Context(), redirect, secret, answer); !errors.Is(err, teamserver.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	for _, issuer := range []string{"", "http://example.com", "https://", "https://user:x@example.com",
		"https://example.com?x", "ftp://localhost", "example.com"} {
		if _, err := teamserver.NewProvider(issuer, "x", ""); !errors.Is(err, teamserver.ErrIssuer) {
			t.Errorf("%q: %v", issuer, err)
		}
	}
}
