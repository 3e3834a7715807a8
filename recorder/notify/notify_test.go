package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 60 * time.Second

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// agent makes the entries of a log.
type agent struct {
	seq int
	at  time.Time
}

func (a *agent) event(name string, after time.Duration) *session.Entry {
	a.seq++
	a.at = a.at.Add(after)
	return &session.Entry{Seq: a.seq, Type: session.TypeEvent, Event: name, Agent: "claude", At: a.at}
}

func (a *agent) says(text string) *session.Entry {
	a.seq++
	return &session.Entry{Seq: a.seq, Type: session.TypeMessage, Role: session.RoleAssistant, Agent: "claude",
		Text: text, At: a.at}
}

// terminal keeps what a Notifier writes to it.
type terminal chan string

func (t terminal) next(tb testing.TB) string {
	tb.Helper()
	select {
	case text := <-t:
		return text
	case <-time.After(patience):
		tb.Fatal("nothing is told")
		return ""
	}
}

// begin returns a Notifier without a grace, its terminal and its agent.
func begin(t *testing.T, o Options, environ ...string) (*Notifier, terminal, *agent) {
	t.Helper()
	out := make(terminal, 1000)
	n := New(o, Session{ID: "01a1fd63-0000-7a35-8c40-000000000001", Cwd: "/src/ptyrec"}, Surroundings{
		Terminal: func(sequence string) { out <- sequence }, Watchers: func() int { return 0 }, Environ: environ,
	})
	n.grace, n.pause = 0, time.Millisecond
	t.Cleanup(n.Close)
	return n, out, &agent{at: start}
}

// An agent that asks, and one that has finished a long turn.
func TestTold(t *testing.T) {
	n, out, a := begin(t, Options{After: 20 * time.Second, OSC: OSC9, Bell: true})
	n.Update([]*session.Entry{a.event(session.EventNewSession, 0), a.event(session.EventIdle, time.Second)}) // it starts
	n.Update([]*session.Entry{a.event(session.EventBusy, time.Second), a.event(session.EventIdle, 19*time.Second)})
	n.Update([]*session.Entry{a.event(session.EventBusy, time.Second), a.says("secret words")})
	n.Update([]*session.Entry{a.event(session.EventAsking, time.Second)})
	want := "\x1b]9;ptyrec: claude asks for approval, in ptyrec\x07\x07"
	if got := out.next(t); got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	n.Update([]*session.Entry{a.event(session.EventBusy, time.Second), a.event(session.EventIdle, 24*time.Second)})
	want = "\x1b]9;ptyrec: claude has finished, after 26s, in ptyrec\x07\x07"
	if got := out.next(t); got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if len(out) > 0 {
		t.Errorf("and %q", <-out)
	}
}

