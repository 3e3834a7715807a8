package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/server/mcp"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// past reads what tests have stored.
type past struct {
	*sqlite.Store
	screen []byte // what the screens of all sessions are made of
}

func (p past) Page(ctx context.Context, info *store.Info, span store.Span) (store.Page, *store.Reading, error) {
	page, err := p.Store.Page(ctx, info.ID, span)
	return page, nil, err
}

func (p past) Screen(_ context.Context, info *store.Info, _ float64) (screen.Screen, int64, error) {
	t := vterm.New(vterm.Options{Cols: info.Cols, Rows: info.Rows})
	_, _ = t.Write(p.screen)
	return screen.Of(t), int64(len(p.screen)), nil
}

func (p past) ReadOut(context.Context) error { return nil }

// world is a database and a server for it.
type world struct {
	t       testing.TB
	db      *sqlite.Store
	past    *past
	options mcp.Options
}

func newWorld(t testing.TB) *world {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ptyrec.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	live, err := client.Dial(t.Context(), "", client.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, past: &past{Store: db}}
	w.options = mcp.Options{
		Open: func(context.Context) (*mcp.Archive, error) {
			return &mcp.Archive{Store: db, Live: live, Past: w.past}, nil
		},
		Redact: r, Command: func(args []string) []string { return args }, Version: "test",
		When: func(text string) (start, end time.Time, err error) {
			start, err = time.Parse(time.DateOnly, text)
			return start, start.AddDate(0, 0, 1), err
		},
	}
	return w
}

var began = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// said is a message.
func said(role, text string) *session.Entry {
	return &session.Entry{Type: session.TypeMessage, Role: role, Agent: "claude", Text: text, Markdown: text, At: began}
}

// record stores a session with these entries, and returns its id.
func (w *world) record(s session.Session, entries ...*session.Entry) string {
	w.t.Helper()
	ended, status := began.Add(time.Minute), 0
	s.StartedAt, s.EndedAt, s.ExitCode = began, &ended, &status
	if s.Command == nil {
		s.Command = []string{"claude"}
	}
	if s.Agents == nil {
		s.Agents = []session.Agent{{Name: "claude"}}
	}
	s.Cols, s.Rows = 40, 10
	err := w.db.CreateSession(w.t.Context(), &s)
	for i, e := range entries {
		e.ID, e.Seq = fmt.Sprintf("e%d", i+1), i+1
	}
	if err == nil {
		err = w.db.SaveEntries(w.t.Context(), s.ID, entries)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return s.ID
}

// connect returns a client of the SDK.
func (w *world) connect(o *sdk.ClientOptions) *sdk.ClientSession {
	w.t.Helper()
	s := mcp.New(w.options)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.Serve(context.Background(), in, out); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			w.t.Errorf("Serve: %v", err)
		}
		_ = out.Close()
	})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test-client", Version: "1"}, o).Connect(ctx,
		&sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_, _ = c.Close(), toServer.Close()
		s.Close()
		serving.Wait()
		cancel()
	})
	return c
}

// called is the result of a call.
type called struct {
	text       string
	structured map[string]any
	isError    bool
}

func call(t testing.TB, c *sdk.ClientSession, tool string, arguments map[string]any) called {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	return resultOf(r)
}

func resultOf(r *sdk.CallToolResult) called {
	out := called{isError: r.IsError}
	for _, content := range r.Content {
		if text, ok := content.(*sdk.TextContent); ok {
			out.text += text.Text
		}
	}
	out.structured, _ = r.StructuredContent.(map[string]any)
	return out
}

// must is call for a call that succeeds.
func must(t testing.TB, c *sdk.ClientSession, tool string, arguments map[string]any) called {
	t.Helper()
	r := call(t, c, tool, arguments)
	if r.isError {
		t.Fatalf("%s %v: %s", tool, arguments, r.text)
	}
	return r
}

// items returns an array of objects in a result.
func (c called) items(name string) (items []map[string]any) {
	list, _ := c.structured[name].([]any)
	for _, i := range list {
		item, _ := i.(map[string]any)
		items = append(items, item)
	}
	return items
}

func text(of map[string]any, name string) string {
	s, _ := of[name].(string)
	return s
}

// converse sends lines to a server, ends its input, and returns the lines that it answers.
func (w *world) converse(lines ...string) (answers []map[string]any) {
	w.t.Helper()
	return w.converseReader(strings.NewReader(strings.Join(lines, "\n") + "\n"))
}

func (w *world) converseReader(in io.Reader) (answers []map[string]any) {
	w.t.Helper()
	s := mcp.New(w.options)
	defer s.Close()
	out, to := io.Pipe()
	var serving sync.WaitGroup
	defer serving.Wait()
	serving.Go(func() {
		if err := s.Serve(context.Background(), in, to); err != nil {
			w.t.Errorf("Serve: %v", err)
		}
		_ = to.Close()
	})
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var one map[string]any
		var batch []map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil && json.Unmarshal(scanner.Bytes(), &batch) != nil {
			w.t.Errorf("on stdout: %q", scanner.Text())
		}
		if one == nil {
			one = map[string]any{"batch": batch}
		}
		answers = append(answers, one)
	}
	return answers
}

// answerTo returns the answer with an id.
func answerTo(t testing.TB, answers []map[string]any, id any) map[string]any {
	t.Helper()
	for _, a := range answers {
		if fmt.Sprint(a["id"]) == fmt.Sprint(id) && a["batch"] == nil {
			return a
		}
	}
	t.Fatalf("no answer to %v in %v", id, answers)
	return nil
}

// codeOf returns the code of an error.
func codeOf(answer map[string]any) float64 {
	e, _ := answer["error"].(map[string]any)
	code, _ := e["code"].(float64)
	return code
}

func initialize(version string) string {
	return `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`
}

func noDatabase(context.Context) (*mcp.Archive, error) { return nil, nil }

func failing(err error) func(context.Context) (*mcp.Archive, error) {
	return func(context.Context) (*mcp.Archive, error) { return nil, err }
}
