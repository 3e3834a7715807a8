package teamserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/team/teamserver"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// Users are what the server takes them for.
var _ server.Users = teamserver.Users{}

// link makes a link as the owner, and returns its code.
func (s *site) link(t *testing.T, id, body string) string {
	t.Helper()
	var made struct{ Path string }
	if err := json.Unmarshal([]byte(s.want(t, 201, "owner", "POST", "/api/sessions/"+id+"/links", []byte(body))),
		&made); err != nil {
		t.Fatal(err)
	}
	code, ok := strings.CutPrefix(made.Path, "/l/")
	if !ok || len(code) != 26 {
		t.Fatalf("the path of a link is %q", made.Path)
	}
	return code
}

// What links open, for everybody: with and without --public-links. The order of the statuses is
// that of TestRightsOfEveryUser.
func TestWhatLinksOpen(t *testing.T) {
	who := []string{"", "push", "stranger", "admin", "reader", "member", "owner", "auditor"}
	const (
		signedIn = "401 404 200 200 200 200 200 200"
		anyone   = "200 404 200 200 200 200 200 200"
		void     = "401 404 404 404 404 404 404 404"
	)
	for _, public := range []bool{false, true} {
		s := newSiteWith(t, public)
		s.push(t, "owner", private, "", "needle")
		s.push(t, "owner", shared, "shop", "other")
		open := s.link(t, private, `{"seconds": 3600}`)
		links := map[string]string{open: signedIn, strings.Repeat("a", 26): void, "%00": void, s.expired(t): void,
			s.revoked(t): void, s.ofDeleted(t): void, s.ofRemoved(t): void}
		if public {
			links[s.link(t, private, `{"anyone": true}`)] = anyone
		} else {
			links[s.forAnyone(t)] = signedIn // made while the server had --public-links
		}
		for code, want := range links {
			for i, status := range strings.Fields(want) {
				for _, rest := range []string{"", "/entries", "/screen", "/raw", "/export?format=json", "/events"} {
					if got, text := s.do(t, who[i], "GET", "/api/links/"+code+rest, nil); fmt.Sprint(got) != status {
						t.Errorf("public %t, %s: %s%s: %d, want %s: %.200s", public, who[i], code, rest, got, status, text)
					}
				}
			}
		}
		// A link shows this session only, and changes nothing.
		for _, user := range who {
			for _, c := range []struct{ method, rest string }{
				{"GET", "/control"}, {"GET", "/live"}, {"GET", "/links"}, {"GET", "/sessions"}, {"GET", "/search?q=needle"},
				{"GET", "/facets"},
				{"POST", "/links"}, {"PATCH", ""}, {"DELETE", ""}, {"POST", "/input"},
			} {
				if got, text := s.do(t, user, c.method, "/api/links/"+open+c.rest, []byte("{}")); got < 400 ||
					strings.Contains(text, "needle") {
					t.Errorf("%s: %s %s: %d: %.200s", user, c.method, c.rest, got, text)
				}
			}
		}
		s.want(t, 401, "", "GET", "/api/links/../sessions", nil)
		s.want(t, 404, "stranger", "GET", "/api/sessions/"+private, nil)
		s.counts(t, "stranger", 0, 0)
		if text := s.want(t, 200, "stranger", "GET", "/api/links/"+open+"/entries", nil); !strings.Contains(text, "needle") {
			t.Errorf("%s", text)
		}
		if text := s.want(t, 200, "owner", "DELETE", "/api/sessions/"+private+"/links", nil); !strings.Contains(text,
			`"revoked":2`) {
			t.Errorf("%s", text)
		}
		s.want(t, 404, "stranger", "GET", "/api/links/"+open, nil)
	}
}

// expired returns the code of a link whose time is over.
func (s *site) expired(t *testing.T) string { return s.madeAs(t, private, -time.Second, false) }

// forAnyone returns the code of a link for anyone, whatever the server allows.
func (s *site) forAnyone(t *testing.T) string { return s.madeAs(t, private, time.Hour, true) }

func (s *site) madeAs(t *testing.T, id string, age time.Duration, anyone bool) string {
	t.Helper()
	v, err := s.db.Identify(t.Context(), s.tokens["owner"])
	s.check(t, err)
	code, err := s.db.AddLink(postgres.As(t.Context(), v),
		postgres.NewLink{Session: id, Expires: time.Now().Add(age), Anyone: anyone})
	s.check(t, err)
	return code
}

// revoked returns the code of a link that was revoked.
func (s *site) revoked(t *testing.T) string {
	t.Helper()
	code := s.link(t, shared, "{}")
	s.want(t, 200, "owner", "DELETE", "/api/sessions/"+shared+"/links", nil)
	return code
}

// ofDeleted returns the code of a link to a session that was deleted.
func (s *site) ofDeleted(t *testing.T) string {
	t.Helper()
	const id = "019aa000-0000-7000-8000-000000000003"
	s.push(t, "owner", id, "", "gone")
	code := s.link(t, id, "{}")
	s.want(t, 204, "owner", "DELETE", "/api/sessions/"+id, nil)
	return code
}

