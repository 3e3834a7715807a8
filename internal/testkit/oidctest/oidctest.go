// Package oidctest is an OpenID Connect provider for tests. It follows the rules on which its
// clients rely, and can be made to break some.
package oidctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// The client's id and secret at the provider.
const (
	Client = "ptyrec-test"
	Secret = "s3cret/with+signs"
)

// Provider is a provider at which everyone is the same person.
type Provider struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	mu      sync.Mutex // guards the fields below
	person  map[string]any
	change  func(header, claims map[string]any)
	codes   map[string]asked
	skipped bool // the person refuses
	asked   int  // number of token requests
}

// asked is the request for which an authorization code was issued.
type asked struct{ challenge, redirect, nonce string }

// New starts a provider, until the test ends. person has the claims of the person.
func New(t testing.TB, person map[string]any) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, person: person, codes: map[string]asked{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// Is sets the person for further requests. change, if not nil, modifies the tokens.
func (p *Provider) Is(person map[string]any, change func(header, claims map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.person, p.change = person, change
}

// Refuse sets whether the person refuses to sign in.
func (p *Provider) Refuse(does bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.skipped = does
}

// Asked returns the number of codes that were presented.
func (p *Provider) Asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // of tests
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize",
		"token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"ES256", "none"}})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	point, err := p.key.PublicKey.Bytes() // 4, X, Y
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]string{"kty": "EC", "crv": "P-256", "use": "sig",
		"alg": "ES256", "kid": "1", "x": coded(point[1:33]), "y": coded(point[33:])}}})
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	to, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || to.Path != "/login/callback" || q.Get("client_id") != Client || q.Get("response_type") != "code" ||
		q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("state") == "" ||
		q.Get("nonce") == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	back := url.Values{"state": {q.Get("state")}}
	if p.skipped {
		back.Set("error", "access_denied")
	} else {
		code := rand.Text()
		p.codes[code] = asked{q.Get("code_challenge"), q.Get("redirect_uri"), q.Get("nonce")}
		back.Set("code", code)
	}
	to.RawQuery = back.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	user, secret, ok := r.BasicAuth()
	if !ok {
		user, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	} else { // RFC 6749, 2.3.1: both are encoded as in forms
		user, _ = url.QueryUnescape(user)
		secret, _ = url.QueryUnescape(secret)
	}
	if user != Client || secret != Secret {
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	is, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code")) // a code is valid once
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || coded(sum[:]) != is.challenge || r.PostFormValue("redirect_uri") != is.redirect {
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": p.URL, "aud": Client, "nonce": is.nonce, "iat": time.Now().Unix(),
		"exp": time.Now().Add(time.Minute).Unix()}
	maps.Copy(claims, p.person)
	header := map[string]any{"alg": "ES256", "kid": "1", "typ": "JWT"}
	if p.change != nil {
		p.change(header, claims)
	}
	answer(w, http.StatusOK, map[string]any{"access_token": "x", "token_type": "Bearer", "expires_in": 60,
		"id_token": p.sign(header, claims)})
}

// sign returns a token. With the algorithm none it has no signature.
func (p *Provider) sign(header, claims map[string]any) string {
	h, _ := json.Marshal(header) // of tests
	c, _ := json.Marshal(claims)
	text := coded(h) + "." + coded(c)
	if header["alg"] == "none" {
		return text + "."
	}
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, p.key, sum[:])
	if err != nil {
		return text + "."
	}
	both := make([]byte, 64)
	r.FillBytes(both[:32])
	s.FillBytes(both[32:])
	return text + "." + coded(both)
}

func coded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
