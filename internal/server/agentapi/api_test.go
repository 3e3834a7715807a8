package agentapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/session"
)

// fakeSender notes what is sent.
type fakeSender struct {
	mu   sync.Mutex // guards the fields below
	sent []string
	raw  []string
	err  error
}

func (f *fakeSender) Send(_ context.Context, text string, _ prompt.SendOptions) (prompt.Receipt, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.sent = append(f.sent, text)
	}
	return prompt.Receipt{Text: text}, f.err
}

func (f *fakeSender) Raw(_ context.Context, keys []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.raw = append(f.raw, string(keys))
	return f.err
}

// site is a server with a session that the test feeds.
type site struct {
	t      *testing.T
	fed    *agentapi.Fed
	sender *fakeSender
	files  agentapi.Folder
	url    string
	seq    int
}

func newSite(t *testing.T, access agentapi.Access, change func(*agentapi.API, *agentapi.Options)) *site {
	t.Helper()
	s := &site{t: t, sender: &fakeSender{}}
	var err error
	if s.files, err = agentapi.NewFolder(); err != nil {
		t.Fatal(err)
	}
	o := agentapi.Options{Type: "claude", Sender: s.sender}
	api := &agentapi.API{Uploads: s.files}
	if change != nil {
		change(api, &o)
	}
	s.fed = agentapi.NewFed(o)
	api.Session = s.fed.Session
	if access.Hosts == nil {
		access.Hosts, access.Origins = []string{"127.0.0.1", "localhost"}, agentapi.DefaultOrigins()
	}
	server := httptest.NewServer(api.Guarded(access))
	s.url = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		s.fed.End()
		_ = s.files.Remove()
	})
	return s
}

// say adds an entry of a role, or an event.
func (s *site) say(what, text string) {
	s.seq++
	e := &session.Entry{ID: fmt.Sprint("e", s.seq), Seq: s.seq, Agent: "claude", At: time.Now(), Text: text,
		Status: session.StatusComplete}
	if strings.HasPrefix(what, "cli:") {
		e.Type, e.Event, e.Data = session.TypeEvent, what, map[string]any{"version": "2.1.197"}
	} else {
		e.Type, e.Role = session.TypeMessage, what
	}
	s.fed.Entries(e)
}

// start makes the session one whose agent waits for a prompt.
func (s *site) start() {
	s.t.Helper()
	s.say(session.EventNewSession, "")
	s.say(session.EventIdle, "")
	s.wait("stable", func() bool { return s.fed.Status() == "stable" })
}

func (s *site) wait(what string, is func() bool) {
	s.t.Helper()
	testkit.Eventually(s.t, what, is)
}

// do sends a request with headers ("Name: value") and returns the answer with its body.
func (s *site) do(method, path, body string, headers ...string) (*http.Response, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // follows no redirect
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, string(text)
}

