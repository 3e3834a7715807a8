package cast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ptyrec/ptyrec/session"
)

// maxV1 is the maximum size of a v1 recording, in bytes: it is one JSON document and must be read
// completely.
const maxV1 = 128 << 20

// readV1 reads the rest of a v1 document. first is its first line.
// https://docs.asciinema.org/manual/asciicast/v1
func (r *Reader) readV1(first []byte) error {
	rest, err := io.ReadAll(io.LimitReader(r.src.br, maxV1))
	if err != nil {
		return err
	}
	doc := append(append(first, '\n'), rest...)
	version, err := parseVersion(doc)
	if err != nil {
		return err
	}
	var body struct {
		Stdout json.RawMessage `json:"stdout"`
	}
	if err := json.Unmarshal(doc, &body); err != nil || version != 1 || !bytes.HasPrefix(body.Stdout, []byte("[")) {
		return fmt.Errorf("%w: not an asciicast v1 document", session.ErrNotRecording)
	}
	if r.Header, err = parseHeader(doc); err != nil {
		return err
	}
	r.line, r.src.line = decodeFrame, 0
	r.frames = json.NewDecoder(bytes.NewReader(body.Stdout))
	_, err = r.frames.Token() // the bracket
	return err
}

// nextFrame returns the next [delay, data]. For v1, the source's line number counts frames.
func (r *Reader) nextFrame() ([]byte, error) {
	if !r.frames.More() {
		return nil, io.EOF
	}
	var frame json.RawMessage
	err := r.frames.Decode(&frame)
	r.src.line++
	return frame, err
}

func decodeFrame(frame []byte, mem *arena) (rawEvent, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(frame, &parts); err != nil || len(parts) != 2 {
		return rawEvent{}, fmt.Errorf("frame is not [delay, data]")
	}
	at, rest, err := decodeTime(parts[0])
	if err != nil || len(rest) > 0 {
		return rawEvent{}, fmt.Errorf("delay %s is not a number of seconds", parts[0])
	}
	data, _, err := decodeString(parts[1], mem)
	return rawEvent{at: at, code: 'o', data: data}, err
}
