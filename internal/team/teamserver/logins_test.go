package teamserver_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	client "github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// began is a moment before everything that the audit has.
func (s *site) began(t *testing.T) time.Time {
	t.Helper()
	return time.Now().Add(-24 * time.Hour)
}

// exec changes the database behind the servers' backs.
func (s *site) exec(t *testing.T, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.dsn)
	s.check(t, err)
	_, err = conn.Exec(t.Context(), statement)
	s.check(t, err)
	s.check(t, conn.Close(t.Context()))
}

// asks lets a machine ask, and returns its code.
func (s *site) asks(t *testing.T, token, name string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(token))
	var l postgres.MachineLogin
	text := s.want(t, 201, "", "POST", "/api/logins",
		asJSON(map[string]string{"hash": hex.EncodeToString(sum[:]), "name": name}))
	s.check(t, json.Unmarshal([]byte(text), &l))
	if l.Name != name || l.Address != "127.0.0.1" || time.Until(l.Expires) > 10*time.Minute ||
		strings.Contains(text, token) {
		t.Errorf("%s", text)
	}
	return l.Code
}

// A machine asks on one server, is admitted on another, and then has a token that is its user's:
// once, and until it logs out.
func TestMachineGetsATokenOnce(t *testing.T) {
	s, _, one, two := signing(t, annThere)
	machine := func(token string) *client.Server {
		m, err := client.NewServer(one.URL, token)
		s.check(t, err)
		return m
	}
	b := newBrowser(t)
	b.do(t, "GET", two.URL+"/login", "")
	token := client.NewToken()
	waiting, err := machine(token).AskLogin(t.Context(), "ann's laptop")
	if err != nil || waiting.Page != one.URL+"/m/"+waiting.Code {
		t.Fatalf("%+v, %v", waiting, err)
	}
	if err := machine(token).Check(t.Context()); err == nil {
		t.Error("the token is valid before anybody admitted it")
	}
	if b.do(t, "GET", two.URL+"/m/"+waiting.Code, ""); b.last.StatusCode != http.StatusOK {
		t.Errorf("the page: %s", b.last.Status)
	}
	path := two.URL + "/api/logins/" + waiting.Code
	if b.do(t, "GET", path, ""); b.last.StatusCode != http.StatusOK || !strings.Contains(b.text, `"ann's laptop"`) ||
		!strings.Contains(b.text, waiting.Code) {
		t.Errorf("%s: %s", b.last.Status, b.text)
	}
	if status := b.do(t, "POST", path, ""); status != http.StatusNoContent {
		t.Fatalf("%d: %s", status, b.text)
	}
	if user, err := machine(token).AwaitLogin(t.Context()); err != nil || user != "owner" {
		t.Errorf("%q, %v", user, err)
	}
	for _, method := range []string{"GET", "POST", "DELETE"} {
		if status := b.do(t, method, path, ""); status != http.StatusNotFound {
			t.Errorf("%s, again: %d", method, status)
		}
	}
	tokens, err := s.db.Tokens(s.operator)
	s.check(t, err)
	if k := tokens[0]; k.Name != "ann's laptop" || k.User != "owner" || k.Kind != postgres.KindUser ||
		k.Expires == nil || time.Until(*k.Expires) > 181*24*time.Hour {
		t.Errorf("%+v", k)
	}
	if b.do(t, "DELETE", two.URL+"/api/login", ""); machine(token).Check(t.Context()) != nil {
		t.Error("the browser signs out, and the machine is out, too")
	}
	if err := machine(token).Logout(t.Context()); err != nil || machine(token).Check(t.Context()) == nil {
		t.Errorf("the machine logged out, and is in: %v", err)
	}
	own := machine(s.tokens["owner"]) // an admin made it
	if err := own.Logout(t.Context()); err != nil || own.Check(t.Context()) != nil {
		t.Errorf("logging out made the token of an admin void: %v", err)
	}
	for _, secret := range []string{waiting.Code, token} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
	}
}

