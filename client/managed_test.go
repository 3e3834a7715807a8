package client_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

const reset = "\x1bc"

// Without AGENT the only machine is meant, several are an error that names them; without SESSION
// main is meant, which control starts. The exit status is the one in closed.
func TestWhichSessionIsMeant(t *testing.T) {
	m := &manager{banner: true}
	c := m.serve(t)
	_, err := c.Attach(t.Context(), "", client.AttachOptions{})
	var absent *client.NoSession
	if !errors.Is(err, session.ErrNotFound) || !errors.As(err, &absent) {
		t.Errorf("without a session: %v", err)
	}
	v := watch(t, c, client.AttachOptions{Control: true, Start: &client.Start{Cols: 100, Rows: 30}})
	if q := m.requests("start_shell"); len(q) != 1 || q[0]["agent_id"] != agentID || q[0]["cols"] != 100.0 ||
		q[0]["rows"] != 30.0 {
		t.Errorf("started by %v", q)
	}
	m.output("hello")
	testkit.Eventually(t, "the output", func() bool { return v.text() == "hello" })
	m.end(7)
	v.over(t)
	if status, ok := v.s.ExitStatus(); status != 7 || !ok || !errors.Is(v.err, io.EOF) {
		t.Errorf("status %d, %v, error %v", status, ok, v.err)
	}

	many := &manager{agents: []string{"agent-01", "agent-02"}}
	_, err = many.serve(t).Attach(t.Context(), "", client.AttachOptions{})
	var several *client.ManyAgents
	if !errors.As(err, &several) || cmp.Diff(several.Agents, many.agents) != "" {
		t.Errorf("with two machines: %v", err)
	}
}

// The URL names the machine and the session, by name or id.
func TestURLNamesMachineAndSession(t *testing.T) {
	m := &manager{agents: []string{agentID, "other"}}
	m.listen(t)
	m.output("there")
	for _, path := range []string{"/agent-01", "/agent-01/main", "/agent-01/" + sessionID, "/agent-01/019a0000",
		"/ws/sandbox/agent-01/main", "/agent%2D01/main?token=x"} {
		c, err := client.Dial(t.Context(), m.url+path, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v := watch(t, c, client.AttachOptions{})
		testkit.Eventually(t, path, func() bool { return strings.HasSuffix(v.text(), "there") })
		_ = v.s.Close()
	}
	for _, bad := range []string{"ws:///x", "ws://h/a/b/c", "ws://u:secret@h/a", "ws://h/%zz?token=secret",
		"ws://h\x7f/?token=secret"} {
		if _, err := client.Dial(t.Context(), bad, client.Options{}); err == nil ||
			strings.Contains(err.Error(), "secret") && !strings.Contains(bad, "u:secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	list, err := mustDial(t, m.url).Sessions(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != sessionID || list[0].StartedAt.Year() < 2025 {
		t.Errorf("sessions %+v, %v", list, err)
	}
}

func mustDial(t *testing.T, url string) *client.Client {
	t.Helper()
	c, err := client.Dial(t.Context(), url, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client.Hurry(c)
	return c
}

// Frames that come before session_joined are kept, and gaps in seq are no loss.
func TestFramesBeforeJoinedAreKept(t *testing.T) {
	for _, late := range []bool{false, true} {
		m := &manager{late: late}
		c := m.serve(t)
		m.output("one ")
		m.mu.Lock()
		m.next += 5
		m.mu.Unlock()
		m.output("two ")
		v := watch(t, c, client.AttachOptions{})
		m.mu.Lock()
		m.next += 3
		m.mu.Unlock()
		m.output("three")
		testkit.Eventually(t, "all output", func() bool { return v.text() == reset+"one two three" })
		if told := v.told(); told != "" {
			t.Errorf("late %v: told of %q", late, told)
		}
	}
}

// After a drop, the client joins again with the number of the frame behind the last one.
func TestRejoinsAfterTheLastFrame(t *testing.T) {
	m := &manager{banner: true}
	c := m.serve(t)
	m.output("before ")
	v := watch(t, c, client.AttachOptions{})
	m.output("seen ")
	testkit.Eventually(t, "what was seen", func() bool { return strings.HasSuffix(v.text(), "seen ") })
	m.mu.Lock()
	want := m.next
	m.mu.Unlock()
	m.drop()
	testkit.Eventually(t, "a second join", func() bool { return len(m.requests("join_session")) == 2 })
	m.output("missed")
	testkit.Eventually(t, "what was missed", func() bool { return strings.HasSuffix(v.text(), "missed") })
	if got := v.text(); got != reset+"before seen missed" {
		t.Errorf("shown %q", got)
	}
	q := m.requests("join_session")
	if _, fresh := q[0]["replay_from"]; fresh || q[1]["replay_from"] != float64(want) || q[1]["session_id"] != sessionID {
		t.Errorf("joined by %v, want replay_from %d", q, want)
	}
}

// Connections are cut at random bytes, and the output is there exactly once, in every mode.
func TestOutputComesExactlyOnce(t *testing.T) {
	for _, mode := range []protocol.Mode{protocol.ModeBytes, protocol.ModeScreen, protocol.ModeFrames} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			m := &manager{cut: func() int { return 300 + rand.Intn(12_000) }}
			c := m.serve(t)
			var want bytes.Buffer
			m.output("begin")
			want.WriteString("begin")
			zero := int64(0)
			o := client.AttachOptions{Mode: mode}
			if mode == protocol.ModeFrames {
				o.From = &zero
			}
			var v *viewer
			for v == nil { // the first connection may be cut, too
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				s, err := c.Attach(ctx, "", o)
				cancel()
				if err == nil {
					v = &viewer{s: s, done: make(chan struct{})}
					go v.read()
				}
			}
			defer func() { <-v.done }()
			defer v.s.Close()
			for i := range 500 {
				part := fmt.Sprintf("line %d %s\n", i, strings.Repeat("x", rand.Intn(200)))
				want.WriteString(part)
				m.output(part)
			}
			full := want.String()
			testkit.Eventually(t, "all output", func() bool { return len(strings.ReplaceAll(v.text(), reset, "")) >= len(full) })
			if got := strings.TrimPrefix(v.text(), reset); got != full {
				t.Errorf("%d bytes of %d; the same up to %d", len(got), len(full), common(got, full))
			}
			if count[client.Lost](v) == 0 {
				t.Error("no connection was lost")
			}
		})
	}
}

