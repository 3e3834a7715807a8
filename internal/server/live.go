package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store"
)

// live passes frames between a WebSocket and a session, live or past.
func (s *Server) live(w http.ResponseWriter, r *http.Request) error {
	info, err := s.find(r)
	if err != nil {
		return err
	}
	var peer io.ReadWriteCloser
	if info.Status == store.Live {
		if peer, err = s.Live.Connect(r.Context(), info.ID); err != nil {
			return notLive(err)
		}
	}
	ctx, ws, done, err := s.accept(w, r, protocol.MaxFrame)
	if err != nil {
		if peer != nil {
			_ = peer.Close()
		}
		return err
	}
	defer done()
	var player sync.WaitGroup
	defer player.Wait()
	if peer == nil {
		near, far := net.Pipe()
		peer = near
		player.Go(func() { s.play(ctx, far, info) })
	}
	began := time.Now()
	err = relay{ws: ws, peer: peer, writes: rightOf(r) == mayWrite, behalf: LinkOf(r)}.run(ctx)
	s.noteEnd(r, began, err)
	return nil
}

// relay passes on frames, one a message.
type relay struct {
	ws     *websocket.Conn
	peer   io.ReadWriteCloser
	writes bool // the client may do more than watch
	behalf *protocol.Link
}

// run passes on frames until one side ends. The error is nil if the session has ended and sent its
// Exit.
func (l relay) run(ctx context.Context) error {
	heard := make(chan error, 1)
	var up sync.WaitGroup
	defer up.Wait()
	up.Go(func() {
		heard <- l.up(ctx)
		_ = l.peer.Close() // makes down return
	})
	ended, err := l.down(ctx)
	_ = l.peer.Close()
	var upErr error
	gone := false // whether the client is gone
	select {
	case upErr = <-heard:
		gone = true
	default:
	}
	switch {
	case ended:
		err = nil
	case gone:
		err = upErr
	}
	_ = l.ws.Close(closing(err)) // the client may be gone
	return err
}

// down passes on frames from the session. ended reports whether the session sent its end.
func (l relay) down(ctx context.Context) (ended bool, err error) {
	r := protocol.NewReader(bufio.NewReaderSize(l.peer, 64<<10))
	var message []byte
	for {
		f, err := r.Next()
		if err != nil {
			return ended, err
		}
		message = protocol.Append(message[:0], f)
		if err := send(ctx, l.ws, websocket.MessageBinary, message); err != nil {
			return false, err
		}
		ended = ended || f.Type == protocol.TypeExit || f.Type == protocol.TypeRefused
		if cap(message) > 4*protocol.MaxOutput {
			message = nil // a snapshot is large and rare, so its memory is not kept
		}
	}
}

// up passes on frames from the client that it is allowed to send.
func (l relay) up(ctx context.Context) error {
	for first := true; ; first = false {
		kind, message, err := l.ws.Read(ctx)
		if err != nil {
			return err
		}
		f, err := frameOf(kind, message)
		if err != nil {
			return err
		}
		if first != (f.Type == protocol.TypeAttach) {
			return fmt.Errorf("%w: %q in the wrong place: only the first frame is Attach", protocol.ErrBadFrame, f.Type)
		}
		if first {
			if f, err = withBehalf(f, l.behalf); err != nil {
				return err
			}
		}
		if !l.writes {
			if f, err = l.watching(ctx, f); err != nil {
				return err
			}
		}
		if f.Type == 0 {
			continue
		}
		if err := protocol.Write(l.peer, f); err != nil {
			return err
		}
	}
}

// frameOf returns the only frame of a message.
func frameOf(kind websocket.MessageType, message []byte) (protocol.Frame, error) {
	r := bytes.NewReader(message)
	f, err := protocol.NewReader(r).Next()
	if err != nil || kind != websocket.MessageBinary || r.Len() > 0 {
		return f, fmt.Errorf("%w: a message of %d bytes", protocol.ErrBadFrame, len(message))
	}
	return f, nil
}

// watching filters a frame of a client that may only watch: it removes a request for control from
// Attach, and refuses requests to type, resize or kill.
func (l relay) watching(ctx context.Context, f protocol.Frame) (protocol.Frame, error) {
	var id uint32
	switch f.Type {
	case protocol.TypeAttach:
		return withoutControl(f)
	case protocol.TypeInput:
		var err error
		if id, _, err = f.Input(); err != nil {
			return f, err
		}
	case protocol.TypeSize, protocol.TypeRequest, protocol.TypeKill, protocol.TypePrompt:
		var request struct {
			ID uint32 `json:"id"`
		}
		if err := f.Decode(&request); err != nil {
			return f, err
		}
		id = request.ID
	case protocol.TypePing:
		return f, nil
	default:
		return protocol.Frame{}, nil
	}
	ack, err := protocol.JSON(protocol.TypeAck, protocol.Ack{ID: id, Error: &protocol.Error{
		Code:    protocol.CodeNotAllowed,
		Message: "this requires the token that `ptyrec serve` printed, and a server without --read-only"}})
	if err != nil {
		return f, err
	}
	return protocol.Frame{}, send(ctx, l.ws, websocket.MessageBinary, protocol.Append(nil, ack))
}

// withBehalf sets the client in an Attach message, replacing what the client claims.
func withBehalf(f protocol.Frame, link *protocol.Link) (protocol.Frame, error) {
	return changeAttach(f, "behalf", link)
}

// withoutControl removes the request for control from an Attach. It keeps unknown fields.
func withoutControl(f protocol.Frame) (protocol.Frame, error) { return changeAttach(f, "control", nil) }

// changeAttach sets a field of an Attach message; nil removes it.
func changeAttach(f protocol.Frame, field string, value any) (protocol.Frame, error) {
	var a map[string]json.RawMessage
	if err := f.Decode(&a); err != nil {
		return f, err
	}
	// encoding/json ignores case, too
	maps.DeleteFunc(a, func(name string, _ json.RawMessage) bool { return strings.EqualFold(name, field) })
	if value != nil && a != nil {
		b, err := json.Marshal(value)
		if err != nil {
			return f, err
		}
		a[field] = b
	}
	return protocol.JSON(protocol.TypeAttach, a)
}
