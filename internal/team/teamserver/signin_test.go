package teamserver_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/team/teamserver"
	"github.com/ptyrec/ptyrec/internal/testkit/oidctest"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// browser is a browser with cookies of its own.
type browser struct {
	http.Client
	last *http.Response // what it has got last
	text string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{Client: http.Client{Jar: jar}}
}

// do sends a request as a page of the same origin does, and returns the status.
func (b *browser) do(t *testing.T, method, address, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if b.last, err = b.Do(r); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.last.Body.Close() }()
	text, err := io.ReadAll(b.last.Body)
	if err != nil {
		t.Fatal(err)
	}
	b.text = string(text)
	return b.last.StatusCode
}

// user returns who is signed in at a server.
func (b *browser) user(t *testing.T, at string) string {
	t.Helper()
	if b.do(t, "GET", at+"/api/info", "") != http.StatusOK {
		return ""
	}
	var info struct{ User string }
	if err := json.Unmarshal([]byte(b.text), &info); err != nil {
		t.Fatal(err)
	}
	return info.User
}

// carry copies the cookies of one server to another in the browser, as if both had one name.
func (b *browser) carry(t *testing.T, from, to string) {
	t.Helper()
	a, errA := url.Parse(from)
	z, errZ := url.Parse(to)
	if errA != nil || errZ != nil {
		t.Fatal(errA, errZ)
	}
	b.Jar.SetCookies(z, b.Jar.Cookies(a))
}

// signing returns a site with two servers at which ann and others sign in by a provider.
func signing(t *testing.T, person map[string]any) (s *site, there *oidctest.Provider, one, two *httptest.Server) {
	t.Helper()
	s = newSite(t)
	there = oidctest.New(t, person)
	s.check(t, s.db.SetEmail(s.operator, "owner", "Ann@Example.com"))
	replica := func() *httptest.Server {
		p, err := teamserver.NewProvider(there.URL, oidctest.Client, oidctest.Secret)
		s.check(t, err)
		return s.replica(t, server.Options{SignIn: teamserver.SignIn{Store: s.db, Provider: p}}, false)
	}
	return s, there, replica(), replica()
}

var annThere = map[string]any{"sub": "subject-1", "email": "ann@example.com", "email_verified": true}

// Somebody signs in on one server, uses another, and signs out; the audit has it.
func TestSignInOnOneServerHoldsOnAnother(t *testing.T) {
	s, there, one, two := signing(t, annThere)
	s.push(t, "owner", private, "", "needle")
	b := newBrowser(t)
	if status := b.do(t, "GET", one.URL+"/login?to=/s/"+private, ""); status != http.StatusOK ||
		b.last.Request.URL.String() != one.URL+"/s/"+private {
		t.Fatalf("%d at %s: %s", status, b.last.Request.URL, b.text)
	}
	b.carry(t, one.URL, two.URL)
	for _, at := range []string{one.URL, two.URL} {
		if got := b.user(t, at); got != "owner" {
			t.Errorf("signed in as %q", got)
		}
		if status := b.do(t, "GET", at+"/api/sessions/"+private, ""); status != http.StatusOK {
			t.Errorf("the session: %d", status)
		}
	}
	// the same person
	there.Is(map[string]any{"sub": "subject-1", "email": "married@example.com", "email_verified": false}, nil)
	again := newBrowser(t)
	if again.do(t, "GET", two.URL+"/login", ""); again.user(t, two.URL) != "owner" {
		t.Errorf("with another address: %s", again.text)
	}
	if b.do(t, "DELETE", two.URL+"/api/login", ""); b.user(t, two.URL) != "" {
		t.Error("signed out, and still in")
	}
	if got := b.user(t, one.URL); got != "" { // which has its own copy of the cookie
		t.Errorf("signed out on one server, and on the other still %s", got)
	}
	if again.user(t, one.URL) == "" && again.user(t, two.URL) == "" {
		t.Error("another browser was signed out, too")
	}
	logins := 0
	auditor := postgres.As(t.Context(), postgres.Viewer{User: 1 << 40, Kind: postgres.KindUser,
		Role: postgres.RoleAuditor})
	s.check(t, s.db.Audit(auditor, s.began(t), func(r postgres.Record) error {
		if r.What == "login" && r.User == "owner" && r.About == "by "+there.URL && r.Address == "127.0.0.1" && r.Token != 0 {
			logins++
		}
		return nil
	}))
	if logins != 2 {
		t.Errorf("the audit has %d logins, want 2", logins)
	}
	for _, secret := range []string{oidctest.Secret, "ann@example.com", "married@example.com"} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
	}
}