func common(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Tries to connect again come after 0.5, 1, 2, 4, 8, then every 15 s.
func TestPatientBackoff(t *testing.T) {
	want := []float64{0.5, 1, 2, 4, 8, 15, 15, 15}
	var got []float64
	for n := range want {
		got = append(got, client.PatientBackoff(n+1).Seconds())
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A server that takes the client in and drops it at once is not tried again at full speed.
func TestDroppingServerIsNotTriedAtFullSpeed(t *testing.T) {
	m := &manager{}
	m.answer = func(c *managerConn, q map[string]any) bool {
		if q["type"] == "join_session" {
			c.send(map[string]any{"type": "session_joined", "session_id": sessionID, "role": "observer", "current_seq": 0})
			_ = c.ws.CloseNow()
			return true
		}
		return false
	}
	c := m.serve(t)
	m.output("x")
	v := watch(t, c, client.AttachOptions{})
	testkit.Eventually(t, "many losses", func() bool { return count[client.Lost](v) > 20 })
	v.mu.Lock()
	defer v.mu.Unlock()
	last := 0
	for _, e := range v.events {
		if lost, ok := e.(client.Lost); ok {
			if lost.Try <= last {
				t.Fatalf("try %d after try %d", lost.Try, last)
			}
			last = lost.Try
		}
	}
}

// Where the join is refused, by either text, the client shows what comes and says so.
func TestRefusedJoinIsLiveOnly(t *testing.T) {
	for _, text := range []string{"Session '" + sessionID + "' not found",
		"Invalid message: missing field `session_id` at line 1 column 77"} {
		for _, control := range []bool{false, true} {
			m := &manager{refuse: text, subscribe: true}
			c := m.serve(t)
			m.output("old")
			v := watch(t, c, client.AttachOptions{Control: control})
			testkit.Eventually(t, "an owner", func() bool {
				m.mu.Lock()
				defer m.mu.Unlock()
				for c := range m.conns {
					if c.owns {
						return true
					}
				}
				return false
			})
			m.output("live")
			testkit.Eventually(t, "live output", func() bool { return v.text() == "live" })
			if told := v.told(); !strings.Contains(told, "live output only") || !strings.Contains(told, text) {
				t.Errorf("told %q", told)
			}
			err := v.s.Input(t.Context(), []byte("ls\r"))
			if (err == nil) != control {
				t.Errorf("control %v: typed with error %v", control, err)
			}
			if control {
				testkit.Eventually(t, "the keys", func() bool { return len(m.requests("send_input")) == 1 })
			}
		}
	}
}

// Servers with and without a banner, that refuse subscribe, work alike.
func TestServersWithoutBannerOrSubscribe(t *testing.T) {
	for _, banner := range []bool{false, true} {
		for _, subscribe := range []bool{false, true} {
			m := &manager{banner: banner, subscribe: subscribe}
			c := m.serve(t)
			m.output("old ")
			v := watch(t, c, client.AttachOptions{})
			m.output("new")
			testkit.Eventually(t, "all output", func() bool { return v.text() == reset+"old new" })
		}
	}
}

// Servers of before and after the ring of 72 frames.
func TestServersOfBothRings(t *testing.T) {
	for name, m := range map[string]*manager{"before": {old: true}, "after": {ring: 72}} {
		c := m.serve(t)
		var want string
		for i := range 100 {
			part := fmt.Sprintf("%d ", i)
			m.output(part)
			if name == "before" || i >= 28 {
				want += part
			}
		}
		v := watch(t, c, client.AttachOptions{})
		testkit.Eventually(t, name, func() bool { return v.text() == reset+want })
		m.drop()
		testkit.Eventually(t, "a join that goes on", func() bool {
			q := m.requests("join_session")
			return len(q) >= 2 && q[len(q)-1]["replay_from"] != 0.0 && q[len(q)-1]["replay_from"] != nil
		})
		m.output("live")
		testkit.Eventually(t, name+", live", func() bool { return v.text() == reset+want+"live" })
	}
}

// The terminal is reset once before a replay, also if that begins with a keyframe; and again only
// where another session takes its place. What continues is not reset.
func TestTerminalIsResetOnce(t *testing.T) {
	m := &manager{}
	c := m.serve(t)
	m.output("old")
	m.keyframe("\x1b[H\x1b[Jscreen")
	m.output("new")
	v := watch(t, c, client.AttachOptions{})
	testkit.Eventually(t, "the replay", func() bool { return v.text() == reset+"\x1b[H\x1b[Jscreen"+"new" })
	m.keyframe("\x1b[H\x1b[Jsame") // it changes nothing for who has all before it
	m.drop()
	testkit.Eventually(t, "a second join", func() bool { return len(m.requests("join_session")) == 2 })
	m.output(" more")
	testkit.Eventually(t, "more", func() bool { return strings.HasSuffix(v.text(), " more") })
	if got, want := v.text(), reset+"\x1b[H\x1b[Jscreen"+"new more"; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
}

// A keyframe in place of frames that were left out is shown, and the loss is announced.
func TestKeyframeAnnouncesTheLoss(t *testing.T) {
	m := &manager{}
	c := m.serve(t)
	v := watchMode(t, c, m, protocol.ModeFrames)
	m.mu.Lock()
	m.next += 600
	m.mu.Unlock()
	m.keyframe("picture")
	m.output("after")
	testkit.Eventually(t, "the end", func() bool { return strings.HasSuffix(v.text(), "after") })
	if !strings.Contains(v.text(), reset+"picture") || !strings.Contains(v.told(), "are lost") {
		t.Errorf("shown %q, told %q", v.text(), v.told())
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, e := range v.events {
		if n, ok := e.(protocol.Numbered); ok && n.Kind == protocol.NumberedLost && n.End()-n.Number >= 600 {
			return
		}
	}
	t.Error("no frame says what is lost")
}

func watchMode(t *testing.T, c *client.Client, m *manager, mode protocol.Mode) *viewer {
	t.Helper()
	m.output("first")
	v := watch(t, c, client.AttachOptions{Mode: mode})
	testkit.Eventually(t, "the first output", func() bool { return strings.HasSuffix(v.text(), "first") })
	return v
}

// What the server says is lost is passed on, with its numbers.
func TestLostFramesArePassedOn(t *testing.T) {
	m := &manager{}
	c := m.serve(t)
	v := watchMode(t, c, m, protocol.ModeScreen)
	m.mu.Lock()
	m.next += 9
	m.add(map[string]any{"kind": "error", "message": "frames 3 to 12 are lost"})
	m.mu.Unlock()
	m.output("after")
	testkit.Eventually(t, "the end", func() bool { return strings.HasSuffix(v.text(), "after") })
	if told := v.told(); told != "frames 3 to 12 are lost" {
		t.Errorf("told %q", told)
	}
}

// A session that ended while there was no connection is over; a shell of ours is started again, and
// its screen starts empty.
func TestSessionThatEndedMeanwhile(t *testing.T) {
	m := &manager{}
	c := m.serve(t)
	v := watchMode(t, c, m, protocol.ModeScreen)
	m.mu.Lock()
	m.id = ""
	m.mu.Unlock()
	m.drop()
	v.over(t)
	if !errors.Is(v.err, session.ErrNotFound) {
		t.Errorf("error %v", v.err)
	}

	m = &manager{}
	c = m.serve(t)
	v = watch(t, c, client.AttachOptions{Control: true, Start: &client.Start{Cols: 80, Rows: 24}})
	m.output("one")
	testkit.Eventually(t, "output", func() bool { return v.text() == "one" })
	m.mu.Lock()
	m.id, m.frames, m.next = "", nil, 0 // the last starter's connection ends the shell of the original
	m.mu.Unlock()
	again := "019a0000-0000-7000-8000-0000000000bb"
	m.mu.Lock()
	m.id = again
	m.mu.Unlock()
	m.drop()
	testkit.Eventually(t, "a join of the new one", func() bool {
		q := m.requests("join_session")
		return q[len(q)-1]["session_id"] == again
	})
	if q := m.requests("start_shell"); len(q) != 2 {
		t.Errorf("started %d times", len(q))
	}
	testkit.Eventually(t, "a notice", func() bool { return strings.Contains(v.told(), "another one") })
}

// Control is asked for at each connection, and again when it is free.
func TestControlIsAskedForAgain(t *testing.T) {
	m := &manager{}
	c := m.serve(t)
	m.output("x")
	first := watch(t, c, client.AttachOptions{Control: true})
	second := watch(t, c, client.AttachOptions{Control: true})
	var refused *protocol.Error
	if err := second.s.Input(t.Context(), []byte("no")); !errors.As(err, &refused) ||
		refused.Code != protocol.CodeNoControl {
		t.Errorf("typed without control: %v", err)
	}
	if err := first.s.Input(t.Context(), []byte("h\xc3")); err != nil { // a character in two parts
		t.Error(err)
	}
	if err := first.s.Input(t.Context(), []byte("\xa9\r")); err != nil {
		t.Error(err)
	}
	if err := first.s.Input(t.Context(), []byte{0xff, 'x'}); err == nil {
		t.Error("bytes that are no text were taken")
	}
	if err := first.s.Resize(t.Context(), 10, 4); err == nil {
		t.Error("a size below 20x5 was taken")
	}
	if err := first.s.Resize(t.Context(), 120, 40); err != nil {
		t.Error(err)
	}
	testkit.Eventually(t, "the keys", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.typed.String() == "hé\r" })
	testkit.Eventually(t, "the size", func() bool { return count[protocol.Size](second) == 1 })
	_ = first.s.Close()
	testkit.Eventually(t, "control of the second",
		func() bool { return second.s.Input(context.Background(), []byte("!")) == nil })
	if err := second.s.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := second.s.Kill(t.Context(), 1); err != nil || !m.killed {
		t.Errorf("killed %v, %v", m.killed, err)
	}
}

// The token goes in the Authorization header, and in the query if that is how it was given; no
// error holds it.
func TestTokenIsNotShown(t *testing.T) {
	m := &manager{}
	c := m.serve(t)
	m.output("x")
	watch(t, c, client.AttachOptions{})
	watch(t, mustDial(t, m.url+"?token=query-token"), client.AttachOptions{})
	m.mu.Lock()
	if a := m.headers[0].Get("Authorization"); a != "Bearer secret-token" || m.queries[0] != "" {
		t.Errorf("sent %q and ?%s", a, m.queries[0])
	}
	if a := m.headers[1].Get("Authorization"); a != "Bearer query-token" || m.queries[1] != "token=query-token" {
		t.Errorf("sent %q and ?%s", a, m.queries[1])
	}
	m.mu.Unlock()

	for _, status := range []int{401, 403, 404, 400, 500, 302, 200} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", r.URL.String())
			w.WriteHeader(status)
			fmt.Fprintln(w, r.URL, r.Header)
		}))
		_, err := mustDial(t, "ws"+strings.TrimPrefix(s.URL, "http")+"/a/b?token=secret-token").Attach(t.Context(), "",
			client.AttachOptions{})
		s.Close()
		if err == nil || strings.Contains(err.Error(), "secret") ||
			(status == 401 || status == 403) != errors.Is(err, client.ErrToken) {
			t.Errorf("status %d: %v", status, err)
		}
	}
	_, err := mustDial(t, "ws://127.0.0.1:1/a?token=secret-token").Attach(t.Context(), "", client.AttachOptions{})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("nobody listens: %v", err)
	}
}

