//go:build linux

package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/internal/testkit/puppet"
)

// Data, resize and close in, data, exit and error out.
func TestBridgeMessages(t *testing.T) { replay(t, "a01", "a07", "a08") }

// Several clients of one terminal.
func TestBridgeTerminalIsShared(t *testing.T) { replay(t, "a02") }

// Who joins late has the screen, then what comes.
func TestLateJoinerGetsTheScreen(t *testing.T) {
	replay(t, "a03", "a04")
	c := newConversation(t)
	c.open("A", "/ws/pty/tui")
	tui := "shell$ \x1b[?1049h\x1b[?2004h\x1b[2J\x1b[H" // a full screen, whose erase is not all
	for i := range 29 {
		tui += fmt.Sprintf("\x1b[%d;1H\x1b[3%dmrow %d 日本\x1b[m\x1b[K", i+1, i%8, i)
	}
	tui += strings.Repeat("\x1b[5;10H\x1b[1mspinner\x1b[m\x1b[30;1H", 3000) + "END"
	c.puppets.Do(puppet.Step{Ev: "output", Data: tui})
	c.until("A", "END")
	c.open("B", "/ws/pty/tui")
	text, _ := c.read("B")["payload"].(string)
	if repainted(text) != repainted(tui) {
		t.Errorf("who joins sees %q", text)
	}
	if len(text) > 64<<10 {
		t.Errorf("he got %d bytes", len(text))
	}
	c.puppets.Do(puppet.Step{Ev: "output", Data: "\x1b[1;1Hlive"})
	c.until("B", "live")
}

// until reads output until it holds a text.
func (c *conversation) until(conn, text string) {
	c.t.Helper()
	for seen := ""; !strings.Contains(seen, text); {
		got, _ := c.read(conn)["payload"].(string)
		if seen += got; len(seen) > 1<<20 {
			seen = seen[1<<19:]
		}
	}
}

// 64 KiB, and no cut within a character or a sequence.
func TestScreenIsCutBetweenSequences(t *testing.T) {
	replay(t, "a10")
	rapid.Check(t, func(t *rapid.T) {
		pieces := []string{"a", "\x1b[31;1m", "日", "é", "\x1b]0;title 日\x07", "\x1bP+q544e\x1b\\", "\r\n", "\x1b(B",
			"\x1b[?2026h", "🙂", "\xff", "\x1b]8;;http://x\x1b\\"}
		var whole strings.Builder
		for whole.Len() < 100<<10 {
			piece := rapid.SampledFrom(pieces).Draw(t, "piece")
			whole.WriteString(strings.Repeat(piece, rapid.IntRange(1, 2000).Draw(t, "times")))
		}
		var tail server.Tail
		var given strings.Builder
		for rest := whole.String(); rest != ""; {
			n := min(len(rest), rapid.IntRange(1, 70_000).Draw(t, "cut"))
			text := tail.Add([]byte(rest[:n]))
			given.Write(text)
			rest = rest[n:]
			if !utf8.Valid(text) {
				t.Fatalf("%.40q is no text", text)
			}
			if got := tail.Newest(); len(got) > 64<<10 || !strings.HasSuffix(given.String(), string(got)) {
				t.Fatalf("the newest output is not that: %d bytes", len(got))
			}
			if !tail.Torn() && server.Cut([]byte(given.String())) != given.Len() {
				t.Fatal("what was passed on ends within a sequence")
			}
		}
		begin := given.Len() - len(tail.Newest())
		if server.Cut([]byte(given.String()[:begin])) != begin {
			t.Fatalf("the newest output begins within something: %.20q", tail.Newest())
		}
	})
}

// Who joins when all is over gets the true status.
func TestLateJoinerGetsTheExitStatus(t *testing.T) { replay(t, "a05") }

// What does not start is told, and forgotten.
func TestFailedStartIsReportedAndForgotten(t *testing.T) {
	replay(t, "a06")
	c := newConversation(t)
	c.fails = "boom"
	c.open("A", "/ws/pty/x")
	if got := c.read("A"); got["message"] != "boom" {
		t.Errorf("got %v", got)
	}
	if a := <-c.came["A"]; a.err == nil {
		t.Errorf("got %v", a.message)
	}
	c.fails = ""
	c.open("B", "/ws/pty/x")
	c.puppets.Do(puppet.Step{Ev: "output", Data: "again"})
	c.until("B", "again")
}

// Without clients a session ends after its time, and no sooner.
func TestSessionWithoutClientsEnds(t *testing.T) {
	replay(t, "a09")
	c := newConversation(t) // one that somebody comes back to stays
	c.open("A", "/ws/pty/x")
	c.puppets.Meet()
	for range 5 {
		_ = c.sockets["A"].Close(websocket.StatusNormalClosure, "")
		<-c.came["A"]
		c.open("A", "/ws/pty/x")
	}
	time.Sleep(2 * ttl)
	c.puppets.Do(puppet.Step{Ev: "output", Data: "still here"})
	c.until("A", "still here")
}

