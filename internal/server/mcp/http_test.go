package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/server/mcp"
	"github.com/ptyrec/ptyrec/session"
)

// The server announces resources/subscribe only to clients whose version of the protocol lets it
// answer that.
func TestSubscribeIsPromisedWhereItIsAnswered(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		w := newWorld(t)
		id := w.record(session.Session{}, said("user", "hello"))
		subscribe := `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"ptyrec://session/` + id +
			`/screen"}}`
		overStdio := w.converse(initialize(version), subscribe)
		w.options.Stateless = true
		s := mcp.New(w.options)
		server := httptest.NewServer(s.Routes()[mcp.Path])
		begin, _, _ := strings.Cut(initialize(version), "\n")
		overHTTP := []map[string]any{post(t, server.URL, "", begin), post(t, server.URL, version, subscribe)}
		server.Close()
		s.Close()
		for name, answers := range map[string][]map[string]any{"stdio": overStdio, "HTTP": overHTTP} {
			result, _ := answerTo(t, answers, "init")["result"].(map[string]any)
			capabilities, _ := result["capabilities"].(map[string]any)
			resources, ok := capabilities["resources"].(map[string]any)
			promised := resources["subscribe"] == true
			if answered := answerTo(t, answers, 2)["error"] == nil; promised != answered || !ok ||
				promised != (name == "stdio") {
				t.Errorf("%s over %s: promised: %v, answered: %v, %v", version, name, promised, answered, answers[1])
			}
		}
	}
}

// post sends a message to an HTTP server, and returns the answer.
func post(t *testing.T, url, version, message string) (answer map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+mcp.Path, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if version != "" && version < "2026" {
		r.Header.Set("Mcp-Protocol-Version", version)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(io.LimitReader(resp.Body, 1<<20))
	for lines.Scan() {
		text := strings.TrimPrefix(lines.Text(), "data: ")
		if json.Unmarshal([]byte(text), &answer) == nil {
			return answer
		}
	}
	t.Fatalf("%s: no answer to %s", resp.Status, message)
	return nil
}
