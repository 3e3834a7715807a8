package mcp_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/session"
)

const askList = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_sessions","arguments":{}}}`

// Each version of the protocol is spoken over stdio, from 2024-11-05 on.
func TestMCPVersions(t *testing.T) {
	w := newWorld(t)
	w.record(session.Session{}, said("user", "hello"))
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		answers := w.converse(initialize(version), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
			fmt.Sprintf(askList, 3), `{"jsonrpc":"2.0","id":4,"method":"ping"}`)
		result, _ := answerTo(t, answers, "init")["result"].(map[string]any)
		if result["protocolVersion"] != version {
			t.Errorf("%s: %v", version, result["protocolVersion"])
		}
		for _, id := range []int{2, 3, 4} {
			if a := answerTo(t, answers, id); a["error"] != nil || a["result"] == nil {
				t.Errorf("%s: %v", version, a)
			}
		}
	}
}

// 2026-07-28 has no initialize; each request says who asks.
func TestMCPStateless(t *testing.T) {
	w := newWorld(t)
	w.record(session.Session{}, said("user", "hello"))
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` +
		`{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	answers := w.converse(
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+meta+`}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{`+meta+`}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_sessions","arguments":{},`+meta+`}}`,
		`{"jsonrpc":"2.0","id":4,"method":"ping","params":{`+meta+`}}`,
	)
	for _, id := range []int{1, 2, 3} {
		if a := answerTo(t, answers, id); a["error"] != nil || a["result"] == nil {
			t.Errorf("%v", a)
		}
	}
	if code := codeOf(answerTo(t, answers, 4)); code != -32601 {
		t.Errorf("ping: code %v", code)
	}
}

// A line that is no message is answered, and does not swallow the next one. What was asked right
// before the end of the input is answered, too.
func TestMCPBrokenLines(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		line string
		code float64
	}{
		{`{"jsonrpc":"2.0","id":7,`, -32700},
		{"\x00\xff\xfe", -32700},
		{`{"jsonrpc":"2.0","id":8,"method":"ping"} {}`, -32700},
		{strings.Repeat("[", 20000), -32700},
		{`42`, -32600},
		{`{"jsonrpc":"1.0","id":9,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600},
		{`[]`, -32600},
		{`[{"jsonrpc":"2.0","id":10,"method":"ping"}]`, -32600},
	} {
		answers := w.converse(initialize("2025-11-25"), c.line, "", fmt.Sprintf(askList, 11))
		if len(answers) != 3 {
			t.Fatalf("%.40q: %v", c.line, answers)
		}
		if a := answerTo(t, answers, 11); a["result"] == nil {
			t.Errorf("%.40q: then %v", c.line, a)
		}
		for _, a := range answers {
			if a["error"] != nil && codeOf(a) != c.code {
				t.Errorf("%.40q: %v, want %v", c.line, a, c.code)
			}
		}
	}
}

// long reads as a line of so many bytes between others.
func long(before string, n int64, after string) io.Reader {
	return io.MultiReader(strings.NewReader(before+"\n"), io.LimitReader(endless{}, n), strings.NewReader("\n"+after+"\n"))
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// A line of 100 MB is refused, and costs no memory.
func TestMCPLongLine(t *testing.T) {
	w := newWorld(t)
	size := int64(100 << 20)
	if testing.Short() {
		size = 8 << 20
	}
	answers := w.converseReader(long(initialize("2025-11-25"), size, fmt.Sprintf(askList, 2)))
	if code := codeOf(answerTo(t, answers, nil)); code != -32600 {
		t.Errorf("code %v", code)
	}
	if a := answerTo(t, answers, 2); a["result"] == nil {
		t.Errorf("then %v", a)
	}
}

// Versions up to 2025-03-26 have batches.
func TestMCPBatches(t *testing.T) {
	w := newWorld(t)
	for _, version := range []string{"2024-11-05", "2025-03-26"} {
		var batch []map[string]any
		for _, a := range w.converse(initialize(version),
			`[{"jsonrpc":"2.0","id":2,"method":"ping"},5,{"jsonrpc":"2.0","method":"notifications/x"},`+fmt.Sprintf(askList,
				3)+"]") {
			if b, ok := a["batch"].([]map[string]any); ok {
				batch = b
			}
		}
		if len(batch) != 3 {
			t.Errorf("%s: %v", version, batch)
		}
	}
}

// A request may not have the id of one that runs.
func TestMCPSameID(t *testing.T) {
	w := newWorld(t)
	var lines []string
	for range 50 {
		lines = append(lines, fmt.Sprintf(askList, 5))
	}
	answers := w.converse(append([]string{initialize("2025-11-25")}, lines...)...)
	if len(answers) != 51 {
		t.Errorf("%d answers", len(answers))
	}
}

// Errors are short, have a code, and name no Go types.
func TestMCPProtocolErrors(t *testing.T) {
	w := newWorld(t)
	answers := w.converse(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if code := codeOf(answerTo(t, answers, 1)); code != -32600 {
		t.Errorf("before initialize: code %v", code)
	}
	answers = w.converse(initialize("2025-11-25"),
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":7}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"`+strings.Repeat("x", 5000)+`"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"nothing"}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call"}`)
	for id, code := range map[int]float64{2: -32602, 3: -32602, 4: -32601, 5: -32600} {
		a := answerTo(t, answers, id)
		e, _ := a["error"].(map[string]any)
		message := text(e, "message")
		if codeOf(a) != code || message == "" || len(message) > 1000 || strings.Contains(message, "mcp.") {
			t.Errorf("%d: %v", id, a)
		}
	}
}

// FuzzMCP1Lines: whatever comes, the server ends with its input and writes nothing but messages.
func FuzzMCP1Lines(f *testing.F) {
	f.Add([]byte(initialize("2025-11-25") + "\n" + fmt.Sprintf(askList, 1)))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`))
	f.Add([]byte("\n\r\n{\"a\":1}\n\xff"))
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, input []byte) {
		w := &world{t: t, options: w.options}
		w.converseReader(bytes.NewReader(input))
	})
}
