package sandboxapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// step is a line of a conversation; testdata/cloudflare has them.
type step struct {
	T       string            `json:"t"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	JSON    any               `json:"json"`
	Body    string            `json:"body"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Data    any               `json:"data"`
	Conn    string            `json:"conn"`
	Msg     any               `json:"msg"`
	Raw     string            `json:"raw"`
	Binary  string            `json:"binary"`
	Text    string            `json:"text"`
}

// differences are where we do better than the first server: file, what it says, and what we say.
var differences = map[string][2]string{
	"c05-exec.jsonl": {`"duration": 0,`, `"duration": "$int",`}, // the true one
}

// rowsOf are the rows that each conversation shows: `go test -run Conformance/.*E7` runs those of
// one.
var rowsOf = map[string]string{
	"c01": "E1", "c02": "E7", "c03": "E7", "c04": "E5", "c05": "E2", "c06": "E6", "c07": "E3", "c08": "E1", "c09": "E15",
}

// TestConformance plays the conversations of the SDK's container.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/cloudflare/*.jsonl")
	if err != nil || len(files) != 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name+"_"+rowsOf[name[:3]], func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := differences[filepath.Base(file)]; ok {
				if !bytes.Contains(text, []byte(d[0])) {
					t.Fatalf("it does not say %s", d[0])
				}
				text = bytes.ReplaceAll(text, []byte(d[0]), []byte(d[1]))
			}
			c := &conversation{t: t, site: newSite(t), sockets: map[string]*websocket.Conn{}}
			for line := range bytes.Lines(text) {
				var s step
				if err := json.Unmarshal(line, &s); err != nil {
					t.Fatal(err)
				}
				c.step(s)
			}
		})
	}
}

// conversation plays one of them.
type conversation struct {
	*site
	t       *testing.T
	asked   step // the last request
	stream  *bufio.Reader
	sockets map[string]*websocket.Conn
}

func (c *conversation) step(s step) {
	c.t.Helper()
	switch s.T {
	case "meta", "wait": // the answers are awaited
	case "http":
		c.asked = s
	case "resp":
		c.response(s)
	case "resp_head":
		resp := c.ask(c.asked)
		c.t.Cleanup(func() { _ = resp.Body.Close() })
		for name, want := range s.Headers {
			if got := resp.Header.Get(name); got != want {
				c.t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if resp.StatusCode != s.Status {
			c.t.Fatalf("%s %s: %s", c.asked.Method, c.asked.Path, resp.Status)
		}
		c.stream = bufio.NewReader(resp.Body)
	case "sse":
		event, err := nextEvent(c.stream)
		if err != nil {
			c.t.Fatalf("%v, want %v", err, s.Data)
		}
		if err := match(event.data, s.Data); err != nil {
			c.t.Fatalf("%v, want %v: %v", event.data, s.Data, err)
		}
	case "sse_eof":
		if event, err := nextEvent(c.stream); !errors.Is(err, io.EOF) {
			c.t.Fatalf("%v, %v, want the end", event, err)
		}
	case "open":
		c.sockets[s.Conn] = c.dial(s.Path)
	case "open_refused":
		_, resp, err := websocket.Dial(c.t.Context(), c.url+s.Path, c.dialOptions())
		if err == nil || resp == nil || resp.StatusCode != s.Status {
			c.t.Fatalf("%v, %v, want %d", resp, err, s.Status)
		}
	case "c2s":
		kind, message := websocket.MessageText, []byte(s.Raw)
		switch {
		case s.Binary != "":
			kind, message = websocket.MessageBinary, []byte(s.Binary)
		case s.Msg != nil:
			message, _ = json.Marshal(s.Msg) // was JSON
		}
		if err := c.sockets[s.Conn].Write(c.t.Context(), kind, message); err != nil {
			c.t.Fatal(err)
		}
	case "s2c":
		c.message(s)
	case "s2c_binary_contains":
		for text := ""; !strings.Contains(text, s.Text); {
			kind, message, err := c.sockets[s.Conn].Read(c.t.Context())
			if err != nil || kind != websocket.MessageBinary {
				c.t.Fatalf("%v %q %v behind %q, want %q", kind, message, err, text, s.Text)
			}
			text += string(message)
		}
	default:
		c.t.Fatalf("unknown step %q", s.T)
	}
}

// message reads the next text; what the terminal writes besides is not awaited.
func (c *conversation) message(s step) {
	c.t.Helper()
	for {
		kind, message, err := c.sockets[s.Conn].Read(c.t.Context())
		if err != nil {
			c.t.Fatal(err)
		}
		if kind == websocket.MessageBinary {
			continue
		}
		var got any
		if err := json.Unmarshal(message, &got); err != nil {
			c.t.Fatal(err)
		}
		if err := match(got, s.Msg); err != nil {
			c.t.Fatalf("%v, want %v: %v", got, s.Msg, err)
		}
		return
	}
}

// response asks, until the answer is the one wanted where asking changes nothing.
func (c *conversation) response(s step) {
	c.t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err = c.compare(s); err == nil || c.asked.Method != http.MethodGet {
			break
		}
	}
	if err != nil {
		c.t.Fatalf("%s %s: %v", c.asked.Method, c.asked.Path, err)
	}
}

func (c *conversation) compare(s step) error {
	resp := c.ask(c.asked)
	defer resp.Body.Close()
	var got any
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		return err
	}
	if resp.StatusCode != s.Status {
		return fmt.Errorf("%s %v", resp.Status, got)
	}
	if err := match(got, s.JSON); err != nil {
		return fmt.Errorf("%v, want %v: %w", got, s.JSON, err)
	}
	return nil
}

func (c *conversation) ask(s step) *http.Response {
	c.t.Helper()
	body := s.Body
	if s.JSON != nil {
		text, _ := json.Marshal(s.JSON) // was JSON
		body = string(text)
	}
	return c.do(s.Method, s.Path, body)
}

// match returns an error if got is not as want says, in the notation of the conversations.
func match(got, want any) error {
	switch want := want.(type) {
	case map[string]any:
		return matchObject(got, want)
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%v is no list of %d", got, len(want))
		}
		for i := range want {
			if err := match(list[i], want[i]); err != nil {
				return err
			}
		}
		return nil
	case string:
		return matchText(got, want)
	}
	if got != want {
		return fmt.Errorf("%v is not %v", got, want)
	}
	return nil
}

func matchObject(got any, want map[string]any) error {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Errorf("%v is no object", got)
	}
	for name, value := range want {
		if name == "$partial" {
			continue
		}
		if err := match(object[name], value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if want["$partial"] != true && len(object) != len(want) {
		return fmt.Errorf("%v has other fields than %v", got, want)
	}
	return nil
}

var iso = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

func matchText(got any, want string) error {
	text, isText := got.(string)
	number, isNumber := got.(float64)
	ok := got == want
	switch kind, rest, _ := strings.Cut(want, ":"); kind {
	case "$any":
		ok = true
	case "$str":
		ok = isText
	case "$int":
		ok = isNumber && number == float64(int64(number))
	case "$iso":
		ok = iso.MatchString(text)
	case "$prefix":
		ok = isText && strings.HasPrefix(text, rest)
	case "$re":
		ok = isText && regexp.MustCompile(rest).MatchString(text)
	}
	if !ok {
		return fmt.Errorf("%v is not %s", got, want)
	}
	return nil
}
