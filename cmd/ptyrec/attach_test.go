//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

// runDetached starts a session in the background, of this size, and returns its id.
func runDetached(t *testing.T, environ []string, size string, command ...string) (id string) {
	t.Helper()
	cmd := exec.Command("ptyrec", append([]string{"run", "--detach", "--size", size, "--"}, command...)...)
	cmd.Env = environ
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v: %s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	id = strings.TrimSpace(string(out))
	t.Cleanup(func() { killSession(t, id) })
	return id
}

// killSession kills what still runs in a session, and waits for its recorder.
func killSession(t *testing.T, id string) {
	recorders := map[string]bool{}
	inside, _ := filepath.Glob("/proc/[0-9]*") // the pattern is a good one
	for _, dir := range inside {
		environ, _ := os.ReadFile(dir + "/environ") // of those that are gone: empty
		if !bytes.Contains(environ, []byte(detached.Variable+"="+id)) {
			continue
		}
		stat, _ := os.ReadFile(dir + "/stat")
		var parent int
		// whose own parent is gone is init's
		if _, err := fmt.Sscanf(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " %c %d", new(rune),
			&parent); err == nil && parent != 1 {
			recorders[fmt.Sprintf("/proc/%d", parent)] = true
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	for begun := time.Now(); len(recorders) > 0 && time.Since(begun) < time.Minute; time.Sleep(10 * time.Millisecond) {
		for dir := range recorders {
			if _, err := os.Stat(dir); err != nil {
				delete(recorders, dir)
			}
		}
	}
	if len(recorders) > 0 {
		t.Errorf("the recorder of session %s lives on: %v", id, recorders)
	}
}

// attached starts attach on a terminal.
func attached(t *testing.T, environ []string, args ...string) (*ptytest.User, *exec.Cmd) {
	t.Helper()
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", append([]string{"attach"}, args...)...)
	cmd.Env = environ
	u.Start(t, cmd)
	return u, cmd
}

// Whatever ends attach, the terminal is as it was.
func TestAttachRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	for name, end := range map[string]func(u *ptytest.User, cmd *exec.Cmd, id string){
		"detach":  func(u *ptytest.User, _ *exec.Cmd, _ string) { u.Type(t, "\x1d") },
		"TERM":    func(_ *ptytest.User, cmd *exec.Cmd, _ string) { _ = cmd.Process.Signal(syscall.SIGTERM) },
		"the end": func(_ *ptytest.User, _ *exec.Cmd, id string) { kill(t, environ, id, "done\r") },
	} {
		id := runDetached(t, environ, "80x24", "sh", "-c", `printf '\033[?1049h\033[?2004h\033[?1hin here'; read x; exit 5`)
		u := ptytest.New(t)
		before := u.Settings(t)
		cmd := exec.Command("ptyrec", "attach", id)
		cmd.Env = environ
		u.Start(t, cmd)
		u.Await(t, "in here")
		// From the beginning, not only when a key is pressed, and so perhaps before the command has
		// written anything.
		u.AwaitShown(t, "which key detaches", func(shown []byte) bool {
			return bytes.Contains(shown, []byte("ctrl+] detaches"))
		})
		end(u, cmd, id)
		status := ptytest.Status(t, cmd)
		if want := map[string]int{"detach": 0, "TERM": 143, "the end": 5}[name]; status != want {
			t.Errorf("%s: status %d, want %d", name, status, want)
		}
		u.Drain(t)
		if after := u.Settings(t); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: the terminal's settings are %+v, were %+v", name, after, before)
		}
		shown := string(u.Shown())
		if i := strings.LastIndex(shown, "\x1b[?1049"); i < 0 || shown[i+7] != 'l' ||
			strings.LastIndex(shown, "\x1b[?25h") < strings.LastIndex(shown, "\x1b[?25l") {
			t.Errorf("%s: the terminal is left in other modes: %q", name, shown[max(0, len(shown)-200):])
		}
		if name != "the end" {
			kill(t, environ, id, "x\r")
		}
	}
}

