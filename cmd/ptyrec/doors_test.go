//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/root"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/protocol"
)

// doors are the ways to type into another session, or out of one's own. Each is tried on the
// session and the server that the environment names, and says "open" or why not.
var doors = []struct {
	name string
	try  func(ctx context.Context) error
}{
	{"ptyrec grant", commandDoor("grant", "$OTHER")},
	{"socket: control", func(ctx context.Context) error { return typeInto(ctx, "", "") }},
	{"WebSocket: control", func(ctx context.Context) error { return typeInto(ctx, os.Getenv("URL"), os.Getenv("TOKEN")) }},
	{"API: grant", httpDoor("POST", "/api/sessions/$OTHER/control", `{"action":"grant"}`)},
	{"API: input of a human", httpDoor("POST", "/api/sessions/$OTHER/input", `{"text":"x","kind":"human"}`)},
	{"API: resize", httpDoor("POST", "/api/sessions/$OTHER/resize", `{"cols":80,"rows":25}`)},
	{"API: kill", httpDoor("POST", "/api/sessions/$OTHER/kill", `{"signal":"INT"}`)},
	{"API: rename", httpDoor("PATCH", "/api/sessions/$OTHER", `{"name":"x"}`)},
	{"API: start", httpDoor("POST", "/api/sessions", `{"command":["true"]}`)},
	{"API: delete", httpDoor("DELETE", "/api/sessions/$OVER", "")},
	{"sandbox API", httpDoor("POST", "/api/execute", `{"command":"true"}`)},
	{"command socket", httpDoor("POST", "/langsmith/boxes", `{"name":"door"}`)},
	{"bridge", upgradeDoor("/ws/pty/x")},
	{"management", upgradeDoor("/ws/sandbox")},
	{"ptyrec forget", commandDoor("forget", "$OTHER", "--yes")}, // nothing is left to try then
}

// tryDoors is a program that tries the doors, and writes what became of it to the file $OUT.
func tryDoors() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	var report strings.Builder
	for _, d := range doors {
		said := "open"
		if err := d.try(ctx); err != nil {
			said = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Fprintf(&report, "%s\t%s\n", d.name, said)
	}
	out := os.Getenv("OUT")
	if err := errors.Join(os.WriteFile(out+".new", []byte(report.String()), 0o600),
		os.Rename(out+".new", out)); err != nil {
		fmt.Println(err)
	}
}

