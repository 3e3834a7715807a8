package teamserver_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/team/teamserver"
	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// site is a team's server with users.
type site struct {
	*httptest.Server
	db       *postgres.Store
	dsn      string
	operator context.Context
	tokens   map[string]string // by user; "push" is a push token of member, "" nobody's
	log      *logText
}

// past exports transcripts only.
type past struct{ *library.Past }

func (p past) Export(ctx context.Context, w io.Writer, format string, info *store.Info, _ server.Part) error {
	t, err := p.Transcript(ctx, info)
	if err != nil {
		return err
	}
	return render.Write(w, format, t)
}

func newSite(t testing.TB) *site { return newSiteWith(t, false) }

// page is the web page.
var page = fstest.MapFS{"index.html": {Data: []byte("<html>")}}

// newSiteWith makes a site that may have links for anyone.
func newSiteWith(t testing.TB, public bool) *site {
	t.Helper()
	dsn := pgtest.New(t)
	db, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &site{db: db, dsn: dsn, operator: postgres.As(t.Context(), postgres.Viewer{Operator: true}),
		tokens: map[string]string{"": ""}, log: &logText{}}
	for name, role := range map[string]string{"owner": postgres.RoleMember, "member": postgres.RoleMember,
		"reader": postgres.RoleMember, "stranger": postgres.RoleMember, "auditor": postgres.RoleAuditor,
		"admin": postgres.RoleAdmin} {
		s.check(t, db.AddUser(s.operator, name, role))
		s.tokens[name] = s.token(t, postgres.NewToken{User: name, Kind: postgres.KindUser})
	}
	s.check(t, db.AddSpace(s.operator, "shop"))
	s.check(t, db.AddSpace(s.operator, "other"))
	s.check(t, db.SetMember(s.operator, "other", "stranger", "member"))
	for name, role := range map[string]string{"owner": "member", "member": "member", "reader": "reader"} {
		s.check(t, db.SetMember(s.operator, "shop", name, role))
	}
	s.tokens["push"] = s.token(t, postgres.NewToken{User: "member", Kind: postgres.KindPush, Space: "shop"})
	s.Server = s.replica(t, server.Options{}, public)
	return s
}

// replica starts a server of the site's database.
func (s *site) replica(t testing.TB, o server.Options, public bool) *httptest.Server {
	t.Helper()
	log := slog.New(slog.NewTextHandler(s.log, nil))
	follow := teamserver.NewFollow(s.db, log)
	t.Cleanup(follow.Close)
	nothing := t.TempDir()
	s.check(t, os.Chmod(nothing, 0o700)) // as a folder of sockets must be
	live, err := client.Dial(t.Context(), "", client.Options{Dir: nothing, Other: follow.Connect})
	s.check(t, err)
	read := library.NewPast(&library.Library{Store: s.db})
	t.Cleanup(func() { _ = read.Close() })
	push := teamserver.NewPush(s.db, log)
	o.Store, o.Live, o.Users, o.Past, o.Log, o.Page, o.Health = s.db, live, teamserver.Users{Store: s.db,
		PublicLinks: public}, past{read}, log, page, s.db.Ping
	o.Protocols = []server.Protocol{
		{Handlers: push, Access: server.ShowSessions},
		{Handlers: teamserver.NewLinks(push, public), Access: server.ShowSessions},
		{Handlers: teamserver.NewPull(push), Access: server.ShowSessions},
		{Handlers: teamserver.NewAdmin(push), Access: server.ShowSessions},
		{Handlers: teamserver.NewLogins(push), Access: server.Anybody},
	}
	h := server.New(o)
	t.Cleanup(h.Close)
	replica := httptest.NewServer(h)
	t.Cleanup(replica.Close)
	return replica
}

// logText is what the server logged.
type logText struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (s *site) check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *site) token(t testing.TB, n postgres.NewToken) string {
	t.Helper()
	token, err := s.db.AddToken(s.operator, n)
	s.check(t, err)
	return token
}

// do sends a request with a user's token, and returns the status and the body.
func (s *site) do(t testing.TB, user, method, path string, body []byte) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body))
	s.check(t, err)
	if len(body) > 0 && !strings.Contains(path, "/raw") {
		r.Header.Set("Content-Type", "application/json")
	}
	if token := s.tokens[user]; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	s.check(t, err)
	defer func() { _ = answer.Body.Close() }()
	if path == "/api/events" && answer.StatusCode == http.StatusOK {
		return answer.StatusCode, "" // it goes on
	}
	got, err := io.ReadAll(answer.Body)
	s.check(t, err)
	return answer.StatusCode, string(got)
}