// What is typed before there is a terminal is not lost.
func TestInputBeforeTheTerminalIsKept(t *testing.T) {
	release := make(chan struct{})
	var s *site
	hosts := make(chan *hosted, 1)
	s = newSite(t, func(o *server.Options) {
		o.Bridge = []string{"x"}
		o.Start = func(_ context.Context, start server.StartOptions) (string, error) {
			<-release
			h, err := s.hostTerminal(start.Cols, start.Rows)
			if err != nil {
				return "", err
			}
			hosts <- h
			return h.id, nil
		}
	})
	ws := s.dial(t, "/ws/pty/early")
	want := ""
	for i := range 100 {
		text := fmt.Sprintf("line %d\r", i)
		want += text
		if err := ws.Write(t.Context(), websocket.MessageText,
			[]byte(fmt.Sprintf(`{"type":"data","payload":"line %d\r"}`, i))); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	h := <-hosts
	testkit.Eventually(t, "all that was typed arrives", func() bool { return h.saw() == want })
}

// Nobody gets in who may not, and nobody says what is run.
func TestBridgeRefusesStrangers(t *testing.T) {
	replay(t, "a11")
	c := newConversation(t)
	for name, try := range map[string]struct {
		path   string
		header http.Header
		status int
	}{
		"no token": {"/ws/pty/x", nil, 401},
		"foreign origin": {"/ws/pty/x", http.Header{"Authorization": {"Bearer " + token},
			"Origin": {"https://evil.example"}}, 403},
		"a command":       {"/ws/pty/x?command=sh&args=-c,id", http.Header{"Authorization": {"Bearer " + token}}, 403},
		"a folder":        {"/ws/pty/x?cwd=/", http.Header{"Authorization": {"Bearer " + token}}, 403},
		"another machine": {"/ws/pty/x?wsEndpoint=ws://x", http.Header{"Authorization": {"Bearer " + token}}, 403},
		"unknown path":    {"/ws/pty/x/y", http.Header{"Authorization": {"Bearer " + token}}, 404},
	} {
		_, resp, err := websocket.Dial(t.Context(), c.url+try.path, &websocket.DialOptions{HTTPHeader: try.header})
		if err == nil || resp == nil || resp.StatusCode != try.status {
			t.Errorf("%s: %v %v", name, resp, err)
		}
	}
	select {
	case <-c.puppets.Conns:
		t.Error("a terminal was started")
	default:
	}
}

// When the server ends nothing of the bridge is left, even what ignores SIGHUP.
func TestShutdownEndsBridgeSessions(t *testing.T) {
	var s *site
	hosts := make(chan *hosted, 2)
	s = newSite(t, func(o *server.Options) {
		o.Bridge = []string{"x"}
		o.Start = func(_ context.Context, start server.StartOptions) (string, error) {
			h, err := s.hostTerminal(start.Cols, start.Rows, "/bin/sh", "-c",
				"trap '' HUP; echo ready; while :; do sleep 1; done")
			if err != nil {
				return "", err
			}
			hosts <- h
			return h.id, nil
		}
	})
	sockets := []*websocket.Conn{s.dial(t, "/ws/pty/a"), s.dial(t, "/ws/pty/b")}
	for _, ws := range sockets {
		if _, _, err := ws.Read(t.Context()); err != nil { // ready
			t.Fatal(err)
		}
	}
	closed := make(chan error, len(sockets))
	for _, ws := range sockets {
		go func() { closed <- drain(t, ws) }()
	}
	s.stop()
	for range sockets {
		var end websocket.CloseError
		if err := <-closed; !errors.As(err, &end) || end.Code != websocket.StatusGoingAway {
			t.Errorf("a client is left with %v", err)
		}
		h := <-hosts
		if err := syscall.Kill(h.cmd.Process.Pid, 0); !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH) {
			t.Errorf("the command lives: %v", err)
		}
	}
}

