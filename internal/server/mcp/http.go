package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is the path of the server over HTTP.
const Path = "/mcp"

// Routes implements server.Handlers. It needs Options.Stateless, without which the SDK does not
// support protocol 2026-07-28 over HTTP.
func (s *Server) Routes() map[string]http.Handler {
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Stateless: true, Logger: s.log, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the server has its own guard
	})
	return map[string]http.Handler{Path: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLine))
		if err != nil {
			status := http.StatusBadRequest
			if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
				status = http.StatusRequestEntityTooLarge
			}
			writeRefusal(w, status, jsonrpc.CodeInvalidRequest, "the message is longer than 4 MiB, or incomplete")
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a call may take longer than its message
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	})}
}

// Refuse implements server.Handlers.
func (s *Server) Refuse(w http.ResponseWriter, _ *http.Request, status int, _, message string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeRefusal(w, status, jsonrpc.CodeInvalidRequest, message)
}

func writeRefusal(w http.ResponseWriter, status int, code int64, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(refusal(nil, code, message)) // the client may be gone
}