func (s *site) want(t testing.TB, status int, user, method, path string, body []byte) string {
	t.Helper()
	got, text := s.do(t, user, method, path, body)
	if got != status {
		t.Errorf("%s: %s %s: %d, want %d: %.300s", user, method, path, got, status, text)
	}
	return text
}

func asJSON(v any) []byte {
	b, _ := json.Marshal(v) // of tests
	return b
}

func begin(id, machine string, version int, space string) []byte {
	return asJSON(map[string]any{"session": session.Session{ID: id, Title: "secret title", Command: []string{"claude"},
		Cwd: "~/work", StartedAt: time.Unix(1e9, 0).UTC(), Cols: 80, Rows: 24},
		"machine": machine, "version": version, "space": space})
}

// segment returns a segment with one event for each text.
func segment(texts ...string) []byte {
	rec := store.NewRecording(80, 24)
	for i, text := range texts {
		rec.Write(session.Event{At: time.Duration(i) * time.Second, Kind: session.Output, Data: []byte(text)})
	}
	return rec.Segments()[0].Data
}

// batch returns a request with entries that say these texts, and their digest.
func batch(version int, texts ...string) (body []byte, digest string) {
	var entries []*session.Entry
	for i, text := range texts {
		entries = append(entries, &session.Entry{ID: fmt.Sprint("e", i), Seq: i + 1, Type: session.TypeMessage,
			Role: session.RoleUser, Text: text, Markdown: text, At: time.Unix(1e9, 0).UTC()})
	}
	return batchOf(version, entries)
}

// batchOf returns a request with entries in the order of their ids, and their digest.
func batchOf(version int, entries []*session.Entry) (body []byte, digest string) {
	var list []json.RawMessage
	var sums [][sha256.Size]byte
	for _, e := range entries {
		raw := asJSON(e)
		list, sums = append(list, raw), append(sums, sha256.Sum256(raw))
	}
	sum := postgres.DigestOf(sums)
	return asJSON(map[string]any{"version": version, "entries": list}), hex.EncodeToString(sum[:])
}

// push sends a whole session.
func (s *site) push(t *testing.T, user, id, space, text string) {
	t.Helper()
	s.want(t, 200, user, "PUT", "/api/push/"+id, begin(id, "m", 1, space))
	s.want(t, 204, user, "PUT", "/api/push/"+id+"/raw?event=0", segment(text))
	body, digest := batch(1, text)
	s.want(t, 204, user, "POST", "/api/push/"+id+"/entries", body)
	s.want(t, 204, user, "POST", "/api/push/"+id+"/end",
		asJSON(map[string]any{"events": 1, "entries": 1, "digest": digest, "ended_at": time.Unix(1e9+5, 0)}))
}

const (
	shared  = "019aa000-0000-7000-8000-000000000001" // the owner's, in the space shop
	private = "019aa000-0000-7000-8000-000000000002" // the owner's alone
)

// counts makes sure of what somebody sees of the sessions in lists, counts and searches; -1: nobody
// may ask.
func (s *site) counts(t *testing.T, user string, list, hits int) {
	t.Helper()
	if list < 0 {
		for _, path := range []string{"/api/sessions", "/api/facets", "/api/search?q=needle", "/api/events", "/api/info"} {
			s.want(t, 401, user, "GET", path, nil)
		}
		return
	}
	var sessions struct {
		Sessions []struct{}
		Total    int
	}
	var facets struct{ Total int }
	var found struct{ Hits []struct{ Entry *struct{} } }
	for path, to := range map[string]any{"/api/sessions": &sessions, "/api/facets": &facets,
		"/api/search?q=needle": &found} {
		if err := json.Unmarshal([]byte(s.want(t, 200, user, "GET", path, nil)), to); err != nil {
			t.Fatal(err)
		}
	}
	if len(sessions.Sessions) != list || sessions.Total != list || facets.Total != list || len(found.Hits) != hits {
		t.Errorf("%s sees %d sessions, %d in total, %d in facets, %d hits", user, len(sessions.Sessions), sessions.Total,
			facets.Total, len(found.Hits))
	}
	if list == 0 { // the beginnings of ids lead nowhere
		for n := range len(shared) {
			s.want(t, 404, user, "GET", "/api/sessions/"+shared[:n+1], nil)
		}
		s.want(t, 404, user, "GET", "/api/sessions/last", nil)
	}
}