// Who may admit a machine. A push token is nobody.
func TestWhoMayAdmitAMachine(t *testing.T) {
	s := newSite(t)
	for i, status := range strings.Fields("401 401 204 204 204 204 204 204") {
		token := client.NewToken()
		for _, method := range []string{"DELETE", "POST"} {
			code := s.asks(t, token, "m")
			shown := 200
			if status == "401" {
				shown = 401
			}
			s.want(t, shown, who[i], "GET", "/api/logins/"+code, nil)
			if got, text := s.do(t, who[i], method, "/api/logins/"+code, nil); fmt.Sprint(got) != status {
				t.Errorf("%s: %s: %d, want %s: %s", who[i], method, got, status, text)
			}
			s.tokens["machine"] = token
			want := 401
			if method == "POST" && status == "204" {
				want = 200
			}
			s.want(t, want, "machine", "GET", "/api/info", nil)
		}
	}
	for _, user := range who { // anybody may ask; a code that nobody was given is not there
		s.want(t, 201, user, "POST", "/api/logins", asJSON(map[string]string{"hash": strings.Repeat("0", 64)}))
		want := map[bool]int{true: 401, false: 404}[user == "" || user == "push"]
		s.want(t, want, user, "GET", "/api/logins/AAAA-AAAA", nil)
		s.want(t, want, user, "POST", "/api/logins/AAAA-AAAA", nil)
		s.want(t, want, user, "DELETE", "/api/logins/AAAA-AAAA", nil)
	}
}

// What a hostile machine asks, and pages of other sites.
func TestHostileLoginsAreRefused(t *testing.T) {
	s := newSite(t)
	for _, body := range []string{``, `{}`, `[]`, `{"hash": "00"}`, `{"hash": "` + strings.Repeat("z", 64) + `"}`,
		`{"hash": "` + strings.Repeat("0", 64) + `", "name": "` + strings.Repeat("x", 65) + `"}`} {
		s.want(t, 400, "", "POST", "/api/logins", []byte(body))
	}
	s.want(t, 413, "", "POST", "/api/logins", []byte(`{"name": "`+strings.Repeat("x", 2000)+`"}`))
	// The hash of a token that is somebody's already makes nothing of it.
	code := s.asks(t, s.tokens["admin"], "m")
	s.want(t, 401, "stranger", "POST", "/api/logins/"+code, nil)
	if text := s.want(t, 200, "admin", "GET", "/api/info", nil); !strings.Contains(text, `"admin"`) {
		t.Errorf("%s", text)
	}
	// A page of another site cannot confirm.
	code = s.asks(t, client.NewToken(), "m")
	for _, header := range [][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://evil.example"}} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/logins/"+code, nil)
		s.check(t, err)
		r.Header.Set("Authorization", "Bearer "+s.tokens["owner"])
		r.Header.Set(header[0], header[1])
		answer, err := http.DefaultClient.Do(r)
		s.check(t, err)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", header, answer.Status)
		}
	}
	s.exec(t, "UPDATE logins SET expires_at = 1") // 10 minutes later
	s.want(t, 404, "owner", "POST", "/api/logins/"+code, nil)
	// A login is valid no longer than the token by which it was admitted, also over a browser.
	s.tokens["guest"] = s.token(t, postgres.NewToken{User: "owner", Kind: postgres.KindUser,
		Expires: time.Now().Add(time.Hour)})
	b := newBrowser(t)
	if status := b.do(t, "POST", s.URL+"/api/login",
		`{"token": "`+s.tokens["guest"]+`"}`); status != http.StatusNoContent {
		t.Fatalf("%d", status)
	}
	if status := b.do(t, "POST", s.URL+"/api/logins/"+s.asks(t, client.NewToken(), "guest's"),
		""); status != http.StatusNoContent {
		t.Fatalf("%d: %s", status, b.text)
	}
	tokens, err := s.db.Tokens(s.operator)
	s.check(t, err)
	if k := tokens[0]; k.Name != "guest's" || k.Expires == nil || time.Until(*k.Expires) > time.Hour {
		t.Errorf("%+v", k)
	}
	// There is room for some machines only; what has expired makes room.
	s.exec(t, "INSERT INTO logins SELECT n, '', '', '', 0, 9e18 FROM generate_series(1, 1000) AS n")
	s.want(t, 503, "", "POST", "/api/logins", asJSON(map[string]string{"hash": strings.Repeat("0", 64)}))
	s.exec(t, "UPDATE logins SET expires_at = 1")
	s.want(t, 201, "", "POST", "/api/logins", asJSON(map[string]string{"hash": strings.Repeat("0", 64)}))
}
