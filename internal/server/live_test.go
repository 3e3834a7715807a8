//go:build linux

package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// through returns a client of the server, by way of a proxy that can break connections.
func (s *site) through(t testing.TB) (c *client.Client, breaks func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var conns []net.Conn
	var running sync.WaitGroup
	running.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				_ = near.Close()
				continue
			}
			mu.Lock()
			conns = append(conns, near, far)
			mu.Unlock()
			running.Go(func() { _, _ = io.Copy(near, far); _ = near.Close() })
			running.Go(func() { _, _ = io.Copy(far, near); _ = far.Close() })
		}
	})
	breaks = func() {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range conns {
			_ = c.Close()
		}
		conns = nil
	}
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); _ = l.Close(); breaks(); running.Wait() })
	if c, err = client.Dial(t.Context(), "http://"+l.Addr().String(),
		client.Options{Token: token, HTTP: &http.Client{Transport: transport}}); err != nil {
		t.Fatal(err)
	}
	return c, breaks
}

// A live session over a server whose connections break: every byte, once, and then its status.
func TestLiveResumes(t *testing.T) {
	s := newSite(t, nil)
	h := s.host(80, 24)
	c, breaks := s.through(t)
	stream, err := c.Attach(t.Context(), h.id, client.AttachOptions{Mode: protocol.ModeBytes})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	want := make([]byte, 3<<20)
	for i := range want {
		want[i] = byte(rand.Uint32())
	}
	go func() {
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 1+rand.Intn(40_000))
			h.write(rest[:n])
			rest = rest[n:]
		}
		h.exit(7)
	}()
	var got bytes.Buffer
	for buf, next := make([]byte, 50_000), 500_000; ; {
		n, err := stream.Read(buf)
		got.Write(buf[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if got.Len() > next {
			next += 1_000_000
			breaks()
		}
	}
	if status, ok := stream.ExitStatus(); !bytes.Equal(got.Bytes(), want) || status != 7 || !ok {
		t.Errorf("%d bytes of %d, equal: %v; status %d %v", got.Len(), len(want), bytes.Equal(got.Bytes(), want), status, ok)
	}
}

// A past session is watched as a live one is.
func TestPastSession(t *testing.T) {
	s := newSite(t, nil)
	info, want := s.recorded()
	c, _ := s.through(t)
	for _, from := range []int64{0, 1, 777, int64(len(want) - 1), int64(len(want))} {
		entries := 0
		var told []*session.Entry
		stream, err := c.Attach(t.Context(), info.ID,
			client.AttachOptions{Mode: protocol.ModeBytes, From: &from, Entries: &entries, OnEvent: func(e client.Event) {
				if e, ok := e.(protocol.Entries); ok {
					told = append(told, e.Entries...)
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(stream)
		if err != nil || !bytes.Equal(got, want[from:]) {
			t.Errorf("from %d: %d bytes, want %d; %v", from, len(got), len(want)-int(from), err)
		}
		if status, ok := stream.ExitStatus(); status != 0 || !ok || len(told) < info.Messages {
			t.Errorf("status %d %v, %d entries", status, ok, len(told))
		}
		_ = stream.Close()
	}
	for _, mode := range []protocol.Mode{protocol.ModeScreen, protocol.ModeText} {
		stream, err := c.Attach(t.Context(), info.ID, client.AttachOptions{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		shown := false
		for {
			e, err := stream.Next(t.Context())
			if err != nil {
				break
			}
			switch e := e.(type) {
			case protocol.Snapshot:
				shown = len(e.Data) > 0 && e.Cols == info.Cols
			case protocol.Screen:
				shown = len(e.Lines) == info.Rows
			}
		}
		if !shown {
			t.Errorf("%s shows no screen", mode)
		}
		_ = stream.Close()
	}
}

// The raw log over HTTP is what was written, whole and in ranges.
func TestRaw(t *testing.T) {
	s := newSite(t, nil)
	info, want := s.recorded()
	path := "/api/sessions/" + info.ID[:20] + "/raw"
	if _, got := s.do("GET", path, ""); got != string(want) {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	for header, part := range map[string][]byte{"bytes=10-19": want[10:20], "bytes=-5": want[len(want)-5:],
		"bytes=5000-": want[5000:]} {
		resp, got := s.do("GET", path, "", "Range", header)
		if resp.StatusCode != http.StatusPartialContent || got != string(part) {
			t.Errorf("%s: %s, %d bytes, want %d", header, resp.Status, len(got), len(part))
		}
	}
	if resp, _ := s.do("GET", path, "", "Range",
		"bytes=99999999-"); resp.StatusCode != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("behind the end: %s", resp.Status)
	}
}

// sse reads events until one has this name, and returns them.
type sse struct{ name, id, data string }

func (s *site) events(t *testing.T, path, last string, until func(sse) bool) (got []sse) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var text []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buf)
		text = append(text, buf[:n]...)
		for {
			block, rest, found := bytes.Cut(text, []byte("\n\n"))
			if !found {
				break
			}
			text = rest
			var e sse
			for line := range strings.Lines(string(block)) {
				key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
				switch key {
				case "event":
					e.name = value
				case "id":
					e.id = value
				case "data":
					e.data = value
				}
			}
			if e.name != "" {
				got = append(got, e)
				if until(e) {
					return got
				}
			}
		}
		if err != nil {
			return got
		}
	}
}

func names(events []sse) string {
	var names []string
	for _, e := range events {
		names = append(names, e.name)
	}
	return strings.Join(names, " ")
}

// Events go on behind the last one that was seen: only what is new or different, and all of it
// where what was there has changed.
func TestEventsResume(t *testing.T) {
	s := newSite(t, nil)
	info, _ := s.recorded()
	path := "/api/sessions/" + info.ID + "/events"
	never := func(sse) bool { return false }
	all := s.events(t, path, "", never)
	if got := names(all); !strings.HasPrefix(got, "hello reset entries") || !strings.HasSuffix(got, "exit") {
		t.Fatalf("got %s", got)
	}
	if resp, _ := s.do("GET", path, "", "Last-Event-ID", all[len(all)-1].id); resp.StatusCode != http.StatusNoContent {
		t.Errorf("behind the end: %s", resp.Status)
	}
	id := all[len(all)-2].id // of the last entries
	if again := s.events(t, path, id, never); strings.Contains(names(again), "reset") ||
		strings.Count(again[1].data, `"seq":`) != 0 {
		t.Errorf("what was told comes again: %s %s", names(again), again[1].data)
	}
	entries, err := s.db.Entries(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	changed := *entries[1]
	changed.Text += "!"
	more := &session.Entry{ID: "new", Seq: len(entries) + 1, Type: session.TypeMessage, Role: session.RoleUser,
		Text: "more", At: changed.At}
	if err := s.db.SaveEntries(t.Context(), info.ID, []*session.Entry{more}); err != nil {
		t.Fatal(err)
	}
	if again := s.events(t, path, id, never); strings.Contains(names(again), "reset") ||
		strings.Count(again[1].data, `"id":`) != 1 {
		t.Errorf("not only what is new: %s %s", names(again), again[1].data)
	}
	if err := s.db.SaveEntries(t.Context(), info.ID, []*session.Entry{&changed}); err != nil {
		t.Fatal(err)
	}
	for _, last := range []string{id, "nonsense", "99999-x", "-1-x"} {
		if again := s.events(t, path, last, never); !strings.HasPrefix(names(again), "hello reset entries") {
			t.Errorf("%s: what has changed is not told: %s", last, names(again))
		}
	}
}

// A live session's events: entries as they come and change, states, the size, and the end.
func TestLiveEvents(t *testing.T) {
	s := newSite(t, nil)
	h := s.host(80, 24)
	e := &session.Entry{ID: "e1", Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "hi",
		At: time.Now().UTC(), Status: session.StatusStreaming}
	put := func(text string) {
		c := *e
		c.Text = text
		if err := s.db.SaveEntries(context.Background(), h.id, []*session.Entry{&c}); err != nil {
			t.Error(err)
		}
		h.host.Update(protocol.Entries{Entries: []*session.Entry{&c}})
	}
	put("a")
	stage := 0
	got := s.events(t, "/api/sessions/"+h.id+"/events?screen=true", "", func(e sse) bool {
		switch {
		case stage == 0 && e.name == "entries" && strings.Contains(e.data, `"text":"a"`):
			stage++
			put("a and b")
		case stage == 1 && e.name == "entries" && strings.Contains(e.data, `"text":"a and b"`):
			stage++
			h.write([]byte("on the screen"))
		case stage == 2 && e.name == "screen" && strings.Contains(e.data, "on the screen"):
			stage++
			_ = h.Resize(100, 30)
		case stage == 3 && strings.Contains(e.data, `"cols":100`):
			stage++
			h.exit(4)
		}
		return e.name == "exit"
	})
	last := got[len(got)-1]
	if stage != 4 || last.id != "end" || !strings.Contains(last.data, `"status":4`) {
		t.Errorf("stage %d, %s, %+v", stage, names(got), last)
	}
}

// Sessions of other processes appear, change and end.
func TestWatchSessions(t *testing.T) {
	s := newSite(t, nil)
	first := s.host(80, 24)
	stage := 0
	var second *hosted
	gone := false
	remove := func(h *hosted) {
		h.exit(0)
		_ = s.db.DeleteSession(context.Background(), h.id)
	}
	got := s.events(t, "/api/events", "", func(e sse) bool {
		switch {
		case stage == 0 && strings.Contains(e.data, first.id):
			stage++
			second = s.host(80, 24)
		case stage == 1 && strings.Contains(e.data, second.id) && strings.Contains(e.data, `"attachable":true`):
			stage++
			second.exit(1)
		case stage == 2 && strings.Contains(e.data, second.id) && strings.Contains(e.data, `"status":"ended"`):
			stage++
			remove(first)
		case stage == 3 && e.name == "removed":
			gone = strings.Contains(e.data, first.id)
		case stage == 3 && strings.Contains(e.data, first.id) && strings.Contains(e.data, `"status":"ended"`):
			stage++ // its end was reported before it was removed, so that it is no longer watched: try another one
			first = s.host(80, 24)
		case stage == 4 && strings.Contains(e.data, first.id) && strings.Contains(e.data, `"attachable":true`):
			stage--
			remove(first)
		}
		return gone
	})
	if !gone {
		t.Errorf("no session was removed, stage %d: %s", stage, names(got))
	}
}

// What one client does, another can read: who has control, and the newest screen.
func TestControlAndSnapshotReachTheBrowser(t *testing.T) {
	s := newSite(t, nil)
	h := s.host(40, 5)
	h.write([]byte("\x1b[31mred\x1b[m alert"))
	agent := s.dial(t, "/ws/agent/"+h.id+"?name=robot")
	var m struct {
		Type, SessionID, Content string
		Screen                   protocol.Screen
	}
	next := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, message, err := agent.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		m.Screen = protocol.Screen{}
		if err := json.Unmarshal(message, &m); err != nil {
			t.Fatal(err)
		}
	}
	for m.Content != "red alert" {
		next()
	}
	if m.Type != "terminal.snapshot" || m.SessionID != h.id || len(m.Screen.Lines) != 5 || m.Screen.Cursor.X != 9 {
		t.Errorf("got %+v", m)
	}
	var c protocol.Control
	s.get("/api/sessions/"+h.id+"/control", &c)
	if len(c.Viewers) != 1 || c.Viewers[0].Name != "robot" || c.Viewers[0].Kind != protocol.Agent || c.Grant != nil {
		t.Errorf("control %+v", c)
	}
	if err := agent.Write(t.Context(), websocket.MessageText,
		[]byte(`{"type":"terminal.input","requestId":"r1","data":"rm\r"}`)); err != nil {
		t.Fatal(err)
	}
	for m.Type != "error" {
		next()
	}
	if h.saw() != "" {
		t.Errorf("without a grant %q was typed", h.saw())
	}
	if resp, body := s.do("POST", "/api/sessions/"+h.id+"/control",
		`{"action":"grant","seconds":60}`); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"until"`) {
		t.Errorf("grant: %s", body)
	}
	for m.Type != "terminal.control.grant" {
		next()
	}
	s.get("/api/sessions/"+h.id+"/control", &c)
	if c.Grant == nil || c.Grant.Until == nil {
		t.Errorf("control %+v", c)
	}
	if err := agent.Write(t.Context(), websocket.MessageText,
		[]byte(`{"type":"terminal.input","requestId":"r2","data":"ls\r"}`)); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "what the agent types arrives", func() bool { return h.saw() == "ls\r" })
	if resp, body := s.do("POST", "/api/sessions/"+h.id+"/control",
		`{"action":"revoke"}`); resp.StatusCode != http.StatusOK {
		t.Errorf("revoke: %s", body)
	}
	for m.Type != "terminal.control.revoke" {
		next()
	}
	// no --allow-run
	for _, bad := range []string{"{", `{"type":"x"}`, `{"type":"terminal.proxy.start","requestId":"r3","command":"id"}`} {
		if err := agent.Write(t.Context(), websocket.MessageText, []byte(bad)); err != nil {
			t.Fatal(err)
		}
		m.Type = ""
		for m.Type != "error" {
			next()
		}
	}
	resp, body := s.do("GET", "/api/sessions/"+h.id+"/screen?format=text", "")
	if lines := strings.Split(body, "\n"); resp.StatusCode != http.StatusOK || lines[0] != "red alert" {
		t.Errorf("the screen is %q", body)
	}
}

// terminal.proxy.start runs a command where that is allowed, and says in which session.
func TestProxyStart(t *testing.T) {
	var s *site
	var command []string
	s = newSite(t, func(o *server.Options) {
		o.AllowRun = true
		o.Start = func(_ context.Context, start server.StartOptions) (string, error) {
			command = start.Command
			h, err := s.hostTerminal(start.Cols, start.Rows)
			if err != nil {
				return "", err
			}
			return h.id, nil
		}
	})
	h := s.host(80, 24)
	agent := s.dial(t, "/ws/agent/"+h.id)
	if err := agent.Write(t.Context(), websocket.MessageText,
		[]byte(`{"type":"terminal.proxy.start","requestId":"r","command":"echo","args":["a","b"]}`)); err != nil {
		t.Fatal(err)
	}
	for {
		_, message, err := agent.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ Type, RequestID, SessionID string }
		if err := json.Unmarshal(message, &m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "terminal.proxy.started" {
			if m.RequestID != "r" || m.SessionID == "" || cmp.Diff([]string{"echo", "a", "b"}, command) != "" {
				t.Errorf("%s started %v", message, command)
			}
			break
		}
	}
	resp, body := s.do("POST", "/api/sessions", `{"command":["sh"],"cols":90,"rows":20}`)
	if resp.StatusCode != http.StatusCreated || !strings.Contains(body, `"cols":90`) {
		t.Errorf("%s %s", resp.Status, body)
	}
}

// At least half a second passes between two screens that are sent to an agent, even if the first
// one was late. The newest screen is sent, and the last one before the exit.
func TestAgentScreensKeepTheirDistance(t *testing.T) {
	s := newSite(t, nil)
	h := s.host(40, 5)
	agent := s.dial(t, "/ws/agent/"+h.id)
	var last int64
	content := ""
	for n := 0; ; n++ {
		h.write(fmt.Appendf(nil, "\rstep %d", n))
		if n == 4 {
			h.exit(3)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, message, err := agent.Read(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Type, Content string
			Timestamp     int64
		}
		if err := json.Unmarshal(message, &m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "terminal.exit" {
			break
		}
		if n < 4 && last > 0 && m.Timestamp-last < 500 {
			t.Errorf("a screen came %d ms after the one before", m.Timestamp-last)
		}
		last, content = m.Timestamp, m.Content
	}
	if content != "step 4" {
		t.Errorf("the last screen is %q", content)
	}
}

// With open reading, one may watch without a token, and is told that one may no more.
func TestWatchOnly(t *testing.T) {
	s := newSite(t, func(o *server.Options) { o.OpenReading = true })
	h := s.host(80, 24)
	ws, _, err := websocket.Dial(t.Context(), s.url+"/api/sessions/"+h.id+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	for _, m := range [][]byte{
		frame(t, protocol.TypeAttach, protocol.Attach{Version: 1, Name: "x", Kind: protocol.Human, Mode: protocol.ModeNone,
			Control: true}),
		protocol.Append(nil, protocol.Input(1, []byte("rm -rf /\r"))),
		frame(t, protocol.TypeSize, protocol.SizeRequest{ID: 2, Cols: 10, Rows: 10}),
		frame(t, protocol.TypeRequest, protocol.ControlRequest{ID: 3, Action: protocol.Allow}),
		frame(t, protocol.TypeKill, protocol.Kill{ID: 4, Signal: 9}),
	} {
		if err := ws.Write(t.Context(), websocket.MessageBinary, m); err != nil {
			t.Fatal(err)
		}
	}
	for refused := 0; refused < 4; {
		_, message, err := ws.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if message[0] == byte(protocol.TypeAck) {
			if !bytes.Contains(message, []byte(protocol.CodeNotAllowed)) {
				t.Errorf("got %s", message)
			}
			refused++
		}
	}
	if h.saw() != "" || len(h.sizes)+len(h.sigs) > 0 {
		t.Errorf("typed %q, sizes %v, signals %v", h.saw(), h.sizes, h.sigs)
	}
}

// A size that the API sets stays, though it leaves at once: it is what the window gets back from a
// viewer.
func TestResizeStays(t *testing.T) {
	s := newSite(t, nil)
	h := s.host(80, 24)
	if resp, body := s.do("POST", "/api/sessions/"+h.id+"/resize",
		`{"cols":100,"rows":30}`); resp.StatusCode != http.StatusNoContent {
		t.Fatalf("%s: %s", resp.Status, body)
	}
	c, err := client.Dial(t.Context(), "", client.Options{Dir: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := c.Attach(t.Context(), h.id, client.AttachOptions{Name: "me", Mode: protocol.ModeNone, Control: true})
	if err != nil {
		t.Fatal(err)
	}
	go func() { // answers come while somebody reads
		for err := error(nil); err == nil; {
			_, err = stream.Next(context.Background())
		}
	}()
	if err := stream.Resize(t.Context(), 90, 20); err != nil {
		t.Fatal(err)
	}
	_ = stream.Close()
	var sizes [][2]int
	testkit.Eventually(t, "the window's size is given back", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		sizes = slices.Clone(h.sizes)
		return len(sizes) >= 3
	})
	if diff := cmp.Diff([][2]int{{100, 30}, {90, 20}, {100, 30}}, sizes); diff != "" {
		t.Errorf("the window's sizes (-want +got):\n%s", diff)
	}
}

// BenchmarkLive carries 100 MB from a session to a WebSocket that wants every byte.
func BenchmarkLive(b *testing.B) {
	const total = 100 << 20
	s := newSite(b, nil)
	id := s.flood(total)
	b.SetBytes(total)
	buf := make([]byte, protocol.MaxFrame)
	for b.Loop() {
		ws := s.dial(b, "/api/sessions/"+id+"/live")
		if err := ws.Write(b.Context(), websocket.MessageBinary,
			frame(b, protocol.TypeAttach, protocol.Attach{Version: 1, Mode: protocol.ModeBytes,
				Kind: protocol.Human})); err != nil {
			b.Fatal(err)
		}
		for seq := int64(0); seq < total; {
			_, r, err := ws.Reader(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			n, err := io.ReadFull(r, buf)
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				b.Fatal(err)
			}
			if buf[0] != byte(protocol.TypeOutput) {
				continue
			}
			at, data, err := protocol.Frame{Type: protocol.TypeOutput, Payload: buf[5:n]}.Output()
			if err != nil || at != seq || data[0] != byte(seq>>16) {
				b.Fatalf("output at %d, want %d: %v", at, seq, err)
			}
			seq += int64(len(data))
		}
		_ = ws.CloseNow()
	}
}

// flood is a session that has written so many bytes, and sends them as fast as they are taken.
func (s *site) flood(total int64) (id string) {
	sess := session.Session{ID: store.NewID(), StartedAt: time.Now().UTC(), Cols: 80, Rows: 24}
	raw, err := sqlite.Record(s.db.Path(), sess, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _, _ = raw.Close() })
	l, err := net.Listen("unix", rundir.Socket(s.dir, sess.ID))
	if err != nil {
		s.t.Fatal(err)
	}
	var running sync.WaitGroup
	s.t.Cleanup(func() { _ = l.Close(); running.Wait() })
	hello := frame(s.t, protocol.TypeHello, protocol.Hello{Version: 1, Session: sess})
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				_, _ = protocol.NewReader(conn).Next()
				_, err := conn.Write(hello)
				data := make([]byte, protocol.MaxOutput)
				var out []byte
				for seq := int64(0); seq < total && err == nil; {
					for out = out[:0]; len(out) < 256<<10 && seq < total; seq += int64(len(data)) {
						data[0] = byte(seq >> 16)
						out = protocol.Append(out, protocol.Output(seq, data))
					}
					_, err = conn.Write(out)
				}
				_, _ = io.Copy(io.Discard, conn) // until the viewer leaves
			})
		}
	})
	return sess.ID
}

// BenchmarkIdleViewers tells what a viewer that never reads costs, in bytes of memory.
func BenchmarkIdleViewers(b *testing.B) {
	s := newSite(b, nil)
	h := s.host(80, 24)
	const viewers = 50
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range viewers {
			ws := s.dial(b, "/api/sessions/"+h.id+"/live")
			if err := ws.Write(b.Context(), websocket.MessageBinary,
				frame(b, protocol.TypeAttach, protocol.Attach{Version: 1, Mode: protocol.ModeScreen,
					Kind: protocol.Human})); err != nil {
				b.Fatal(err)
			}
		}
		chunk := bytes.Repeat([]byte("0123456789abcdef"), 4096)
		for range 20 << 20 / len(chunk) {
			h.write(chunk)
			time.Sleep(time.Millisecond)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapInuse+after.StackInuse-before.HeapInuse-before.StackInuse)/viewers, "B/viewer")
	}
}

// Text that was posted, or sent by an agent, while the agent in the session asked answered the
// question.
func TestInputDoesNotAnswerQuestions(t *testing.T) {
	s := newSite(t, nil)
	h := s.host(60, 8)
	h.write([]byte("Do you trust the files in this folder?\r\n\r\n❯ 1. Yes\r\n  2. No\r\n Enter to confirm"))
	if resp, body := s.do("POST", "/api/sessions/"+h.id+"/control",
		`{"action":"grant"}`); resp.StatusCode != http.StatusOK {
		t.Fatal(body)
	}
	for _, body := range []string{`{"text":"no\r"}`, `{"text":"\r"}`, `{"base64":"DQ=="}`,
		`{"text":"no\r","kind":"human"}`} {
		resp, got := s.do("POST", "/api/sessions/"+h.id+"/input", body)
		if resp.StatusCode != http.StatusConflict || resp.Header.Get("Content-Type") != "application/problem+json" ||
			!strings.Contains(got, `"code":"asking"`) {
			t.Errorf("%s: %s, %s", body, resp.Status, got)
		}
	}
	ws := s.dial(t, "/ws/agent/"+h.id+"?name=robot")
	typed := func(message string) {
		t.Helper()
		if err := ws.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	typed(`{"type":"terminal.input","requestId":"r1","data":"no\r"}`)
	for {
		_, message, err := ws.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(message), `"r1"`) {
			if !strings.Contains(string(message), `"asking"`) {
				t.Errorf("got %s", message)
			}
			break
		}
	}
	if h.saw() != "" {
		t.Errorf("%q was typed", h.saw())
	}
	typed(`{"type":"terminal.input","requestId":"r2","data":"2","force":true}`)
	testkit.Eventually(t, "what is forced arrives", func() bool { return h.saw() == "2" })
	if resp, body := s.do("POST", "/api/sessions/"+h.id+"/input",
		`{"text":"\r","force":true}`); resp.StatusCode != http.StatusNoContent || h.saw() != "2\r" {
		t.Errorf("%s, %s: %q", resp.Status, body, h.saw())
	}
}
