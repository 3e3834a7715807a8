//go:build linux

package management_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/internal/server/management"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/sqlite"
	"github.com/ptyrec/ptyrec/vterm"
)

// run has the shell run a command, by the connection that has started it.
func (p *peer) run(command, line string) {
	p.t.Helper()
	p.send(message{"type": "send_input", "agent_id": "agent-01", "command_id": command, "data": line + "\n"})
}

// text reads output messages until their text holds something, and returns all of it.
func (p *peer) text(until string) string {
	p.t.Helper()
	var b strings.Builder
	for !strings.Contains(b.String(), until) {
		m := p.next()
		if m["type"] == "output" {
			b.WriteString(m["data"].(string))
		}
	}
	return b.String()
}

// frames reads session_frame messages until their output holds something.
func (p *peer) frames(until string) (all []message, output []byte) {
	p.t.Helper()
	for !bytes.Contains(output, []byte(until)) {
		m := p.next()
		if m["type"] != "session_frame" {
			continue
		}
		all = append(all, m)
		if m["kind"] == "output" {
			output = append(output, decoded(p.t, m)...)
		}
	}
	return all, output
}

func decoded(t testing.TB, m message) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(m["data"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The token, and no page of another site.
func TestManagementAccess(t *testing.T) {
	s := newSite(t, nil)
	for name, c := range map[string]struct {
		query  string
		header http.Header
		status int
	}{
		"no token":       {"", nil, 401},
		"wrong token":    {"?token=x", nil, 401},
		"foreign origin": {"?token=" + token, http.Header{"Origin": {"https://evil.example"}}, 403},
		"query":          {"?token=" + token, nil, 101},
		"header":         {"", http.Header{"Authorization": {"Bearer " + token}}, 101},
	} {
		ws, resp, err := websocket.Dial(t.Context(), s.url+c.query, &websocket.DialOptions{HTTPHeader: c.header})
		if resp == nil || resp.StatusCode != c.status {
			t.Errorf("%s: %v, %v", name, resp, err)
			continue
		}
		if err == nil {
			_ = ws.CloseNow()
			continue
		}
		var m message
		if json.NewDecoder(resp.Body).Decode(&m) != nil || m["type"] != "error" {
			t.Errorf("%s: it is refused with %v", name, m)
		}
	}
}

// Numbers are not reused, also over restarts of the server; what is older than the ring comes from
// the raw log.
func TestFrameNumbersSurviveARestart(t *testing.T) {
	s := newSite(t, nil)
	a := s.dial()
	command, sid := a.shell()
	b := s.dial()
	b.join(sid, "observer")
	a.run(command, "stty -echo; PS1=; echo be''gin")
	first, _ := b.frames("begin")
	seen := map[float64]string{}
	for _, m := range first {
		seen[m["seq"].(float64)] = fmt.Sprint(m["kind"], m["data"])
	}
	const rounds = 10
	for i := range rounds {
		s.stop()
		s.serve()
		a, b = s.dial(), s.dial()
		if again, _ := a.shell(); again != command {
			t.Fatalf("round %d: the shell is another one", i)
		}
		b.join(sid, "observer", 0)
		a.run(command, fmt.Sprintf("echo round''%d.", i))
		frames, output := b.frames(fmt.Sprintf("round%d.", i))
		for j := range i {
			if n := bytes.Count(output, fmt.Appendf(nil, "round%d.", j)); n != 1 {
				t.Fatalf("round %d: round %d is there %d times", i, j, n)
			}
		}
		last := -1.0
		for _, m := range frames {
			seq := m["seq"].(float64)
			if seq <= last {
				t.Fatalf("round %d: %v follows %v", i, seq, last)
			}
			last = seq
			now := fmt.Sprint(m["kind"], m["data"])
			if was, known := seen[seq]; known && m["kind"] == "output" && was != now {
				t.Fatalf("round %d: frame %v was %s, and is %s", i, seq, was, now)
			}
			seen[seq] = now
		}
	}
}

// Frames that the raw log has lost are announced where they would come in a replay, and no others
// are left out.
func TestLostFramesAreAnnounced(t *testing.T) {
	s := newSite(t, func(o *management.Options) { o.RingFrames = 8 })
	id, err := s.start(t.Context(), []string{"sh", "-c", "stty raw -echo; seq 1 150000; echo end; exec cat"}, "", 80, 24)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the output is in the journal", func() bool {
		var all []byte
		for e, err := range s.db.Events(t.Context(), id) {
			if err == nil && e.Kind == session.Output {
				all = append(all, e.Data...)
			}
		}
		return bytes.Contains(all, []byte("end"))
	})
	files, err := filepath.Glob(filepath.Join(sqlite.JournalFolder(s.db.Path()), id+"*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("journals %q, %v", files, err)
	}
	f, err := os.OpenFile(files[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(make([]byte, 10_000), 200_000)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}

	var before, after session.FramePlace // what can be read
	count := &before
	for e, err := range s.db.Events(t.Context(), id) {
		if err != nil {
			count = &after
		} else if err := count.Cut(e, nil); err != nil {
			t.Fatal(err)
		}
	}
	p := s.dial()
	current := p.join(id, "observer", 0)["current_seq"].(float64)
	next, lost := 0.0, 0
	for next < current {
		m := p.await("session_frame")
		seq := m["seq"].(float64)
		if m["kind"] == "error" {
			from, to := float64(before.Frame), current-float64(after.Frame)-1
			if want := fmt.Sprintf("frames %.0f to %.0f are lost", from, to); m["message"] != want || next != from || seq != to {
				t.Fatalf("behind frame %v: %v, want %q", next-1, m, want)
			}
			lost++
		} else if seq != next {
			t.Fatalf("%v is missing, and it got %v", next, m["seq"])
		}
		next = seq + 1
	}
	if lost != 1 {
		t.Errorf("%d losses are announced", lost)
	}
}

// Sessions of pipes have no frames: they are not listed, and cannot be joined.
func TestSessionsOfPipesAreLeftOut(t *testing.T) {
	s := newSite(t, nil)
	m, err := process.Open(t.Context(), process.Options{Store: s.db, Program: program})
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := m.Start(t.Context(), process.Spec{Sandbox: "box", Argv: []string{"sleep", "600"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(m.EndAll(context.Background()), m.Close()) })
	p := s.dial()
	_, shell := p.shell()
	p.send(message{"type": "list_sessions", "agent_id": "agent-01"})
	if list := p.await("session_list")["sessions"].([]any); len(list) != 1 ||
		list[0].(map[string]any)["session_id"] != shell {
		t.Errorf("listed are %v", list)
	}
	id := c.Info().SessionID
	p.send(message{"type": "join_session", "session_id": id})
	if m := p.await("error"); m["message"] != "Session '"+id+"' not found" {
		t.Errorf("it is told %v", m)
	}
}

// A32, and all that the one client in wide use does.
func TestManagementShellInTheBridge(t *testing.T) {
	s := newSite(t, nil)
	b := &bridge{t: t, site: s}
	b.connect()
	b.input("stty -echo; PS1=; echo rea''dy\n")
	b.until("ready")
	b.p.send(message{"type": "pty_resize", "agent_id": "agent-01", "command_id": b.command, "cols": 132, "rows": 40})
	b.input("stty size\n")
	b.until("40 132")
	other := &bridge{t: t, site: s} // another browser's
	other.connect()
	b.input("echo bo''th\n")
	b.until("both")
	other.until("both")

	b.input("sleep 0.5; for i in 1 2 3 4 5 6 7 8 9; do echo line$i.; done; echo missed''end\n")
	b.drop()
	other.until("missedend")
	command := b.command
	b.connect()
	if b.command != command {
		t.Error("it is another shell")
	}
	b.input("echo aft''er\n")
	b.until("after")
	for i := range 9 {
		if n := strings.Count(b.all, fmt.Sprintf("line%d.", i+1)); n != 1 {
			t.Errorf("line %d came %d times", i+1, n)
		}
	}
	if b.seen != len(b.seqs) {
		t.Errorf("%d messages with %d seqs", b.seen, len(b.seqs))
	}
	b.input("exit 7\n")
	for _, one := range []*bridge{b, other} {
		killed := one.p.await("session_killed")
		if killed["agent_id"] != "agent-01" || killed["session_name"] != "main" || killed["exit_code"] != 7.0 {
			t.Errorf("the client that has closed it is told %v", killed)
		}
	}
	b.p.send(message{"type": "join_session", "agent_id": "agent-01", "command_id": command, "replay_from": 0})
	if text := b.p.await("error")["message"].(string); !strings.Contains(strings.ToLower(text), "session not found") {
		t.Errorf("a shell that is over: %q", text)
	}
}

// bridge is a client that does what section 7.3 says.
type bridge struct {
	t       *testing.T
	site    *site
	p       *peer
	command string
	last    float64 // highest seq
	seqs    map[float64]bool
	seen    int
	all     string // text
	read    int    // of all
}

func (b *bridge) connect() {
	b.t.Helper()
	if b.seqs == nil {
		b.seqs = map[float64]bool{}
	}
	b.p = b.site.dial()
	b.p.send(message{"type": "subscribe", "agent_id": "agent-01"})
	b.p.send(message{"type": "start_shell", "agent_id": "agent-01", "cols": 120, "rows": 30})
	b.command = b.p.await("shell_started")["command_id"].(string)
	b.p.send(message{"type": "list_sessions", "agent_id": "agent-01"})
	b.p.send(message{"type": "join_session", "agent_id": "agent-01", "command_id": b.command, "replay_from": b.last})
}

func (b *bridge) drop() {
	_ = b.p.ws.CloseNow()
	for m := range b.p.in { // what had come
		b.take(m)
	}
}

func (b *bridge) input(data string) {
	b.t.Helper()
	b.p.send(message{"type": "send_input", "agent_id": "agent-01", "command_id": b.command, "data": data})
}

func (b *bridge) take(m message) {
	b.t.Helper()
	if m["type"] == "error" && strings.Contains(strings.ToLower(m["message"].(string)), "not found") {
		b.t.Fatalf("it is told %v", m)
	}
	if m["type"] != "output" || m["command_id"] != b.command || m["stream"] != "stdout" {
		return
	}
	seq := m["seq"].(float64)
	b.seen++
	b.seqs[seq] = true
	b.last = max(b.last, seq)
	b.all += m["data"].(string)
}

// until reads until new text holds something.
func (b *bridge) until(text string) {
	b.t.Helper()
	for !strings.Contains(b.all[b.read:], text) {
		b.take(b.p.next())
	}
	b.read = len(b.all)
}

// After the last starter has left the shell waits for a while, is then hung up, and who joined is
// told.
func TestShellWithoutClientsIsEndedAfterItsGrace(t *testing.T) {
	s := newSite(t, func(o *management.Options) { o.ShellGrace = 300 * time.Millisecond })
	a := s.dial()
	command, sid := a.shell()
	b := s.dial()
	b.join(sid, "observer")
	_ = a.ws.CloseNow()
	c := s.dial()
	if again, _ := c.shell(); again != command {
		t.Error("who comes back gets another shell")
	}
	_ = c.ws.CloseNow()
	if closed := b.await("closed"); closed["exit_code"] != 129.0 {
		t.Errorf("it ended as %v", closed)
	}
	if again, _ := s.dial().shell(); again == command {
		t.Error("it lives")
	}
}

// A shell that a client has closed may take a while to end. Its name is free at once: the next
// client gets a new shell. The client that has closed the old one is told when that ends.
func TestShellNameIsFreeOnceClosed(t *testing.T) {
	s := newSite(t, nil)
	dir := t.TempDir()
	hold, dying := filepath.Join(dir, "hold"), filepath.Join(dir, "dying")
	if err := os.WriteFile(hold, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := &bridge{t: t, site: s}
	b.connect()
	b.input("trap 'trap \"\" HUP; : >" + dying + "; while [ -e " + hold +
		" ]; do sleep 0.02; done; exit 9' HUP; stty -echo; PS1=; echo rea''dy; while :; do read x; done\n")
	b.until("ready")
	b.p.send(message{"type": "kill_session", "agent_id": "agent-01", "session_name": "main"})
	testkit.Eventually(t, "the shell's signal", func() bool { _, err := os.Stat(dying); return err == nil })
	other := s.dial()
	command, _ := other.shell()
	if command == b.command {
		t.Error("the next client is in the shell that is closed")
	}
	other.send(message{"type": "list_sessions", "agent_id": "agent-01"})
	if sessions := other.await("session_list")["sessions"].([]any); len(sessions) != 1 {
		t.Errorf("sessions %v are listed, want the new one only", sessions)
	}
	_ = os.Remove(hold)
	if killed := b.p.await("session_killed"); killed["exit_code"] != 9.0 {
		t.Errorf("the client that has closed it is told %v", killed)
	}
	b.connect()
	if b.command != command {
		t.Error("the end of the old shell has taken the new one's name")
	}
}

// In a session of somebody's own, control is the user's to give, and Ctrl+\ takes it back.
func TestControlOfALocalSession(t *testing.T) {
	s := newSite(t, nil)
	u := ptytest.New(t)
	local := startLocal(t, s, u)
	p := s.dial()
	if joined := p.join(local.id, "controller"); joined["role"] != "observer" {
		t.Fatalf("without a grant it is %v", joined)
	}
	p.send(message{"type": "session_input", "session_id": local.id, "data": "x"})
	p.await("error")
	local.grant()
	if joined := p.join(local.id, "controller"); joined["role"] != "controller" {
		t.Fatalf("with a grant it is %v", joined)
	}
	p.send(message{"type": "session_input", "session_id": local.id, "data": "echo ty''ped\n"})
	u.Await(t, "typed")
	u.Type(t, "\x1c")
	for m := p.await("role_assigned"); m["role"] != "observer"; m = p.await("role_assigned") {
	}
	p.send(message{"type": "session_input", "session_id": local.id, "data": "echo no''more\n"})
	if m := p.await("error"); !strings.Contains(m["message"].(string), "read-only") {
		t.Errorf("it is told %v", m)
	}
	u.Type(t, "exit\n")
	p.await("closed")
}

// local is a session of `ptyrec run`, before its own terminal.
type local struct {
	t    *testing.T
	id   string
	live *client.Client
}

func startLocal(t *testing.T, s *site, u *ptytest.User) *local {
	t.Helper()
	cmd := exec.Command(program, "--db", s.db.Path(), "run", "--", "sh")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = u.TTY, u.TTY, u.TTY
	cmd.Env = append(os.Environ(), "PS1=$ ")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	live, err := client.Dial(t.Context(), "", client.Options{Database: s.db.Path()})
	if err != nil {
		t.Fatal(err)
	}
	l := &local{t: t, live: live}
	testkit.Eventually(t, "the session is there", func() bool {
		ids, _ := live.IDs()
		if len(ids) > 0 {
			l.id = ids[0]
		}
		return len(ids) > 0
	})
	u.Await(t, "$ ")
	return l
}

// grant lets programs type.
func (l *local) grant() {
	l.t.Helper()
	stream, err := l.live.Attach(l.t.Context(), l.id, client.AttachOptions{Mode: "none"})
	if err != nil {
		l.t.Fatal(err)
	}
	defer stream.Close()
	if err := stream.Grant(l.t.Context(), 0); err != nil {
		l.t.Fatal(err)
	}
}

// A controller that vanishes without a word loses control within 45 s.
func TestVanishedControllerReleasesControl(t *testing.T) {
	s := newSite(t, nil)
	if os.Getenv("PTYREC_LONG_TESTS") == "" {
		s.p.SetPings(100*time.Millisecond, 300*time.Millisecond)
	}
	_, sid := s.dial().shell()
	proxy := servetest.NewProxy(t, func() string { return s.addr }, nil)
	direct := s.url
	s.url = "ws://" + proxy.Address + management.Path
	gone := s.dial()
	s.url = direct
	if joined := gone.join(sid, "controller"); joined["role"] != "controller" {
		t.Fatal(joined)
	}
	proxy.Freeze()
	begun := time.Now()
	b := s.dial()
	testkit.Eventually(t, "the lease is freed", func() bool { return b.join(sid, "controller")["role"] == "controller" })
	t.Logf("free after %s", time.Since(begun))
}

// A client that does not read holds nobody up; it gets a keyframe in place of what it missed, or is
// told and closed.
func TestSlowClientsAreDropped(t *testing.T) {
	size := 24 << 20 // more than the buffers of a connection on the loopback device take
	if os.Getenv("PTYREC_LONG_TESTS") != "" {
		size = 1 << 30
	}
	s := newSite(t, nil)
	_, sid := s.dial().shell()
	typist := s.dial()
	typist.join(sid, "controller")
	slow := s.raw("join_session", sid)
	slow.until(t, func(m message) bool { return m["type"] == "session_joined" })
	deaf := s.raw("start_shell", "")
	deaf.until(t, func(m message) bool { return m["type"] == "shell_started" })
	// Both have caught up with the session before they stop reading.
	typist.send(message{"type": "session_input", "session_id": sid, "data": "stty -echo; echo be''gin\n"})
	slow.until(t, func(m message) bool { return m["kind"] == "output" && bytes.Contains(decoded(t, m), []byte("begin")) })
	deaf.until(t, func(m message) bool {
		text, _ := m["data"].(string)
		return m["type"] == "output" && strings.Contains(text, "begin")
	})
	typist.send(message{"type": "session_input", "session_id": sid,
		"data": fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x; echo; echo en''d\n", size)})
	output, missed, tail := 0, false, []byte(nil)
	for {
		m := typist.next()
		if m["kind"] != "output" && m["kind"] != "keyframe" {
			continue
		}
		data := decoded(t, m)
		if m["kind"] == "output" {
			output += len(data)
		} else {
			missed = true
		}
		if tail = append(tail[max(0, len(tail)-2):], data...); bytes.Contains(tail, []byte("end")) {
			break
		}
	}
	if missed {
		t.Log("the client that reads was too slow as well on this machine, and got a keyframe")
	} else if output < size {
		t.Errorf("the client that reads got %d bytes of %d", output, size)
	}
	last, kinds := -1.0, map[string]int{}
	slow.until(t, func(m message) bool {
		if m["type"] != "session_frame" {
			return false
		}
		if seq := m["seq"].(float64); seq <= last {
			t.Fatalf("%v follows %v", seq, last)
		} else {
			last = seq
		}
		kind := m["kind"].(string)
		kinds[kind]++
		return (kind == "output" || kind == "keyframe") && bytes.Contains(decoded(t, m), []byte("end"))
	})
	if kinds["keyframe"] == 0 {
		t.Errorf("the client that did not read got %v", kinds)
	}
	for {
		m, err := deaf.next()
		if err != nil {
			if websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
				t.Errorf("the connection ended with %v", err)
			}
			break
		}
		if m["type"] == "error" && m["message"] != "output stream closed: subscriber fell behind" {
			t.Errorf("the error is %q", m["message"])
		}
	}
}

// raw is a client that reads only when it is asked to.
type raw struct{ ws *websocket.Conn }

func (s *site) raw(what, sid string) *raw {
	s.t.Helper()
	ws, _, err := websocket.Dial(s.t.Context(), s.url+"?token="+token, &websocket.DialOptions{
		// a pong fails once the server has closed the connection, and what it sent before is lost
		OnPingReceived: func(context.Context, []byte) bool { return false },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	ws.SetReadLimit(-1)
	s.t.Cleanup(func() { _ = ws.CloseNow() })
	b, _ := json.Marshal(message{"type": what, "session_id": sid, "agent_id": "agent-01"})
	if err := ws.Write(s.t.Context(), websocket.MessageText, b); err != nil {
		s.t.Fatal(err)
	}
	return &raw{ws}
}

func (r *raw) next() (m message, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, b, err := r.ws.Read(ctx)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	return m, err
}

func (r *raw) read(t *testing.T) message {
	t.Helper()
	m, err := r.next()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// until reads messages up to the one that is last.
func (r *raw) until(t *testing.T, last func(message) bool) {
	t.Helper()
	for !last(r.read(t)) {
	}
}

// A26 of the server's side: 1,000 disconnects while 10 MB go by, and no byte is lost or repeated.
func TestDisconnects(t *testing.T) {
	times, lines := 60, 150_000
	if os.Getenv("PTYREC_LONG_TESTS") != "" {
		times, lines = 1000, 1_250_000
	}
	s := newSite(t, nil)
	a := s.dial()
	command, sid := a.shell()
	_ = command
	want := sha256.New()
	for i := range lines {
		_, _ = fmt.Fprintf(want, "%d\r\n", i+1)
	}
	typist := s.dial()
	typist.join(sid, "controller")
	typist.send(message{"type": "session_input", "session_id": sid,
		"data": fmt.Sprintf("stty -echo; PS1=; sleep 0.3; echo be''gin; seq 1 %d; echo e''nd\n", lines)})
	got, next, begun := sha256.New(), int64(0), false
	var rest []byte
	for round := 0; ; round++ {
		r := s.raw("list_agents", "")
		b, _ := json.Marshal(message{"type": "join_session", "session_id": sid, "replay_from": next})
		if err := r.ws.Write(t.Context(), websocket.MessageText, b); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 1 || round >= times; {
			m := r.read(t)
			if m["type"] != "session_frame" {
				continue
			}
			if m["kind"] == "error" {
				t.Fatal(m)
			}
			next = int64(m["seq"].(float64)) + 1
			if m["kind"] != "output" {
				continue
			}
			n++
			rest = append(rest, decoded(t, m)...)
			if i := bytes.Index(rest, []byte("begin\r\n")); !begun && i >= 0 {
				rest, begun = rest[i+7:], true
			}
			if i := bytes.Index(rest, []byte("end\r\n")); begun && i >= 0 {
				_, _ = got.Write(rest[:i])
				if !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
					t.Errorf("after %d disconnects the bytes are others", round)
				}
				if round < min(times, 10) {
					t.Errorf("only %d disconnects", round)
				}
				t.Logf("%d disconnects", round)
				return
			}
			if begun && len(rest) > 1000 {
				_, _ = got.Write(rest[:len(rest)-10])
				rest = bytes.Clone(rest[len(rest)-10:])
			}
		}
		_ = r.ws.CloseNow()
	}
}

// A keyframe is a picture of the session's own screen in its own size.
func TestKeyframeOfALongSession(t *testing.T) {
	s := newSite(t, nil)
	a := s.dial()
	command, sid := a.shell()
	a.send(message{"type": "pty_resize", "agent_id": "agent-01", "command_id": command, "cols": 100, "rows": 30})
	a.await("pong")
	a.run(command, `stty -echo; PS1=; yes 'line ----------' | head -n 3000; printf '\033[2J\033[30;95Hcor\033[1;1Hen''d'`)
	a.text("end")
	b := s.dial()
	b.join(sid, "observer")
	first := b.await("session_frame")
	if first["kind"] != "keyframe" {
		t.Fatalf("the first frame is %v", first)
	}
	term := vterm.New(vterm.Options{Cols: 100, Rows: 30})
	_, _ = term.Write(decoded(t, first))
	want := vterm.New(vterm.Options{Cols: 100, Rows: 30})
	_, _ = want.Write([]byte("\x1b[2J\x1b[30;95Hcor\x1b[1;1Hend"))
	if !bytes.Equal(term.Repaint(), want.Repaint()) {
		t.Errorf("it shows %q", term.Repaint())
	}
}