// TestErrorsAreAgentapis: each error has the status, the texts and the places that agentapi's have.
func TestErrorsAreAgentapis(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	const kind = "Content-Type: application/json"
	for name, test := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
		want               string // without $schema, title and status
	}{
		"no properties": {"POST", "/message", `{}`, []string{kind}, 422, `"detail":"validation failed","errors":[` +
			`{"message":"expected required property content to be present","location":"body","value":{}},` +
			`{"message":"expected required property type to be present","location":"body","value":{}}]`},
		"wrong properties": {"POST", "/message", `{"content":5,"type":"bogus","more":1,"$schema":"x"}`, []string{kind}, 422,
			`"detail":"validation failed","errors":[` +
				`{"message":"expected string","location":"body.content","value":5},{"location":"body.type","value":"bogus"},` +
				`{"message":"unexpected ` +
				`property","location":"body.more","value":{"$schema":"x","content":5,"more":1,"type":"bogus"}}]`},
		"no object": {"POST", "/message", `[]`, []string{kind}, 422,
			`"detail":"validation failed","errors":[{"message":"expected object","location":"body","value":[]}]`},
		"broken": {"POST", "/message", `{"content":`, []string{kind}, 400,
			`"detail":"validation failed","errors":[{"message":"unexpected end of JSON ` +
				`input","location":"body","value":"{\"content\":"}]`},
		"no body": {"POST", "/message", ``, []string{kind}, 400, `"detail":"request body is required"`},
		"another content type": {"POST", "/message", `a=b`, []string{"Content-Type: text/plain"}, 415,
			`"detail":"validation failed","errors":[{"message":"unknown content type: ` +
				`text/plain","location":"body","value":"a=b"}]`},
		"empty": {"POST", "/message", `{"content":" \n","type":"user"}`, []string{kind}, 500,
			`"detail":"unexpected error occurred","errors":[{"message":"failed to send message: message must not be empty"}]`},
		"no form": {"POST", "/upload", `{}`, []string{kind}, 422,
			`"detail":"validation failed","errors":[{"message":"cannot read multipart form: request Content-Type isn't ` +
				`multipart/form-data","location":"body"}]`},
		"a foreign host": {"GET", "/status", ``, []string{"Host: evil.example"}, 400,
			`"detail":"Invalid host header. Allowed hosts: 127.0.0.1, localhost"`},
		"nothing there":  {"GET", "/nothing", ``, nil, 404, `"detail":"no such path"`},
		"another method": {"DELETE", "/status", ``, nil, 405, `"detail":"the method must be GET"`},
		"a foreign page": {"POST", "/message", `{"content":"x","type":"raw"}`,
			[]string{"Origin: https://evil.example"}, 403,
			`"detail":"a page of this origin may not write: see --allowed-origins"`},
		"no origin that is one": {"POST", "/message", `{"content":"x","type":"raw"}`, []string{"Origin: null"}, 403,
			`"detail":"a page of this origin may not write: see --allowed-origins"`},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := s.do(test.method, test.path, test.body, test.headers...)
			host := strings.TrimPrefix(s.url, "http://")
			if name == "a foreign host" {
				host = "evil.example"
			}
			want := fmt.Sprintf(`{"$schema":"http://%s/schemas/ErrorModel.json","title":%q,"status":%d,%s}`+"\n", host,
				http.StatusText(test.status), test.status, test.want)
			if body != want || resp.StatusCode != test.status || resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s %v\n got %s\nwant %s", resp.Status, resp.Header, body, want)
			}
			if got := resp.Header.Get("Allow"); (got == "GET") != (test.status == 405) {
				t.Errorf("Allow: %q", got)
			}
		})
	}
	if resp, _ := s.do("HEAD", "/status", ""); resp.StatusCode != http.StatusMethodNotAllowed ||
		resp.Header.Get("Allow") != "GET" {
		t.Errorf("HEAD: %s", resp.Status)
	}
	if len(s.sender.raw)+len(s.sender.sent) > 0 {
		t.Errorf("it typed %q %q", s.sender.raw, s.sender.sent)
	}
}

