package cast

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// rawEvent is one event line of the file.
type rawEvent struct {
	at   time.Duration // v2: since the start; v1, v3: since the previous event
	code byte          // 0: a code of several characters, none of which is defined yet
	data []byte
}

// event returns the event without its time. ok is false for an unknown code; the specification
// requires readers to ignore these.
func (e rawEvent) event() (ev session.Event, ok bool, err error) {
	switch e.code {
	case 'o':
		ev = session.Event{Kind: session.Output, Data: e.data}
	case 'i':
		ev = session.Event{Kind: session.Input, Data: e.data}
	case 'm':
		ev = session.Event{Kind: session.Marker, Data: e.data}
	case 'r':
		ev.Kind = session.Resize
		ev.Cols, ev.Rows, err = parseSize(e.data)
	case 'x':
		ev.Kind = session.Exit
		ev.Status, err = strconv.Atoi(string(e.data))
	default:
		return ev, false, nil
	}
	return ev, err == nil, err
}

// parseSize reads "COLSxROWS".
func parseSize(data []byte) (cols, rows int, err error) {
	left, right, _ := bytes.Cut(data, []byte("x"))
	cols, err1 := strconv.Atoi(string(left))
	rows, err2 := strconv.Atoi(string(right))
	if err1 != nil || err2 != nil || cols < 1 || rows < 1 || cols > 1<<16 || rows > 1<<16 {
		return 0, 0, fmt.Errorf("window size %q is not COLSxROWS", data)
	}
	return cols, rows, nil
}

var errShape = errors.New("not an event [time, code, data]")

// decodeLine parses `[time, "code", "data"]`. It is written by hand because almost all time for
// reading a recording is spent in it. A line of another shape is parsed by encoding/json.
func decodeLine(line []byte, mem *arena) (rawEvent, error) {
	ev, rest, err := decodeTriple(line, mem)
	if err == nil && len(rest) == 0 {
		return ev, nil
	}
	return decodeOdd(line, mem)
}

func decodeTriple(line []byte, mem *arena) (ev rawEvent, rest []byte, err error) {
	if rest, err = expect(line, '['); err != nil {
		return ev, nil, err
	}
	if ev.at, rest, err = decodeTime(skipSpace(rest)); err != nil {
		return ev, nil, err
	}
	if rest, err = expect(rest, ','); err != nil {
		return ev, nil, err
	}
	if rest = skipSpace(rest); len(rest) < 3 || rest[0] != '"' || rest[1] == '\\' || rest[2] != '"' {
		return ev, nil, errShape
	}
	ev.code = rest[1]
	if rest, err = expect(rest[3:], ','); err != nil {
		return ev, nil, err
	}
	if ev.data, rest, err = decodeString(skipSpace(rest), mem); err != nil {
		return ev, nil, err
	}
	rest, err = expect(rest, ']')
	return ev, skipSpace(rest), err
}

// decodeOdd parses lines that decodeLine does not: codes of several characters, data that is not a
// string, additional elements.
func decodeOdd(line []byte, mem *arena) (ev rawEvent, err error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(line, &parts); err != nil || len(parts) < 3 {
		return ev, errShape
	}
	var rest []byte
	if ev.at, rest, err = decodeTime(parts[0]); err != nil || len(rest) > 0 {
		return ev, errShape
	}
	var code string
	if err := json.Unmarshal(parts[1], &code); err != nil {
		return ev, errShape
	}
	if len(code) == 1 {
		ev.code = code[0]
	}
	if parts[2][0] != '"' {
		ev.data = bytes.Clone(parts[2])
		return ev, nil
	}
	ev.data, _, err = decodeString(parts[2], mem)
	return ev, err
}

func expect(b []byte, c byte) ([]byte, error) {
	b = skipSpace(b)
	if len(b) == 0 || b[0] != c {
		return nil, errShape
	}
	return b[1:], nil
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}