// kill types into a session, which ends it.
func kill(t *testing.T, environ []string, id, keys string) {
	t.Helper()
	u, cmd := attached(t, environ, id, "--control")
	u.Await(t, "in here")
	u.Type(t, keys)
	_ = cmd.Wait()
}

// Who watches types nothing; who has control types what his keys send, and no more.
func TestAttachTypes(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	id := runDetached(t, environ, "80x24", "sh", "-c",
		`echo ready; read x; printf '\033[c\033[6n\033]11;?\033\\\033[>q'; echo "got <$x>"; read y; exit 4`)
	u, watching := attached(t, environ, id)
	u.Await(t, "ready")
	u.Type(t, "never\r")
	u.Await(t, "you are only watching")
	v, typing := attached(t, environ, id, "--control")
	v.Await(t, "ready")
	v.Type(t, "hel\x1b[?1;2c\x1b]11;rgb:0000/0000/0000\x1b\\lo\r") // with a terminal's answers between
	v.Await(t, "got <hello>")
	u.Await(t, "got <hello>")
	for _, shown := range [][]byte{u.Shown(), v.Shown()} {
		for _, query := range []string{"\x1b[c", "\x1b[6n", "]11;?", "\x1b[>q"} {
			if strings.Contains(string(shown), query) {
				t.Errorf("the terminal was asked %q", query)
			}
		}
	}
	v.Type(t, "x\r")
	if a, b := ptytest.Status(t, watching), ptytest.Status(t, typing); a != 4 || b != 4 {
		t.Errorf("statuses %d and %d, want 4", a, b)
	}
	v.Await(t, "has ended, with exit status 4")
}

// A window that is smaller shows a part, and says so; the session's keeps its size unless --resize.
func TestAttachSizes(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	id := runDetached(t, environ, "120x40", "sh", "-c",
		`trap 'echo "size $(stty size)"' WINCH; echo "size $(stty size)"; while :; do sleep 0.1; done`)
	u, cmd := attached(t, environ, id)
	u.Await(t, "size 40 120")
	u.Await(t, "80x24 of 120x40")
	u.Resize(t, 130, 50)
	u.Await(t, "size 40 120") // it is drawn again, and nothing has changed
	u.Type(t, "\x1d")
	if status := ptytest.Status(t, cmd); status != 0 {
		t.Errorf("status %d", status)
	}
	if strings.Contains(string(u.Shown()), "size 50") {
		t.Error("the session's window got another size")
	}
	v, cmd := attached(t, environ, id, "--resize")
	v.Await(t, "size 24 80")
	v.Resize(t, 90, 30)
	v.Await(t, "size 30 90")
	w, watching := attached(t, environ, id)
	w.Await(t, "size 30 90")
	v.Type(t, "\x1d")
	_ = cmd.Wait()
	w.Await(t, "size 40 120") // it is as before
	_, cmd = attached(t, environ, id, "--resize")
	w.Await(t, "size 24 80")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	w.Await(t, "size 40 120")
	w.Type(t, "\x1d")
	_ = watching.Wait()
}

// A session in a terminal has that one's size again when who asked for another has left, also where
// that changed meanwhile.
func TestAttachResizeInATerminal(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	own := ptytest.New(t)
	own.Resize(t, 100, 30)
	cmd := exec.Command("ptyrec", "run", "--", "sh", "-c",
		`trap 'echo "size $(stty size)"' WINCH; echo "size $(stty size)"; while :; do sleep 0.1; done`)
	cmd.Env = environ
	own.Start(t, cmd)
	own.Await(t, "size 30 100")
	u, attach := attached(t, environ, "--resize")
	own.Await(t, "size 24 80")
	u.Type(t, "\x1d")
	_ = attach.Wait()
	own.Await(t, "size 30 100")
	u, attach = attached(t, environ, "--resize")
	own.Await(t, "size 24 80")
	own.Resize(t, 110, 33)
	own.Await(t, "size 33 110")
	u.Resize(t, 90, 20)
	own.Await(t, "size 20 90")
	u.Type(t, "\x1d")
	_ = attach.Wait()
	own.Await(t, "size 33 110")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ptytest.Status(t, cmd)
}