// TestAnswersHaveTheirSchemas: the JSON answers have a schema, which is there, and no fields but
// their own.
func TestAnswersHaveTheirSchemas(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	for _, test := range []struct {
		method, path, body string
		schema, want       string
	}{
		{"GET", "/status", "", "StatusResponseBody", `"status":"stable","agent_type":"claude","transport":"pty"`},
		{"POST", "/message", `{"type":"raw","content":"\u001b"}`, "MessageResponseBody", `"ok":true`},
		{"POST", "/message", `{"type":"user","content":"hello"}`, "MessageResponseBody", `"ok":true`},
	} {
		resp, body := s.do(test.method, test.path, test.body)
		want := fmt.Sprintf(`{"$schema":"%s/schemas/%s.json",%s}`+"\n", s.url, test.schema, test.want)
		if body != want || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s\n got %s\nwant %s", test.path, resp.Status, body, want)
		}
		if got, want := resp.Header.Get("Link"), "</schemas/"+test.schema+`.json>; rel="describedBy"`; got != want {
			t.Errorf("Link: %s, want %s", got, want)
		}
		if resp, body := s.do("GET", "/schemas/"+test.schema+".json", ""); resp.StatusCode != http.StatusOK ||
			!json.Valid([]byte(body)) {
			t.Errorf("%s: %s %s", test.schema, resp.Status, body)
		}
	}
	if diff := cmp.Diff([]string{"\x1b"}, s.sender.raw); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"hello"}, s.sender.sent); diff != "" {
		t.Error(diff)
	}
	resp, _ := s.do("GET", "/", "")
	if resp.StatusCode != http.StatusTemporaryRedirect || resp.Header.Get("Location") != "/chat/embed" {
		t.Errorf("/: %s %s", resp.Status, resp.Header.Get("Location"))
	}
	for _, path := range []string{"/chat/embed", "/docs"} {
		resp, body := s.do("GET", path, "")
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") ||
			strings.Contains(body, "http://") || strings.Contains(body, "https://") {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}

// TestCORSHeaders: agentapi's headers, for the origins that are allowed.
func TestCORSHeaders(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	const known = "Origin: http://localhost:3000"
	resp, _ := s.do("GET", "/status", "", known)
	if resp.Header.Get("Access-Control-Allow-Origin") != "http://localhost:3000" ||
		resp.Header.Get("Access-Control-Allow-Credentials") != "true" ||
		resp.Header.Get("Vary") != "Origin" || resp.Header.Get("Access-Control-Expose-Headers") != "Link" {
		t.Errorf("%v", resp.Header)
	}
	if resp, _ := s.do("GET", "/status", "", "Origin: http://evil.example"); resp.StatusCode != http.StatusOK ||
		resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
	resp, _ = s.do("OPTIONS", "/message", "", known, "Access-Control-Request-Method: POST",
		"Access-Control-Request-Headers: content-type")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "http://localhost:3000", "Access-Control-Allow-Methods": "POST",
		"Access-Control-Allow-Headers": "Content-Type",
		"Access-Control-Max-Age":       "300", "Access-Control-Allow-Credentials": "true",
	} {
		if got := resp.Header.Get(name); got != want || resp.StatusCode != http.StatusOK {
			t.Errorf("%s %s: %q, want %q", resp.Status, name, got, want)
		}
	}
	for _, headers := range [][]string{
		{"Origin: http://evil.example", "Access-Control-Request-Method: POST"},
		{known, "Access-Control-Request-Method: PATCH"},
		{known, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: X-Other"},
	} {
		if resp, _ := s.do("OPTIONS", "/message", "", headers...); resp.StatusCode != http.StatusOK ||
			resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%v: %s %v", headers, resp.Status, resp.Header)
		}
	}
	if resp, _ := s.do("POST", "/message", `{"type":"raw","content":"x"}`, known); resp.StatusCode != http.StatusOK {
		t.Errorf("a known page writes: %s", resp.Status)
	}
	if resp, _ := s.do("POST", "/message", `{"type":"raw","content":"x"}`,
		"Origin: "+s.url); resp.StatusCode != http.StatusOK {
		t.Errorf("our own page writes: %s", resp.Status)
	}
}

// TestTokenIsNeededEverywhere: with a token, everything needs it, as Bearer or as a password.
func TestTokenIsNeededEverywhere(t *testing.T) {
	s := newSite(t, agentapi.Access{Hosts: []string{"*"}, Origins: []string{"*"}, Token: "the-secret-token"}, nil)
	for _, path := range []string{"/status", "/messages", "/events", "/docs", "/openapi.json", "/", "/chat/embed"} {
		for _, headers := range [][]string{nil, {"Authorization: Bearer wrong"}, {"Authorization: Basic eDp3cm9uZw=="}} {
			if resp, _ := s.do("GET", path, "", headers...); resp.StatusCode != http.StatusUnauthorized ||
				!strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), "Basic ") {
				t.Errorf("%s %v: %s", path, headers, resp.Status)
			}
		}
	}
	if resp, _ := s.do("GET", "/status", "", "Authorization: Bearer the-secret-token",
		"Host: any.example"); resp.StatusCode != http.StatusOK {
		t.Errorf("Bearer: %s", resp.Status)
	}
	with := strings.Replace(s.url, "http://", "http://x:the-secret-token@", 1)
	resp, err := http.Get(with + "/status")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("in the URL: %v %v", resp, err)
	}
	resp.Body.Close()
}

// upload sends a form with a file.
func (s *site) upload(field, name string, data []byte) (*http.Response, string) {
	s.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile(field, name)
	if err != nil {
		s.t.Fatal(err)
	}
	_, _ = part.Write(data)
	_ = form.Close()
	return s.do("POST", "/upload", b.String(), "Content-Type: "+form.FormDataContentType())
}