// The cookies that signing in sets, and where it leads.
func TestCookiesOfSignIn(t *testing.T) {
	_, there, one, _ := signing(t, annThere)
	b := newBrowser(t)
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, to := range []string{"", "https://evil.example", "//evil.example", "/\\evil.example", "/s/../../x",
		"/api/info", "javascript:x"} {
		b.do(t, "GET", one.URL+"/login?to="+url.QueryEscape(to), "")
		kept := b.last.Cookies()
		if len(kept) != 1 || !kept[0].HttpOnly || kept[0].SameSite != http.SameSiteLaxMode || kept[0].Path != "/login" ||
			kept[0].MaxAge > 600 || kept[0].MaxAge < 1 {
			t.Fatalf("%v", kept)
		}
		b.do(t, "GET", b.last.Header.Get("Location"), "")
		b.do(t, "GET", b.last.Header.Get("Location"), "")
		if at := b.last.Header.Get("Location"); at != "/" {
			t.Errorf("%q leads to %q", to, at)
		}
		var session *http.Cookie
		for _, c := range b.last.Cookies() {
			if c.Name == "ptyrec-user" {
				session = c
			} else if c.MaxAge >= 0 {
				t.Errorf("%s is kept", c.Name)
			}
		}
		if session == nil || !session.HttpOnly || session.SameSite != http.SameSiteStrictMode || session.Path != "/" ||
			session.MaxAge < 1 || session.MaxAge > 86400 || session.Secure {
			t.Errorf("the cookie is %v", session)
		}
	}
	s := newSite(t)
	p, err := teamserver.NewProvider(there.URL, oidctest.Client, oidctest.Secret)
	s.check(t, err)
	proxied := s.replica(t, server.Options{SignIn: teamserver.SignIn{Store: s.db, Provider: p},
		URL: "https://ptyrec.example.com", Hosts: []string{"ptyrec.example.com"}}, false)
	b.do(t, "GET", proxied.URL+"/login", "")
	at, err := b.last.Location()
	if err != nil || at.Query().Get("redirect_uri") != "https://ptyrec.example.com/login/callback" ||
		len(b.last.Cookies()) != 1 || !b.last.Cookies()[0].Secure {
		t.Errorf("behind a proxy: %v, %v, %v", at, err, b.last.Cookies())
	}
}

