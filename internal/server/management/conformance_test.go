//go:build linux

package management_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/server/management"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/internal/testkit/puppet"
)

// step is a line of a conversation in testdata.
type step struct {
	T       string            `json:"t"`
	Mode    string            `json:"mode"`
	Conn    string            `json:"conn"`
	Msg     any               `json:"msg"`
	Raw     string            `json:"raw"`
	Binary  []byte            `json:"binary_b64"`
	Streams [][]any           `json:"streams"`
	Times   int               `json:"times"`
	MS      int               `json:"ms"`
	Ev      string            `json:"ev"`
	Data    []byte            `json:"data_b64"`
	Code    int               `json:"exit_code"`
	Signal  int               `json:"signal"`
	Cols    int               `json:"cols"`
	Rows    int               `json:"rows"`
	Session string            `json:"session"`
	Env     map[string]string `json:"env"`
	A, B    string
}

// The list of server_hello: all that is accepted.
var accepted = []any{"ping", "subscribe", "unsubscribe", "list_agents", "list_sessions", "start_shell",
	"create_session", "send_command",
	"send_input", "pty_resize", "attach_session", "detach_session", "kill_session", "join_session", "leave_session",
	"session_input", "session_resize"}

// differs are what we do otherwise, on purpose: the file's number, then pieces of its text and what
// is in their place.
var differs = map[string][][2]string{
	// A starter may end the shell, and is told of the end.
	"14": {{`"type": "error", "message": "legacy kill_session is disabled for normal clients; use the formal session ` +
		`API for shared sessions"`,
		`"type": "session_killed", "agent_id": "agent-01", "session_name": "main", "exit_code": 129`}},
	// The one client in wide use joins like that.
	"21": {{`"type": "error", "message": "$prefix:Invalid message: "`,
		`"type": "session_joined", "session_id": "$str", "role": "observer", "current_seq": 0`}},
	"31": {{`{"t": "quiet", "conn": "A", "ms": 200}`,
		`{"t": "s2c", "conn": "A", "msg": {"type": "session_killed", "agent_id": "agent-01", "session_name": "main", ` +
			`"exit_code": 0}}`}},
	// A quirk: who joins again keeps control.
	"32": {{`"role": "observer", "current_seq": 2`, `"role": "controller", "current_seq": 2`},
		{`"kind": "role_assigned", "role": "observer"`, `"kind": "role_assigned", "role": "controller"`},
		{`"seq": 3, "ts": "$ts_ms", "kind": "membership_changed", "controllers": [], "observers": ["$clientid:A"]`,
			`"seq": 3, "ts": "$ts_ms", "kind": "membership_changed", "controllers": ["$clientid:A"], "observers": []`}},
	// A quirk: the bytes are exact, and half a character waits for its rest.
	"34": {{`{"t": "s2c", "conn": "A", "msg": {"type": "output", "agent_id": "agent-01", "command_id": "$ref:cmd", ` +
		`"stream": "stdout", "data": "` + "\uFFFD" + `", "ts": "$ts_ms"}}`,
		`{"t": "quiet", "conn": "A", "ms": 100}`}, {`"data": "77+9"`, `"data": "4pw="`}},
	"04": {{`"vm-01", "ip_address": "10.0.0.5", "status": "Ready", "connected_at"`,
		`"$str", "ip_address": "127.0.0.1", "status": "Ready", "connected_at"`}},
	// The puppet's screen, in its own bytes.
	"23": {{`"kind": "keyframe", "stream": "stdout", "data": "G1tIG1tKc2NyZWVu"`,
		`"kind": "keyframe", "stream": "stdout", "data": "$str"`}},
}

// rowsOf are the rows that each conversation shows: `go test -run Conversations/.*A15` runs those
// of one. The others have tests of their own.
var rowsOf = map[string]string{
	"01": "A1_A2", "02": "A4_A17", "03": "A3_A4", "05": "A5", "06": "A5_A6", "07": "A6", "08": "A6_A19", "09": "A7",
	"10": "A20",
	"11": "A20", "12": "A15", "13": "A15_A16", "14": "A32", "15": "A20", "18": "A17_A20", "19": "A20", "20": "A27",
	"21": "A32",
	"22": "A7_A8_A9", "23": "A9_A24", "24": "A8", "25": "A11_A12", "26": "A11_A12", "27": "A14", "28": "A15",
	"29": "A16", "30": "A17",
	"31": "A18", "32": "A14", "33": "A10", "34": "A22", "35": "A23",
}

