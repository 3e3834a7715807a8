//go:build linux

package server_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/protocol"
)

// Pages of other sites, and names that are not ours, get nothing, whatever token a browser may
// send.
func TestForeignRequests(t *testing.T) {
	s := newSite(t, func(o *server.Options) { o.Hosts = []string{"laptop.lan"} })
	info, _ := s.recorded()
	host := strings.TrimPrefix(s.url, "http://")
	for _, c := range []struct {
		name, method, path string
		header             []string
		status             int
	}{
		{"own origin", "PATCH", "/api/sessions/" + info.ID, []string{"Origin", s.url}, 200},
		{"no origin", "PATCH", "/api/sessions/" + info.ID, nil, 200},
		{"foreign origin", "PATCH", "/api/sessions/" + info.ID, []string{"Origin", "http://evil.example"}, 403},
		{"null origin", "PATCH", "/api/sessions/" + info.ID, []string{"Origin", "null"}, 403},
		{"other port", "PATCH", "/api/sessions/" + info.ID, []string{"Origin", "http://127.0.0.1:1"}, 403},
		{"origin without host", "PATCH", "/api/sessions/" + info.ID, []string{"Origin", "http://"}, 403},
		{"other scheme", "PATCH", "/api/sessions/" + info.ID, []string{"Origin", "file://" + host}, 403},
		{"cross-site by the browser's word", "PATCH", "/api/sessions/" + info.ID, []string{"Sec-Fetch-Site", "cross-site"},
			403},
		{"same-site is another origin", "PATCH", "/api/sessions/" + info.ID, []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"rebound name", "GET", "/api/sessions", []string{"Host", "evil.example"}, 421},
		{"rebound name, its origin", "PATCH", "/api/sessions/" + info.ID,
			[]string{"Host", "evil.example", "Origin", "http://evil.example"}, 421},
		{"rebound name, the page", "GET", "/", []string{"Host", "evil.example:7681"}, 421},
		{"empty name", "GET", "/api/info", []string{"Host", "localhost.evil.example"}, 421},
		{"localhost", "GET", "/api/info", []string{"Host", "localhost:99"}, 200},
		{"v6", "GET", "/api/info", []string{"Host", "[::1]:99"}, 200},
		{"known name", "GET", "/api/info", []string{"Host", "Laptop.LAN:99"}, 200},
		{"form", "PATCH", "/api/sessions/" + info.ID, []string{"Content-Type", "text/plain"}, 415},
	} {
		body := ""
		if c.method == "PATCH" {
			body = `{"note":"x"}`
		}
		resp, text := s.do(c.method, c.path, body, c.header...)
		if resp.StatusCode != c.status {
			t.Errorf("%s: %s %s", c.name, resp.Status, text)
		}
		if resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: other origins may read", c.name)
		}
	}
	if !strings.Contains(s.log.String(), "pages of other sites are refused") {
		t.Error("refusals are not logged")
	}
}

// Whoever has no token writes nothing, and reads only if that is open; a wrong one is refused
// always.
func TestToken(t *testing.T) {
	for _, c := range []struct {
		name             string
		o                server.Options
		none, bad, right [2]int // statuses of reading and writing: without a token, with a wrong one, with it
	}{
		{"open", server.Options{OpenReading: true}, [2]int{200, 401}, [2]int{401, 401}, [2]int{200, 200}},
		{"closed", server.Options{}, [2]int{401, 401}, [2]int{401, 401}, [2]int{200, 200}},
		{"read-only, open", server.Options{ReadOnly: true, OpenReading: true}, [2]int{200, 403}, [2]int{401, 401},
			[2]int{200, 403}},
		{"read-only", server.Options{ReadOnly: true}, [2]int{401, 401}, [2]int{401, 401}, [2]int{200, 403}},
	} {
		s := newSite(t, func(o *server.Options) { o.ReadOnly, o.OpenReading = c.o.ReadOnly, c.o.OpenReading })
		info, _ := s.recorded()
		for name, try := range map[string]struct {
			header string
			want   [2]int
		}{"none": {"", c.none}, "bad": {"Bearer " + token + "x", c.bad}, "right": {"Bearer " + token, c.right}} {
			read, _ := s.do("GET", "/api/sessions", "", "Authorization", try.header)
			write, _ := s.do("PATCH", "/api/sessions/"+info.ID, `{"note":"x"}`, "Authorization", try.header)
			if got := [2]int{read.StatusCode, write.StatusCode}; got != try.want {
				t.Errorf("%s, token %s: read and write give %v, want %v", c.name, name, got, try.want)
			}
		}
		s.stop()
		if strings.Contains(s.log.String(), token) {
			t.Error("the log has the token")
		}
	}
}