// A member who is taken out of a space, and a token that is removed or has expired, see nothing
// from then on. A browser's cookie is a token of its own.
func TestRightsEndAtOnce(t *testing.T) {
	s := newSite(t)
	s.push(t, "owner", shared, "shop", "needle")
	s.want(t, 200, "reader", "GET", "/api/sessions/"+shared, nil)
	s.check(t, s.db.SetMember(s.operator, "shop", "reader", ""))
	s.want(t, 404, "reader", "GET", "/api/sessions/"+shared, nil)
	s.tokens["old"] = s.token(t, postgres.NewToken{User: "owner", Kind: postgres.KindUser,
		Expires: time.Now().Add(-time.Second)})
	s.want(t, 401, "old", "GET", "/api/sessions", nil)
	s.tokens["bad"] = "ptr_" + strings.Repeat("a", 32)
	s.want(t, 401, "bad", "GET", "/api/sessions", nil)
	s.want(t, 401, "", "POST", "/api/login", asJSON(map[string]string{"token": s.tokens["bad"]}))
	s.want(t, 401, "", "POST", "/api/login", asJSON(map[string]string{"token": s.tokens["push"]}))
	answer, err := http.Post(s.URL+"/api/login", "application/json",
		bytes.NewReader(asJSON(map[string]string{"token": s.tokens["owner"]})))
	s.check(t, err)
	_ = answer.Body.Close()
	cookies := answer.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode ||
		cookies[0].Value == s.tokens["owner"] {
		t.Fatalf("%+v", cookies)
	}
	s.tokens["browser"] = cookies[0].Value
	s.want(t, 200, "browser", "GET", "/api/sessions/"+shared, nil)
	s.want(t, 204, "browser", "DELETE", "/api/login", nil)
	s.want(t, 401, "browser", "GET", "/api/sessions", nil)
	tokens, err := s.db.Tokens(s.operator)
	s.check(t, err)
	for _, k := range tokens {
		if k.User == "owner" && k.Name == "" && k.Expires == nil {
			s.check(t, s.db.RemoveToken(s.operator, k.ID))
		}
	}
	s.want(t, 401, "owner", "GET", "/api/sessions", nil)
}

// Every call may come twice, or too late.
func TestEveryPushMayComeTwice(t *testing.T) {
	s := newSite(t)
	path := "/api/push/" + shared
	one, two := batchPair(t)
	calls := []func(){
		func() { s.want(t, 200, "owner", "PUT", path, begin(shared, "m", 1, "shop")) },
		func() { s.want(t, 204, "owner", "PUT", path+"/raw?event=0", segment("one", "two")) },
		func() { s.want(t, 204, "owner", "POST", path+"/entries", one) },
		func() { s.want(t, 204, "owner", "POST", path+"/entries", two.body) },
		func() {
			s.want(t, 204, "owner", "POST", path+"/end",
				asJSON(map[string]any{"events": 2, "entries": 2, "digest": two.digest, "ended_at": time.Unix(1e9+5, 0)}))
		},
	}
	for i, call := range calls {
		for _, again := range calls[:i] {
			again()
		}
		call()
		call()
	}
	var state struct {
		ID      string
		Events  int64
		SHA256  string `json:"sha256"`
		Version int64  `json:"entries_version"`
	}
	if err := json.Unmarshal([]byte(s.want(t, 200, "owner", "PUT", path, begin(shared, "m", 1, "shop"))),
		&state); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(segment("one", "two"))
	if state.ID != shared || state.Events != 2 || state.Version != 2 || state.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("%+v", state)
	}
	for _, body := range [][]byte{segment("other", "two"), segment("one")} { // another raw log, a part of it
		if text := s.want(t, 409, "owner", "PUT", path+"/raw?event=0", body); !strings.Contains(text, `"events":2`) {
			t.Errorf("%s", text)
		}
	}
	// The raw log is replaced: readers have the old one until the new one is whole.
	s.want(t, 204, "owner", "DELETE", path+"/raw", nil)
	s.want(t, 204, "owner", "PUT", path+"/raw?event=0", segment("new", "raw"))
	if raw := s.want(t, 200, "reader", "GET", "/api/sessions/"+shared+"/raw", nil); raw != "onetwo" {
		t.Errorf("%s", raw)
	}
	calls[4]()
	if raw := s.want(t, 200, "reader", "GET", "/api/sessions/"+shared+"/raw", nil); raw != "newraw" {
		t.Errorf("%s", raw)
	}
	// An id that somebody else has leads to another one, and a withdrawn session stays away.
	if text := s.want(t, 200, "stranger", "PUT", path, begin(shared, "m", 1, "other")); strings.Contains(text,
		`"id":"`+shared) || !strings.Contains(text, `"events":0`) {
		t.Errorf("%s", text)
	}
	s.want(t, 204, "owner", "DELETE", path, nil)
	s.want(t, 204, "owner", "DELETE", path, nil)
	if text := s.want(t, 200, "owner", "PUT", path, begin(shared, "m", 2, "shop")); !strings.Contains(text,
		`"deleted":true`) {
		t.Errorf("%s", text)
	}
	s.want(t, 404, "owner", "PUT", path+"/raw?event=0", segment("one"))
	s.counts(t, "reader", 0, 0)
}

