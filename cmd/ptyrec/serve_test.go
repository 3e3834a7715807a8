//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// leavers are the ways in which programs leave the terminal that started them.
var leavers = map[string]string{
	"in the background":    `sleep $N &`,
	"nohup":                `nohup sleep $N >/dev/null 2>&1 &`,
	"ignoring signals":     `(trap "" HUP INT TERM QUIT; exec sleep $N) &`,
	"setsid":               `setsid sleep $N </dev/null >/dev/null 2>&1 &`,
	"setsid -f":            `setsid -f sleep $N </dev/null >/dev/null 2>&1`,
	"forked twice":         `(setsid sh -c "sleep $N & exit" </dev/null >/dev/null 2>&1 & exit)`,
	"without environment":  `env -i PATH="$PATH" setsid -f sh -c "cd /; exec sleep $N" </dev/null >/dev/null 2>&1`,
	"coming back":          `setsid -f sh -c "trap '' TERM HUP; while :; do sleep $N; done" </dev/null >/dev/null 2>&1`,
	"in another recording": `setsid -f ptyrec run --nested --detach -- sleep $N </dev/null >/dev/null 2>&1; sleep 0.3`,
}

// Background jobs of bridge shells that ignore SIGHUP lived on when serve ended. All that was
// started in a bridge session ends with the server, also if that is killed, and if the leader of
// the session is.
func TestServeEndsAllDescendants(t *testing.T) {
	t.Parallel()
	for end, kill := range map[string]func(serve, leader int){
		"serve ends":      func(serve, _ int) { _ = syscall.Kill(serve, syscall.SIGTERM) },
		"serve is killed": func(serve, _ int) { _ = syscall.Kill(serve, syscall.SIGKILL) },
		"the leader is killed, then serve": func(serve, leader int) {
			_ = syscall.Kill(leader, syscall.SIGKILL)
			_ = syscall.Kill(serve, syscall.SIGKILL)
		},
	} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			environ, _ := liveEnv(t)
			ready := filepath.Join(t.TempDir(), "ready")
			number := fmt.Sprint(100_000_000 + time.Now().UnixNano()%800_000_000) // marks the processes
			script := "N=" + number + "\n"
			for _, l := range leavers {
				script += l + "\n"
			}
			script += "echo $PPID > " + ready + "-\nmv " + ready + "- " + ready + "\nwhile :; do sleep 0.05; done\n"
			file := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			url, token, serve := served(t, environ, "--bridge-command", "sh "+file)
			t.Cleanup(func() { endAll(number, file) })
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			ws, _, err := websocket.Dial(ctx, url+"/ws/pty/x",
				&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = ws.CloseNow() }()
			go func() {
				for err := error(nil); err == nil; {
					_, _, err = ws.Read(ctx)
				}
			}()
			var leader int
			waitFor(t, "the jobs run", func() bool {
				text, err := os.ReadFile(ready)
				leader, _ = strconv.Atoi(strings.TrimSpace(string(text)))
				return err == nil && len(running(number)) >= len(leavers)
			})
			kill(serve.Process.Pid, leader)
			ptytest.Status(t, serve)
			waitFor(t, "nothing is left", func() bool { return len(running(number))+len(running(file)) == 0 })
		})
	}
}

// running returns the processes whose command line holds a text.
func running(text string) (found []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, err := os.ReadFile(file)
		pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
		if err == nil && bytes.Contains(line, []byte(text)) && !bytes.Contains(line, []byte("serve")) {
			found = append(found, pid)
		}
	}
	return found
}

func endAll(texts ...string) {
	for _, text := range texts {
		for _, pid := range running(text) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begun := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// serve printed a bare address. It says what that is and how to end it, and draws it for a phone if
// one can come there and the terminal has room.
func TestServeSaysWhatItIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listen  string
		columns int
		drawn   bool
	}{{"127.0.0.1:0", 100, false}, {"0.0.0.0:0", 100, true}, {"0.0.0.0:0", 30, false}} {
		environ, db := env(t)
		u := ptytest.New(t)
		u.Resize(t, c.columns, 40)
		cmd := exec.Command("ptyrec", "serve", "--listen", c.listen)
		cmd.Env = append(environ, "TERM=xterm-256color", "NO_COLOR=", "COLUMNS=")
		u.Start(t, cmd)
		u.Await(t, "Ctrl+C stops the server")
		shown := string(u.Shown())
		if !strings.Contains(shown, "to see the sessions in "+db) || !strings.Contains(shown, "/#token=") ||
			strings.Contains(shown, "://0.0.0.0") {
			t.Errorf("%s: it says %q", c.listen, shown)
		}
		if drawn := strings.Contains(shown, "▀"); drawn != c.drawn {
			t.Errorf("%s, %d columns: a QR code is drawn: %v", c.listen, c.columns, drawn)
		}
		u.Type(t, "\x03")
		if status := ptytest.Status(t, cmd); status != 0 {
			t.Errorf("after Ctrl+C the status is %d", status)
		}
	}
}