// What was typed, or done, or the time of day keeps a notice back. The last one is told.
func TestNotTold(t *testing.T) {
	n, out, a := begin(t, Options{OSC: OSC777})
	watchers := atomic.Int64{}
	n.around.Watchers = func() int { return int(watchers.Load()) }
	ask := func() {
		n.Update([]*session.Entry{a.event(session.EventBusy, time.Second), a.event(session.EventAsking, time.Second)})
	}
	pending := func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.timer != nil
	}
	n.grace = time.Hour
	ask()
	// nobody typed this
	n.Typed([]byte("\x1b[I\x1b[?62;c\x1b[5;1R\x1b]11;rgb:0000/0000/0000\x07\x1b[<35;1;1M\x1bP>|term\x1b\\"))
	if !pending() {
		t.Error("a terminal's reports keep the notice back")
	}
	n.Typed([]byte("\x1b[O1"))
	if pending() {
		t.Error("it is told although somebody has typed")
	}
	ask()
	n.Update([]*session.Entry{a.event(session.EventBusy, 0)})
	if pending() {
		t.Error("it is told although the agent works again")
	}
	n.now = func() time.Time { return a.at.Add(time.Hour) }
	n.Typed([]byte("y"))
	ask() // it is seen late: somebody has typed since
	if pending() {
		t.Error("it is told although somebody has typed since")
	}
	n.typed, n.grace, n.now = time.Time{}, 0, time.Now
	now := time.Now()
	n.options.Quiet = Quiet{now.Hour()*60 + now.Minute() - 1, now.Hour()*60 + now.Minute() + 2}
	if now.Hour() > 0 && now.Hour() < 23 { // it does not end before it begins
		ask()
		testkit.Eventually(t, "the notice is due", func() bool { return !pending() })
	}
	n.options.Quiet, n.options.OnlyUnwatched = Quiet{}, true
	watchers.Store(1)
	ask()
	testkit.Eventually(t, "the notice is due", func() bool { return !pending() })
	watchers.Store(0)
	n.session.Cwd = "/last"
	ask()
	if got, want := out.next(t), "\x1b]777;notify;ptyrec;claude asks for approval, in last\x07"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestQuiet(t *testing.T) {
	for text, want := range map[string]string{"22:00-07:00": "22:00 23:59 00:00 06:59", "12:30-13:00": "12:30 12:59",
		"": "", "08:00-08:00": ""} {
		q, err := ParseQuiet(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{"22:00", "23:59", "00:00", "06:59", "07:00", "12:29", "12:30", "12:59", "13:00",
			"08:00", "21:59"} {
			moment, _ := time.Parse("15:04", at)
			if got := q.At(moment); got != strings.Contains(want, at) {
				t.Errorf("%q at %s: %v", text, at, got)
			}
		}
	}
	for _, bad := range []string{"x", "22:00", "22-7", "25:00-07:00", "22:00-07:00-08:00", "-"} {
		if _, err := ParseQuiet(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, o := range []Options{{}, {OSC: "auto"}, {Webhook: "https://example.com/x"}, {Webhook: "http://127.0.0.1:1"}} {
		if option, err := o.Check(); err != nil {
			t.Errorf("%+v: %s: %v", o, option, err)
		}
	}
	for _, o := range []Options{{OSC: "8"}, {After: -1}, {Webhook: "example.com"}, {Webhook: "file:///etc/passwd"},
		{Webhook: "http://"}, {Webhook: "https://\x00"}} {
		if option, err := o.Check(); err == nil || option == "" {
			t.Errorf("%+v is taken", o)
		}
	}
}

// A text is told only if it is wanted, and drives no terminal.
func TestText(t *testing.T) {
	n, out, a := begin(t, Options{OSC: OSC777, Text: true})
	n.Update([]*session.Entry{a.event(session.EventBusy, 0),
		a.says("done;\x07\x1b]0;x\x07\u202egnp " + strings.Repeat("long ", 1000))})
	n.Update([]*session.Entry{a.event(session.EventIdle, time.Minute)})
	got := out.next(t)
	if !strings.Contains(got, "done,]0,x") || len(got) > 400 ||
		strings.ContainsAny(strings.Trim(got, "\x1b\x07"), "\x1b\x07\u202e") {
		t.Errorf("told %q", got)
	}
	if strings.Count(got, ";") != 3 {
		t.Errorf("the text parts the sequence: %q", got)
	}
}

// script writes a program that appends its arguments and variables to a file.
func script(t *testing.T, dir, name string) (path, said string) {
	t.Helper()
	path, said = filepath.Join(dir, name), filepath.Join(dir, name+".said")
	text := "#!/bin/sh\n{ printf '<%s>' \"$@\"; echo; echo \"$PTYREC_SESSION $PTYREC_STATE $PTYREC_AGENT " +
		"($PTYREC_TEXT)\"; } >>" + said + ".new\nmv " + said + ".new " + said + "\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path, said
}

func read(t *testing.T, path string) (text string) {
	t.Helper()
	testkit.Eventually(t, "the notice is due", func() bool {
		b, err := os.ReadFile(path)
		text = string(b)
		return err == nil
	})
	return text
}

// A fake notify-send in PATH, and a command.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	_, said := script(t, dir, "notify-send")
	command, ran := script(t, dir, "mine")
	n, _, a := begin(t, Options{Desktop: true, Command: "'" + command + "' \"$PTYREC_STATE\""},
		"PATH="+dir+":/bin:/usr/bin")
	n.Update([]*session.Entry{a.event(session.EventBusy, 0), a.says("-<b>words</b>"),
		a.event(session.EventIdle, time.Minute)})
	if got, want := read(t, said),
		"<--app-name=ptyrec><--><ptyrec><claude has finished, after 1m0s, in ptyrec>\n"+
			"01a1fd63-0000-7a35-8c40-000000000001 idle claude ()\n"; got != want {
		t.Errorf("notify-send got %q, want %q", got, want)
	}
	if got, want := read(t, ran), "<idle>\n01a1fd63-0000-7a35-8c40-000000000001 idle claude ()\n"; got != want {
		t.Errorf("the command got %q, want %q", got, want)
	}
}

func TestDesktopCommand(t *testing.T) {
	notice := Notice{Session: "1", State: Asking, Text: "-rm <b>'’; $(x) {U}"}
	for _, has := range []string{"notify-send", "terminal-notifier", "powershell.exe", ""} {
		find := func(name string) string {
			if name == has {
				return "/bin/" + name
			}
			return ""
		}
		for _, wsl := range []bool{false, true} {
			argv := desktopCommand(notice, find, wsl)
			if want := has != "" && (wsl || has != "powershell.exe"); (argv != nil) != want {
				t.Errorf("%q, WSL %v: %q", has, wsl, argv)
			}
			if strings.Contains(strings.Join(argv, " "), "<b>") && has != "terminal-notifier" {
				t.Errorf("%s gets markup: %q", has, argv)
			}
		}
	}
}

// hook is a server that fails so many times, and keeps what it got.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	fails  int
	got    []*http.Request
	bodies []string
	done   chan struct{} // closed at the first success
}

func newHook(t *testing.T, fails int, fail http.HandlerFunc) *hook {
	t.Helper()
	h := &hook{fails: fails, done: make(chan struct{})}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		h.got, h.bodies = append(h.got, r), append(h.bodies, string(body))
		last := len(h.got) > h.fails
		h.mu.Unlock()
		if !last {
			fail(w, r)
			return
		}
		close(h.done)
	}))
	t.Cleanup(h.Close)
	return h
}