// A session that a client has closed may take a while to end. Its name is free at once: the next
// client with this name gets a new session. The clients of the old one are told when it ends.
func TestBridgeNameIsFreeOnceClosed(t *testing.T) {
	var s *site
	dir := t.TempDir()
	hold, dying := filepath.Join(dir, "hold"), filepath.Join(dir, "dying")
	if err := os.WriteFile(hold, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s = newSite(t, func(o *server.Options) {
		o.Bridge = []string{"x"}
		o.Start = func(_ context.Context, start server.StartOptions) (string, error) {
			h, err := s.hostTerminal(start.Cols, start.Rows, "/bin/sh", "-c",
				"trap 'trap \"\" HUP; : >"+dying+"; while [ -e "+hold+" ]; do sleep 0.02; done; exit 9' HUP; echo I am $$.; "+
					"while :; do read x; done")
			if err != nil {
				return "", err
			}
			return h.id, nil
		}
	})
	c := &conversation{t: t, site: s, sockets: map[string]*websocket.Conn{}, came: map[string]chan arrival{},
		rest: map[string]string{}}
	said := func(conn string) (text string) { // up to its period
		for !strings.Contains(text, ".") {
			got, _ := c.read(conn)["payload"].(string)
			text += got
		}
		return text
	}
	c.open("A", "/ws/pty/x")
	first := said("A")
	if err := c.sockets["A"].Write(t.Context(), websocket.MessageText, []byte(`{"type":"close"}`)); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the shell's signal", func() bool { _, err := os.Stat(dying); return err == nil })
	c.open("B", "/ws/pty/x")
	if second := said("B"); second == first {
		t.Errorf("the next client is in %q, which is closed", first)
	}
	_ = os.Remove(hold)
	for {
		if got := c.read("A"); got["type"] == "exit" {
			if got["code"] != 9.0 {
				t.Errorf("it ended with %v", got["code"])
			}
			break
		}
	}
}

// One client that read all the time lost half of a fast output in silence. Who is no more than 16
// MB behind loses nothing; here one reads, and one begins when all is written.
func TestBridgeLosesNothing(t *testing.T) {
	c := newConversation(t)
	slow := c.dial(t, "/ws/pty/x")
	reading := c.dial(t, "/ws/pty/x")
	c.puppets.Do(puppet.Step{Ev: "output", Data: "begin\r\n"})
	var want strings.Builder
	want.WriteString("begin\r\n")
	for i := range 8 {
		line := fmt.Sprintf("%d 日本 \x1b[3%dmabcdefghijklmnopqrstuvwxyz\x1b[m\r\n", i, i)
		c.puppets.Do(puppet.Step{Ev: "output", Data: line, Times: 20_000})
		want.WriteString(strings.Repeat(line, 20_000))
	}
	c.puppets.Do(puppet.Step{Ev: "output", Data: "the END"})
	want.WriteString("the END")
	for i, ws := range []*websocket.Conn{reading, slow} {
		got, dropped := readBridge(t, ws)
		if dropped != 0 || got != want.String() {
			t.Errorf("client %d: %d bytes, %d dropped; want all %d", i, len(got), dropped, want.Len())
		}
	}
}

// A client that does not read misses output. It is told how much, and has the screen when it reads
// again; others are not held up.
func TestBridgeSlowClient(t *testing.T) {
	c := newConversation(t)
	server.SetBacklog(c.server, 100_000)
	slow := c.dial(t, "/ws/pty/x")
	reading := c.dial(t, "/ws/pty/x")
	c.puppets.Do(puppet.Step{Ev: "output", Data: "0123456789abcdefghijklmnopqrstuvwxyz 日本\r\n", Times: 300_000})
	c.puppets.Do(puppet.Step{Ev: "output", Data: "\x1b[1mbold\x1b[m the END"})
	readBridge(t, reading)
	got, dropped := readBridge(t, slow)
	if dropped == 0 {
		t.Fatalf("all of %d bytes came: the client is not slow", len(got))
	}
	if want := repainted(strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz 日本\r\n", 100) +
		"\x1b[1mbold\x1b[m the END"); repainted(got) != want {
		t.Errorf("the slow client sees %q, want %q", repainted(got), want)
	}
}

// readBridge reads output up to "the END", and how much was dropped of it. The output after an
// announcement is a repaint.
func readBridge(t *testing.T, ws *websocket.Conn) (output string, dropped int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var all strings.Builder
	for last := ""; !strings.Contains(last, "the END"); {
		_, message, err := ws.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Type, Payload, Message string
			Dropped                int64
		}
		if err := json.Unmarshal(message, &m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "error" && (m.Dropped == 0 || !strings.Contains(m.Message, fmt.Sprint(m.Dropped))) {
			t.Errorf("got %s", message)
		}
		dropped += m.Dropped
		last = last[max(0, len(last)-10):] + m.Payload
		all.WriteString(m.Payload)
	}
	return all.String(), dropped
}

// Any cut of any bytes: what the cutter takes for a safe place is where a terminal rests.
func TestCutter(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "ab\xe6": 2, "ab\xe6\x97": 2, "ab\xe6\x97\xa5": 5, "a\x1b": 1, "a\x1b[": 1, "a\x1b[3": 1,
		"a\x1b[31m": 6, "\x1b]0;x": 0, "\x1b]0;x\x07": 6,
		"\x1b]0;x\x1b": 0, "\x1b]0;x\x1b\\": 7, "\x1b(": 0, "\x1b(B": 3, "\x1bPx\x18y": 5, "\x1b[3\x1b[m": 6,
		"\xf0\x9f\x99": 0, "\xff\xfe": 2, "\x1bM": 2,
	} {
		if got := server.Cut([]byte(text)); got != want {
			t.Errorf("%q may be cut at %d, want %d", text, got, want)
		}
	}
	junk := make([]byte, 1000)
	for range 200 {
		for i := range junk {
			junk[i] = "a\x1b[]Pm\x07\\;1\xe6\x97\xa5\x18"[rand.Intn(14)]
		}
		if n := server.Cut(junk); n < 0 || n > len(junk) {
			t.Fatalf("cut at %d", n)
		}
	}
}
