package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// decode parses a message. If it is invalid, or has the id of a call in progress, it returns the
// response to it instead.
func (c *lineConn) decode(text []byte, b *batch) (jsonrpc.Message, json.RawMessage) {
	m, err := jsonrpc.DecodeMessage(text)
	var shape struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(text, &shape) // without an id if it is not an object
	if err != nil || !validID(shape.ID) {
		return nil, refusal(shape.ID, jsonrpc.CodeInvalidRequest,
			"the message is not a JSON-RPC 2.0 request, notification or response")
	}
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return m, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !r.IsCall() {
		if r.Method == methodCancelled {
			c.cancel(r)
		}
		return m, nil
	}
	if c.calls[r.ID] != nil {
		return nil, refusal(shape.ID, jsonrpc.CodeInvalidRequest, "a request with this id is running")
	}
	c.calls[r.ID] = &call{method: r.Method, batch: b}
	if b != nil {
		b.left++
	}
	return m, nil
}

// validID reports whether a message's id is valid: MCP allows strings and integers. A notification
// has none.
func validID(id json.RawMessage) bool {
	return len(id) == 0 || id[0] == '"' || (id[0] == '-' || id[0] >= '0' && id[0] <= '9') && !bytes.ContainsAny(id, ".eE")
}

// versionOf returns the version in the result of initialize.
func versionOf(result json.RawMessage) string {
	var r struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(result, &r) // written by the SDK
	return r.ProtocolVersion
}

// plainError converts an error of the SDK to one of the protocol, with a code and without the names
// of Go types.
func plainError(err error) error {
	if err == nil {
		return nil
	}
	out := &jsonrpc.Error{Message: err.Error()}
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) {
		out.Code, out.Data = e.Code, e.Data
	}
	if out.Code == 0 {
		out.Code = jsonrpc.CodeInvalidRequest
	}
	if at := strings.Index(out.Message, ": unmarshaling"); at >= 0 {
		out.Message = out.Message[:at]
	}
	if text := []rune(out.Message); len(text) > maxMessage {
		out.Message = string(text[:maxMessage-1]) + "…"
	}
	return out
}

// refuse responds to an invalid message.
func (c *lineConn) refuse(id json.RawMessage, code int64, message string) error {
	return c.write(refusal(id, code, message))
}

// refusal returns the response to an invalid message. Its id is null if it is unknown.
func refusal(id json.RawMessage, code int64, message string) json.RawMessage {
	if len(id) == 0 || !validID(id) {
		id = json.RawMessage("null")
	}
	// id is JSON
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code,
		"message": message}})
	return text
}
