package mcp_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/server/mcp"
	"github.com/ptyrec/ptyrec/session"
)

// niceness returns the priority of the calling thread as nice(1) has it.
func niceness(t *testing.T) int {
	t.Helper()
	p, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Error(err)
	}
	return 20 - p // so does the system call return it
}

// What searches and reads has a low priority. What it starts has the normal one, and so has what
// types.
func TestMCPLowPriority(t *testing.T) {
	normal := niceness(t)
	w := newWorld(t)
	id := w.record(session.Session{}, said("user", "the retry budget"))
	var mu sync.Mutex
	opened, started := -1, -1
	open := w.options.Open
	w.options.Open = func(ctx context.Context) (*mcp.Archive, error) {
		mu.Lock()
		defer mu.Unlock()
		opened = niceness(t)
		return open(ctx)
	}
	w.options.Write = true
	w.options.Inside = func() ([]string, bool) { return nil, true }
	w.options.Start = func(context.Context, mcp.StartOptions) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		started = niceness(t)
		return "", errors.New("not in this test")
	}
	c := w.connect(nil)
	for tool, arguments := range map[string]map[string]any{
		"search": {"query": "budget"}, "list_sessions": {}, "read_session": {"session": id}, "read_screen": {"session": id},
	} {
		if must(t, c, tool, arguments); opened != max(normal, 10) {
			t.Errorf("%s has the priority %d", tool, opened)
		}
		call(t, c, "start_session", map[string]any{"command": []string{"true"}})
		if started != normal {
			t.Errorf("after %s, start_session has the priority %d, not %d", tool, started, normal)
		}
	}
	if call(t, c, "send", map[string]any{"session": id, "text": "x"}); opened != normal {
		t.Errorf("send has the priority %d, not %d", opened, normal)
	}
	if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "ptyrec://session/" + id}); err != nil ||
		opened != max(normal, 10) {
		t.Errorf("a resource: %v, priority %d", err, opened)
	}
}
