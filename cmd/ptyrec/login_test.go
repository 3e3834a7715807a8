package main

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/oidctest"
	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
)

// Ann types `ptyrec login`, a browser opens, she signs in at the provider and confirms the code on
// another server than the one that her machine asks. Then her machine acts as her, until it logs
// out.
func TestLoginByBrowser(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t, map[string]any{"sub": "1", "email": "ann@example.com", "email_verified": true})
	environ, _ := liveEnv(t)
	environ = append(environ, "PTYREC_DB="+pgtest.New(t))
	secret := filepath.Join(tempDir(t), "secret")
	must(t, os.WriteFile(secret, []byte(oidctest.Secret+"\n"), 0o600))
	flags := []string{"team", "serve", "--oidc-issuer", provider.URL, "--oidc-client", oidctest.Client,
		"--oidc-secret-file", secret}
	url, _, _ := servedBy(t, environ, flags...)
	other, _, _ := servedBy(t, environ, flags...)
	for _, args := range [][]string{{"team", "user", "add", "ann"}, {"team", "user", "email", "ann", "Ann@example.com"}} {
		cmd := exec.CommandContext(t.Context(), "ptyrec", args...)
		cmd.Env = environ
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	m := newTeamMachine(t, "")
	opened := filepath.Join(m.home, "opened")
	must(t, os.WriteFile(filepath.Join(m.home, "xdg-open"),
		[]byte("#!/bin/sh\nprintf %s \"$1\" >\""+opened+".new\" && mv \""+opened+".new\" \""+opened+"\"\n"), 0o700))
	m.environ = append(m.environ, "PATH="+m.home+":"+os.Getenv("PATH"), "DISPLAY=:0")
	login := exec.CommandContext(t.Context(), "ptyrec", "login", url)
	login.Dir, login.Env = m.home, m.environ
	var said strings.Builder
	login.Stdout, login.Stderr = &said, &said
	must(t, login.Start())
	var page string
	eventually(t, "a browser opens", func() bool {
		text, err := os.ReadFile(opened)
		page = string(text)
		return err == nil
	})
	code, ok := strings.CutPrefix(page, url+"/m/")
	if !ok {
		t.Fatalf("the browser opens %q", page)
	}
	jar, err := cookiejar.New(nil)
	must(t, err)
	browser := &http.Client{Jar: jar}
	for _, c := range []struct {
		method, path string
		status       int
	}{{"GET", "/api/logins/" + code, 401}, {"GET", "/login?to=/m/" + code, 200}, {"GET", "/api/logins/" + code,
		200}, {"POST", "/api/logins/" + code, 204}} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, other+c.path, nil)
		must(t, err)
		answer, err := browser.Do(r)
		must(t, err)
		must(t, answer.Body.Close())
		if answer.StatusCode != c.status {
			t.Errorf("%s %s: %s", c.method, c.path, answer.Status)
		}
	}
	if err := login.Wait(); err != nil || !strings.Contains(said.String(), page) ||
		!strings.Contains(said.String(), "\n    "+code+"\n") || !strings.Contains(said.String(), "as ann") {
		t.Fatalf("%v: %s", err, said.String())
	}
	path := filepath.Join(m.home, "state", "ptyrec", "team.json")
	var kept struct{ Server, Token string }
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, json.Unmarshal(text, &kept))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || kept.Server != url ||
		!regexp.MustCompile(`^ptr_[a-z2-7]{32}$`).MatchString(kept.Token) || strings.Contains(said.String(), kept.Token) {
		t.Errorf("%v, %v, %s", info, err, kept.Server)
	}
	m.must(t, "", "list", "--team")
	m.must(t, "", "logout")
	m.environ = append(m.environ, "PTYREC_TEAM_SERVER="+url, "PTYREC_TEAM_TOKEN="+kept.Token)
	if out, err := m.do(t, "", "list", "--team"); err == nil {
		t.Errorf("the token is valid after logout: %s", out)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"login", "http://example.com"}, "https://"}, {[]string{"login", provider.URL}, "no login by browser"},
		{[]string{"login", "http://127.0.0.1:1"}, "cannot be reached"},
		{[]string{"serve", "--oidc-issuer", provider.URL}, "--db"},
		{[]string{"team", "serve", "--oidc-issuer", provider.URL}, "--db"},
		{[]string{"--db", "postgres:///x", "team", "serve", "--oidc-issuer", provider.URL}, "require each other"},
		{[]string{"--db", "postgres:///x", "team", "serve", "--url", "http://x"}, "write https://HOST"},
	} {
		out, err := m.do(t, "", c.args...)
		if err == nil || strings.Count(out, "ptyrec: error:") != 1 || !strings.Contains(out, c.want) {
			t.Errorf("%v: %v: %s", c.args, err, out)
		}
	}
}
