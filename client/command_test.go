package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol/command"
)

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// dataplane is a server whose connections a test plays by hand.
type dataplane struct {
	t        *testing.T
	url      string
	protocol string // the subprotocol it selects; empty: none
	conns    chan *websocket.Conn
	requests chan *http.Request
	status   chan int // of the next upgrades that are refused

	mu     sync.Mutex
	delays []time.Duration
}

func newDataplane(t *testing.T, protocol string) *dataplane {
	d := &dataplane{t: t, protocol: protocol, conns: make(chan *websocket.Conn, 10),
		requests: make(chan *http.Request, 10), status: make(chan int, 10)}
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/d"+command.Path {
			http.NotFound(w, r)
			return
		}
		select {
		case status := <-d.status:
			http.Error(w, "no", status)
			return
		default:
		}
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{d.protocol}})
		if err != nil {
			return
		}
		ws.SetReadLimit(1 << 20)
		d.requests <- r
		d.conns <- ws
		<-over
		_ = ws.CloseNow()
	}))
	t.Cleanup(func() { close(over); s.Close() })
	d.url = s.URL + "/d"
	return d
}

// commands dials the dataplane. Nothing waits between tries.
func (d *dataplane) commands() *client.Commands {
	d.t.Helper()
	p, err := client.DialCommands(d.t.Context(), d.url, "", client.Options{Token: "k"})
	if err != nil {
		d.t.Fatal(err)
	}
	client.Delays(p, func(delay time.Duration) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.delays = append(d.delays, delay)
	})
	return p
}

func (d *dataplane) accept() *websocket.Conn {
	d.t.Helper()
	select {
	case ws := <-d.conns:
		return ws
	case <-time.After(patience):
		d.t.Fatal("the client did not connect")
		return nil
	}
}

func read(t *testing.T, ws *websocket.Conn) (message map[string]any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, text, err := ws.Read(ctx)
	if err == nil {
		err = json.Unmarshal(text, &message)
	}
	if err != nil {
		t.Fatalf("no message of the client: %v", err)
	}
	return message
}

