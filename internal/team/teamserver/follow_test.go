package teamserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// running is the id of a session that the owner's machine sends while it runs.
const running = "019aa000-0000-7000-8000-00000000000a"

// beginLive makes a session known that runs.
func (s *site) beginLive(t testing.TB, user, id string, version int) {
	t.Helper()
	var o map[string]any
	s.check(t, json.Unmarshal(begin(id, "m", version, "shop"), &o))
	o["live"] = true
	s.want(t, 200, user, "PUT", "/api/push/"+id, asJSON(o))
}

// stream is the events of a session, as somebody follows it.
type stream struct {
	t    *testing.T
	ctx  context.Context
	in   *bufio.Reader
	said map[string]string // the texts of the entries, by their ids
}

// follow follows a session on a server.
func (s *site) follow(t *testing.T, url, user, path string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, nil)
	s.check(t, err)
	if token := s.tokens[user]; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	s.check(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d\n%s", path, answer.StatusCode, s.log)
	}
	return &stream{t: t, ctx: ctx, in: bufio.NewReader(answer.Body), said: map[string]string{}}
}

// next reads an event; "" is the end of the stream.
func (f *stream) next() (name string, data []byte) {
	for {
		line, err := f.in.ReadString('\n')
		if err != nil {
			return "", nil
		}
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
		case "event":
			name = value
		case "data":
			return name, []byte(value)
		}
	}
}

// until reads events until the entries say what is wanted, or one has this name, and returns the
// last one's data.
func (f *stream) until(name string, texts ...string) []byte {
	f.t.Helper()
	for {
		got, data := f.next()
		if got == "entries" {
			var v protocol.Entries
			if err := json.Unmarshal(data, &v); err != nil {
				f.t.Fatal(err)
			}
			for _, e := range v.Entries {
				f.said[e.ID] = e.Text
			}
			for _, id := range v.Gone {
				delete(f.said, id)
			}
		}
		have := []string{}
		for _, text := range f.said {
			have = append(have, text)
		}
		slices.Sort(have)
		switch {
		case name != "" && got == name, name == "" && slices.Equal(have, texts):
			return data
		case got == "":
			f.t.Fatalf("the stream has ended with %q; want %s %q", have, name, texts)
		}
	}
}

// ends makes sure that the stream ends, and not because the session has.
func (f *stream) ends() {
	f.t.Helper()
	for name, _ := f.next(); name != ""; name, _ = f.next() {
		if name == "exit" {
			f.t.Error("the session has ended")
		}
	}
	if f.ctx.Err() != nil {
		f.t.Error("the stream did not end")
	}
}

// A running session is followed on another replica than the one it is sent to: new entries, changed
// ones, those that are taken back, and its end.
func TestRunningSessionIsFollowedOnAnotherReplica(t *testing.T) {
	s := newSite(t)
	db, err := postgres.Open(t.Context(), s.dsn)
	s.check(t, err)
	t.Cleanup(func() { _ = db.Close() })
	second := &site{db: db, log: s.log}
	other := second.replica(t, server.Options{}, false)
	s.beginLive(t, "owner", running, 1)
	send := func(version int, gone []string, texts ...string) {
		t.Helper()
		body, _ := batch(version, texts...)
		var o map[string]json.RawMessage // the entries are as they were
		s.check(t, json.Unmarshal(body, &o))
		o["gone"] = asJSON(gone)
		s.want(t, 204, "owner", "POST", "/api/push/"+running+"/entries", asJSON(o))
	}
	send(1, nil, "one")
	f := s.follow(t, other.URL, "reader", "/api/sessions/"+running+"/events")
	f.until("", "one")
	send(2, nil, "one", "two")
	f.until("", "one", "two")
	send(3, nil, "ONE", "two")
	f.until("", "ONE", "two")
	send(4, []string{"e1"}, "ONE")
	f.until("", "ONE")
	if text := s.want(t, 200, "reader", "GET", "/api/sessions?live=true", nil); !strings.Contains(text,
		`"status":"live"`) || !strings.Contains(text, `"attachable":true`) {
		t.Errorf("%s", text)
	}
	s.want(t, 200, "owner", "PUT", "/api/push/"+running, begin(running, "m", 2, "shop"))
	_, digest := batch(1, "ONE")
	s.want(t, 204, "owner", "POST", "/api/push/"+running+"/end",
		asJSON(map[string]any{"events": 0, "entries": 1, "digest": digest, "ended_at": time.Unix(1e9+5, 0)}))
	f.until("exit")
	if text := s.want(t, 200, "reader", "GET", "/api/sessions/"+running, nil); !strings.Contains(text,
		`"status":"ended"`) {
		t.Errorf("%s", text)
	}
	s.audited(t, "reader", running, 2) // the stream, and what was asked just now
}