// serve --open opens the page, without the token on a command line, where other users see it.
func TestServeOpens(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	dir := t.TempDir()
	called := filepath.Join(dir, "called")
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"),
		[]byte("#!/bin/sh\necho \"$@\" > "+called+"-; mv "+called+"- "+called+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, token, _ := served(t, append(environ, "PATH="+dir+":"+os.Getenv("PATH")), "--open")
	var url string
	waitFor(t, "a browser is opened", func() bool {
		text, err := os.ReadFile(called)
		url = strings.TrimSpace(string(text))
		return err == nil
	})
	if strings.Contains(url, token) {
		t.Errorf("the command line holds the token: %s", url)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if len(resp.Cookies()) != 1 {
		t.Errorf("%s: %s, no cookie", url, resp.Status)
	}
}

// At the server, the token is in a file that a program inside a session can read, too.
// With it, it gives itself no control of its session, and gets no terminal outside of it; somebody
// outside does.
func TestServeGivesProgramsInsideNoControl(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash speaks TCP for us")
	}
	environ, _ := liveEnv(t)
	url, token, _ := sandboxed(t, environ)
	port := url[strings.LastIndex(url, ":")+1:]
	dir := t.TempDir()
	request := func(method, path, body, more string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%sContent-Length: %d\r\n\r\n"+
			"%s", method, path, token, more, len(body), body)
	}
	kind := "Content-Type: application/json\r\nConnection: close\r\n"
	upgrade := "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	id := runDetached(t, environ, "80x24", "bash", "-c", fmt.Sprintf(`cd %s; until test -e go; do sleep 0.02; done
		ask() { exec 3<>/dev/tcp/127.0.0.1/%s; cat $1 >&3; head -c 12 <&3 > $2-; exec 3>&-; mv $2- $2; }
		export -f ask
		for r in grant human kill bridge start; do ask $r $r.inside; setsid -f env -u PTYREC_SESSION bash -c "ask $r `+
		`$r.left"; done; until test -e done; do sleep 0.02; done`, dir, port))
	path := "/api/sessions/" + id
	requests := map[string]struct {
		text            string
		inside, outside string
	}{
		"grant":  {request("POST", path+"/control", `{"action":"grant"}`, kind), "403", "200"},
		"human":  {request("POST", path+"/input", `{"text":"x","kind":"human"}`, kind), "403", "204"},
		"kill":   {request("POST", path+"/kill", `{"signal":"INT"}`, kind), "403", ""},
		"bridge": {request("GET", "/ws/pty/x", "", upgrade), "403", "101"},
		"start":  {request("POST", "/api/sessions", `{"command":["true"]}`, kind), "403", "201"},
	}
	for name, r := range requests {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(r.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(file string) (text string) {
		waitFor(t, file, func() bool {
			got, err := os.ReadFile(filepath.Join(dir, file))
			text = string(got)
			return err == nil
		})
		return text
	}
	for name, r := range requests {
		for _, from := range []string{".inside", ".left"} {
			if got := answer(name + from); !strings.HasSuffix(got, r.inside) {
				t.Errorf("%s%s: %q, want %s", name, from, got, r.inside)
			}
		}
	}
	for _, name := range []string{"human", "grant", "bridge", "start"} {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, requests[name].text)
		got := make([]byte, 12)
		_, err = io.ReadFull(conn, got)
		_ = conn.Close()
		if err != nil || !strings.HasSuffix(string(got), requests[name].outside) {
			t.Errorf("%s, from outside: %q, %v, want %s", name, got, err, requests[name].outside)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "done"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