// ofRemoved returns the code of a link that a user made who was removed since.
func (s *site) ofRemoved(t *testing.T) string {
	t.Helper()
	const id = "019aa000-0000-7000-8000-000000000004"
	s.check(t, s.db.AddUser(s.operator, "leaver", postgres.RoleMember))
	s.tokens["leaver"] = s.token(t, postgres.NewToken{User: "leaver", Kind: postgres.KindUser})
	s.push(t, "leaver", id, "", "kept")
	var made struct{ Path string }
	s.check(t, json.Unmarshal([]byte(s.want(t, 201, "leaver", "POST", "/api/sessions/"+id+"/links", []byte("{}"))), &made))
	s.check(t, s.db.RemoveUser(s.operator, "leaver"))
	return strings.TrimPrefix(made.Path, "/l/")
}

// A link that is revoked while a request reads by it opens nothing from then on; whoever reads by a
// link changes nothing.
func TestRevokedLinkOpensNothing(t *testing.T) {
	s := newSite(t)
	s.push(t, "owner", private, "", "needle")
	code := s.link(t, private, "{}")
	for _, user := range []string{"stranger", "owner"} {
		v, err := s.db.Identify(t.Context(), s.tokens[user])
		s.check(t, err)
		v, id, err := s.db.OpenLink(postgres.As(t.Context(), v), code, false)
		s.check(t, err)
		ctx := postgres.As(t.Context(), v)
		if _, err := s.db.Find(ctx, id); err != nil {
			t.Errorf("%s: %v", user, err)
		}
		if _, err := s.db.Tag(ctx, id, []string{"x"}, nil); !isForbidden(err) {
			t.Errorf("%s tags: %v", user, err)
		}
		if err := s.db.DeleteSession(ctx, id); !isForbidden(err) {
			t.Errorf("%s deletes: %v", user, err)
		}
		defer s.closed(t, ctx, id)
	}
	s.want(t, 200, "owner", "DELETE", "/api/sessions/"+private+"/links", nil)
}

// closed makes sure that a session cannot be read any more.
func (s *site) closed(t *testing.T, ctx context.Context, id string) { //nolint:revive // t is first in all helpers here
	t.Helper()
	if _, err := s.db.Find(ctx, id); !isNotFound(err) {
		t.Errorf("a revoked link: %v", err)
	}
}

// Links that are made, opened and revoked are in the audit. The page is not indexed, and it sends
// no referrer; its address is in no log.
func TestLinksAreInTheAudit(t *testing.T) {
	s := newSiteWith(t, true)
	s.push(t, "owner", private, "", "needle")
	code := s.link(t, private, `{"anyone": true}`)
	s.want(t, 200, "", "GET", "/api/links/"+code, nil)
	s.want(t, 200, "stranger", "GET", "/api/links/"+code+"/entries", nil)
	s.want(t, 200, "stranger", "GET", "/api/links/"+code+"/export?format=md", nil)
	s.want(t, 200, "owner", "GET", "/api/links/"+code, nil) // its own
	s.want(t, 200, "owner", "DELETE", "/api/sessions/"+private+"/links", nil)
	got := map[string]int{}
	s.check(t, s.db.Audit(s.operator, time.Now().Add(-24*time.Hour), func(r postgres.Record) error {
		got[r.User+" "+r.What+" "+r.About]++
		if strings.Contains(fmt.Sprint(r), code) || strings.Contains(fmt.Sprint(r), "needle") {
			t.Errorf("%+v", r)
		}
		return nil
	}))
	for what, n := range map[string]int{"owner link link 1 for anyone": 1, "anyone open link 1": 1,
		"stranger open link 1": 1, "stranger export link 1": 1, "owner open link 1": 0, "owner revoke 1 links": 1} {
		if got[what] != n {
			t.Errorf("%s: %d, want %d; all: %v", what, got[what], n, got)
		}
	}
	for _, path := range []string{"/l/" + code, "/api/links/" + code} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		s.check(t, err)
		answer, err := http.DefaultClient.Do(r)
		s.check(t, err)
		_ = answer.Body.Close()
		if h := answer.Header; h.Get("X-Robots-Tag") != "noindex" || h.Get("Referrer-Policy") != "no-referrer" ||
			h.Get("Cache-Control") == "" {
			t.Errorf("%s: %v", path, h)
		}
	}
	if strings.Contains(s.log.String(), code) {
		t.Errorf("the log has the code of a link:\n%s", s.log.String())
	}
	if !strings.Contains(s.log.String(), "/api/links/…") { // of the one that was revoked
		t.Errorf("the log: %s", s.log.String())
	}
}

// Bad requests for links make none.
func TestBadRequestsMakeNoLinks(t *testing.T) {
	s := newSite(t)
	s.push(t, "owner", private, "", "needle")
	for body, status := range map[string]int{`{"seconds": 0}`: 400, `{"seconds": -1}`: 400, `{"seconds": 31622401}`: 400,
		`{"seconds": 1e99}`: 400, `{`: 400, `[]`: 400, strings.Repeat(" ", 4096): 413, `{"anyone": true}`: 400} {
		s.want(t, status, "owner", "POST", "/api/sessions/"+private+"/links", []byte(body))
	}
	s.want(t, 404, "owner", "POST", "/api/sessions/"+private[:20]+"/links", []byte("{}")) // the whole id
	if text := s.want(t, 200, "owner", "DELETE", "/api/sessions/"+private+"/links", nil); !strings.Contains(text,
		`"revoked":0`) {
		t.Errorf("%s", text)
	}
}

func isForbidden(err error) bool { return errors.Is(err, session.ErrForbidden) }

func isNotFound(err error) bool { return errors.Is(err, session.ErrNotFound) }
