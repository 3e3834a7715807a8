package teamserver_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/ptyrec/ptyrec/store"
)

// who are the viewers, in the order of the statuses in rights.
var who = []string{"", "push", "stranger", "admin", "reader", "member", "owner", "auditor"}

const (
	reading        = "401 404 404 404 200 200 200 200"
	readingPrivate = "401 404 404 404 404 404 200 200"
	live           = "401 404 404 404 409 409 409 409"
	livePrivate    = "401 404 404 404 404 404 409 409"
	changing       = "401 404 404 404 403 403 200 403"
	changingOwn    = "401 404 404 404 404 404 200 403"
	sending        = "401 404 404 404 404 404 204 404"
	ending         = "401 404 404 404 404 404 409 404"
	listing        = "401 200 200 200 200 200 200 200"
	refusing       = "401 400 400 400 400 400 400 400"
	starting       = "401 403 403 403 403 403 403 403"
)

// rights says what the server answers to each call of the API: to a session in a space, and to one
// that is its owner's alone. A call without {id} has one answer.
var rights = []struct{ method, path, query, body, shared, private string }{
	{"GET", "/api/health", "", "", "200 200 200 200 200 200 200 200", ""},
	{"GET", "/api/info", "", "", listing, ""},
	{"GET", "/api/sessions", "", "", listing, ""},
	{"GET", "/api/facets", "", "", listing, ""},
	{"GET", "/api/search", "?q=needle", "", listing, ""},
	{"GET", "/api/search", "?q=needle&session=ID", "", reading, readingPrivate},
	{"GET", "/api/events", "", "", listing, ""},
	{"POST", "/api/sessions", "", `{"command": ["true"]}`, starting, ""},
	{"GET", "/api/sessions/{id}", "", "", reading, readingPrivate},
	{"GET", "/api/sessions/{id}/entries", "", "", reading, readingPrivate},
	{"GET", "/api/sessions/{id}/screen", "", "", reading, readingPrivate},
	{"GET", "/api/sessions/{id}/raw", "", "", reading, readingPrivate},
	{"GET", "/api/sessions/{id}/export", "?format=json", "", reading, readingPrivate},
	{"GET", "/api/sessions/{id}/events", "", "", reading, readingPrivate},
	{"PATCH", "/api/sessions/{id}", "", `{"name": "x"}`, changing, changingOwn},
	{"PATCH", "/api/sessions/{id}", "", `{"note": "x"}`, changing, changingOwn},
	{"PATCH", "/api/sessions/{id}", "", `{"add_tags": ["x"]}`, "401 404 404 404 403 200 200 403", changingOwn},
	{"GET", "/api/sessions/{id}/control", "", "", live, livePrivate},
	{"POST", "/api/sessions/{id}/control", "", `{"action": "grant", "seconds": 5}`, live, livePrivate},
	{"POST", "/api/sessions/{id}/input", "", `{"text": "x"}`, live, livePrivate},
	{"POST", "/api/sessions/{id}/prompt", "", `{"text": "x"}`, live, livePrivate},
	{"POST", "/api/sessions/{id}/resize", "", `{"cols": 80, "rows": 24}`, live, livePrivate},
	{"POST", "/api/sessions/{id}/kill", "", `{"signal": "TERM"}`, live, livePrivate},
	{"PUT", "/api/push/{id}/raw", "?event=0", "SEGMENT", sending, sending},
	{"POST", "/api/push/{id}/entries", "", `{"version": 0}`, sending, sending},
	{"POST", "/api/push/{id}/end", "", `{"events": 9, "digest": "` + strings.Repeat("0", 64) + `"}`, ending, ending},
	{"DELETE", "/api/push/{id}/raw", "", "", sending, sending},
	{"GET", "/api/push/policy", "", "", listing, ""},
	{"POST", "/api/push/check", "", `{"sessions": []}`, listing, ""},
	{"GET", "/api/sessions/{id}/segments", "", "", reading, readingPrivate},
	{"GET", "/api/sessions/{id}/segments", "?event=1000000", "", reading, readingPrivate},
	{"GET", "/api/usage", "?session=ID", "", listing, listing},
	{"POST", "/api/sessions/{id}/links", "", "{}", "401 404 404 404 403 403 201 403", "401 404 404 404 404 404 201 403"},
	{"POST", "/api/sessions/{id}/links", "", `{"anyone": true}`, refusing, refusing}, // without --public-links
	{"DELETE", "/api/sessions/{id}/links", "", "", changing, changingOwn},
}

// elsewhere are the calls that other tests try with everybody, because they change what rights is
// about.
var elsewhere = map[string]string{
	"DELETE /api/sessions/{id}": "TestRightsOfEveryUser, at its end", "POST /api/login": "TestRightsEndAtOnce",
	"DELETE /api/login":     "TestRightsEndAtOnce",
	"GET /api/links/{link}": "TestWhatLinksOpen", "GET /api/links/{link}/entries": "TestWhatLinksOpen",
	"GET /api/links/{link}/screen": "TestWhatLinksOpen",
	"GET /api/links/{link}/raw":    "TestWhatLinksOpen", "GET /api/links/{link}/export": "TestWhatLinksOpen",
	"GET /api/links/{link}/events": "TestWhatLinksOpen",
	"POST /api/team/{call}":        "TestAdminsChangeAndDoNotRead",
	"GET /api/login":               "TestWaysToLogIn", "POST /api/logins": "TestWhoMayAdmitAMachine",
	"GET /api/logins/{code}": "TestWhoMayAdmitAMachine", "POST /api/logins/{code}": "TestWhoMayAdmitAMachine",
	"DELETE /api/logins/{code}": "TestWhoMayAdmitAMachine",
	"PUT /api/push/{id}":        "TestPushTokenReadsNothing, TestEveryPushMayComeTwice",
	"DELETE /api/push/{id}":     "TestPushTokenReadsNothing, TestEveryPushMayComeTwice",
}

