//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/protocol"
)

// insiders are ways in which a program inside a session may try to grant itself control. Each runs
// $TRY, which does it and writes down what became of it in the file that it is given, without
// PTYREC_SESSION in its environment. $TRY ORPHAN waits until its parent is gone.
var insiders = map[string]string{
	"itself":        `$TRY itself`,
	"subshell":      `sh -c '$TRY orphan $$ subshell &'`,
	"setsid":        `sh -c 'setsid $TRY orphan $$ setsid &'`,
	"nohup":         `sh -c 'nohup $TRY orphan $$ nohup >/dev/null 2>&1 &'`,
	"double fork":   `sh -c '(setsid sh -c "(\$TRY orphan \$\$ \"double fork\" &)" &)'`,
	"killed parent": `sh -c '$TRY orphan $$ "killed parent" & kill -9 $$'`,
	"tmux":          `tmux -S "$OUT/tm" -f /dev/null new-session -d '$TRY tmux'`,
	"screen":        `screen -dm sh -c '$TRY screen'`,
	"script":        `script -qc '$TRY script' /dev/null </dev/null >/dev/null`,
	"script orphan": `sh -c 'setsid script -qc "\$TRY orphan $$ \"script orphan\"" /dev/null </dev/null >/dev/null ` +
		`2>&1 &'`,
	"unshare":         `sh -c 'setsid unshare -Urpf $TRY unshare &'`,
	"another ptyrec":  `ptyrec --db "$OUT/other" run --nested -- sh -c '$TRY "another ptyrec"'`,
	"another session": `ptyrec --db "$OUT/other" run --detach -- sh -c '$TRY "another session"'`,
	"handed over":     `ptyrec-hand-over "$SOCKET" >"$OUT/new" 2>&1; mv "$OUT/new" "$OUT/handed over"`,
}

// attackers are the programs that attacks need and that a machine may not have.
var attackers = map[string]string{"tmux": "tmux", "screen": "screen", "script": "script", "script orphan": "script",
	"unshare": "unshare"}

const try = `#!/bin/sh
if [ "$1" = orphan ]; then
	while [ -d "/proc/$2" ]; do sleep 0.01; done
	shift 2
fi
ptyrec grant "$ID" >"$OUT/new $1" 2>&1
mv "$OUT/new $1" "$OUT/$1"
`

// A program in a session could grant itself control, by letting its parent end, by a connection
// that a child opened, or in a tmux server that it started.
func TestAProgramInsideCannotGrantItself(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	out := t.TempDir()
	tryFile := filepath.Join(out, "try")
	if err := os.WriteFile(tryFile, []byte(try), 0o700); err != nil {
		t.Fatal(err)
	}
	script := `ID=$PTYREC_SESSION; SOCKET=$XDG_RUNTIME_DIR/ptyrec/$ID.sock; export ID SOCKET; unset PTYREC_SESSION; ` +
		`until [ -S "$SOCKET" ]; do sleep 0.01; done` + "\n"
	untried := map[string]string{} // why, by the names of attacks
	for name, attack := range insiders {
		if program, ok := attackers[name]; ok {
			if _, err := exec.LookPath(program); err != nil {
				untried[name] = err.Error()
				continue
			}
		}
		if name == "unshare" && exec.Command("unshare", "-Urpf", "true").Run() != nil {
			untried[name] = "unshare is not allowed here"
			continue
		}
		script += attack + "\n"
	}
	cmd := exec.Command("ptyrec", "run", "--detach", "--", "sh", "-c", script+"cat")
	cmd.Env = append(environ, "OUT="+out, "TRY="+tryFile)
	id, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range insiders {
		t.Run(name, func(t *testing.T) {
			if why, ok := untried[name]; ok {
				t.Skip(why)
			}
			var said []byte
			testkit.Eventually(t, "the attack has an answer", func() bool {
				said, err = os.ReadFile(filepath.Join(out, name))
				return err == nil
			})
			if !strings.Contains(string(said), "only people may do that") {
				t.Errorf("%q", said)
			}
		})
	}
	for _, args := range [][]string{{"grant"}, {"send", "--keys", "C-d"}} { // we are outside; the session ends
		cmd := exec.Command("ptyrec", append(args, strings.TrimSpace(string(id)))...)
		cmd.Env = environ
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("ptyrec %s: %v: %s", args[0], err, b)
		}
	}
}

