package cast

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Reader reads the events of a recording in order. It holds one line in memory; of v1, which is one
// JSON value, the whole document. It must not be used concurrently.
type Reader struct {
	Header Header

	name    string // for error messages; empty for a plain io.Reader
	file    *os.File
	src     *source
	arena   arena
	frames  *json.Decoder // v1: parses the array of frames
	line    func([]byte, *arena) (rawEvent, error)
	special func() (session.Event, bool, error) // reads formats other than asciicast; times are since the previous event
	now     time.Duration
	cutLine int // number of the broken last line, or 0
	done    error
}

// Open opens the recording at path; "-" is standard input. The caller must Close it. The error
// wraps session.ErrNotRecording if the file is not a recording, and session.ErrNewer if its version
// is unknown.
func Open(path string) (*Reader, error) {
	if path == "-" {
		return newReader(os.Stdin, "standard input")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := newReader(f, path)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// NewReader reads the header from r; errors as in Open. Close frees the decoder but does not close
// r.
func NewReader(r io.Reader) (*Reader, error) { return newReader(r, "") }

func newReader(in io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name, line: decodeLine}
	src, err := newSource(in)
	if err != nil {
		return nil, r.named(err)
	}
	r.src = src
	if err := r.readHeader(); err != nil {
		src.close()
		return nil, r.named(err)
	}
	return r, nil
}

func (r *Reader) readHeader() error {
	start, _ := r.src.br.Peek(1)
	if len(start) == 0 {
		return fmt.Errorf("%w: it is empty", session.ErrNotRecording)
	}
	if head, _ := r.src.br.Peek(ttyrecHead); looksLikeTTYRec(head) {
		newTTYRec(r.src, r)
		return nil
	}
	if start[0] != '{' {
		return fmt.Errorf("%w: it does not start with an asciicast header", session.ErrNotRecording)
	}
	first, err := r.src.next()
	if err != nil {
		return err
	}
	if looksLikeFrames(first) {
		return newFrames(bytes.Clone(first), r)
	}
	version, err := parseVersion(first)
	if errors.Is(err, session.ErrNewer) {
		return err
	}
	if err != nil || version == 1 {
		return r.readV1(bytes.Clone(first))
	}
	r.Header, err = parseHeader(first)
	return err
}

// Next returns the next event, or io.EOF after the last one. The caller may keep its Data. Times
// never decrease. A broken last line ends the recording with io.EOF, see Truncated. Any other
// broken line is an error that names the line and wraps session.ErrCorrupt.
func (r *Reader) Next() (session.Event, error) {
	for r.done == nil {
		ev, ok, err := r.step()
		if err != nil {
			r.done = err
			break
		}
		if ok {
			return ev, nil
		}
	}
	return session.Event{}, r.done
}

// step reads one line. ok is false if it contains no known event.
func (r *Reader) step() (ev session.Event, ok bool, err error) {
	if r.special != nil {
		if ev, ok, err = r.special(); err != nil {
			return ev, false, err
		}
		r.tick(ev.At)
		ev.At = r.now
		return ev, ok, nil
	}
	line, err := r.nextLine()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			err = r.named(err)
		}
		return ev, false, err
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] == '#' {
		return ev, false, nil
	}
	number := r.src.line
	raw, err := r.line(line, &r.arena)
	if err == nil {
		ev, ok, err = raw.event()
	}
	if err != nil {
		return ev, false, r.broken(number, err)
	}
	r.tick(raw.at)
	ev.At = r.now
	return ev, ok, nil
}

// tick advances the clock to the time of an event. In v2 the time counts from the start, in all
// other formats from the previous event. The clock stops at maxSeconds, so that neither it nor the
// date of an event overflows.
func (r *Reader) tick(at time.Duration) {
	if r.Header.Version != 2 {
		at = min(at, maxTime) + r.now
	}
	r.now = max(r.now, min(at, maxTime))
}

func (r *Reader) nextLine() ([]byte, error) {
	if r.Header.Version == 1 {
		return r.nextFrame()
	}
	return r.src.next()
}

// broken returns the error for an unreadable line: the end of the recording if nothing follows.
func (r *Reader) broken(number int, err error) error {
	if r.Header.Version != 1 && r.src.atEnd() {
		r.cutLine = number
		return io.EOF
	}
	return r.named(fmt.Errorf("line %d: %w: %w", number, session.ErrCorrupt, err))
}

// Truncated reports, after io.EOF, whether the recording was cut off: its last line is broken, or
// its compressed stream has no end. Next has returned everything before that.
func (r *Reader) Truncated() bool { return r.cutLine > 0 || r.src.cut }

// Warning describes how the recording was truncated. It is empty for a complete recording.
func (r *Reader) Warning() string {
	switch {
	case r.cutLine > 0:
		return fmt.Sprintf("line %d, the last one, is cut off; everything before it was read", r.cutLine)
	case r.src.cut && r.special != nil:
		return "the recording is cut off; everything before that was read"
	case r.src.cut:
		return "the compressed data is cut off; everything before that was read"
	}
	return ""
}

// Close closes the file that Open opened. It may be called more than once.
func (r *Reader) Close() error {
	r.src.close()
	r.src.close = func() {}
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	return f.Close()
}

func (r *Reader) named(err error) error {
	if r.name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", r.name, err)
}
