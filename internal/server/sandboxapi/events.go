package sandboxapi

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
)

// pingTime is the interval at which a stream shows proxies and clients that it is alive.
const pingTime = 15 * time.Second

// events is a stream of events to a client: server-sent events, or messages of a WebSocket. It may
// be used concurrently.
type events struct {
	mu sync.Mutex // guards to
	to eventSink
}

// eventSink receives events. An empty event is a ping.
type eventSink interface {
	event(id string, data []byte) error
}

// startEvents starts a stream of events as the response to a request. ctx ends with the request and
// when the client leaves. done must be called at the end.
func startEvents(w http.ResponseWriter, r *http.Request) (ctx context.Context, e *events, done func()) {
	ctx, cancel := context.WithCancel(r.Context())
	sink, ok := w.(eventSink)
	if !ok {
		control := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("X-Accel-Buffering", "no") // for nginx
		w.WriteHeader(http.StatusOK)
		_ = control.SetReadDeadline(time.Time{}) // nothing more is read; an error does no harm
		sink = &sseSink{w, control}
	}
	e = &events{to: sink}
	var pinging sync.WaitGroup
	pinging.Go(func() {
		tick := time.NewTicker(pingTime)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if e.write("", nil) != nil {
					cancel()
				}
			}
		}
	})
	return ctx, e, func() {
		cancel()
		pinging.Wait()
	}
}

func (e *events) write(id string, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.to.event(id, data)
}

// send sends an event of a type with fields. Its id is derived from at: a client that continues
// after the event sends it.
func (e *events) send(kind string, at process.Offsets, when time.Time, fields map[string]any) error {
	fields["type"], fields["timestamp"] = kind, timestamp(when)
	return e.sendAs(formatOffsets(at), fields)
}

func (e *events) sendAs(id string, v any) error {
	data, err := json.Marshal(v) // contains no line break
	if err != nil {
		return err
	}
	return e.write(id, data)
}

// sseSink writes server-sent events.
type sseSink struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s *sseSink) event(id string, data []byte) error {
	var text []byte
	switch {
	case data == nil:
		text = []byte(": ping\n\n")
	case id != "":
		text = fmt.Appendf(nil, "id: %s\ndata: %s\n\n", id, data)
	default:
		text = fmt.Appendf(nil, "data: %s\n\n", data)
	}
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}

// formatOffsets returns the id of an event after which the streams continue at the offsets.
func formatOffsets(o process.Offsets) string { return fmt.Sprintf("%d.%d", o.Stdout, o.Stderr) }

// offsetsOf returns the offsets at which the client of a stream wants to continue: those after the
// last event that it has.
func offsetsOf(r *http.Request) (process.Offsets, error) {
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = r.URL.Query().Get("since")
	}
	if id == "" {
		return process.Offsets{}, nil
	}
	before, after, _ := strings.Cut(id, ".")
	stdout, err := strconv.ParseUint(before, 10, 63)
	stderr, err2 := strconv.ParseUint(after, 10, 63)
	if err != nil || err2 != nil {
		return process.Offsets{}, failure(http.StatusBadRequest, codeInvalid,
			"%q is not an event id; ids are STDOUT.STDERR, in bytes", id)
	}
	return process.Offsets{Stdout: int64(stdout), Stderr: int64(stderr)}, nil
}

// chunks is the output of a command, in order of arrival.
type chunks = iter.Seq2[process.Chunk, error]

// follow sends a command's output from the offsets at on until it ends, with the given fields in
// each event. It returns the offsets of the end.
func follow(ctx context.Context, e *events, c *process.Command, at process.Offsets,
	processID string) (process.Offsets, error) {
	fields := func(data string) map[string]any {
		f := map[string]any{"data": data}
		if processID != "" {
			f["processId"] = processID
		}
		return f
	}
	for chunk, err := range process.Pieces(c.Read(ctx, at)) {
		if err != nil {
			return at, err
		}
		name, next := "stdout", &at.Stdout
		if chunk.Stream == process.Stderr {
			name, next = "stderr", &at.Stderr
		}
		if chunk.Info != "" {
			kind := "info" // the recording has a problem, this stream does not
			if chunk.Offset > *next {
				kind, *next = "error", chunk.Offset
			}
			if err := e.send(kind, at, chunk.At, fields(chunk.Info)); err != nil {
				return at, err
			}
		}
		if chunk.Text == "" {
			continue
		}
		*next = chunk.Offset + int64(len(chunk.Text))
		if err := e.send(name, at, chunk.At, fields(chunk.Text)); err != nil {
			return at, err
		}
	}
	return at, ctx.Err()
}
