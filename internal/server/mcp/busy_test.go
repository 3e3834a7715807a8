package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptyrec/ptyrec/session"
)

// TestMCPFiftyCallsAtOnce: fifty calls at once are all answered, each its own way, and a wait holds
// up none.
func TestMCPFiftyCallsAtOnce(t *testing.T) {
	w := newWorld(t)
	const many = 50
	var ids []string
	for i := range many {
		ids = append(ids, w.record(session.Session{Title: fmt.Sprint("talk ", i)},
			said(session.RoleUser, fmt.Sprintf("question%d about it", i)), said(session.RoleAssistant, fmt.Sprint("answer", i))))
	}
	c := w.connect(nil)
	var calls sync.WaitGroup
	for i := range many {
		calls.Go(func() {
			tool, arguments, want := "search", map[string]any{"query": fmt.Sprint("answer", i)}, ids[i]
			switch i % 4 {
			case 1:
				tool, arguments, want = "read_session", map[string]any{"session": ids[i]}, fmt.Sprintf("question%d about it", i)
			case 2:
				tool, arguments, want = "wait", map[string]any{"session": ids[i], "until": "end"}, "ended"
			case 3:
				tool, arguments, want = "list_sessions", map[string]any{"limit": 100}, ids[i]
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil {
				t.Errorf("%s: %v", tool, err)
				return
			}
			if got := resultOf(r); got.isError || !strings.Contains(fmt.Sprint(got.structured), want) {
				t.Errorf("%s: %v %s, want %s", tool, got.structured, got.text, want)
			}
		})
	}
	calls.Wait()
}
