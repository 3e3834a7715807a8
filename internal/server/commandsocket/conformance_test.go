package commandsocket_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// differences are the messages of a conversation that we answer otherwise, and why.
var differences = map[string][2]string{
	// Nothing is lost here: there is no gap.
	"l13-old-offset-gap": {`"data": "xyz", "offset": 5000`, `"data": "xyz", "offset": 3`},
}

// clients are conversations whose server does what we never do: they are about the client alone.
var clients = map[string]bool{"l04-backoff-and-give-up": true, "l06-foreign-ack": true, "l11-handshake-status": true}

// rowsOf are the rows that each conversation shows: `go test -run Conversations/.*C9` runs those of
// one.
var rowsOf = map[string]string{
	"l01": "C1", "l02": "C2_C11", "l03": "C1", "l05": "C1", "l07": "C11", "l08": "C14", "l09": "C8", "l10": "C9",
	"l12": "C1", "l13": "C12",
}

// The conversations of the declaration, with the test as their client.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("../../../client/testdata/langsmith/*.jsonl")
	if err != nil || len(files) != 13 {
		t.Fatalf("%d conversations, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		if clients[name] {
			continue
		}
		t.Run(name+"_"+rowsOf[name[:3]], func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			script := string(text)
			if d, ok := differences[name]; ok {
				if !strings.Contains(script, d[0]) {
					t.Fatalf("it does not say %s", d[0])
				}
				script = strings.ReplaceAll(script, d[0], d[1])
			}
			c := newConversation(t)
			for line := range strings.Lines(script) {
				c.step(line)
			}
		})
	}
}

// conversation plays one of them against a server, whose commands do what the test says.
type conversation struct {
	*site
	conns   map[string]*conn
	puppet  net.Listener
	program *json.Encoder // tells the command what to do; nil: it has not come yet
}

func newConversation(t *testing.T) *conversation {
	c := &conversation{site: newSite(t), conns: map[string]*conn{}}
	c.makeBox()
	var err error
	if c.puppet, err = net.Listen("unix", filepath.Join(c.dir, "puppet")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.puppet.Close() })
	return c
}

// puppet is what a command does, one a line of JSON.
type puppet struct {
	Stdout, Stderr string
	Exit           *int
}

// bePuppet does what the test at the other end of a socket says.
func bePuppet(socket string) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		os.Exit(99)
	}
	for d := json.NewDecoder(conn); ; {
		var p puppet
		if d.Decode(&p) != nil {
			os.Exit(98)
		}
		_, _ = os.Stdout.WriteString(p.Stdout)
		_, _ = os.Stderr.WriteString(p.Stderr)
		if p.Exit != nil {
			os.Exit(*p.Exit)
		}
	}
}

func (c *conversation) step(line string) {
	c.t.Helper()
	var s struct {
		T    string         `json:"t"`
		Conn string         `json:"conn"`
		Msg  map[string]any `json:"msg"`
		Code int            `json:"code"`
	}
	if err := json.Unmarshal([]byte(line), &s); err != nil {
		c.t.Fatal(err)
	}
	switch s.T {
	case "open":
		c.conns[s.Conn] = c.dial()
	case "c2s":
		c.say(c.conns[s.Conn], s.Msg)
	case "s2c":
		c.hear(c.conns[s.Conn], s.Msg)
	case "server_closes":
		c.lose(c.conns[s.Conn], websocket.StatusCode(s.Code))
	case "client_closes":
		if m, code := c.conns[s.Conn].next(); code != websocket.StatusNormalClosure {
			c.t.Errorf("%v, closed with %d", m, code)
		}
	case "meta", "client_sleeps", "api", "quiet_client":
	default:
		c.t.Fatalf("unknown step %q", s.T)
	}
}

// say sends a client's message. The command that it starts is a puppet.
func (c *conversation) say(ws *conn, message map[string]any) {
	for k, v := range message {
		if v == "$cap:id" || v == "$ref:id" {
			message[k] = "the-command"
		}
	}
	delete(message, "$partial")
	if message["type"] == "execute" {
		program, err := os.Executable()
		if err != nil {
			c.t.Fatal(err)
		}
		message["command"] = fmt.Sprintf("%s=%s exec %s", puppetVariable, c.puppet.Addr(), program)
	}
	text, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	ws.send(string(text))
}

// hear has the command do what the server's message is about, and expects the message.
func (c *conversation) hear(ws *conn, want map[string]any) {
	c.t.Helper()
	var p puppet
	switch want["type"] {
	case "started":
		want["command_id"] = "the-command"
	case "stdout":
		p.Stdout = want["data"].(string)
	case "stderr":
		p.Stderr = want["data"].(string)
	case "exit":
		code := int(want["exit_code"].(float64))
		p.Exit = &code
	case "error":
		c.expire(&ws)
		want["error"] = "Session expired: the-brief"
	}
	if want["type"] != "started" && want["type"] != "error" {
		if c.program == nil {
			conn, err := c.puppet.Accept()
			if err != nil {
				c.t.Fatal(err)
			}
			c.t.Cleanup(func() { _ = conn.Close() })
			c.program = json.NewEncoder(conn)
		}
		if err := c.program.Encode(p); err != nil {
			c.t.Fatal(err)
		}
	}
	got, code := ws.next()
	if got["type"] == "started" && got["pid"].(float64) > 0 {
		got["pid"] = want["pid"]
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		c.t.Errorf("the server sent %v (%d), want %v", got, code, want)
	}
}

// expire asks for a command whose record has expired, in place of the one before.
func (c *conversation) expire(ws **conn) {
	_ = (*ws).ws.CloseNow()
	*ws = c.dial()
	(*ws).send(`{"type":"execute","command":"true","command_id":"the-brief","ttl_seconds":0}`)
	(*ws).all()
	reconnect := func() {
		*ws = c.dial()
		(*ws).send(`{"type":"reconnect","command_id":"the-brief"}`)
	}
	// On a busy machine the end may be sent before it is noted.
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		reconnect()
		if m, _ := (*ws).next(); m["type"] == "error" {
			break
		}
		_ = (*ws).ws.CloseNow()
	}
	reconnect()
}

// lose ends a connection as the server's code says: 1001 by a restart of the server, else without a
// word.
func (c *conversation) lose(ws *conn, code websocket.StatusCode) {
	if code != websocket.StatusGoingAway {
		_ = ws.ws.CloseNow()
		return
	}
	closed := make(chan websocket.StatusCode, 1)
	go func() { _, code := ws.next(); closed <- code }()
	c.restart()
	if got := <-closed; got != code {
		c.t.Errorf("closed with %d, want %d", got, code)
	}
}