func commandDoor(args ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		var all []string
		for _, a := range args {
			all = append(all, os.ExpandEnv(a))
		}
		out, err := exec.CommandContext(ctx, "ptyrec", all...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
}

// typeInto types into the other session as a person who takes control.
func typeInto(ctx context.Context, where, token string) error {
	c, err := client.Dial(ctx, where, client.Options{Token: token, Database: os.Getenv("PTYREC_DB")})
	if err != nil {
		return err
	}
	s, err := c.Attach(ctx, os.Getenv("OTHER"),
		client.AttachOptions{Name: "door", Kind: protocol.Human, Control: true, Mode: protocol.ModeNone})
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Next(ctx); err != nil {
		return err
	}
	go func() {
		for _, err := s.Next(ctx); err == nil; _, err = s.Next(ctx) { // answers come while somebody reads
		}
	}()
	return s.Input(ctx, []byte("x"))
}

func httpDoor(method, path, body string) func(context.Context) error {
	return requestDoor(method, path, body, http.Header{"Content-Type": {"application/json"}})
}

func upgradeDoor(path string) func(context.Context) error {
	return requestDoor("GET", path, "", http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
		"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}})
}

func requestDoor(method, path, body string, header http.Header) func(context.Context) error {
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, method, os.Getenv("URL")+os.ExpandEnv(path), strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header = header.Clone()
		req.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode < 300 {
			return nil
		}
		said, err := io.ReadAll(io.LimitReader(resp.Body, 500))
		return errors.Join(fmt.Errorf("%s: %s", resp.Status, said), err)
	}
}

// What runs in one session does not type into another on any door: neither does what has left its
// session, nor what has outlived it. Somebody outside does on each.
func TestWhatRunsInASessionOpensNoDoor(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	environ = append(environ, "HOME="+t.TempDir())
	url, token, _ := sandboxed(t, environ)
	other := runDetached(t, environ, "80x24", "sh", "-c", `trap "" INT; while :; do read -r x; done`)
	dir := t.TempDir()
	tries := append(environ, "URL="+url, "TOKEN="+token, "OTHER="+other, "OVER="+endedSession(t, environ))
	runDetached(t, append(tries, "DIR="+dir), "80x24", "sh", "-c", `OUT=$DIR/inside ptyrec-doors
		OUT=$DIR/left setsid -f env -u PTYREC_SESSION ptyrec-doors; until test -e "$DIR/left"; do sleep 0.02; done
		OUT=$DIR/outlived setsid -f env -u PTYREC_SESSION sh -c 'until test -e "$DIR/go"; do sleep 0.02; done; exec `+
		`ptyrec-doors'; test`)
	for _, from := range []string{"inside", "left", "outlived"} {
		if from == "outlived" {
			waitFor(t, "the session's end", func() bool {
				return !strings.Contains(printed(t, environ, "list", "--live"),
					"ptyrec-doors")
			})
			if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for name, said := range doorReport(t, filepath.Join(dir, from)) {
			if !strings.Contains(said, "403") && !strings.Contains(said, "only people may") &&
				!strings.Contains(said, "nobody has granted") && !strings.Contains(said, "nobody can be asked") {
				t.Errorf("%s, %s: %s", from, name, said)
			}
		}
	}
	person := exec.Command("ptyrec-doors")
	person.Env = append(tries, "OUT="+filepath.Join(dir, "outside"))
	if out, err := person.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, said := range doorReport(t, filepath.Join(dir, "outside")) {
		if said != "open" && !strings.Contains(said, "101") {
			t.Errorf("outside, %s: %s", name, said)
		}
	}
}

// endedSession records a session, and returns its id.
func endedSession(t *testing.T, environ []string) string {
	t.Helper()
	return printed(t, environ, "run", "--", "sh", "-c", `printf %s "$PTYREC_SESSION"`)
}

// printed returns what ptyrec prints.
func printed(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("ptyrec", args...)
	cmd.Env = environ
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// doorReport returns what tryDoors has written to a file, by the names of the doors.
func doorReport(t *testing.T, path string) map[string]string {
	t.Helper()
	said := map[string]string{}
	waitFor(t, path, func() bool {
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			name, outcome, _ := strings.Cut(strings.TrimSpace(line), "\t")
			said[name] = outcome
		}
		return err == nil
	})
	if len(said) != len(doors) {
		t.Errorf("%s: %d doors were tried, of %d", path, len(said), len(doors))
	}
	return said
}

// A program in a session deletes and changes no record, nor does what it has left behind when the
// session is over: the person at the terminal agrees, or nothing is done.
func TestWhatRunsInASessionChangesNoRecord(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	dir := t.TempDir()
	environ = append(environ, "HOME="+dir, "DIR="+dir, "SHELL=/bin/sh", "PS1=> ")
	kept := endedSession(t, environ)
	environ = append(environ, "KEPT="+kept)
	printed(t, environ, "tag", kept, "mine")
	attempts := []string{
		"rm $KEPT --yes", "prune --keep 0 --tagged --yes", "rename $KEPT x", "tag $KEPT x", "tag $KEPT --rm mine",
		"note $KEPT x", "redact $KEPT --yes", "sync --never $KEPT",
		"doctor --repair",
	}
	script := ""
	for _, a := range attempts {
		script += "ptyrec " + a + "; echo status $?\n"
	}
	if exec.Command("unshare", "-Urpf", "true").Run() == nil { // /proc is another namespace's there
		attempts = append(attempts, "rm in a pid namespace")
		script += "unshare -Urpf ptyrec rm $KEPT --yes; echo status $?\n"
	} else {
		t.Log("a pid namespace is not tried: it is not allowed here")
	}
	if err := os.WriteFile(filepath.Join(dir, "attempts"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	before := printed(t, environ, "list", "--json", "--command", "printf")
	waitFile := func(name string) string {
		var text []byte
		waitFor(t, name, func() (done bool) {
			var err error
			text, err = os.ReadFile(filepath.Join(dir, name))
			return err == nil
		})
		return string(text)
	}
	check := func(from, said string) {
		if got := strings.Count(said, "status 1"); got != len(attempts) {
			t.Errorf("%s: %d of %d are refused:\n%s", from, got, len(attempts), said)
		}
		if after := printed(t, environ, "list", "--json", "--command", "printf"); after != before {
			t.Errorf("%s: the session is now\n%s, it was\n%s", from, after, before)
		}
	}
	runDetached(t, environ, "80x24", "sh", "-c", `sh "$DIR/attempts" >"$DIR/in-" 2>&1; mv "$DIR/in-" "$DIR/inside"
		setsid -f env -u PTYREC_SESSION sh -c 'until test -e "$DIR/go"; do sleep 0.02; done; sh "$DIR/attempts" `+
		`>"$DIR/out-" 2>&1; mv "$DIR/out-" "$DIR/outlived"'`)
	check("inside", waitFile("inside"))
	waitFor(t, "the session's end", func() bool {
		return !strings.Contains(printed(t, environ, "list", "--live"),
			"attempts")
	})
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	said := waitFile("outlived")
	check("outlived", said)
	if !strings.Contains(said, "a recorded session that has ended") ||
		!strings.Contains(said, "hint: run this in a terminal outside of recorded sessions") {
		t.Errorf("it is not said why, and what to do: %s", said)
	}
	for _, a := range asksOfPeople(t) {
		if !strings.Contains(script, " "+strings.TrimPrefix(a, "ptyrec ")+" ") && !strings.Contains(a, " team ") {
			t.Errorf("%s is not tried", a)
		}
	}

	// The person at the terminal agrees by a key that no program there can type.
	u := ptytest.New(t)
	run := ptyrecIn(environ, "run", "--", "sh")
	u.Start(t, run)
	u.Type(t, "ptyrec tag $KEPT agreed; echo asked-$?\n")
	u.Await(t, "to run ptyrec tag")
	u.Await(t, "Ctrl+C keeps it")
	u.Type(t, "\x1c")
	u.Await(t, "asked-0")
	// In a session that an agent has started, its terminal may be the agent's: nobody is asked
	// there.
	u.Type(t, "ptyrec run --nested -- ptyrec forget --yes; echo nested-$?\n")
	u.Await(t, "nobody can be asked")
	u.Await(t, "nested-1")
	u.Type(t, "exit\n")
	_ = ptytest.Status(t, run)
	if after := printed(t, environ, "tag", kept); !strings.Contains(after, "agreed") {
		t.Errorf("the tags are %q", after)
	}
}

// asksOfPeople returns the names of the commands that ask, which are all there.
func asksOfPeople(t *testing.T) (names []string) {
	t.Helper()
	top := root.New(factory.New(cli.Streams()))
	for _, name := range root.Asking() {
		cmd, _, err := top.Find(strings.Fields(name)[1:])
		if err != nil || cmd.CommandPath() != name {
			t.Errorf("there is no command %q", name)
		}
		names = append(names, name)
	}
	return names
}

// request is a program that sends a request with a body in JSON to $URL, and says what it got.
func request() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	fmt.Println(httpDoor(os.Args[1], os.Args[2], os.Args[3])(ctx))
}

// The server of agentapi's API lets the user's programs in. What the agent runs needs the token,
// and so do other users' programs.
func TestAgentapiServerLooksWhoAsks(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	dir := t.TempDir()
	port := freePort(t)
	url := "http://127.0.0.1:" + port
	environ = append(environ, "HOME="+dir, "DIR="+dir, "URL="+url)
	server := exec.Command("ptyrec", "agentapi", "server", "--port", port, "--", "sh", "-c",
		`until test -e "$DIR/go"; do sleep 0.02; done; body='{"type": "raw", "content": "1"}'
		TOKEN= ptyrec-request GET /status "" >"$DIR/a" 2>&1; TOKEN= ptyrec-request POST /message "$body" >"$DIR/b" 2>&1
		TOKEN=$(cat "$DIR/secret") ptyrec-request GET /status "" >"$DIR/c" 2>&1
		setsid -f env -u PTYREC_SESSION TOKEN= ptyrec-request POST /message "$body" >"$DIR/d-" 2>&1; until test -s `+
			`"$DIR/d-"; do sleep 0.02; done; mv "$DIR/d-" "$DIR/d"; cat`)
	server.Env = environ
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Signal(os.Interrupt); _ = server.Wait() })
	ask := func(token, method, path, body string) string {
		cmd := exec.Command("ptyrec-request", method, path, body)
		cmd.Env = append(environ, "TOKEN="+token)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	waitFor(t, "the server", func() bool { return ask("", "GET", "/status", "") == "<nil>" })
	if said := ask("", "POST", "/message", `{"type": "raw", "content": "x"}`); said != "<nil>" {
		t.Errorf("a program of the user outside: %s", said)
	}
	var secret []byte
	for _, v := range environ {
		if state, ok := strings.CutPrefix(v, "XDG_STATE_HOME="); ok {
			var err error
			if secret, err = os.ReadFile(filepath.Join(state, "ptyrec", "token")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "secret"), secret, 0o600),
		os.WriteFile(filepath.Join(dir, "go"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the requests from inside", func() bool { _, err := os.Stat(filepath.Join(dir, "d")); return err == nil })
	for name, want := range map[string]string{"a": "401", "b": "401", "c": "<nil>", "d": "401"} {
		if said, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(said), want) {
			t.Errorf("request %s from inside: %s, %v, want %s", name, said, err, want)
		}
	}
	if os.Getuid() != 0 {
		t.Log("another user is not tried: only root becomes one")
		return
	}
	other := exec.Command("bash", "-c",
		fmt.Sprintf(`exec 3<>/dev/tcp/127.0.0.1/%s; printf 'GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: `+
			`close\r\n\r\n' >&3; head -c 12 <&3`, port))
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	other.Dir = "/"
	if out, err := other.CombinedOutput(); err != nil || string(out) != "HTTP/1.1 401" {
		t.Errorf("another user: %s, %v", out, err)
	}
}

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