// A webhook that fails twice gets it at the third try, signed.
func TestWebhook(t *testing.T) {
	h := newHook(t, 2, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	n, _, a := begin(t, Options{Webhook: h.URL + "/x?y=z", Secret: "s3cret"})
	n.Update([]*session.Entry{a.event(session.EventBusy, 0), a.says("words"), a.event(session.EventAsking, time.Minute)})
	select {
	case <-h.done:
	case <-time.After(patience):
		t.Fatal("the webhook did not get it")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r, body := h.got[2], h.bodies[2]
	if len(h.got) != 3 || h.got[0].Header.Get("Webhook-Id") != r.Header.Get("Webhook-Id") || h.bodies[0] != body ||
		r.Method != http.MethodPost || r.URL.RawQuery != "y=z" {
		t.Errorf("%d tries, the last is %+v", len(h.got), r)
	}
	mac := hmac.New(sha256.New, []byte("s3cret"))
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), body)
	if got, want := r.Header.Get("Webhook-Signature"), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)); got != want {
		t.Errorf("signature %q, want %q", got, want)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"type": "agent.asking", "timestamp": "2026-01-02T03:05:05Z",
		"session": "01a1fd63-0000-7a35-8c40-000000000001", "state": "asking", "agent": "claude"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The example of standardwebhooks.com.
func TestSign(t *testing.T) {
	got := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
		[]byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signature %q, want %q", got, want)
	}
}

// Nothing follows a webhook to another address.
func TestWebhookRedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		t.Error("it was followed elsewhere")
	}))
	defer elsewhere.Close()
	h := newHook(t, 2, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	n, _, a := begin(t, Options{Webhook: h.URL})
	n.Update([]*session.Entry{a.event(session.EventAsking, 0)})
	select {
	case <-h.done:
	case <-time.After(patience):
		t.Fatal("it does not try again")
	}
}

// A webhook that never answers, and a flood of states, hold up nobody.
func TestNeverAnswers(t *testing.T) {
	asked := make(chan struct{}, 100)
	end := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-end
	}))
	defer server.Close()
	defer close(end) // the server waits for its handlers
	n, out, a := begin(t, Options{Webhook: server.URL, Command: "sleep 1000 & sleep 1000", OSC: OSC9})
	for range 5000 {
		n.Update([]*session.Entry{a.event(session.EventBusy, time.Second), a.event(session.EventAsking, time.Second)})
	}
	<-asked
	out.next(t)
	n.Close() // it returns although end is open
	n.Close()
	n.Update([]*session.Entry{a.event(session.EventAsking, 0)})
	n.Typed([]byte("x"))
	if len(asked) > 0 {
		t.Error("it was asked again")
	}
}