// The end of a session brings its time and exit code, which need not be known at its beginning.
// Without them the code stays, and the session counts as interrupted.
func TestEndBringsTimeAndExitCode(t *testing.T) {
	s := newSite(t)
	path := "/api/push/" + shared
	s.want(t, 200, "owner", "PUT", path, begin(shared, "m", 1, "shop"))
	end := func(more map[string]any) (info struct {
		Status   string
		EndedAt  *time.Time `json:"ended_at"`
		ExitCode *int       `json:"exit_code"`
	}) {
		body := map[string]any{"events": 0, "entries": 0, "digest": hex.EncodeToString(sha256.New().Sum(nil))}
		maps.Copy(body, more)
		s.want(t, 204, "owner", "POST", path+"/end", asJSON(body))
		s.check(t, json.Unmarshal([]byte(s.want(t, 200, "reader", "GET", "/api/sessions/"+shared, nil)), &info))
		return info
	}
	ended := time.Unix(1e9+5, 0).UTC()
	if got := end(nil); got.Status != store.Interrupted || got.EndedAt != nil || got.ExitCode != nil {
		t.Errorf("%+v", got)
	}
	if got := end(map[string]any{"ended_at": ended, "exit_code": 7}); got.Status != store.Ended ||
		!got.EndedAt.Equal(ended) || got.ExitCode == nil || *got.ExitCode != 7 {
		t.Errorf("%+v", got)
	}
	if got := end(map[string]any{"ended_at": ended}); got.ExitCode == nil || *got.ExitCode != 7 {
		t.Errorf("%+v", got)
	}
	for _, code := range []string{`"7"`, "1.5", "1e99", "[]"} {
		s.want(t, 400, "owner", "POST", path+"/end",
			[]byte(`{"events": 0, "entries": 0, "digest": "`+strings.Repeat("0", 64)+`", "exit_code": `+code+`}`))
	}
}

// Entries that do not continue what the server has are refused, and change nothing.
func TestEntriesThatLeaveAGapAreRefused(t *testing.T) {
	s := newSite(t)
	path := "/api/push/" + shared
	s.want(t, 200, "owner", "PUT", path, begin(shared, "m", 1, "shop"))
	send := func(status, version, after int, text string) {
		body, _ := batch(version, text)
		var o map[string]any
		s.check(t, json.Unmarshal(body, &o))
		o["after"] = after
		s.want(t, status, "owner", "POST", path+"/entries", asJSON(o))
	}
	send(409, 5, 3, "none")
	send(204, 5, 0, "needle")
	send(204, 5, 0, "again") // its answer was lost
	send(409, 9, 4, "none")
	send(204, 4, 5, "late")
	if text := s.want(t, 200, "owner", "GET", "/api/sessions/"+shared+"/entries", nil); !strings.Contains(text,
		`"needle"`) || strings.Contains(text, "none") || strings.Contains(text, "again") || strings.Contains(text, "late") {
		t.Errorf("%s", text)
	}
	send(204, 7, 5, "last")
}

type sentBatch struct {
	body   []byte
	digest string
}

