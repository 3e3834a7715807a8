package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

// accept upgrades a request to a WebSocket. The guard has checked its origin. When the server ends,
// the WebSocket is closed and ctx ends. done must be called at the end.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, limit int64) (ctx context.Context, ws *websocket.Conn,
	done func(), err error) {
	if !isUpgrade(r) {
		return nil, nil, nil, problem(http.StatusUpgradeRequired, "bad_request", "this address requires a WebSocket")
	}
	leave, err := s.enter()
	if err != nil {
		return nil, nil, nil, err
	}
	// Browsers fail unless one of the subprotocols that they offer is selected, even if the only
	// one is the token.
	ws, err = websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: append([]string{client.Subprotocol},
		bearers(r)...)})
	if err != nil {
		leave()
		return nil, nil, nil, errAnswered{err}
	}
	ws.SetReadLimit(limit)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	closed := make(chan struct{})
	unlink := context.AfterFunc(s.stopped, func() {
		defer close(closed)
		_ = ws.Close(websocket.StatusGoingAway, "server is shutting down") // the client may be gone
		cancel()
	})
	return ctx, ws, func() {
		_ = ws.CloseNow()
		cancel()
		if !unlink() {
			<-closed
		}
		leave()
	}, nil
}

// errAnswered reports that the client has already received an error.
type errAnswered struct{ error }

// send writes a message. It disconnects a client that does not accept it in time.
func send(ctx context.Context, ws *websocket.Conn, kind websocket.MessageType, message []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return ws.Write(ctx, kind, message)
}

func sendJSON(ctx context.Context, ws *websocket.Conn, v any) error {
	message, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return send(ctx, ws, websocket.MessageText, message)
}

// closing returns the close code and reason for the end of a stream.
func closing(err error) (websocket.StatusCode, string) {
	switch {
	case err == nil:
		return websocket.StatusNormalClosure, "the session is over"
	case errors.Is(err, protocol.ErrBadFrame), errors.Is(err, protocol.ErrTooLong):
		return websocket.StatusPolicyViolation, "malformed frame"
	}
	return websocket.StatusTryAgainLater, "the session cannot be reached"
}

// noteEnd logs the end of a stream that ended with an error.
func (s *Server) noteEnd(r *http.Request, began time.Time, err error) {
	var closed websocket.CloseError
	if err == nil || errors.As(err, &closed) &&
		(closed.Code == websocket.StatusNormalClosure || closed.Code == websocket.StatusGoingAway) {
		s.log.DebugContext(r.Context(), "stream ended", "path", r.URL.Path, "from", r.RemoteAddr, "after", time.Since(began))
		return
	}
	s.log.InfoContext(r.Context(), "stream ended", "path", r.URL.Path, "from", r.RemoteAddr, "after", time.Since(began),
		"error", err)
}
