package sandboxapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
)

// maxRequests is the maximum number of concurrent requests on a WebSocket.
const maxRequests = 256

// socketMessage is a message of the WebSocket, in either direction.
type socketMessage struct {
	Type    string            `json:"type"` // request, cancel; response, stream, error
	ID      string            `json:"id,omitempty"`
	Method  string            `json:"method,omitempty"`
	Path    string            `json:"path,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"`
	Status  int               `json:"status,omitempty"`
	Done    bool              `json:"done,omitempty"`
	Data    *string           `json:"data,omitempty"` // JSON of an event; empty for a ping
	Code    string            `json:"code,omitempty"`
	Message string            `json:"message,omitempty"`
}

// accept upgrades a request to a WebSocket. The server has checked its origin and token. Browsers
// fail unless one of the subprotocols that they offer is selected, even if the only one is a token.
func accept(w http.ResponseWriter, r *http.Request) (*websocket.Conn, error) {
	if r.Header.Get("Upgrade") == "" {
		return nil, failure(http.StatusUpgradeRequired, codeInvalid, "this address requires a WebSocket")
	}
	var offered []string
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for word := range strings.SplitSeq(line, ",") {
			if word = strings.TrimSpace(word); strings.HasPrefix(word, client.TokenPrefix) {
				offered = append(offered, word)
			}
		}
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: offered})
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(maxBody)
	return ws, nil
}

// socket handles the requests on a WebSocket, several at the same time.
func (a *API) socket(w http.ResponseWriter, r *http.Request) error {
	ws, err := accept(w, r)
	if err != nil {
		return err
	}
	defer func() { _ = ws.CloseNow() }()
	ctx, cancel := context.WithCancel(r.Context())
	s := &socket{a: a, ctx: ctx, ws: ws, upgrade: r, cancels: map[string]context.CancelFunc{}}
	defer context.AfterFunc(r.Context(), func() { _ = ws.Close(websocket.StatusGoingAway, "server is shutting down") })()
	for {
		_, message, err := ws.Read(context.WithoutCancel(ctx))
		if err != nil {
			break // the client is gone
		}
		s.take(message)
	}
	cancel()
	s.answering.Wait()
	return nil
}

// socket is a WebSocket that carries requests.
type socket struct {
	a *API
	// For writes: one with a request's context would close the WebSocket when that ends.
	ctx       context.Context //nolint:containedctx
	ws        *websocket.Conn
	upgrade   *http.Request
	answering sync.WaitGroup

	mu      sync.Mutex // guards cancels
	cancels map[string]context.CancelFunc
}

// take processes a message.
func (s *socket) take(message []byte) {
	var m socketMessage
	if err := json.Unmarshal(message, &m); err != nil {
		s.complain("", "PARSE_ERROR", "Invalid JSON message", http.StatusBadRequest)
		return
	}
	path, err := url.ParseRequestURI(m.Path)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.Type == "cancel":
		if cancel := s.cancels[m.ID]; cancel != nil {
			cancel()
		}
	case m.Type != "request" || m.ID == "" || m.Method == "" || err != nil || path.Host != "":
		s.complain(m.ID, "INVALID_REQUEST", "Message must be a valid WSRequest", http.StatusBadRequest)
	case s.cancels[m.ID] != nil:
		s.complain(m.ID, "INVALID_REQUEST", "the id is in use", http.StatusBadRequest)
	case len(s.cancels) >= maxRequests:
		s.complain(m.ID, codeInternal, "too many requests at a time", http.StatusTooManyRequests)
	default:
		ctx, cancel := context.WithCancel(s.ctx)
		s.cancels[m.ID] = cancel
		s.answering.Go(func() {
			s.answer(ctx, &m, path)
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.cancels, m.ID)
			cancel()
		})
	}
}

// answer passes a request to the HTTP handlers.
func (s *socket) answer(ctx context.Context, m *socketMessage, path *url.URL) {
	r := (&http.Request{
		Method: m.Method, URL: path, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(m.Body)),
		Host: s.upgrade.Host, RemoteAddr: s.upgrade.RemoteAddr,
	}).WithContext(ctx)
	r.Header.Set("User-Agent", s.upgrade.UserAgent())
	for name, value := range m.Headers {
		r.Header.Set(name, value)
	}
	w := &socketResponse{ctx: ctx, socket: s, id: m.ID, header: http.Header{}, status: http.StatusOK}
	s.a.mux.ServeHTTP(w, r)
	response := socketMessage{Type: "response", ID: m.ID, Status: w.status, Done: true}
	if body := w.body.Bytes(); json.Valid(body) {
		response.Body = body
	}
	s.send(response)
}

// complain sends an error.
func (s *socket) complain(id, code, message string, status int) {
	s.send(socketMessage{Type: "error", ID: id, Code: code, Message: message, Status: status})
}

func (s *socket) send(m socketMessage) {
	if message, err := json.Marshal(m); err == nil {
		_ = s.ws.Write(s.ctx, websocket.MessageText, message) // if this fails, so does Read
	}
}

// socketResponse is the http.ResponseWriter for a request on a WebSocket.
type socketResponse struct {
	ctx    context.Context //nolint:containedctx // of the request
	socket *socket
	id     string
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *socketResponse) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *socketResponse) WriteHeader(status int) { w.status = status }

// Write implements io.Writer.
func (w *socketResponse) Write(b []byte) (int, error) { return w.body.Write(b) }

// event implements eventSink. The SDK abandons a stream after 300 s without messages; it ignores
// pings.
func (w *socketResponse) event(_ string, data []byte) error {
	text := string(data)
	if w.ctx.Err() == nil {
		w.socket.send(socketMessage{Type: "stream", ID: w.id, Data: &text})
	}
	return w.ctx.Err()
}