// A WebSocket needs what other requests need.
func TestSocketGuard(t *testing.T) {
	s := newSite(t, nil)
	h := s.host(80, 24)
	coded := client.TokenPrefix + base64.RawURLEncoding.EncodeToString([]byte(token))
	for _, c := range []struct {
		name   string
		path   string
		header http.Header
		protos []string
		status int
	}{
		{"no token", "/api/sessions/" + h.id + "/live", nil, nil, 401},
		{"wrong token", "/api/sessions/" + h.id + "/live", nil, []string{client.TokenPrefix + "eHh4"}, 401},
		{"foreign origin", "/api/sessions/" + h.id + "/live", http.Header{"Origin": {"https://evil.example"}},
			[]string{coded}, 403},
		{"foreign origin, agent", "/ws/agent/" + h.id, http.Header{"Origin": {"https://evil.example"}}, []string{coded}, 403},
		{"no such session", "/api/sessions/zzz/live", nil, []string{coded}, 404},
		{"a path out", "/api/sessions/..%2f..%2fetc%2fpasswd/live", nil, []string{coded}, 404},
		{"right", "/api/sessions/" + h.id + "/live", http.Header{"Origin": {s.url}}, []string{client.Subprotocol, coded},
			101},
		{"token alone", "/api/sessions/" + h.id + "/live", nil, []string{coded}, 101},
		{"token alone, agent", "/ws/agent/" + h.id, nil, []string{coded}, 101},
		{"two tokens, one wrong", "/api/sessions/" + h.id + "/live", nil, []string{coded, client.TokenPrefix + "eHh4"}, 401},
		{"a wrong token beside the right header", "/api/sessions/" + h.id + "/live",
			http.Header{"Authorization": {"Bearer " + token}}, []string{client.TokenPrefix + "eHh4"}, 401},
		{"an empty token", "/api/sessions/" + h.id + "/live", nil, []string{client.TokenPrefix}, 401},
	} {
		ws, resp, err := websocket.Dial(t.Context(), s.url+c.path,
			&websocket.DialOptions{HTTPHeader: c.header, Subprotocols: c.protos})
		if resp == nil || resp.StatusCode != c.status {
			t.Errorf("%s: %v, %v", c.name, resp, err)
		}
		if err == nil {
			if ws.Subprotocol() != c.protos[0] { // a browser fails if the only one that it offers is not named
				t.Errorf("%s: the server chose %q", c.name, ws.Subprotocol())
			}
			_ = ws.CloseNow()
		}
	}
}

// Paths with tricks in them find nothing outside.
func TestPathTricks(t *testing.T) {
	s := newSite(t, nil)
	for _, path := range []string{
		"/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/s/../../etc/passwd",
		"/./app.js/../../x", "//etc/passwd", "/app.js%00.html",
		"/api/sessions/..%2f..%2fx", "/api/sessions/%00", "/api/sessions/'%20OR%201=1--", "/api/sessions/%25",
		"/api/sessions/x/export?format=../../x",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n",
			path, token)
		answer, err := io.ReadAll(conn)
		_ = conn.Close()
		line, _, _ := strings.Cut(string(answer), "\r\n")
		status := strings.Split(line+"  ", " ")[1]
		if err != nil || !strings.Contains("301 307 400 404", status) || strings.Contains(string(answer), "root:") {
			t.Errorf("%s: %s %v", path, line, err)
		}
	}
}

// Whoever sends a request's head slowly is shown out.
func TestSlowloris(t *testing.T) {
	s := &site{}
	o := newSite(t, nil)
	*s = *o
	o.stop()
	s.server = server.New(server.Options{Store: o.db, Token: token})
	server.SetHeaderTimeout(s.server, 100*time.Millisecond)
	s.serve()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow:")
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("the connection stays open: %v", err)
	}
	for _, size := range []string{"999999999", "300000"} { // and a body that is too long is not read
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %s\r\n\r\n", token, size)
		answer, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(answer, " 403 ") { // no --allow-run; the body was not waited for
			t.Errorf("a body of %s bytes: %q, %v", size, answer, err)
		}
		_ = conn.Close()
	}
	if resp, body := s.do("PATCH", "/api/sessions/x",
		`{"note":"`+strings.Repeat("x", 300_000)+`"}`); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body: %s %s", resp.Status, body)
	}
}

