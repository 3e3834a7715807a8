package process

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// A connection to a host carries frames: a type (1 byte), the length of the payload (4 bytes, big
// endian), and the payload. The Manager sends one request. The host answers with one reply; a read
// request is answered by chunks before the reply.
const (
	frameJSON  = 'J' // a request or a reply
	frameChunk = 'C' // stream 1 byte, offset 8, time in Unix nanoseconds 8, text; big endian
)

const (
	chunkHead = 1 + 8 + 8
	maxFrame  = 64 << 20 // maximum length of a payload, in bytes
)

// Operations of a request.
const (
	opStart  = "start" // only as the first request to an idle host
	opState  = "state"
	opWait   = "wait" // answered when the command has ended
	opRead   = "read"
	opWrite  = "write"
	opClose  = "close"
	opKill   = "kill" // answered when the command has ended
	opResize = "resize"
	opAttach = "attach" // counts as attached until the connection ends
)

type request struct {
	Op    string  `json:"op"`
	Order *order  `json:"order,omitempty"`
	From  Offsets `json:"from,omitzero"`
	Now   bool    `json:"now,omitempty"` // read: end at the current end of the output
	Data  []byte  `json:"data,omitempty"`
	At    *int64  `json:"at,omitempty"` // write: offset of Data in all input

	Signal     int           `json:"signal,omitempty"`
	Grace      time.Duration `json:"grace,omitempty"`
	Cols, Rows int           `json:",omitempty"`
}

// order is everything that a host needs to run a command.
type order struct {
	Spec
	DB      string // path of the database
	Record  session.Session
	Argv    []string // replaces the Spec's
	Environ []string // the complete environment
	Dir     string   // empty: the host's own
	State   *shellState
}

type reply struct {
	Error  string   `json:"error,omitempty"`
	Exists bool     `json:"exists,omitempty"` // start: the session already has a record
	Status *status  `json:"status,omitempty"`
	Behind *Offsets `json:"behind,omitempty"` // read: output before this position is only in the raw log
}

// status is the state of a command as its host knows it.
type status struct {
	PID     int       `json:"pid"`
	State   State     `json:"state"`
	Exit    int       `json:"exit"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Notice  string    `json:"notice,omitempty"`
	Taken   int64     `json:"taken"` // bytes of input written to the command
	Record  session.Session
}

// wire is one end of a connection.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	out  *bufio.Writer
	data []byte // payload of the frame that is being received
}

// wireBuffer is the size of a wire's buffers, in bytes. Larger chunks bypass them.
const wireBuffer = 8 << 10

func newWire(c net.Conn) *wire {
	return &wire{conn: c, in: bufio.NewReaderSize(c, wireBuffer), out: bufio.NewWriterSize(c, wireBuffer)}
}

func (w *wire) send(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.head(frameJSON, len(text))
	_, _ = w.out.Write(text) // Flush returns its error
	return w.out.Flush()
}

func (w *wire) head(kind byte, size int) {
	_ = w.out.WriteByte(kind)
	_, _ = w.out.Write(binary.BigEndian.AppendUint32(nil, uint32(size)))
}

// chunk sends a chunk. It may remain in the buffer until Flush.
func (w *wire) chunk(c Chunk) error {
	w.head(frameChunk, chunkHead+len(c.Text))
	_ = w.out.WriteByte(byte(c.Stream))
	_, _ = w.out.Write(binary.BigEndian.AppendUint64(nil, uint64(c.Offset)))
	_, _ = w.out.Write(binary.BigEndian.AppendUint64(nil, uint64(c.At.UnixNano())))
	_, err := w.out.WriteString(c.Text)
	return err
}

// receive returns the next frame: a chunk, or nil after decoding JSON into v.
func (w *wire) receive(v any) (c *Chunk, err error) {
	var head [5]byte
	if _, err := io.ReadFull(w.in, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size > maxFrame || head[0] == frameChunk && size < chunkHead {
		return nil, fmt.Errorf("a frame of %d bytes", size)
	}
	w.data = slices.Grow(w.data[:0], int(size))[:size]
	data := w.data
	if _, err := io.ReadFull(w.in, data); err != nil {
		return nil, err
	}
	switch head[0] {
	case frameJSON:
		return nil, json.Unmarshal(data, v)
	case frameChunk:
		return &Chunk{
			Stream: Stream(data[0]),
			Offset: int64(binary.BigEndian.Uint64(data[1:])),
			At:     time.Unix(0, int64(binary.BigEndian.Uint64(data[9:]))),
			Text:   string(data[chunkHead:]),
		}, nil
	}
	return nil, fmt.Errorf("a frame of unknown type %q", head[0])
}