// The conversations of the protocol's declaration, against the real server.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) != 38 {
		t.Fatalf("%d conversations, %v", len(files), err)
	}
	played := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		number := name[:2]
		if bytes.Contains(text[:bytes.IndexByte(text, '\n')], []byte(`"mode": "documented"`)) {
			continue // 36 to 38: load and metrics; TestA21 has the first two
		}
		played++
		for _, d := range differs[number] {
			if !bytes.Contains(text, []byte(d[0])) {
				t.Fatalf("%s does not say %s", file, d[0])
			}
			text = bytes.ReplaceAll(text, []byte(d[0]), []byte(d[1]))
		}
		t.Run(strings.TrimSuffix(name+"_"+rowsOf[number], "_"),
			func(t *testing.T) { newConversation(t, number, text).play() })
	}
	if played != 35 {
		t.Errorf("%d were played", played)
	}
}

type conversation struct {
	*site
	number  string
	steps   []step
	puppets *puppet.Puppets
	peers   map[string]*peer
	refs    map[string]any
	clients map[string]string
	seqs    map[string]float64 // the newest seq of output by connection and command
}

func newConversation(t *testing.T, number string, text []byte) *conversation {
	c := &conversation{number: number, peers: map[string]*peer{}, refs: map[string]any{}, clients: map[string]string{},
		seqs: map[string]float64{}}
	for line := range bytes.Lines(text) {
		var s step
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		c.steps = append(c.steps, s)
	}
	var o management.Options
	if len(c.steps) > 1 && c.steps[1].Env["AGENTIC_WS_ALLOW_AGENT_SUBSCRIBE"] == "true" {
		o.AllowSubscribe = true
	}
	c.site = newSite(t, func(now *management.Options) {
		now.AllowSubscribe, now.ShellGrace = o.AllowSubscribe, 300*time.Millisecond
		if number == "35" {
			now.Redact, _ = redact.New(redact.Options{})
		}
		if number == "25" || number == "26" {
			now.RingFrames, now.RingBytes = 72, 23040
		}
	})
	c.puppets = puppet.New(t, c.dir)
	c.command = c.puppets.Command()
	return c
}

func (c *conversation) play() {
	for i, s := range c.steps {
		c.step(i, s)
		if c.t.Failed() {
			c.t.Fatalf("at step %d", i+1)
		}
	}
}

func (c *conversation) step(i int, s step) {
	c.t.Helper()
	switch s.T {
	case "meta", "setup":
	case "open":
		c.peers[s.Conn] = c.dial()
		if list := c.peers[s.Conn].list; !reflect.DeepEqual(list, accepted) { // A2
			c.t.Errorf("server_hello lists %v", list)
		}
	case "close":
		before := c.p.Clients()
		_ = c.peers[s.Conn].ws.Close(websocket.StatusNormalClosure, "")
		testkit.Eventually(c.t, "the client has left", func() bool { return c.p.Clients() < before })
	case "c2s":
		c.say(s)
	case "s2c":
		if m, _ := s.Msg.(map[string]any); m["type"] == "server_hello" {
			return // dial has read it
		}
		if c.number == "16" { // the two streams are independent
			if m, _ := s.Msg.(map[string]any); m["type"] == "output" {
				m["stream"], m["data"] = "$str", "$re:^[oe]\n$"
			}
		}
		if m, _ := s.Msg.(map[string]any); c.number == "26" && m["type"] == "output" {
			c.peers[s.Conn].await("output") // a PTY cuts it otherwise
			return
		}
		c.expect(s.Conn, s.Msg)
	case "s2c_repeat":
		for range s.Times {
			c.expect(s.Conn, s.Msg)
		}
	case "s2c_interleave":
		if c.number == "25" || c.number == "26" {
			c.whole(s.Conn)
			return
		}
		c.interleave(s.Conn, s.Streams)
	case "quiet":
		c.peers[s.Conn].quiet(time.Duration(s.MS) * time.Millisecond)
	case "agent":
		c.agent(s)
	case "agent_expect":
		c.agentExpect(s)
	case "server_tick":
		if err := c.p.Keyframe(c.value(s.Session).(string)); err != nil {
			c.t.Fatal(err)
		}
	case "assert_ne":
		if c.value(s.A) == c.value(s.B) {
			c.t.Errorf("%s is %s", s.A, s.B)
		}
	default:
		c.t.Fatalf("unknown step %q", s.T)
	}
}

