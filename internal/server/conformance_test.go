//go:build linux

package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/testkit/puppet"
	"github.com/ptyrec/ptyrec/vterm"
)

// step is a line of a conversation; testdata/aiwg has them, as they came with the declaration of
// the bridge.
type step struct {
	T          string          `json:"t"`
	Conn       string          `json:"conn"`
	Path       string          `json:"path"`
	Msg        json.RawMessage `json:"msg"`
	Raw        string          `json:"raw"`
	MS         int             `json:"ms"`
	Code       int             `json:"code"`
	Reason     string          `json:"reason"`
	SpawnError string          `json:"spawn_error"`
	ReadOnly   bool            `json:"read_only"`
	puppet.Step
}

// differences are what we do better than the declaration's first server: by file, what the file
// has and what we send.
var differences = map[string][2]string{
	"a05-join-after-exit.jsonl": {`{"type": "exit", "code": 0}`, `{"type": "exit", "code": 7}`}, // the true status
}

// screens are conversations where those who join are shown the true screen: the declaration's first
// server forgets where the cursor stood before the erase.
var screens = map[string]bool{"a03-replay-from-last-erase.jsonl": true}

// replay plays conversations of the bridge's declaration against a real server with a program in a
// real terminal.
func replay(t *testing.T, names ...string) {
	for _, name := range names {
		files, err := filepath.Glob("testdata/aiwg/" + name + "-*.jsonl")
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: %v, %v", name, files, err)
		}
		t.Run(name, func(t *testing.T) { replayFile(t, files[0]) })
	}
}

func replayFile(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := differences[filepath.Base(file)]; ok {
		if !bytes.Contains(text, []byte(d[0])) {
			t.Fatalf("%s does not say %s", file, d[0])
		}
		text = bytes.ReplaceAll(text, []byte(d[0]), []byte(d[1]))
	}
	c := newConversation(t)
	c.screens = screens[filepath.Base(file)]
	for line := range bytes.Lines(text) {
		var s step
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		c.step(s)
	}
}

// conversation plays one of them.
type conversation struct {
	*site
	t       *testing.T
	puppets *puppet.Puppets
	sockets map[string]*websocket.Conn
	came    map[string]chan arrival // what each socket got
	rest    map[string]string       // output that was read and not awaited yet
	fails   string                  // why nothing starts
	screens bool                    // who joins is shown the screen
	wrote   string                  // by the puppet
}

// ttl replaces the bridge's 30 s.
const ttl = time.Second

func newConversation(t *testing.T) *conversation {
	c := &conversation{t: t, sockets: map[string]*websocket.Conn{}, came: map[string]chan arrival{},
		rest: map[string]string{}}
	c.site = newSite(t, c.bridge)
	c.puppets = puppet.New(t, c.dir)
	return c
}

func (c *conversation) bridge(o *server.Options) {
	o.Bridge, o.BridgeTTL = []string{"puppet"}, ttl
	o.Start = func(_ context.Context, start server.StartOptions) (string, error) {
		if c.fails != "" {
			return "", errors.New(c.fails)
		}
		h, err := c.hostTerminal(start.Cols, start.Rows, c.puppets.Command()...)
		if err != nil {
			return "", err
		}
		return h.id, nil
	}
}

func (c *conversation) step(s step) {
	c.t.Helper()
	switch s.T {
	case "meta":
	case "setup":
		c.fails = s.SpawnError
		if s.ReadOnly {
			c.stop()
			c.site = newSite(c.t, func(o *server.Options) { c.bridge(o); o.ReadOnly = true })
		}
	case "open":
		c.open(s.Conn, s.Path)
	case "open_fails":
		ctx, cancel := context.WithTimeout(c.t.Context(), patience)
		defer cancel()
		if _, _, err := websocket.Dial(ctx, c.url+s.Path,
			&websocket.DialOptions{HTTPHeader: map[string][]string{"Authorization": {"Bearer " + token}}}); err == nil {
			c.t.Errorf("%s is there", s.Path)
		}
	case "close":
		c.puppets.Meet() // it is to see what comes of this
		c.puppets.Since = time.Now()
		_ = c.sockets[s.Conn].Close(websocket.StatusNormalClosure, "")
	case "c2s":
		text := s.Raw
		if s.Msg != nil {
			text = string(s.Msg)
		}
		if strings.Contains(text, `"close"`) {
			c.puppets.Meet() // it is to see the end come
		}
		if err := c.sockets[s.Conn].Write(c.t.Context(), websocket.MessageText, []byte(text)); err != nil {
			c.t.Fatal(err)
		}
	case "s2c":
		c.expect(s.Conn, s.Msg)
	case "drain": // what the puppet wrote is to be there
		c.output(s.Conn, regexp.MustCompile("b$"))
	case "quiet":
		c.quiet(s.Conn, time.Duration(s.MS)*time.Millisecond)
	case "closed":
		var closed websocket.CloseError
		if err := (<-c.came[s.Conn]).err; !errors.As(err, &closed) || int(closed.Code) != s.Code ||
			closed.Reason != s.Reason {
			c.t.Fatalf("%s: %v, want to be closed with %d %q", s.Conn, err, s.Code, s.Reason)
		}
	case "pty":
		if s.Ev == "exit" && s.deedCode() == 129 {
			return // it has had its signal
		}
		c.wrote += strings.Repeat(s.Data, max(1, s.Times))
		c.puppets.Do(puppet.Step{Ev: s.Ev, Data: s.Data, Times: s.Times, Code: s.deedCode()})
	case "pty_expect":
		c.ptyExpect(s.Step)
	case "advance": // time goes by itself
	default:
		c.t.Fatalf("unknown step %q", s.T)
	}
}

