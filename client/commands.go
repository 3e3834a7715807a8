package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/protocol/command"
)

// Commands runs commands on a LangSmith dataplane or in a sandbox of a ptyrec server. It is safe
// for concurrent use and need not be closed.
type Commands struct {
	base  string // URL of the dataplane, without a trailing slash
	key   string
	http  *http.Client
	delay func(try int) time.Duration // delay before the nth consecutive try
}

// boxes is the path of the sandboxes of a ptyrec server.
const boxes = "/langsmith/boxes/"

// DialCommands returns Commands for the URL (http or https) of a ptyrec server or a dataplane. On a
// ptyrec server it uses the named sandbox, and creates it if needed; for a dataplane sandbox must
// be empty. o.Token is the API key. The error wraps ErrToken if a ptyrec server rejects the token.
func DialCommands(ctx context.Context, where, sandbox string, o Options) (*Commands, error) {
	server, err := newRemote(where, o)
	if err != nil {
		return nil, err
	}
	c := &Commands{base: server.base, key: o.Token, http: server.http, delay: backoff}
	err = server.check(ctx)
	switch {
	case strings.Contains(c.base, boxes), errors.Is(err, errForeign):
		if sandbox != "" {
			return nil, errors.New("the server is a single sandbox: leave out the sandbox id")
		}
		return c, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", c.base, err)
	}
	if sandbox == "" {
		sandbox = "default"
	}
	if err := server.makeBox(ctx, sandbox); err != nil {
		return nil, fmt.Errorf("%s: %w", c.base, err)
	}
	c.base += boxes + url.PathEscape(sandbox)
	return c, nil
}

// makeBox creates the sandbox unless it exists.
func (s *remote) makeBox(ctx context.Context, name string) error {
	body, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return err
	}
	address := s.base + strings.TrimSuffix(boxes, "/")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	s.authorize(req.Header)
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 300 || resp.StatusCode == http.StatusConflict {
		return nil
	}
	return detailed(resp)
}

// detailed returns the error of a dataplane's response: {"detail":{"error","message"}}.
func detailed(resp *http.Response) error {
	var body struct {
		Detail struct {
			Message string `json:"message"`
		} `json:"detail"`
	}
	_ = json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&body) // without a body, the status is the error
	if body.Detail.Message == "" {
		return errors.New(resp.Status)
	}
	return errors.New(body.Detail.Message)
}

// upgradeError is a server's refusal to open a WebSocket.
type upgradeError struct {
	status     int
	retryAfter time.Duration // delay that the server requests; negative if none
	cause      error
}

func (e *upgradeError) Error() string {
	return fmt.Sprintf("the server refused the connection (HTTP %d): %v", e.status, e.cause)
}

func (e *upgradeError) Unwrap() error { return e.cause }

// passes reports whether the refusal may be temporary.
func (e *upgradeError) passes() bool {
	switch e.status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

const (
	openTimeout = 30 * time.Second // for one try to open a WebSocket
	maxMessage  = 32 << 20         // maximum length of a server's message, in bytes
)

// open opens a WebSocket and sends first.
func (p *Commands) open(ctx context.Context, first command.Request) (*commandConn, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	o := &websocket.DialOptions{
		HTTPClient: p.http, Subprotocols: []string{command.Subprotocol}, HTTPHeader: http.Header{},
		CompressionMode: websocket.CompressionDisabled,
	}
	if p.key != "" {
		o.HTTPHeader.Set(command.KeyHeader, p.key)
	}
	address := "ws" + strings.TrimPrefix(p.base, "http") + command.Path
	ws, resp, err := websocket.Dial(ctx, address, o) //nolint:bodyclose // the library reads it, and returns a copy
	if err != nil {
		if resp != nil && resp.StatusCode >= 300 {
			return nil, refusedUpgrade(resp)
		}
		return nil, err
	}
	ws.SetReadLimit(maxMessage)
	conn := &commandConn{ws: ws, acked: ws.Subprotocol() == command.Subprotocol}
	if err := conn.send(ctx, first); err != nil {
		_ = ws.CloseNow()
		return nil, err
	}
	return conn, nil
}

func refusedUpgrade(resp *http.Response) error {
	e := &upgradeError{status: resp.StatusCode, retryAfter: -1, cause: detailed(resp)}
	if resp.StatusCode == http.StatusUnauthorized {
		e.cause = fmt.Errorf("%w: %w", ErrToken, e.cause)
	}
	if s, err := strconv.ParseFloat(resp.Header.Get("Retry-After"), 64); err == nil && s >= 0 {
		e.retryAfter = time.Duration(min(s, connectBudget.Seconds()) * float64(time.Second))
	}
	return e
}

// commandConn is one attachment to a command.
type commandConn struct {
	ws    *websocket.Conn
	acked bool // whether the server uses command.Subprotocol
}

func (c *commandConn) send(ctx context.Context, r command.Request) error {
	message, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return c.ws.Write(ctx, websocket.MessageText, message)
}

// next returns the next message.
func (c *commandConn) next(ctx context.Context) (r command.Reply, err error) {
	_, message, err := c.ws.Read(ctx)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(message, &r); err != nil {
		return r, final{fmt.Errorf("the server sent a malformed message: %w", err)}
	}
	return r, nil
}