// batchPair returns one entry, and then two that replace it.
func batchPair(t *testing.T) (one []byte, two sentBatch) {
	t.Helper()
	one, _ = batch(1, "first")
	two.body, two.digest = batch(2, "needle", "second")
	return one, two
}

// A push token sends into its space, reads nothing, and takes back only what it sent itself.
func TestPushTokenReadsNothing(t *testing.T) {
	s := newSite(t)
	s.push(t, "push", shared, "", "needle")
	s.counts(t, "push", 0, 0)
	s.counts(t, "reader", 1, 1)
	s.push(t, "member", private, "", "needle")
	s.want(t, 404, "push", "DELETE", "/api/push/"+private, nil)
	s.want(t, 204, "push", "DELETE", "/api/push/"+shared, nil)
	s.counts(t, "reader", 0, 0)
	// only members send into a space, and nobody learns which there are
	for _, user := range []string{"reader", "stranger"} {
		for _, space := range []string{"shop", "none"} {
			id := store.NewID()
			s.want(t, 403, user, "PUT", "/api/push/"+id, begin(id, "m", 1, space))
		}
	}
}

// Bad input is refused, and leaves nothing behind.
func TestBadPushLeavesNothing(t *testing.T) {
	s := newSite(t)
	path := "/api/push/" + shared
	s.want(t, 200, "owner", "PUT", path, begin(shared, "m", 1, "shop"))
	enc, err := zstd.NewWriter(nil)
	s.check(t, err)
	bomb := enc.EncodeAll(make([]byte, 256<<20), []byte{1})
	many := enc.EncodeAll(append([]byte{0, 0, 0x80, 0x80, 0x40, 0}, make([]byte, 8<<20)...), []byte{1}) // 2^20 events
	liar := segment("x")
	liar[len(liar)-1] ^= 1
	for name, c := range map[string]struct {
		status       int
		method, path string
		body         []byte
	}{
		"a bomb":              {400, "PUT", path + "/raw?event=0", bomb},
		"too many events":     {400, "PUT", path + "/raw?event=0", many},
		"a damaged segment":   {400, "PUT", path + "/raw?event=0", liar},
		"an empty segment":    {400, "PUT", path + "/raw?event=0", nil},
		"another first event": {400, "PUT", path + "/raw?event=7", segment("x")},
		"a negative event":    {400, "PUT", path + "/raw?event=-1", segment("x")},
		"no event":            {400, "PUT", path + "/raw", segment("x")},
		"too large":           {413, "PUT", path + "/raw?event=0", make([]byte, 5<<20)},
		"a path":              {400, "PUT", "/api/push/..%2f..%2fetc", begin(shared, "m", 1, "")},
		"an id in upper case": {400, "PUT", "/api/push/" + strings.ToUpper(shared), begin(shared, "m", 1, "")},
		"another id":          {400, "PUT", path, begin(private, "m", 1, "")},
		"no machine":          {400, "PUT", path, begin(shared, "", 1, "")},
		"a negative version":  {400, "PUT", path, begin(shared, "m", -1, "")},
		"no JSON":             {400, "PUT", path, []byte("{")},
		"a million entries": {400, "POST", path + "/entries",
			[]byte(`{"version":1,"entries":[{}` + strings.Repeat(",{}", 1e6) + "]}")},
		"many entries": {400, "POST", path + "/entries",
			[]byte(`{"version":1,"entries":[` + strings.Repeat(`{"id":"e","type":"event"},`, 30_000) +
				`{"id":"e","type":"event"}]}`)},
		"an entry without id": {400, "POST", path + "/entries", []byte(`{"version":1,"entries":[{"type":"event"}]}`)},
		"an id with NUL": {400, "POST", path + "/entries",
			[]byte(`{"version":1,"entries":[{"id":"\u0000","type":"event"}]}`)},
		"a large number": {400, "POST", path + "/entries",
			[]byte(`{"version":1,"entries":[{"id":"e","type":"event","seq":99999999999}]}`)},
		"a wrong digest": {409, "POST", path + "/end", asJSON(map[string]any{"digest": strings.Repeat("0", 64)})},
		"no digest":      {400, "POST", path + "/end", []byte("{}")},
		"a million gone": {400, "POST", path + "/entries",
			[]byte(`{"version":1,"gone":["a"` + strings.Repeat(`,"a"`, 900_000) + "]}")},
		"deep JSON":            {400, "POST", path + "/entries", []byte(strings.Repeat("[", 1e6))},
		"a description of 1MB": {413, "PUT", path, bytes.Repeat([]byte(" "), 1<<20)},
	} {
		if got, text := s.do(t, "owner", c.method, c.path, c.body); got != c.status {
			t.Errorf("%s: %d, want %d: %.200s", name, got, c.status, text)
		}
	}
	s.push(t, "owner", shared, "shop", "needle")
}