// say sends a message.
func (c *conversation) say(s step) {
	p := c.peers[s.Conn]
	m, _ := s.Msg.(map[string]any)
	if m["type"] == "send_input" || m["type"] == "session_input" && c.refs["cmd"] != nil {
		c.puppets.Meet() // it reads without the terminal's help only then
	}
	switch {
	case s.Binary != nil:
		if err := p.ws.Write(c.t.Context(), websocket.MessageBinary, s.Binary); err != nil {
			c.t.Fatal(err)
		}
	case s.Raw != "":
		p.send([]byte(s.Raw))
	default:
		p.send(c.value(s.Msg))
	}
}

// agent has the program in the terminal do something.
func (c *conversation) agent(s step) {
	switch {
	case c.number == "16", s.Ev == "exit" && s.Code > 128: // a command without a terminal; one that a signal has ended
	case s.Ev == "exit":
		c.puppets.Do(puppet.Step{Ev: "exit", Code: s.Code})
	default:
		for range max(1, s.Times) {
			before := len(c.peers["A"].in)
			c.puppets.Do(puppet.Step{Ev: "output", Bytes: s.Data})
			if s.Times > 1 {
				testkit.Eventually(c.t, "it is sent", func() bool { return len(c.peers["A"].in) > before })
			}
		}
		if c.number == "34" {
			return
		}
		testkit.Eventually(c.t, "somebody gets it", func() bool {
			for _, p := range c.peers {
				if len(p.in) > 0 {
					return true
				}
			}
			return false
		})
	}
}

// agentExpect waits until the program has seen something.
func (c *conversation) agentExpect(s step) {
	switch {
	case s.Ev == "run", s.Signal == 9: // nobody sees that
	case s.Ev == "spawn":
		c.puppets.Await(puppet.Step{Ev: "spawn", Cols: s.Cols, Rows: s.Rows, Term: "xterm-256color"})
	case s.Ev == "stdin":
		c.puppets.Await(puppet.Step{Ev: "write", Data: string(s.Data)})
	case s.Ev == "resize":
		c.puppets.Await(puppet.Step{Ev: "resize", Cols: s.Cols, Rows: s.Rows})
	case s.Ev == "signal":
		for c.puppets.Saw().Ev != "kill" {
		}
	default:
		c.t.Fatalf("unknown event %q", s.Ev)
	}
}

func (c *conversation) expect(conn string, want any) {
	c.t.Helper()
	if m, _ := want.(map[string]any); c.number == "08" && m["type"] == "session_list" { // the shell has still to end
		testkit.Eventually(c.t, "the shell is gone", func() bool {
			got := c.peers[conn].next()
			if list, _ := got["sessions"].([]any); len(list) == 0 {
				return true
			}
			c.peers[conn].send(message{"type": "list_sessions", "agent_id": "agent-01"})
			return false
		})
		return
	}
	got := c.peers[conn].next()
	if m, _ := want.(map[string]any); m["type"] == "output" {
		key := conn + fmt.Sprint(got["command_id"])
		seq, _ := got["seq"].(float64)
		if seq != c.seqs[key]+1 && c.seqs[key] != 0 {
			c.t.Errorf("output %v follows %v", seq, c.seqs[key])
		}
		c.seqs[key] = seq
		delete(got, "seq")
	}
	if why := c.match(map[string]any(got), want, ""); why != "" {
		c.t.Errorf("%s got %v: %s", conn, got, why)
	}
}

// interleave reads messages until each stream is used up.
func (c *conversation) interleave(conn string, streams [][]any) {
	c.t.Helper()
	left := 0
	for _, s := range streams {
		left += len(s)
	}
	for ; left > 0; left-- {
		got := c.peers[conn].next()
		why := ""
		found := false
		for i, s := range streams {
			if len(s) == 0 {
				continue
			}
			if why = c.match(map[string]any(got), s[0], ""); why == "" {
				streams[i], found = s[1:], true
				break
			}
		}
		if !found {
			c.t.Fatalf("%s got %v: %s", conn, got, why)
		}
	}
}