// Hostile servers: nothing that one sends breaks the client, or reaches it as what it is not.
func TestHostileMessages(t *testing.T) {
	data := base64.StdEncoding.EncodeToString([]byte("bad"))
	frame := func(fields string) string {
		return `{"type":"session_frame","session_id":"` + sessionID + `",` + fields + `}`
	}
	noise := []string{
		"", "{", "null", "[]", `"x"`, `{"type":5}`, `{"type":"session_frame"}`, "\x00\xff", strings.Repeat("[", 10_000),
		frame(`"seq":-1,"kind":"output","data":"` + data + `"`),
		frame(`"seq":-9223372036854775808,"kind":"output","data":"` + data + `"`),
		frame(`"seq":9223372036854775807,"kind":"output","data":"` + data + `"`),
		frame(`"seq":99999999999999999999,"kind":"output","data":"` + data + `"`),
		frame(`"seq":1.5,"kind":"output","data":"` + data + `"`),
		frame(`"seq":0,"kind":"output","data":"` + data + `"`), // again
		frame(`"seq":90,"kind":"resize","cols":65535,"rows":65535`),
		frame(`"seq":91,"kind":"resize","cols":-1,"rows":0`),
		frame(`"seq":92,"kind":"nothing"`),
		frame(`"seq":93,"kind":"role_assigned","role":"\u001b]0;x\u0007"`),
		`{"type":"session_frame","session_id":"another","seq":95,"kind":"output","data":"` + data + `"}`,
		`{"type":"output","agent_id":"agent-01","command_id":"` + commandID + `","stream":"stdout","data":"bad"}`,
		`{"type":"session_killed","agent_id":"agent-01","session_name":"main","exit_code":3}`,
		`{"type":"session_left","session_id":"` + sessionID + `"}`,
		`{"type":"pong","timestamp":0}`, `{"type":"session_list","sessions":null}`,
	}
	m := &manager{}
	c := m.serve(t)
	m.mu.Lock()
	m.next = 1
	m.mu.Unlock()
	v := watchMode(t, c, m, protocol.ModeScreen)
	m.mu.Lock()
	for c := range m.conns {
		for _, text := range noise {
			c.raw(text)
		}
		c.raw(frame(`"seq":96,"kind":"output","data":"@@@"`))
		c.raw(`{"type":"error","message":"\u001b]52;c;AAAA\u0007 \u202e hello ` + strings.Repeat("x", 100_000) + `"}`)
	}
	m.next = 200
	m.mu.Unlock()
	m.output(" good")
	testkit.Eventually(t, "what is good", func() bool { return strings.HasSuffix(v.text(), " good") })
	if got := v.text(); got != reset+"first good" {
		t.Errorf("shown %q", got)
	}
	told := v.told()
	if !strings.Contains(told, "damaged") || !strings.Contains(told, "hello") ||
		strings.ContainsAny(told, "\x1b\a\u202e") || len(told) > 2000 {
		t.Errorf("told %q", told)
	}
	if n := count[protocol.Size](v); n != 0 {
		t.Errorf("%d sizes", n)
	}
}

