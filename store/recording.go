package store

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Recording collects the raw events of a recording to import, compressed, and computes their hash.
type Recording struct {
	open Builder
	segs []Segment
	hash hash.Hash
	head []byte
	exit bool // whether there was an Exit event
}

// NewRecording returns an empty Recording for a window that starts with the given size, in cells.
func NewRecording(cols, rows int) *Recording {
	r := &Recording{hash: sha256.New()}
	r.sum(uint64(cols), uint64(rows))
	return r
}

// Write adds an event; it copies the data.
func (r *Recording) Write(ev session.Event) {
	r.Sum(ev)
	r.exit = r.exit || ev.Kind == session.Exit
	r.open.Add(ev)
	if r.open.Size() >= SegmentSize {
		r.cut()
	}
}

// Take returns the segments that were completed since the last call, and removes them from the
// Recording.
func (r *Recording) Take() []Segment {
	whole := slices.Clone(r.segs)
	r.segs = r.segs[:0]
	return whole
}

// Segments returns all events written so far as segments, except those that Take has returned.
func (r *Recording) Segments() []Segment {
	r.cut()
	return slices.Clone(r.segs)
}

// Size returns the number of output bytes written.
func (r *Recording) Size() int64 { return r.open.EndByte() }

// Exits reports whether an Exit event was written.
func (r *Recording) Exits() bool { return r.exit }

// Sum adds an event to the hash, but not to the segments.
func (r *Recording) Sum(ev session.Event) {
	if ev.Kind == session.Marker {
		return
	}
	r.sum(uint64(ev.Kind), uint64(ev.At/time.Microsecond), uint64(len(ev.Data)), uint64(ev.Cols), uint64(ev.Rows),
		uint64(ev.Status))
	r.hash.Write(ev.Data)
}

func (r *Recording) sum(numbers ...uint64) {
	r.head = r.head[:0]
	for _, n := range numbers {
		r.head = binary.AppendUvarint(r.head, n)
	}
	r.hash.Write(r.head)
}

func (r *Recording) cut() {
	if !r.open.Empty() {
		r.segs = append(r.segs, r.open.Build())
		r.open.Begin(r.open.EndEvent(), r.open.EndByte())
	}
}

// Hash returns a hash of what was written so far: the window, the events, and their times to the
// microsecond. It ignores markers, which an export adds. So a recording has the same hash in any
// version or compression of asciicast.
func (r *Recording) Hash() []byte { return r.hash.Sum(nil) }