// handOver asks for a grant on a connection that a child opened, which is gone.
func handOver() {
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if len(os.Args) > 2 { // the child
		socket, _ = strconv.Atoi(os.Args[2])
		if err := syscall.Connect(socket, &syscall.SockaddrUnix{Name: os.Args[1]}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	file := os.NewFile(uintptr(socket), "socket")
	child := exec.Command(os.Args[0], os.Args[1], "3")
	child.ExtraFiles = []*os.File{file}
	if err == nil {
		err = child.Run()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	conn, err := net.FileConn(file)
	if err == nil {
		err = askGrant(conn)
	}
	fmt.Println(err)
}

func askGrant(conn net.Conn) error {
	attach, err := protocol.JSON(protocol.TypeAttach,
		protocol.Attach{Version: protocol.Version, Name: "hand-over", Kind: protocol.Human, Mode: protocol.ModeNone})
	if err != nil {
		return err
	}
	request, err := protocol.JSON(protocol.TypeRequest, protocol.ControlRequest{ID: 1, Action: protocol.Allow})
	if err != nil {
		return err
	}
	for _, f := range []protocol.Frame{attach, request} {
		if err := protocol.Write(conn, f); err != nil {
			return err
		}
	}
	r := protocol.NewReader(conn)
	for {
		f, err := r.Next()
		if err != nil {
			return err
		}
		if f.Type != protocol.TypeAck {
			continue
		}
		var ack protocol.Ack
		if err := f.Decode(&ack); err != nil {
			return err
		}
		if ack.Error != nil {
			return ack.Error
		}
		return nil
	}
}

// A program in a session could have the server grant it control: the server's token is a file of
// the same user's. It still could while its connection was in no table of open files of its
// process: on its way in a Unix socket, or in a thread's own table.
func TestAProgramInsideCannotAskTheServer(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	token := filepath.Join(t.TempDir(), "token")
	serve := exec.Command("ptyrec", "serve", "--listen", "127.0.0.1:0", "--token-file", token)
	serve.Env = environ
	out, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		_ = serve.Wait()
	})
	url, found := "", false
	for lines := bufio.NewScanner(out); !found && lines.Scan(); {
		_, rest, ok := strings.Cut(lines.Text(), "http://")
		host, _, _ := strings.Cut(rest, "/")
		url, found = "http://"+host, ok
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	post := `ptyrec-post "$URL" "$TOKEN" "$PTYREC_SESSION"`
	run := exec.Command("ptyrec", "run", "--detach", "--", "sh", "-c",
		post+"; "+post+" in-flight; "+post+" thread; setsid sh -c 'sleep 0.2; "+post+"' & wait; echo tried; cat")
	run.Env = append(environ, "URL="+url, "TOKEN="+token)
	id, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	session := strings.TrimSpace(string(id))
	wait := exec.Command("ptyrec", "wait", session, "--text", "tried", "--timeout", "60s")
	wait.Env = environ
	if b, err := wait.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	screen := exec.Command("ptyrec", "screen", session)
	screen.Env = environ
	if b, err := screen.Output(); err != nil || strings.Count(string(b), "403 Forbidden") != 4 {
		t.Errorf("%v: %s", err, b)
	}
	person := exec.Command("ptyrec-post", url, token, session) // we are outside
	if b, err := person.CombinedOutput(); err != nil || !strings.Contains(string(b), "200 OK") {
		t.Errorf("%v: %s", err, b)
	}
	end := exec.Command("ptyrec", "send", session, "--keys", "C-d")
	end.Env = environ
	if b, err := end.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, b)
	}
}

// postGrant asks a server to grant control.
func postGrant() {
	url, session := os.Args[1], os.Args[3]
	token, err := os.ReadFile(os.Args[2])
	req, reqErr := http.NewRequest(http.MethodPost, url+"/api/sessions/"+session+"/control",
		strings.NewReader(`{"action":"grant"}`))
	if err = errors.Join(err, reqErr); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	if len(os.Args) > 4 {
		status, err := postHidden(req, os.Args[4])
		fmt.Println(status, err)
		return
	}
	for {
		resp, err := http.DefaultClient.Do(req.Clone(context.Background()))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusConflict { // it cannot be joined yet
			fmt.Println(resp.Status)
			return
		}
		req.Body, _ = req.GetBody() // it is a string's
	}
}

// postHidden sends a request on a connection that is in no table of open files of its process: one
// is a thread's own (how is thread), or it is on its way in a Unix socket until there is an answer.
// It returns the status line.
func postHidden(req *http.Request, how string) (status string, err error) {
	runtime.LockOSThread() // for good: no other goroutine may get the thread
	if how == "thread" {
		if err := syscall.Unshare(syscall.CLONE_FILES); err != nil {
			return "", err
		}
	}
	server, err := netip.ParseAddrPort(req.URL.Host)
	if err != nil {
		return "", err
	}
	var request bytes.Buffer
	if err := req.Write(&request); err != nil {
		return "", err
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	pair, pairErr := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	err = errors.Join(err, pairErr, syscall.Connect(fd,
		&syscall.SockaddrInet4{Port: int(server.Port()), Addr: server.Addr().As4()}),
		syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_CORK, 1)) // the kernel waits 200 ms for more
	if err != nil {
		return "", err
	}
	here, err := syscall.Getsockname(fd)
	if err != nil {
		return "", err
	}
	if _, err := syscall.Write(fd, request.Bytes()); err != nil {
		return "", err
	}
	if how != "thread" {
		err := errors.Join(syscall.Sendmsg(pair[0], []byte{0}, syscall.UnixRights(fd), nil, 0), syscall.Close(fd))
		if err != nil {
			return "", err
		}
		for !answered(here.(*syscall.SockaddrInet4).Port) {
			runtime.Gosched()
		}
		rights := make([]byte, syscall.CmsgSpace(4))
		_, n, _, _, err := syscall.Recvmsg(pair[1], make([]byte, 1), rights, 0)
		messages, parseErr := syscall.ParseSocketControlMessage(rights[:n])
		if err = errors.Join(err, parseErr); err != nil {
			return "", err
		}
		fds, err := syscall.ParseUnixRights(&messages[0])
		if err != nil {
			return "", err
		}
		fd = fds[0]
	}
	b := make([]byte, 1000)
	n, err := syscall.Read(fd, b)
	status, _, _ = strings.Cut(string(b[:max(n, 0)]), "\r\n")
	return status, err
}

// answered reports whether bytes wait in the socket at a port of this machine (proc(5),
// /proc/net/tcp, rx_queue).
func answered(port int) bool {
	table, _ := os.ReadFile("/proc/net/tcp")
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) > 4 && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) && !strings.HasSuffix(f[4], ":00000000") {
			return true
		}
	}
	return false
}