// FuzzDecodeBatch: what is accepted can be stored, and nothing makes it panic.
func FuzzDecodeBatch(f *testing.F) {
	body, _ := batch(1, "one", "two")
	f.Add(body)
	f.Add([]byte(`{"entries":null,"gone":["x"],"all":true}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		b, err := teamserver.DecodeBatch(body)
		if err != nil {
			return
		}
		for _, e := range b.Entries {
			if e.Entry == nil || e.ID == "" || strings.Contains(e.ID, "\x00") || e.Seq < 0 {
				t.Errorf("%+v", e)
			}
		}
	})
}

// Whatever shows an auditor what others have is recorded, also the numbers of the page and the
// tokens that were used.
func TestListsOfAuditorsAreInTheAudit(t *testing.T) {
	s := newSite(t)
	s.push(t, "owner", private, "", "needle")
	for _, path := range []string{"/api/sessions", "/api/facets", "/api/usage", "/api/usage?session=" + private} {
		ask := func() int {
			return strings.Count(s.want(t, 200, "auditor", "POST", "/api/team/audit",
				[]byte(`{"since": "2020-01-01T00:00:00Z"}`)), `"what":"list"`)
		}
		before := ask()
		s.want(t, 200, "auditor", "GET", path, nil)
		s.want(t, 200, "owner", "GET", path, nil)
		if after := ask(); after != before+1 {
			t.Errorf("%s: %d rows", path, after-before)
		}
	}
}

// The audit has everybody who read what is not theirs, also when many do at once, and notices rows
// that were changed or taken out.
func TestAuditRecordsWhatIsReadAndChanged(t *testing.T) {
	s := newSite(t)
	s.push(t, "owner", shared, "shop", "needle")
	const readers = 20
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() { s.want(t, 200, "reader", "GET", "/api/sessions/"+shared+"/entries", nil) })
	}
	wg.Wait()
	s.want(t, 200, "member", "GET", "/api/sessions/"+shared+"/export?format=md", nil)
	s.want(t, 200, "member", "GET", "/api/search?q=needle", nil)
	s.want(t, 200, "owner", "GET", "/api/sessions/"+shared+"/export?format=md", nil) // its own
	s.want(t, 200, "auditor", "GET", "/api/sessions", nil)
	s.want(t, 204, "owner", "DELETE", "/api/sessions/"+shared, nil)
	got := map[string]int{}
	auditor := postgres.As(t.Context(), postgres.Viewer{User: 1, Kind: postgres.KindUser, Role: postgres.RoleAuditor})
	s.check(t, s.db.Audit(auditor, time.Now().Add(-24*time.Hour), func(r postgres.Record) error {
		got[r.User+" "+r.What+" "+r.Session]++
		if strings.Contains(fmt.Sprint(r), "needle") || r.User != "operator" && r.Address != "127.0.0.1" {
			t.Errorf("%+v", r)
		}
		return nil
	}))
	for what, n := range map[string]int{"reader read " + shared: readers, "member export " + shared: 1,
		"member search ": 1, "auditor list ": 1, "owner delete " + shared: 1, "operator token ": 7, "owner export " +
			shared: 0} {
		if got[what] != n {
			t.Errorf("%s: %d, want %d; all: %v", what, got[what], n, got)
		}
	}
	none := func(postgres.Record) error { return nil }
	for _, viewer := range []postgres.Viewer{{}, {User: 1, Kind: postgres.KindUser, Role: postgres.RoleMember},
		{User: 1, Kind: postgres.KindUser, Role: postgres.RoleAdmin}, {User: 1, Kind: postgres.KindPush,
			Role: postgres.RoleAuditor}} {
		if err := s.db.Audit(postgres.As(t.Context(), viewer), time.Now(), none); err == nil {
			t.Errorf("%+v reads the audit", viewer)
		}
	}
}