// deedCode is the code of a step, which the step has twice by the same name.
func (s step) deedCode() int { return max(s.Code, s.Step.Code) }

func (c *conversation) ptyExpect(want puppet.Step) {
	c.t.Helper()
	switch {
	case want.Ev == "alive": // no sooner than after its time
	case want.Ev == "write" && want.Data == "": // is not to be seen
	case want.Ev == "kill" && !c.puppets.Since.IsZero():
		c.puppets.Await(want)
		if d := time.Since(c.puppets.Since); d < ttl {
			c.t.Errorf("it was ended after %s without clients, want %s", d, ttl)
		}
	default:
		c.puppets.Await(want)
	}
}

// expect reads the next message; output may come in parts.
func (c *conversation) expect(conn string, msg json.RawMessage) {
	c.t.Helper()
	var want struct {
		Type, Payload, Message string
		Code                   int
	}
	if err := json.Unmarshal(msg, &want); err != nil {
		c.t.Fatal(err)
	}
	if want.Type == "data" && c.screens && conn == "B" {
		text, _ := c.read(conn)["payload"].(string)
		if got, want := repainted(text), repainted(c.wrote); got != want {
			c.t.Fatalf("%s shows %q, want %q", conn, got, want)
		}
		return
	}
	if want.Type == "data" {
		pattern, ok := strings.CutPrefix(want.Payload, "$re:")
		if !ok {
			pattern = "^" + regexp.QuoteMeta(want.Payload) + "$"
		}
		pattern = strings.Replace(pattern, "a{65535}", strings.Repeat("a", 65535), 1) // RE2 repeats no more than 1000 times
		c.output(conn, regexp.MustCompile(pattern))
		return
	}
	got := c.read(conn)
	delete(got, "payload")
	if got["type"] != want.Type || want.Type == "exit" && got["code"] != float64(want.Code) ||
		want.Type == "error" && got["message"] != want.Message {
		c.t.Fatalf("%s got %v, want %s", conn, got, msg)
	}
}

// repainted returns what an empty terminal shows of a text, in one form.
func repainted(text string) string {
	t := vterm.New(vterm.Options{Cols: 120, Rows: 30})
	_, _ = t.Write([]byte(text)) // never fails
	return string(t.Repaint())
}

// output reads output until all that came since the last time is as the pattern says.
func (c *conversation) output(conn string, pattern *regexp.Regexp) {
	c.t.Helper()
	for !pattern.MatchString(c.rest[conn]) {
		got := c.read(conn)
		if got["type"] != "data" {
			c.t.Fatalf("%s got %v, want %s behind %q", conn, got, pattern, c.rest[conn])
		}
		text, _ := got["payload"].(string)
		c.rest[conn] += text
	}
	c.rest[conn] = ""
}

func (c *conversation) read(conn string) map[string]any {
	c.t.Helper()
	var a arrival
	select {
	case a = <-c.came[conn]:
	case <-time.After(patience):
		a.err = errors.New("nothing comes")
	}
	if a.err != nil {
		c.t.Fatalf("%s: %v, behind %q", conn, a.err, c.rest[conn])
	}
	return a.message
}

// quiet checks that nothing comes for a while.
func (c *conversation) quiet(conn string, d time.Duration) {
	c.t.Helper()
	select {
	case a := <-c.came[conn]:
		c.t.Fatalf("%s got %v", conn, a)
	case <-time.After(d):
	}
}

// arrival is what a socket got: a message, or its end.
type arrival struct {
	message map[string]any
	err     error
}

// open connects, and listens to the end.
func (c *conversation) open(conn, path string) {
	c.t.Helper()
	ws := c.dial(c.t, path)
	came := make(chan arrival, 1000)
	c.sockets[conn], c.came[conn] = ws, came
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			_, message, err := ws.Read(context.Background())
			a := arrival{err: err}
			if err == nil {
				a.err = json.Unmarshal(message, &a.message)
			}
			came <- a
			if err != nil {
				return
			}
		}
	}()
	c.t.Cleanup(func() { _ = ws.CloseNow(); <-done })
}