// A message of more than 1 MiB ends the stream for good: it would come again.
func TestHostileHugeMessage(t *testing.T) {
	m := &manager{}
	c := m.serve(t)
	v := watchMode(t, c, m, protocol.ModeScreen)
	m.output(strings.Repeat("x", 1<<20))
	v.over(t)
	if v.err == nil || !strings.Contains(v.err.Error(), "message of more than") {
		t.Errorf("error %v", v.err)
	}
}

// A server that sends frames instead of an answer does not fill the memory, nor hold the client.
func TestHostileEndlessFrames(t *testing.T) {
	m := &manager{}
	big := base64.StdEncoding.EncodeToString(make([]byte, 200<<10))
	var endless sync.WaitGroup
	m.answer = func(c *managerConn, q map[string]any) bool {
		if q["type"] != "join_session" {
			return false
		}
		endless.Go(func() {
			for i := 0; c.ctx.Err() == nil && i < 1000; i++ {
				if c.ws.Write(c.ctx, 1, fmt.Appendf(nil,
					`{"type":"session_frame","session_id":"%s","seq":%d,"kind":"output","data":"%s"}`, sessionID, i, big)) != nil {
					return
				}
			}
		})
		return true
	}
	c := m.serve(t)
	m.output("x")
	_, err := c.Attach(t.Context(), "", client.AttachOptions{})
	if err == nil {
		t.Error("it waits for ever")
	}
	m.drop()
	endless.Wait()
}

