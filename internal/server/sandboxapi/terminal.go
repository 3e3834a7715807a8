package sandboxapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/internal/process"
)

// replayed is how much output a client receives when it attaches to a terminal, in bytes.
const replayed = 256 << 10

// Sizes of a terminal, in cells.
const (
	defaultCols = 80
	defaultRows = 24
	maxCells    = 1000
)

// terminal connects a WebSocket to the terminal of a session. The terminal continues without it.
func (a *API) terminal(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	if q.Get("sessionId") == "" {
		return failure(http.StatusBadRequest, codeInvalid, "sessionId is required")
	}
	var cols, rows int
	_, _ = fmt.Sscan(q.Get("cols"), &cols) // 0 if it is invalid
	_, _ = fmt.Sscan(q.Get("rows"), &rows)
	if cols < 1 || cols > maxCells || rows < 1 || rows > maxCells {
		cols, rows = defaultCols, defaultRows
	}
	c, err := a.openTerminal(r, nameOf(q.Get("sessionId")), q.Get("shell"), cols, rows)
	if err != nil {
		return errorOf(err, codeProcess)
	}
	ws, err := accept(w, r)
	if err != nil {
		return err
	}
	defer func() { _ = ws.CloseNow() }()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	t := &terminal{ws: ws, command: c}
	var showing sync.WaitGroup
	showing.Go(func() {
		t.show(ctx)
		cancel()
	})
	t.take(ctx)
	cancel()
	showing.Wait()
	return nil
}

// openTerminal returns the running terminal of a session, or a new one.
func (a *API) openTerminal(r *http.Request, session, shell string, cols, rows int) (*process.Command, error) {
	if shell == "" {
		shell = "/bin/bash"
	}
	spec := process.Spec{
		Sandbox: sandboxOf(session), Session: session, Apart: true,
		Command: "exec '" + strings.ReplaceAll(shell, "'", `'\''`) + "'",
		Env:     map[string]string{"TERM": "xterm-256color"}, PTY: true, Cols: cols, Rows: rows, By: by(r),
	}
	a.mu.Lock()
	n := a.terminals[session]
	a.mu.Unlock()
	for ; ; n++ {
		spec.ID = fmt.Sprintf("terminal-%d", n+1)
		c, existed, err := a.start(r.Context(), spec)
		if err != nil && !errors.Is(err, process.ErrExpired) {
			return nil, err
		}
		if err == nil && (!existed || c.Info().State == process.Running) {
			a.mu.Lock()
			a.terminals[session] = n
			a.mu.Unlock()
			return c, nil
		}
	}
}

// terminal is a WebSocket that is connected to a terminal.
type terminal struct {
	ws      *websocket.Conn
	command *process.Command
}

// status sends a message about the terminal.
func (t *terminal) status(ctx context.Context, fields map[string]any) error {
	message, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return t.ws.Write(ctx, websocket.MessageText, message)
}

// show sends the newest output, then that the client may type, further output as it arrives, and
// the end.
func (t *terminal) show(ctx context.Context) {
	var at process.Offsets
	var past []byte
	for chunk, err := range t.command.ReadNow(ctx, at) {
		if err != nil {
			_ = t.ws.Close(websocket.StatusInternalError, "the output cannot be read") // it may be gone
			return
		}
		past = append(past, chunk.Text...)
		past = past[max(0, len(past)-replayed):]
		at.Stdout = chunk.Offset + int64(len(chunk.Text))
	}
	for len(past) > 0 && !utf8.RuneStart(past[0]) {
		past = past[1:]
	}
	if len(past) > 0 && t.ws.Write(ctx, websocket.MessageBinary, past) != nil ||
		t.status(ctx, map[string]any{"type": "ready"}) != nil {
		return
	}
	for chunk, err := range t.command.Read(ctx, at) {
		if err != nil || len(chunk.Text) > 0 && t.ws.Write(ctx, websocket.MessageBinary, []byte(chunk.Text)) != nil {
			break
		}
	}
	if ctx.Err() != nil {
		_ = t.ws.Close(websocket.StatusGoingAway, "server is shutting down") // it may be gone
		return
	}
	_ = t.status(ctx, map[string]any{"type": "exit", "code": t.command.Info().ExitCode})
	_ = t.ws.Close(websocket.StatusNormalClosure, "the terminal has ended")
}

// take passes on what the client types and asks for, until it leaves.
func (t *terminal) take(ctx context.Context) {
	for {
		kind, message, err := t.ws.Read(ctx)
		if err != nil {
			return
		}
		if kind == websocket.MessageBinary {
			_ = t.command.Write(ctx, message) // the terminal has ended, which show reports
			continue
		}
		if err := t.control(ctx, message); err != nil {
			_ = t.status(ctx, map[string]any{"type": "error", "message": err.Error()}) // the client may be gone
		}
	}
}

// control processes a message other than input.
func (t *terminal) control(ctx context.Context, message []byte) error {
	var m struct {
		Type string `json:"type"`
		Cols int    `json:"cols"`
		Rows int    `json:"rows"`
	}
	switch err := json.Unmarshal(message, &m); {
	case err != nil:
		return errors.New("Invalid control message") //nolint:staticcheck // the SDK's words
	case m.Type != "resize":
		return nil
	case m.Cols < 1 || m.Rows < 1:
		return errors.New("Invalid dimensions: cols and rows must be positive") //nolint:staticcheck // the SDK's words
	}
	return t.command.Resize(ctx, min(m.Cols, maxCells), min(m.Rows, maxCells))
}
