package cast

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
)

// Writer writes a recording as asciicast v2 or v3. Asciicast is text: invalid UTF-8 becomes U+FFFD,
// but a character that is split over two events stays intact. It must not be used concurrently.
type Writer struct {
	w       *bufio.Writer
	version int
	last    time.Duration // time of the previous event as written
	rest    [2][]byte     // of Output and Input: the start of an incomplete character
	line    []byte
}

// NewWriter writes the header to w. h.Version is the version to write; 0 means the newest. It
// cannot write v1. The caller must Flush at the end.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	if h.Version == 0 {
		h.Version = Newest
	}
	if h.Version != 2 && h.Version != 3 {
		return nil, fmt.Errorf("asciicast version %d cannot be written", h.Version)
	}
	cw := &Writer{w: bufio.NewWriter(w), version: h.Version}
	enc := json.NewEncoder(cw.w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(wireOf(h)); err != nil {
		return nil, err
	}
	return cw, nil
}

// outHeader lists the fields in the order in which asciinema writes them.
type outHeader struct {
	Version   int               `json:"version"`
	Width     int               `json:"width,omitempty"`
	Height    int               `json:"height,omitempty"`
	Term      *outTerm          `json:"term,omitempty"`
	Timestamp int64             `json:"timestamp,omitempty"`
	Command   string            `json:"command,omitempty"`
	Title     string            `json:"title,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
}

type outTerm struct {
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Type string `json:"type,omitempty"`
}

func wireOf(h Header) outHeader {
	out := outHeader{Version: h.Version, Command: h.Command, Title: h.Title, Env: h.Env}
	if !h.Timestamp.IsZero() {
		out.Timestamp = h.Timestamp.Unix()
	}
	cols, rows := orDefault(h.Cols, defaultCols), orDefault(h.Rows, defaultRows)
	if h.Version == 2 {
		out.Width, out.Height = cols, rows
	} else {
		out.Term = &outTerm{Cols: cols, Rows: rows, Type: h.Term}
	}
	return out
}

// Write writes one event. Times must not decrease. In v2 an Exit is omitted, because v2 has no such
// event.
func (w *Writer) Write(ev session.Event) error {
	switch ev.Kind {
	case session.Output:
		return w.text(ev.At, 'o', session.Output, ev.Data)
	case session.Input:
		return w.text(ev.At, 'i', session.Input, ev.Data)
	case session.Marker:
		return w.event(ev.At, 'm', ev.Data)
	case session.Resize:
		return w.event(ev.At, 'r', fmt.Appendf(nil, "%dx%d", ev.Cols, ev.Rows))
	case session.Exit:
		if w.version == 2 {
			return nil
		}
		return w.event(ev.At, 'x', strconv.AppendInt(nil, int64(ev.Status), 10))
	}
	return fmt.Errorf("event kind %d cannot be written as asciicast", ev.Kind)
}

// text writes the complete characters of data, and keeps an incomplete one at its end for the next
// event.
func (w *Writer) text(at time.Duration, code byte, kind session.EventKind, data []byte) error {
	if len(w.rest[kind]) > 0 {
		data = append(w.rest[kind], data...)
	}
	whole := len(data) - cutRune(data)
	w.rest[kind] = append([]byte(nil), data[whole:]...)
	if whole == 0 {
		return nil
	}
	return w.event(at, code, data[:whole])
}

// cutRune returns the length of the incomplete character at the end of b, in bytes.
func cutRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

func (w *Writer) event(at time.Duration, code byte, data []byte) error {
	at = at.Round(time.Microsecond)
	stamp := at
	if w.version == 3 {
		stamp = max(0, at-w.last)
	}
	w.last = max(at, w.last)
	w.line = append(w.line[:0], '[')
	w.line = appendSeconds(w.line, stamp)
	w.line = append(w.line, `,"`...)
	w.line = append(w.line, code, '"', ',')
	w.line = appendString(w.line, data)
	w.line = append(w.line, ']', '\n')
	_, err := w.w.Write(w.line)
	return err
}

// Flush writes what is buffered, including a character that remained incomplete, to the underlying
// writer. Write must not be called after it.
func (w *Writer) Flush() error {
	for kind, code := range []byte{session.Output: 'o', session.Input: 'i'} {
		if len(w.rest[kind]) == 0 {
			continue
		}
		if err := w.event(w.last, code, w.rest[kind]); err != nil {
			return err
		}
		w.rest[kind] = nil
	}
	return w.w.Flush()
}

// appendSeconds appends d with six digits after the point.
func appendSeconds(b []byte, d time.Duration) []byte {
	return fmt.Appendf(b, "%d.%06d", d/time.Second, d%time.Second/time.Microsecond)
}

const hexDigits = "0123456789abcdef"

// appendString appends data as a JSON string.
func appendString(b, data []byte) []byte {
	b = append(b, '"')
	for len(data) > 0 {
		c := data[0]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(data)
			b = utf8.AppendRune(b, r)
			data = data[n:]
			continue
		}
		data = data[1:]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c < ' ' || c == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