// Every call for everybody.
func TestRightsOfEveryUser(t *testing.T) {
	s := newSite(t)
	s.push(t, "owner", shared, "shop", "needle")
	s.push(t, "owner", private, "", "needle")
	for _, route := range rights {
		for id, want := range map[string]string{shared: route.shared, private: route.private} {
			path := strings.NewReplacer("{id}", id, "ID", id).Replace(route.path + route.query)
			body := []byte(route.body)
			if route.body == "SEGMENT" {
				body = segment("needle")
			}
			for i, status := range strings.Fields(want) {
				if got, text := s.do(t, who[i], route.method, path, body); fmt.Sprint(got) != status {
					t.Errorf("%s: %s %s %s: %d, want %s: %.200s", who[i], route.method, path, route.body, got, status, text)
				}
			}
		}
	}
	for _, user := range who { // WebSockets
		for _, path := range []string{"/api/sessions/ID/live", "/ws/agent/ID", "/ws/pty/ID"} {
			status, _ := s.do(t, user, "GET", strings.ReplaceAll(path, "ID", private), nil)
			other, _ := s.do(t, user, "GET", strings.ReplaceAll(path, "ID", store.NewID()), nil)
			if user != "owner" && user != "auditor" && status != other || status < 400 {
				t.Errorf("%s: %s: %d, for a session that is not there %d", user, path, status, other)
			}
		}
	}
	for i, want := range []struct{ list, hits int }{{-1, -1}, {0, 0}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, {2, 2}, {2, 2}} {
		s.counts(t, who[i], want.list, want.hits)
	}
	for i, status := range strings.Fields("401 404 404 404 403 403 204 404") { // last: it deletes
		if got, text := s.do(t, who[i], "DELETE", "/api/sessions/"+shared, nil); fmt.Sprint(got) != status {
			t.Errorf("%s deletes: %d, want %s: %s", who[i], got, status, text)
		}
	}
}

// Rights has every call of the API that serve has with a team's database.
func TestRightsTableHasEveryCall(t *testing.T) {
	have := map[string]bool{}
	for _, route := range rights {
		have[route.method+" "+route.path] = true
	}
	var missing []string
	for _, file := range []string{"../../server/openapi.yaml", "openapi.yaml"} {
		doc, err := openapi3.NewLoader().LoadFromFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for path, item := range doc.Paths.Map() {
			for method := range item.Operations() {
				if call := method + " " + path; !have[call] && elsewhere[call] == "" {
					missing = append(missing, call)
				}
			}
		}
	}
	slices.Sort(missing)
	for _, call := range missing {
		t.Errorf("%s is not in rights", call)
	}
}

// What somebody may not see answers like what is not there: with the same status and body. The long
// form prints how long both take; the same statements run for both.
func TestHiddenSessionsAnswerLikeMissingOnes(t *testing.T) {
	s := newSite(t)
	s.push(t, "owner", private, "", "needle")
	none := strings.Replace(private, "0002", "0003", 1)
	defer func() {
		if os.Getenv("PTYREC_LONG_TESTS") == "" {
			return
		}
		for _, path := range []string{"/api/sessions/ID", "/api/sessions/ID/entries", "/api/sessions/ID/raw"} {
			var took [2][]time.Duration
			for range 1000 {
				for i, id := range []string{private, none} {
					begun := time.Now()
					s.want(t, 404, "stranger", "GET", strings.ReplaceAll(path, "ID", id), nil)
					took[i] = append(took[i], time.Since(begun))
				}
			}
			slices.Sort(took[0])
			slices.Sort(took[1])
			t.Logf("%s: median %v hidden, %v not there; quartiles %v, %v and %v, %v", path, took[0][500], took[1][500],
				took[0][250], took[0][750], took[1][250], took[1][750])
		}
	}()
	for _, user := range []string{"stranger", "admin", "member", "push"} {
		for _, route := range rights {
			if !strings.Contains(route.path+route.query, "{id}") || route.private == refusing {
				continue
			}
			var answers [2]string
			for i, id := range []string{private, none} {
				path := strings.ReplaceAll(route.path+route.query, "{id}", id)
				body := route.body
				if body == "SEGMENT" {
					body = string(segment("needle"))
				}
				status, text := s.do(t, user, route.method, path, []byte(body))
				answers[i] = fmt.Sprintf("%d, %s", status, strings.ReplaceAll(text, id, "ID"))
				if status != http.StatusNotFound {
					t.Errorf("%s: %s %s: %d", user, route.method, path, status)
				}
			}
			if answers[0] != answers[1] {
				t.Errorf("%s: %s %s:\n%s\n%s", user, route.method, route.path, answers[0], answers[1])
			}
		}
	}
}
