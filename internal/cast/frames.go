package cast

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// A recording by `sandboxctl session record` contains the messages of a management server, one a
// line. The session_frame messages of the first session in it are the recording
// (docs/management.md).

// frameMessage is a message of the server, with the fields that are used.
type frameMessage struct {
	Type      string  `json:"type"`
	SessionID string  `json:"session_id"`
	Seq       float64 `json:"seq"`
	TS        int64   `json:"ts"` // Unix milliseconds
	Kind      string  `json:"kind"`
	Data      string  `json:"data"`
	Cols      int     `json:"cols"`
	Rows      int     `json:"rows"`
	Message   string  `json:"message"`
	ExitCode  *int    `json:"exit_code"`
}

// looksLikeFrames reports whether a line is a message of a management server.
func looksLikeFrames(line []byte) bool {
	var probe struct {
		Type    string          `json:"type"`
		Version json.RawMessage `json:"version"`
	}
	if json.Unmarshal(line, &probe) != nil || probe.Version != nil {
		return false
	}
	switch probe.Type {
	case "server_hello", "session_frame", "session_joined", "agent_list", "session_list", "shell_started", "output",
		"subscribed", "pong":
		return true
	}
	return false
}

type frames struct {
	r    *Reader
	line []byte // the first line, until it is read
	id   string // of the session
	next float64
	last int64 // ts of the previous frame
}

// maxCells is the maximum width and height of a window in a frame, in cells.
const maxCells = 1000

// newFrames reads up to the first frame, whose time is the start of the recording.
func newFrames(first []byte, r *Reader) error {
	f := &frames{r: r, line: first}
	r.Header = Header{Cols: defaultCols, Rows: defaultRows, Env: map[string]string{}}
	for {
		m, err := f.message()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: it has no session_frame", session.ErrNotRecording)
		}
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		f.id, f.last = m.SessionID, m.TS
		if m.TS > 0 && m.TS < maxTimestamp*1000 {
			r.Header.Timestamp = time.UnixMilli(m.TS).UTC()
		}
		if m.Kind == "resize" && isWindow(m) {
			r.Header.Cols, r.Header.Rows = m.Cols, m.Rows
		}
		r.special = func() (session.Event, bool, error) {
			if m != nil {
				one := m
				m = nil
				return f.event(one)
			}
			return f.read()
		}
		return nil
	}
}

// message returns the next frame of the session, or nil if the line is another message.
func (f *frames) message() (*frameMessage, error) {
	line := f.line
	f.line = nil
	if line == nil {
		var err error
		if line, err = f.r.src.next(); err != nil {
			return nil, err
		}
	}
	m := &frameMessage{}
	number := f.r.src.line
	if err := json.Unmarshal(line, m); err != nil {
		if len(line) == 0 {
			return nil, nil
		}
		return nil, f.r.broken(number, err)
	}
	if m.Type != "session_frame" || f.id != "" && m.SessionID != f.id {
		return nil, nil
	}
	return m, nil
}

func (f *frames) read() (e session.Event, ok bool, err error) {
	m, err := f.message()
	if m == nil || err != nil {
		return e, false, err
	}
	return f.event(m)
}

// event returns the event of a frame. ok is false if the frame has none, or repeats one.
func (f *frames) event(m *frameMessage) (e session.Event, ok bool, err error) {
	if m.Seq < f.next {
		return e, false, nil
	}
	from := f.next
	f.next = m.Seq + 1
	e.At = min(time.Duration(max(0, m.TS-f.last)), maxTime/time.Millisecond) * time.Millisecond
	f.last = max(f.last, m.TS)
	switch m.Kind {
	case "output":
		e.Kind = session.Output
		if e.Data, err = base64.StdEncoding.DecodeString(m.Data); err != nil {
			return e, false, f.r.broken(f.r.src.line, err)
		}
	case "resize":
		if !isWindow(m) {
			return e, false, nil
		}
		e.Kind, e.Cols, e.Rows = session.Resize, m.Cols, m.Rows
	case "error":
		e.Kind = session.Marker
		e.Data = session.ControlMark(session.EventLost, map[string]any{"from": from, "to": m.Seq, "message": m.Message})
	case "closed":
		if m.ExitCode == nil {
			return e, false, nil
		}
		e.Kind, e.Status = session.Exit, *m.ExitCode
	default:
		return e, false, nil
	}
	return e, true, nil
}

func isWindow(m *frameMessage) bool {
	return m.Cols >= 1 && m.Rows >= 1 && m.Cols <= maxCells && m.Rows <= maxCells
}