// audited makes sure how often the audit says that a user read a session.
func (s *site) audited(t *testing.T, user, id string, want int) {
	t.Helper()
	n := 0
	s.check(t, s.db.Audit(s.operator, time.Now().Add(-time.Hour), func(r postgres.Record) error {
		if r.User == user && r.Session == id && r.What == "read" {
			n++
		}
		return nil
	}))
	if n != want {
		t.Errorf("the audit has %d rows of %s, want %d", n, user, want)
	}
}

// Who may no longer read a session does not follow it any longer.
func TestFollowingEndsWithTheRightToRead(t *testing.T) {
	s := newSiteWith(t, true)
	s.beginLive(t, "owner", running, 1)
	body, _ := batch(1, "one")
	s.want(t, 204, "owner", "POST", "/api/push/"+running+"/entries", body)
	events := "/api/sessions/" + running + "/events"
	token := func(user string) int64 {
		t.Helper()
		v, err := s.db.Identify(t.Context(), s.tokens[user])
		s.check(t, err)
		return v.Token
	}
	byLink := func(link string) string { return "/api/links/" + link + "/events" }
	open := func(body string) string {
		var made struct{ Path string }
		s.check(t, json.Unmarshal([]byte(s.want(t, 201, "owner", "POST", "/api/sessions/"+running+"/links", []byte(body))),
			&made))
		return strings.TrimPrefix(made.Path, "/l/")
	}
	short := open(`{"seconds": 3600, "anyone": true}`)
	long := open(`{"anyone": true}`)
	streams := map[string]*stream{}
	for name, at := range map[string][2]string{"member": {"member", events}, "token": {"reader", events},
		"auditor": {"auditor", events}, "expired": {"", byLink(short)}, "revoked": {"", byLink(long)}, "owner": {"owner",
			events}} {
		streams[name] = s.follow(t, s.URL, at[0], at[1])
		streams[name].until("", "one")
	}
	conn, err := pgx.Connect(t.Context(), s.dsn)
	s.check(t, err)
	_, err = conn.Exec(t.Context(), "UPDATE links SET expires_at = $1 WHERE id = (SELECT min(id) FROM links)",
		time.Now().UnixNano())
	s.check(t, errors.Join(err, conn.Close(t.Context())))
	streams["expired"].ends()
	s.check(t, s.db.SetMember(s.operator, "shop", "member", ""))
	streams["member"].ends()
	s.check(t, s.db.RemoveToken(s.operator, token("reader")))
	streams["token"].ends()
	s.check(t, s.db.SetRole(s.operator, "auditor", postgres.RoleMember))
	streams["auditor"].ends()
	s.want(t, 200, "owner", "DELETE", "/api/sessions/"+running+"/links", nil)
	streams["revoked"].ends()
	body, _ = batch(2, "one", "two")
	s.want(t, 204, "owner", "POST", "/api/push/"+running+"/entries", body)
	streams["owner"].until("", "one", "two")
	s.want(t, 204, "owner", "DELETE", "/api/push/"+running, nil)
	streams["owner"].ends()
}

// A session whose machine has not said for long that it runs has ended.
func TestSessionOfASilentMachineHasEnded(t *testing.T) {
	s := newSite(t)
	s.beginLive(t, "owner", running, 1)
	f := s.follow(t, s.URL, "owner", "/api/sessions/"+running+"/events")
	f.until("entries")
	conn, err := pgx.Connect(t.Context(), s.dsn)
	s.check(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	_, err = conn.Exec(t.Context(), "UPDATE sessions SET live_at = live_at - $1", 3*time.Minute.Nanoseconds())
	s.check(t, err)
	if data := f.until("exit"); !strings.Contains(string(data), `"status":-1`) {
		t.Errorf("%s", data)
	}
	if text := s.want(t, 200, "owner", "GET", "/api/sessions/"+running, nil); !strings.Contains(text,
		`"status":"`+store.Interrupted) {
		t.Errorf("%s", text)
	}
}

// Nobody types into a team's session, and it shows no screen.
func TestNobodyTypesIntoASessionOfTheTeam(t *testing.T) {
	s := newSite(t)
	s.beginLive(t, "owner", running, 1)
	for _, c := range []struct{ method, path, body string }{
		{"POST", "input", `{"text": "x"}`}, {"POST", "prompt", `{"text": "x"}`}, {"POST", "control", `{"action": "take"}`},
		{"POST", "resize", `{"cols": 80, "rows": 24}`}, {"POST", "kill", `{"signal": "TERM"}`}, {"GET", "screen", ""},
	} {
		if status, text := s.do(t, "owner", c.method, "/api/sessions/"+running+"/"+c.path, []byte(c.body)); status < 400 {
			t.Errorf("%s: %d: %s", c.path, status, text)
		}
	}
}