// Hostile ids and names are not believed in.
func TestHostileNames(t *testing.T) {
	m := &manager{agents: []string{"a\x1b[31m", "good"}}
	m.answer = func(c *managerConn, q map[string]any) bool {
		if q["type"] == "list_sessions" {
			c.send(map[string]any{"type": "session_list", "agent_id": "good", "sessions": []map[string]any{
				{"session_name": "main", "session_id": "\x1b]0;x\a", "command_id": "c"},
				{"session_name": "evil\x1b[2J\u202e", "session_id": "id-1", "command_id": "c", "command": "rm\r\n",
					"cols": 1 << 30, "rows": 5},
			}})
			return true
		}
		return false
	}
	c := m.serve(t)
	list, err := c.Sessions(t.Context())
	if err != nil || len(list) != 1 || strings.ContainsAny(list[0].Title+strings.Join(list[0].Command, ""),
		"\x1b\u202e\r\n") {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = c.Attach(t.Context(), "", client.AttachOptions{})
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\u202e") {
		t.Errorf("%v", err)
	}
}

// A stream that nobody reads holds the server up, and takes no memory.
func TestHostileNobodyReads(t *testing.T) {
	m := &manager{}
	c := m.serve(t)
	m.output("x")
	s, err := c.Attach(t.Context(), "", client.AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var conn *managerConn
	m.mu.Lock()
	for conn = range m.conns {
	}
	m.mu.Unlock()
	sent := 0
	text := fmt.Appendf(nil, `{"type":"session_frame","session_id":"%s","seq":%%d,"kind":"output","data":"%s"}`,
		sessionID, base64.StdEncoding.EncodeToString(make([]byte, 100<<10)))
	for i := range 10_000 {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		err := conn.ws.Write(ctx, 1, bytes.Replace(text, []byte("%d"), fmt.Append(nil, i+100), 1))
		cancel()
		if err != nil {
			break
		}
		sent++
	}
	if sent == 10_000 {
		t.Error("the server was never held up")
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Close() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("Close does not return")
	}
}
