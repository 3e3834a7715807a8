// Package cast reads and writes asciicast recordings, v1, v2 and v3, plain or compressed by gzip or
// zstd. It also reads typescripts and ttyrecs.
package cast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Newest is the newest asciicast version that this package reads and writes.
const Newest = 3

// The window size, in cells, if the header has no usable one.
const (
	defaultCols = 80
	defaultRows = 24
)

// Header describes a recording.
type Header struct {
	Version   int       // 1, 2 or 3; 0 if it is not an asciicast
	Cols      int       // window size at the start, in cells
	Rows      int       // likewise
	Timestamp time.Time // start of the recording, UTC; zero if unknown
	Command   string
	Title     string
	Term      string // terminal type: v3 term.type, else the environment's TERM
	Env       map[string]string
}

// wireHeader holds the header fields of all versions.
type wireHeader struct {
	Version   *json.Number               `json:"version"`
	Width     *int                       `json:"width"`
	Height    *int                       `json:"height"`
	Term      *wireTerm                  `json:"term"`
	Timestamp float64                    `json:"timestamp"`
	Command   string                     `json:"command"`
	Title     string                     `json:"title"`
	Env       map[string]json.RawMessage `json:"env"`
}

type wireTerm struct {
	Cols *int   `json:"cols"`
	Rows *int   `json:"rows"`
	Type string `json:"type"`
}

// parseVersion returns the version in a header. It parses no other field, because a newer version
// may use other types for them.
func parseVersion(doc []byte) (int, error) {
	var probe struct {
		Version *json.Number `json:"version"`
	}
	if err := json.Unmarshal(doc, &probe); err != nil || probe.Version == nil {
		return 0, fmt.Errorf("%w: no asciicast header", session.ErrNotRecording)
	}
	v, err := probe.Version.Float64()
	switch {
	case err != nil || v < 1 || v != float64(int(v)):
		return 0, fmt.Errorf("%w: unknown asciicast version %s", session.ErrNotRecording, *probe.Version)
	case v > Newest:
		return 0, fmt.Errorf("asciicast version %d, only versions up to %d are supported: %w", int(v), Newest,
			session.ErrNewer)
	}
	return int(v), nil
}

// parseHeader reads a header line (v2, v3) or a whole v1 document without its frames.
func parseHeader(doc []byte) (Header, error) {
	version, err := parseVersion(doc)
	if err != nil {
		return Header{}, err
	}
	var w wireHeader
	if err := json.Unmarshal(doc, &w); err != nil {
		return Header{}, fmt.Errorf("%w: header: %w", session.ErrNotRecording, err)
	}
	if w.Term == nil {
		w.Term = &wireTerm{Cols: w.Width, Rows: w.Height}
	}
	if w.Term.Cols == nil || w.Term.Rows == nil {
		return Header{}, fmt.Errorf("%w: the header has no window size", session.ErrNotRecording)
	}
	h := Header{
		Version: version,
		Cols:    orDefault(*w.Term.Cols, defaultCols),
		Rows:    orDefault(*w.Term.Rows, defaultRows),
		Command: w.Command,
		Title:   w.Title,
		Term:    w.Term.Type,
		Env:     parseEnv(w.Env),
	}
	if w.Timestamp > 0 && w.Timestamp < maxTimestamp {
		h.Timestamp = time.UnixMicro(int64(w.Timestamp * 1e6)).UTC()
	}
	if h.Term == "" {
		h.Term = h.Env["TERM"]
	}
	return h, nil
}

// parseEnv returns the variables that are strings. asciinema writes null for a variable that is not
// set.
func parseEnv(raw map[string]json.RawMessage) map[string]string {
	env := make(map[string]string, len(raw))
	for name, value := range raw {
		var s string
		if !bytes.Equal(value, []byte("null")) && json.Unmarshal(value, &s) == nil {
			env[name] = s
		}
	}
	return env
}

func orDefault(n, otherwise int) int {
	if n < 1 {
		return otherwise
	}
	return n
}