// served starts serve, and returns its address, with the token behind #token=.
func served(t *testing.T, environ []string, args ...string) (url, token string, cmd *exec.Cmd) {
	t.Helper()
	return servedBy(t, environ, append([]string{"serve"}, args...)...)
}

// sandboxed starts `ptyrec sandbox`, and returns its address and its token.
func sandboxed(t *testing.T, environ []string, args ...string) (url, token string, cmd *exec.Cmd) {
	t.Helper()
	return servedBy(t, environ, append([]string{"sandbox"}, args...)...)
}

// servedBy is served for a command and its arguments.
func servedBy(t *testing.T, environ []string, args ...string) (url, token string, cmd *exec.Cmd) {
	t.Helper()
	if !slices.Contains(args, "--listen") {
		args = append(args, "--listen", "127.0.0.1:0")
	}
	cmd = exec.Command("ptyrec", args...)
	cmd.Env = environ
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url, token, _ = strings.Cut(strings.TrimSpace(line), "#token=")
	return strings.TrimSuffix(url, "/"), token, cmd
}

// A session on another machine: watched, typed into, and its status is ours. Without the token one
// gets nothing.
func TestAttachServer(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	id := runDetached(t, environ, "80x24", "sh", "-c", `echo ready; read x; echo "got <$x>"; read y; exit 6`)
	url, token, _ := served(t, environ)
	u, watching := attached(t, environ, url+"/s/"+id+"#token="+token)
	u.Await(t, "ready")
	v, typing := attached(t, environ, url+"/s/"+id+"#token="+token, "--control")
	v.Await(t, "ready")
	v.Type(t, "hello\r")
	u.Await(t, "got <hello>")
	v.Type(t, "\r")
	if a, b := ptytest.Status(t, watching), ptytest.Status(t, typing); a != 6 || b != 6 {
		t.Errorf("statuses %d and %d, want 6", a, b)
	}
	if _, again, _ := served(t, environ); again != token { // each start made another one
		t.Error("the token does not stay over restarts")
	}
	if _, again, _ := served(t, environ, "--new-token"); again == token || again == "" {
		t.Error("--new-token makes no new one")
	}
	for _, fragment := range []string{"", "#token=wrong"} {
		w, cmd := attached(t, environ, url+"/s/"+id+fragment)
		if status := ptytest.Status(t, cmd); status != 1 {
			t.Errorf("with %q the status is %d", fragment, status)
		}
		w.Await(t, "hint: pass the token")
	}
}

// serve ends, and with it the bridge's commands; sessions that only were shown go on.
func TestServeLeavesNoChild(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	other := runDetached(t, environ, "80x24", "sh", "-c", `echo ready; read x; exit 9`)
	url, token, cmd := served(t, environ, "--bridge-command",
		`sh -c 'echo "pid $$ $TERM $(stty size)."; trap "" HUP; while :; do sleep 0.1; done'`)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, url+"/ws/pty/x",
		&websocket.DialOptions{HTTPHeader: map[string][]string{"Authorization": {"Bearer " + token}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	text := ""
	for !strings.Contains(text, ".") {
		_, message, err := ws.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ Payload string }
		if err := json.Unmarshal(message, &m); err != nil {
			t.Fatal(err)
		}
		text += m.Payload
	}
	fields := strings.Fields(text)
	if len(fields) < 5 || fields[2] != "xterm-256color" || fields[3] != "30" || fields[4] != "120." {
		t.Fatalf("the terminal is %q", text)
	}
	pid := fields[1]
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := ptytest.Status(t, cmd); status != 0 {
		t.Errorf("serve's status is %d", status)
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat("/proc/" + pid); errors.Is(err, os.ErrNotExist) {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("the bridge's command %s lives", pid)
		}
	}
	u, watching := attached(t, environ, other, "--control")
	u.Await(t, "ready")
	u.Type(t, "\r")
	if status := ptytest.Status(t, watching); status != 9 {
		t.Errorf("the session that was only shown ended with %d", status)
	}
}