// rawFrame sends the head of a WebSocket frame that announces so many bytes, and some of them.
func rawFrame(conn net.Conn, announced uint64, body []byte) error {
	head := []byte{0x82, 0x80 | 127}
	head = binary.BigEndian.AppendUint64(head, announced)
	head = append(head, 0, 0, 0, 0) // the mask
	_, err := conn.Write(append(head, body...))
	return err
}

// A frame of 1 GB, and bytes that are no frames, end the connection and nothing else.
func TestHostileFrames(t *testing.T) {
	s := newSite(t, nil)
	h := s.host(80, 24)
	junk := make([]byte, 5000)
	_, _ = rand.Read(junk)
	attach := frame(t, protocol.TypeAttach, protocol.Attach{Version: 1, Name: "x", Kind: protocol.Human,
		Mode: protocol.ModeScreen})
	for name, messages := range map[string][][]byte{
		"junk":              {junk},
		"empty":             {{}},
		"cut":               {attach[:len(attach)-1]},
		"two in one":        {append(append([]byte{}, attach...), attach...)},
		"not Attach first":  {protocol.Append(nil, protocol.Input(1, []byte("x")))},
		"Attach twice":      {attach, attach},
		"a length over all": {{'h', 0xff, 0xff, 0xff, 0xff}},
		"short input":       {attach, {'i', 0, 0, 0, 1, 0}},
		"no JSON":           {protocol.Append(nil, protocol.Frame{Type: protocol.TypeAttach, Payload: []byte("{")})},
	} {
		ws := s.dial(t, "/api/sessions/"+h.id+"/live")
		for _, m := range messages {
			if err := ws.Write(t.Context(), websocket.MessageBinary, m); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := drain(t, ws); err == nil {
			t.Errorf("%s: the connection is still open", name)
		}
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /api/sessions/%s/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"+
		"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", h.id)
	if err := rawFrame(conn, 1<<30, attach); err != nil {
		t.Fatal(err)
	}
	go func() { // as much of it as the server takes
		for conn.SetWriteDeadline(time.Now().Add(patience)) == nil {
			if _, err := conn.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}()
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a frame of 1 GB is taken: %v", err)
	}
	var list struct{ Sessions []struct{ ID string } }
	s.get("/api/sessions", &list) // it lives
}

// drain reads until the connection ends, and returns why.
func drain(t *testing.T, ws *websocket.Conn) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		if _, _, err := ws.Read(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
}

func frame(t testing.TB, typ protocol.Type, v any) []byte {
	t.Helper()
	f, err := protocol.JSON(typ, v)
	if err != nil {
		t.Fatal(err)
	}
	return protocol.Append(nil, f)
}

// dial opens a WebSocket with the token.
func (s *site) dial(t testing.TB, path string) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), s.url+path,
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	ws.SetReadLimit(4 << 20)
	t.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

// Connections beyond the limit are closed at once; when others have gone, new ones are served.
func TestManyConnectionsAreLimited(t *testing.T) {
	s := &site{}
	o := newSite(t, nil)
	*s = *o
	o.stop()
	const most = 20
	s.server = server.New(server.Options{Store: o.db, Token: token})
	server.SetMaxConnections(s.server, most)
	s.serve()
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	served := func(conn net.Conn) bool {
		fmt.Fprint(conn, "GET /api/info HTTP/1.1\r\nHost: localhost\r\n\r\n")
		line, _ := bufio.NewReader(conn).ReadString('\n') // nothing, or a reset, if it was closed
		return strings.HasPrefix(line, "HTTP/1.1 401")
	}
	conns := make([]net.Conn, most)
	for i := range conns {
		if conns[i] = dial(); !served(conns[i]) {
			t.Fatalf("connection %d is not served", i)
		}
	}
	for range 3 {
		if served(dial()) {
			t.Error("one more is served")
		}
	}
	_ = conns[0].Close()
	testkit.Eventually(t, "one is served when another has gone", func() bool { return served(dial()) })
}