// Who is not known is refused, on a page that says so; so is what the provider has not said of this
// browser.
func TestUnknownPersonIsRefused(t *testing.T) {
	s, there, one, two := signing(t, annThere)
	refused := func(name string, b *browser, want string) {
		t.Helper()
		if b.last.StatusCode != http.StatusForbidden ||
			!strings.HasPrefix(b.last.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(b.text, "You are not signed in") || !strings.Contains(b.text, want) {
			t.Errorf("%s: %s %.600s", name, b.last.Status, b.text)
		}
		for _, at := range []string{one.URL, two.URL} {
			if got := b.user(t, at); got != "" {
				t.Errorf("%s: signed in as %s", name, got)
			}
		}
	}
	for name, c := range map[string]struct {
		person map[string]any
		want   string
	}{
		"unknown": {map[string]any{"sub": "9", "email": "<b>eve@example.com", "email_verified": true},
			"&lt;b&gt;eve@example.com"},
		"unverified": {map[string]any{"sub": "8", "email": "ann@example.com", "email_verified": false}, "not verified"},
		"no address": {map[string]any{"sub": "7"}, "not verified"},
	} {
		there.Is(c.person, nil)
		b := newBrowser(t)
		b.do(t, "GET", one.URL+"/login", "")
		refused(name, b, c.want)
	}
	there.Is(annThere, func(header, _ map[string]any) { header["alg"] = "none" })
	b := newBrowser(t)
	b.do(t, "GET", one.URL+"/login", "")
	refused("alg none", b, "did not confirm")
	there.Is(annThere, nil)
	there.Refuse(true)
	b.do(t, "GET", one.URL+"/login", "")
	refused("the person refused", b, "access_denied")
	there.Refuse(false)

	if b.do(t, "GET", one.URL+"/login", ""); b.user(t, one.URL) != "owner" {
		t.Fatal("ann is refused")
	}
	// her address belongs to somebody else now
	there.Is(map[string]any{"sub": "other", "email": "ann@example.com", "email_verified": true}, nil)
	b = newBrowser(t)
	b.do(t, "GET", two.URL+"/login", "")
	refused("the address of another", b, "another person has signed in")
	s.check(t, s.db.SetEmail(s.operator, "owner", "ann@example.com")) // an admin says so
	if b.do(t, "GET", two.URL+"/login", ""); b.user(t, two.URL) != "owner" {
		t.Errorf("after an admin set the address: %s", b.text)
	}

	// An answer that another browser has fetched signs nobody in (login CSRF), nor does one twice.
	b = newBrowser(t)
	b.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/login/callback" {
			return http.ErrUseLastResponse
		}
		return nil
	}
	b.do(t, "GET", one.URL+"/login", "")
	answer := b.last.Header.Get("Location")
	victim := newBrowser(t)
	victim.do(t, "GET", answer, "")
	refused("another's answer", victim, "not for this browser")
	victim.do(t, "GET", one.URL+"/login/callback", "")
	refused("no answer", victim, "not for this browser")
	b.CheckRedirect = nil
	if b.do(t, "GET", answer, ""); b.user(t, one.URL) != "owner" {
		t.Errorf("its own answer: %s", b.text)
	}
	b.do(t, "GET", answer, "")
	if b.last.StatusCode != http.StatusForbidden {
		t.Errorf("the same answer again: %s", b.last.Status)
	}
}

// Anybody may ask how to log in; without a provider, nobody is sent to one.
func TestWaysToLogIn(t *testing.T) {
	s, there, one, _ := signing(t, annThere)
	b := newBrowser(t)
	if status := b.do(t, "GET", one.URL+"/api/login", ""); status != http.StatusOK ||
		!strings.Contains(b.text, strings.TrimPrefix(there.URL, "http://")) {
		t.Errorf("%d: %s", status, b.text)
	}
	for _, user := range who {
		s.want(t, 200, user, "GET", "/api/login", nil)
		for _, path := range []string{"/login", "/login/callback"} {
			if status, _ := s.do(t, user, "GET", path, nil); status != http.StatusNotFound {
				t.Errorf("%s: %s: %d", user, path, status)
			}
		}
	}
}

// Who uses a token for the first time has logged in: the audit says so once, and from where.
func TestFirstUseOfATokenIsInTheAudit(t *testing.T) {
	s := newSite(t)
	logins := func() (n int) {
		s.check(t, s.db.Audit(s.operator, time.Now().Add(-time.Hour), func(r postgres.Record) error {
			if r.What == "login" && r.User == "member" && r.About == "token" {
				if n++; r.Address != "127.0.0.1" {
					t.Errorf("from %q", r.Address)
				}
			}
			return nil
		}))
		return n
	}
	before := logins()
	s.tokens["laptop"] = s.token(t, postgres.NewToken{User: "member", Name: "laptop", Kind: postgres.KindUser})
	s.want(t, http.StatusOK, "laptop", http.MethodGet, "/api/info", nil)
	s.want(t, http.StatusOK, "laptop", http.MethodGet, "/api/info", nil)
	if n := logins() - before; n != 1 {
		t.Errorf("%d rows of a token's first use", n)
	}
}