func write(t *testing.T, ws *websocket.Conn, message any) {
	t.Helper()
	text, err := json.Marshal(message)
	if err == nil {
		err = ws.Write(context.Background(), websocket.MessageText, text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// outcome is what a caller sees of a command.
type outcome struct {
	events []client.CommandEvent
	result client.CommandResult
	err    error
}

func (o outcome) chunks() (texts []string) {
	for _, e := range o.events {
		if c, ok := e.(client.Chunk); ok {
			texts = append(texts, c.Text)
		}
	}
	return texts
}

// follow reads a command to its end.
func follow(c *client.Command) (o outcome) {
	for {
		e, err := c.Next(context.Background())
		switch e := e.(type) {
		case client.Chunk:
			if e.Stream == client.Stdout {
				o.result.Stdout += e.Text
			} else {
				o.result.Stderr += e.Text
			}
		}
		if errors.Is(err, io.EOF) {
			o.result.ExitCode = c.ExitCode()
			return o
		}
		if err != nil {
			o.err = err
			return o
		}
		o.events = append(o.events, e)
	}
}

type scriptStep struct {
	T       string            `json:"t"`
	Conn    string            `json:"conn"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Msg     map[string]any    `json:"msg"`
	Status  int               `json:"status"`
	Code    int               `json:"code"`
	Seconds float64           `json:"seconds"`

	Call      string                `json:"call"`
	Data      string                `json:"data"`
	Result    *client.CommandResult `json:"result"`
	Chunks    []string              `json:"chunks"`
	Error     string                `json:"error"`
	Message   string                `json:"message"`
	ExitCode  *int                  `json:"exit_code"`
	LastBytes *int64                `json:"last_stdout_offset"`
}

// rowsOf are the rows that each conversation shows: `go test -run CommandConversations/.*C5` runs
// those of one.
var rowsOf = map[string]string{
	"l01": "C1_C13", "l02": "C2_C3", "l03": "C4", "l04": "C4", "l05": "C5", "l06": "C5", "l07": "C6", "l08": "C7",
	"l09": "C8",
	"l10": "C9", "l11": "C10", "l12": "C1", "l13": "C12",
}

// The conversations of the declaration, with the test as the server.
func TestCommandConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/langsmith/*.jsonl")
	if err != nil || len(files) != 13 {
		t.Fatalf("%d conversations, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name+"_"+rowsOf[name[:3]], func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &script{t: t, d: newDataplane(t, ""), conns: map[string]*websocket.Conn{},
				started: make(chan *client.Command, 1), ended: make(chan outcome, 1)}
			go s.run(s.d.commands())
			for line := range strings.Lines(string(text)) {
				var step scriptStep
				if err := json.Unmarshal([]byte(line), &step); err != nil {
					t.Fatal(err)
				}
				s.play(step)
			}
			o := s.outcome()
			for _, ws := range s.conns {
				ws.CloseRead(t.Context())
			}
			_ = s.caller().Close()
			if got := s.d.delays; !slices.Equal(got, s.sleeps) {
				t.Errorf("the client waited %v between tries, want %v", got, s.sleeps)
			}
			var total int64
			for _, e := range o.events {
				if g, ok := e.(client.Gap); ok {
					total += g.Size()
				}
			}
			if want := map[bool]int64{true: 4997}[strings.HasPrefix(filepath.Base(file), "l13")]; total != want {
				t.Errorf("C12: gaps of %d bytes, want %d", total, want)
			}
		})
	}
}

// script plays one conversation.
type script struct {
	t       *testing.T
	d       *dataplane
	conns   map[string]*websocket.Conn
	id      string
	sleeps  []time.Duration
	started chan *client.Command
	ended   chan outcome
	command *client.Command
	o       *outcome
}

func (s *script) run(p *client.Commands) {
	c, err := p.Start(context.Background(), client.Exec{Command: "make"})
	if err != nil {
		s.ended <- outcome{err: err}
		close(s.started)
		return
	}
	s.started <- c
	close(s.started)
	s.ended <- follow(c)
}

func (s *script) caller() *client.Command {
	s.t.Helper()
	if s.command == nil {
		select {
		case s.command = <-s.started:
		case <-time.After(patience):
		}
		if s.command == nil {
			s.t.Fatal("the command did not start")
		}
	}
	return s.command
}

func (s *script) outcome() outcome {
	s.t.Helper()
	if s.o == nil {
		select {
		case o := <-s.ended:
			s.o = &o
		case <-time.After(patience):
			s.t.Fatal("the command did not end")
		}
	}
	return *s.o
}

func (s *script) play(step scriptStep) {
	s.t.Helper()
	switch step.T {
	case "meta":
	case "open_refused":
		// The client may be faster than this step; the first test of the file starts with it.
		s.d.status <- step.Status
	case "open":
		s.conns[step.Conn] = s.d.accept()
		r := <-s.d.requests
		if step.Path != "" && r.URL.Path != "/d"+step.Path {
			s.t.Errorf("path %s", r.URL.Path)
		}
		for k, v := range step.Headers {
			if r.Header.Get(k) != v {
				s.t.Errorf("%s: %q, want %q", k, r.Header.Get(k), v)
			}
		}
	case "c2s":
		s.match(read(s.t, s.conns[step.Conn]), step.Msg)
	case "s2c":
		for k, v := range step.Msg {
			if v == "$ref:id" {
				step.Msg[k] = s.id
			}
		}
		write(s.t, s.conns[step.Conn], step.Msg)
	case "server_closes":
		s.close(s.conns[step.Conn], step.Code)
	case "client_sleeps":
		s.sleeps = append(s.sleeps, time.Duration(step.Seconds*float64(time.Second)))
	case "client_closes":
		s.quiet(step.Conn)
	case "quiet_client":
		for conn := range s.conns {
			s.quiet(conn)
		}
	case "api":
		s.check(step)
	default:
		s.t.Fatalf("unknown step %q", step.T)
	}
}

func (s *script) close(ws *websocket.Conn, code int) {
	if code == 1006 {
		_ = ws.CloseNow()
		return
	}
	_ = ws.Close(websocket.StatusCode(code), "")
}

// quiet fails the test if the client does anything but close the connection.
func (s *script) quiet(conn string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, text, err := s.conns[conn].Read(ctx); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		s.t.Errorf("%s, %v; want a close with 1000", text, err)
	}
}

// match compares a message with what is wanted; $cap:id and $ref:id are the command's id.
func (s *script) match(got, want map[string]any) {
	s.t.Helper()
	partial := want["$partial"] == true
	delete(want, "$partial")
	for k, v := range want {
		switch v {
		case "$cap:id":
			s.id, _ = got[k].(string)
			want[k] = s.id
		case "$ref:id":
			want[k] = s.id
		}
	}
	if partial {
		for k := range got {
			if _, ok := want[k]; !ok {
				delete(got, k)
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		s.t.Errorf("the client sent %v, want %v", got, want)
	}
}

// check compares what the caller sees.
func (s *script) check(step scriptStep) {
	s.t.Helper()
	switch step.Call {
	case "kill":
		if err := s.caller().Kill(s.t.Context()); err != nil {
			s.t.Error(err)
		}
		return
	case "send_input":
		late := step.Data == "late"
		if late {
			s.outcome()
		}
		if err := s.caller().Input(s.t.Context(), []byte(step.Data)); late != errors.Is(err, client.ErrDisconnected) {
			s.t.Errorf("input %q: %v", step.Data, err)
		}
		return
	}
	o := s.outcome()
	if (step.Error != "") != (o.err != nil) {
		s.t.Errorf("error %v, want %q", o.err, step.Error)
	}
	if step.Result != nil && !cmp.Equal(o.result, *step.Result) {
		s.t.Errorf("%s", cmp.Diff(*step.Result, o.result))
	}
	if step.Chunks != nil && !slices.Equal(o.chunks(), step.Chunks) {
		s.t.Errorf("chunks %q, want %q", o.chunks(), step.Chunks)
	}
	if step.ExitCode != nil && o.result.ExitCode != *step.ExitCode {
		s.t.Errorf("exit code %d, want %d", o.result.ExitCode, *step.ExitCode)
	}
	var failure *client.CommandError
	switch step.Error {
	case "SandboxOperationError": // C8
		if want := strings.ReplaceAll(step.Message, "$ref:id", s.id); !errors.As(o.err, &failure) ||
			failure.Message != want || failure.Type != command.SessionExpired {
			s.t.Errorf("error %v, want %q", o.err, want)
		}
	case "SandboxConnectionError": // C4, C7
		if errors.As(o.err, &failure) {
			s.t.Errorf("error %v of the command, want one of the connection", o.err)
		}
		if step.Message != "" && !errors.Is(o.err, client.ErrLost) {
			s.t.Errorf("error %v, want ErrLost", o.err)
		}
	}
}

// Statuses that will not pass are final, and Retry-After is not.
func TestWhichStatusesAreFinal(t *testing.T) {
	for _, c := range []struct {
		status  []int
		started bool
	}{
		{[]int{500, 502, 503, 504, 429}, true},
		{[]int{404}, false},
		{[]int{403}, false},
		{[]int{503, 503, 503, 503, 503, 503}, false},
	} {
		d := newDataplane(t, "")
		p := d.commands()
		for _, status := range c.status {
			d.status <- status
		}
		go func() {
			if c.started {
				ws := d.accept()
				write(t, ws, command.Reply{Type: command.Started, CommandID: "x", PID: 1})
			}
		}()
		got, err := p.Start(t.Context(), client.Exec{Command: "true"})
		if (err == nil) != c.started {
			t.Errorf("%v: %v", c.status, err)
		}
		if got != nil {
			_ = got.Close()
		}
		if n := len(d.delays); n != min(len(c.status), 5) && c.started {
			t.Errorf("%v: %d delays", c.status, n)
		}
	}
}

// Input that a lost connection swallowed is sent again, and never twice.
func TestInputOnce(t *testing.T) {
	d := newDataplane(t, command.Subprotocol)
	input := strings.Repeat("héllo\xff", 40_000)
	got := ""
	served := make(chan struct{})
	go func() {
		defer close(served)
		for lost := 0; ; lost++ {
			ws := d.accept()
			first := read(t, ws)
			taken := int64(len(got))
			write(t, ws, command.Reply{Type: command.Started, CommandID: first["command_id"].(string), PID: 1,
				StdinOffset: &taken})
			for n := 0; ; n++ {
				_, text, err := ws.Read(t.Context())
				if err != nil {
					return
				}
				var r command.Request
				if err := json.Unmarshal(text, &r); err != nil {
					t.Error(err)
					return
				}
				if r.Type == command.CloseStdin {
					zero := 0
					write(t, ws, command.Reply{Type: command.Exit, ExitCode: &zero})
					_ = ws.Close(websocket.StatusNormalClosure, "")
					return
				}
				if n == 1 && lost%2 == 0 {
					break // before it is taken
				}
				data := r.Data + string(r.Binary)
				if *r.Offset > int64(len(got)) {
					t.Errorf("input at %d, %d are there", *r.Offset, len(got))
					return
				}
				got += data[int64(len(got))-*r.Offset:]
				if n == 1 {
					break // after it was taken, before the answer
				}
				taken := int64(len(got))
				write(t, ws, command.Reply{Type: command.Ack, StdinOffset: &taken})
			}
			_ = ws.CloseNow()
		}
	}()
	c, err := d.commands().Start(t.Context(), client.Exec{Command: "cat"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ended := make(chan error, 1)
	go func() { _, err := c.Result(t.Context()); ended <- err }()
	if err := c.Input(t.Context(), []byte(input)); err != nil {
		t.Fatal(err)
	}
	if err := c.CloseInput(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-served
	if got != input {
		t.Errorf("%d bytes of input arrived, %d were sent, or others", len(got), len(input))
	}
}

// A gap has its size, what comes twice is left out, and Result reports the loss.
func TestGapHasItsSize(t *testing.T) {
	d := newDataplane(t, "")
	at := func(n int64) *int64 { return &n }
	zero := 0
	served := make(chan struct{})
	serve := func() {
		defer func() { served <- struct{}{} }()
		ws := d.accept()
		write(t, ws, command.Reply{Type: command.Started, CommandID: "x", PID: 1})
		write(t, ws, command.Reply{Type: command.Stderr, Data: "abc", Offset: at(0)})
		write(t, ws, command.Reply{Type: command.Stderr, Data: "bcd", Offset: at(1)})
		write(t, ws, command.Reply{Type: "news"})
		write(t, ws, command.Reply{Type: command.Stderr, Data: "x", Offset: at(10), Info: "bytes 4 to 10 are lost"})
		write(t, ws, command.Reply{Type: command.Exit, ExitCode: &zero})
		_ = ws.Close(websocket.StatusNormalClosure, "")
	}
	p := d.commands()
	go serve()
	c, err := p.Start(t.Context(), client.Exec{Command: "x"})
	if err != nil {
		t.Fatal(err)
	}
	want := []client.CommandEvent{
		client.Chunk{Stream: client.Stderr, Offset: 0, Text: "abc"},
		client.Chunk{Stream: client.Stderr, Offset: 3, Text: "d"},
		client.Gap{Stream: client.Stderr, From: 4, To: 10, Info: "bytes 4 to 10 are lost"},
		client.Chunk{Stream: client.Stderr, Offset: 10, Text: "x"},
	}
	if diff := cmp.Diff(want, follow(c).events); diff != "" {
		t.Error(diff)
	}
	<-served
	_ = c.Close()
	go serve()
	if c, err = p.Start(t.Context(), client.Exec{Command: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Result(t.Context()); err == nil || !strings.Contains(err.Error(), strconv.Itoa(6)) {
		t.Errorf("a result with a gap: %v", err)
	}
	<-served // Result does not wait for what follows the gap
	_ = c.Close()
}