// whole reads a replay from frame 0: what the ring has no more comes from the raw log.
func (c *conversation) whole(conn string) {
	c.t.Helper()
	want := 0
	for _, s := range c.steps {
		if s.T == "agent" {
			want += max(1, s.Times) * len(s.Data)
		}
	}
	bytes, next := 0, 0.0
	for {
		got := c.peers[conn].next()
		switch got["kind"] {
		case "output":
			if got["seq"] != next {
				c.t.Fatalf("frame %v follows %v", got["seq"], next-1)
			}
			next++
			data, _ := base64.StdEncoding.DecodeString(got["data"].(string))
			bytes += len(data)
		case "role_assigned", "membership_changed":
			next++
		}
		if bytes == want {
			return
		}
	}
}

// value puts captures into a message.
func (c *conversation) value(v any) any {
	switch v := v.(type) {
	case string:
		if name, ok := strings.CutPrefix(v, "$ref:"); ok {
			return c.refs[name]
		}
		if text, ok := strings.CutPrefix(v, "$tmpl:"); ok {
			return regexp.MustCompile(`\$ref:\w+`).ReplaceAllStringFunc(text, func(s string) string {
				return fmt.Sprint(c.refs[strings.TrimPrefix(s, "$ref:")])
			})
		}
		return v
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = c.value(x)
		}
		return out
	}
	return v
}

// match says why got is not as wanted.
func (c *conversation) match(got, want any, at string) string {
	switch want := want.(type) {
	case string:
		return c.matchText(got, want, at)
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return at + " is no object"
		}
		keys := slices.SortedFunc(maps.Keys(want), func(a, b string) int { // captures first
			first := func(k string) int {
				if text, _ := want[k].(string); strings.HasPrefix(text, "$cap:") {
					return 0
				}
				return 1
			}
			return cmp.Or(first(a)-first(b), strings.Compare(a, b))
		})
		for _, k := range keys {
			w := want[k]
			if k == "$partial" {
				continue
			}
			if _, ok := g[k]; !ok {
				return at + "." + k + " is missing"
			}
			if why := c.match(g[k], w, at+"."+k); why != "" {
				return why
			}
		}
		for k := range g {
			if _, ok := want[k]; !ok && want["$partial"] != true {
				return at + "." + k + " is too much"
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			return fmt.Sprintf("%s is %v, want %v", at, got, want)
		}
		for i := range want {
			if why := c.match(g[i], want[i], fmt.Sprintf("%s[%d]", at, i)); why != "" {
				return why
			}
		}
		return ""
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%s is %v, want %v", at, got, want)
	}
	return ""
}

func (c *conversation) matchText(got any, want, at string) string {
	kind, rest, _ := strings.Cut(want, ":")
	text, isText := got.(string)
	number, isNumber := got.(float64)
	var ok bool
	switch kind {
	case "$any":
		ok = true
	case "$str":
		ok = isText
	case "$int":
		ok = isNumber && number == float64(int64(number))
	case "$num":
		ok = isNumber
	case "$ts_ms":
		ok = isNumber && time.Since(time.UnixMilli(int64(number))).Abs() < time.Hour
	case "$prefix":
		ok = isText && strings.HasPrefix(text, rest)
	case "$re":
		ok = isText && regexp.MustCompile(rest).MatchString(text)
	case "$cap":
		name, version, _ := strings.Cut(rest, ":")
		u, err := uuid.Parse(text)
		ok = version == "" || err == nil && fmt.Sprintf("uuid%d", u.Version()) == version
		c.refs[name] = got
	case "$clientid":
		if c.clients[rest] == "" {
			c.clients[rest] = text
		}
		ok = text == c.clients[rest] && regexp.MustCompile("^ws-[0-9a-f]{8}$").MatchString(text)
	default:
		if strings.Contains(text, "/agents/agent-01/") { // the original has another name for it
			want = strings.Replace(want, "/agents/inst-01/", "/agents/agent-01/", 1)
		}
		ok = reflect.DeepEqual(got, c.value(want))
	}
	if !ok {
		return fmt.Sprintf("%s is %v, want %s", at, got, want)
	}
	return ""
}