// TestUploadedFileKeepsItsName: a file lies under its own name in a private folder.
func TestUploadedFileKeepsItsName(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	paths := map[string]bool{}
	for _, test := range []struct{ name, base, data string }{
		{"a b.txt", "a b.txt", "one"}, {"a b.txt", "a b.txt", "two"}, {"../../etc/passwd", "passwd", "three"},
		{`C:\x\y.png`, "y.png", "four"},
	} {
		resp, body := s.upload("file", test.name, []byte(test.data))
		var answer struct {
			OK       bool
			FilePath string
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil || resp.StatusCode != http.StatusOK || !answer.OK {
			t.Fatalf("%s: %s %s", test.name, resp.Status, body)
		}
		text, err := os.ReadFile(answer.FilePath)
		if err != nil || string(text) != test.data || filepath.Base(answer.FilePath) != test.base ||
			!filepath.IsAbs(answer.FilePath) || paths[answer.FilePath] {
			t.Errorf("%s: %s %q %v", test.name, answer.FilePath, text, err)
		}
		if rel, err := filepath.Rel(string(s.files), answer.FilePath); err != nil || strings.HasPrefix(rel, "..") {
			t.Errorf("%s is not in %s", answer.FilePath, s.files)
		}
		paths[answer.FilePath] = true
	}
	if info, err := os.Stat(string(s.files)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
	if resp, body := s.upload("other", "x", nil); resp.StatusCode != http.StatusUnprocessableEntity ||
		!strings.Contains(body, `{"message":"File required","location":"file"}`) {
		t.Errorf("%s %s", resp.Status, body)
	}
	for _, more := range []int{1, 3 << 20} {
		if resp, body := s.upload("file", "x", make([]byte, 10<<20+more)); resp.StatusCode != http.StatusBadRequest ||
			!strings.Contains(body, `"detail":"file size exceeds 10MB limit"`) {
			t.Errorf("%s %s", resp.Status, body)
		}
	}
	if resp, _ := s.upload("file", "x", make([]byte, 10<<20)); resp.StatusCode != http.StatusOK {
		t.Errorf("10 MiB: %s", resp.Status)
	}
}

// TestLongEventsAreCut: an event has at most 128 KiB, with a note; the message is whole elsewhere.
func TestLongEventsAreCut(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	s.say(session.RoleUser, "write much")
	long := strings.Repeat("<é\u2028漢字>", 40_000)
	s.say(session.RoleAssistant, long)
	s.fed.Fail("warning", "something is odd")
	s.wait("the message", func() bool { list := s.fed.Messages(); return len(list) == 3 && list[2].Content == long })
	resp, err := http.Get(s.url + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-store, must-revalidate",
		"X-Accel-Buffering": "no", "Pragma": "no-cache", "Expires": "0",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	r := bufio.NewReader(resp.Body)
	var names []string
	for len(names) < 5 {
		event := ""
		for !strings.HasSuffix(event, "\n\n") {
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			event += line
		}
		if len(event) > agentapi.MaxEvent {
			t.Errorf("an event of %d bytes", len(event))
		}
		name, data, _ := strings.Cut(strings.TrimPrefix(event, "event: "), "\ndata: ")
		names = append(names, name)
		var m struct {
			ID      int
			Message string
		}
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			t.Fatal(err)
		}
		if name == "message_update" && m.ID == 2 {
			text, note, found := strings.Cut(m.Message, "\n\n[cut")
			if !found || !strings.HasPrefix(long, text) || len(text) < 40_000 || !strings.Contains(note, "/messages") {
				t.Errorf("a message of %d bytes: …%q", len(m.Message), note)
			}
		}
	}
	if diff := cmp.Diff([]string{"message_update", "message_update", "message_update", "status_change", "agent_error"},
		names); diff != "" {
		t.Error(diff)
	}
}

// open sends a GET whose answer is read by the caller.
func (s *site) open(path string) *http.Response {
	s.t.Helper()
	resp, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

// lastReply reads events until the status is stable after it was running, and returns the agent's
// words then.
func lastReply(resp *http.Response) (text string) {
	lines, ran := bufio.NewScanner(resp.Body), false
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct{ Role, Message, Status string }
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return err.Error()
		}
		if e.Role == "agent" {
			text = e.Message
		}
		if ran = ran || e.Status == "running"; ran && e.Status == "stable" {
			return text
		}
	}
	return "the stream ended"
}
