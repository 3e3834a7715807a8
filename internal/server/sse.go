package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"
)

// eventStream writes server-sent events. It may be used concurrently.
type eventStream struct {
	mu sync.Mutex // guards the fields below
	w  http.ResponseWriter
	c  *http.ResponseController
}

// keepAlive is the interval of comments that show proxies and clients that the connection is alive.
const keepAlive = 15 * time.Second

// startEvents starts a response of events. ctx ends with the server, when the client leaves, and
// when a write fails. done must be called at the end.
func (s *Server) startEvents(w http.ResponseWriter, r *http.Request) (ctx context.Context, e *eventStream,
	done func(), err error) {
	leave, err := s.enter()
	if err != nil {
		return nil, nil, nil, err
	}
	e = &eventStream{w: w, c: http.NewResponseController(w)}
	_ = e.c.SetReadDeadline(time.Time{}) // nothing more is read, so an error does not matter
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // for nginx
	w.WriteHeader(http.StatusOK)
	ctx, cancel := context.WithCancel(r.Context())
	unlink := context.AfterFunc(s.stopped, cancel)
	var beating sync.WaitGroup
	beating.Go(func() { e.beat(ctx, cancel) })
	return ctx, e, func() {
		unlink()
		cancel()
		beating.Wait()
		leave()
	}, e.write(":\n\n")
}

func (e *eventStream) beat(ctx context.Context, cancel context.CancelFunc) {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if e.write(":\n\n") != nil {
				cancel()
				return
			}
		}
	}
}

func (e *eventStream) write(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := io.WriteString(e.w, text); err != nil {
		return err
	}
	return e.c.Flush()
}

// send writes an event. The client sends id when it reconnects; it may be empty.
func (e *eventStream) send(name, id string, v any) error {
	data, err := json.Marshal(v) // contains no line break
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	return e.write("event: " + name + "\n" + id + "data: " + string(data) + "\n\n")
}
