package store

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ptyrec/ptyrec/session"
)

// SegmentSize is the approximate amount of data in a segment, in bytes before compression.
const SegmentSize = 1 << 20

// MaxSegment limits how much memory a reader allocates for a damaged segment, in bytes.
const MaxSegment = 256 << 20

// Segment is a piece of a raw log that can be read on its own. docs/format.md describes its format;
// the first byte is the format's version.
type Segment struct {
	FirstEvent, EndEvent int64         // numbers of its events: [first, end)
	StartAt, EndAt       time.Duration // times of the first and the last of them
	StartByte, EndByte   int64         // offsets of its output bytes: [start, end)
	Texts                [3]Text       // by stream
	Data                 []byte        // as stored
}

// Text is a segment's share of the text of a stream.
type Text struct {
	First int64 // number of the first event of the stream
	End   int64 // offset of the end of the text, in bytes; 0 if the segment has none
}

// The coders are shared: EncodeAll and DecodeAll may be called concurrently.
var (
	encoder = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(true),
		zstd.WithWindowSize(1<<20), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)))
	decoder = must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxSegment)))
)

// must panics if err is set. It is for coders whose options are constants.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Builder collects events for one segment. Its zero value is ready for the first segment of a
// session.
type Builder struct {
	firstEvent, startByte int64
	events                []session.Event // without their data
	sizes                 []int           // sizes of the events' data, in bytes
	body                  []byte          // data of the events
	outBytes              int64
	texts                 [3]Text
	piped                 bool // whether format 2 is needed

	raw, frame []byte // buffers of earlier segments, reused
}

// Begin empties the Builder. Its next segment starts at the given event and output byte.
func (b *Builder) Begin(event, startByte int64) {
	b.firstEvent, b.startByte, b.outBytes, b.piped = event, startByte, 0, false
	b.texts = [3]Text{}
	b.events, b.sizes, b.body = b.events[:0], b.sizes[:0], b.body[:0]
}

// Add copies ev into the segment.
func (b *Builder) Add(ev session.Event) {
	b.body = append(b.body, ev.Data...)
	b.sizes = append(b.sizes, len(ev.Data))
	b.outBytes += ev.Printed()
	b.piped = b.piped || ev.Kind == session.Pipe || ev.Kind == session.Exit && len(ev.Data) > 0
	if t := &b.texts[ev.Stream]; ev.Kind == session.Pipe {
		if t.End == 0 {
			t.First = b.EndEvent()
		}
		t.End = ev.Text + session.TextSize(ev.Data)
	}
	ev.Data = nil
	b.events = append(b.events, ev)
}

// Empty reports whether the Builder contains no events.
func (b *Builder) Empty() bool { return len(b.events) == 0 }

// EndEvent returns the number of the next event.
func (b *Builder) EndEvent() int64 { return b.firstEvent + int64(len(b.events)) }

// EndByte returns the offset of the next output byte.
func (b *Builder) EndByte() int64 { return b.startByte + b.outBytes }

// Size returns the approximate length of the segment before compression, in bytes.
func (b *Builder) Size() int { return len(b.body) + 4*len(b.events) }

// Build returns the collected events as a segment in the newest format. There must be at least one
// event.
func (b *Builder) Build() Segment {
	return Segment{
		FirstEvent: b.firstEvent, EndEvent: b.EndEvent(),
		StartAt: b.events[0].At, EndAt: b.events[len(b.events)-1].At,
		StartByte: b.startByte, EndByte: b.EndByte(),
		Texts: b.texts, Data: encode(b),
	}
}

// ErrSegment reports bytes that are not a complete segment.
var ErrSegment = errors.New("not a whole segment")

// DecodeSegment returns a segment's position in the session and its events, which share memory.
func DecodeSegment(data []byte) (Segment, []session.Event, error) {
	switch {
	case len(data) == 0 || data[0] == 0:
		return Segment{}, nil, ErrSegment
	case data[0] > versionV2:
		return Segment{}, nil, fmt.Errorf("segment format %d: %w", data[0], session.ErrNewer)
	}
	raw, err := decoder.DecodeAll(data[1:], nil)
	if err != nil {
		return Segment{}, nil, err
	}
	return parsePayload(data[0], raw, math.MaxInt64)
}

// Limits for a segment from another machine.
const (
	maxForeign       = 16 << 20 // bytes before compression
	maxForeignEvents = 1 << 18
)

var foreignDecoder = must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxForeign),
	zstd.WithDecoderLowmem(true)))

// payloads is a pool of buffers for decompressed segments.
var payloads = sync.Pool{New: func() any { return new([]byte) }}

// maxKept is the maximum size of a buffer in payloads, in bytes. It suffices for most segments.
const maxKept = SegmentSize * 5 / 4

// ParseSegment parses a segment from another machine completely. It rejects one with more than 16
// MiB or 262,144 events.
func ParseSegment(data []byte) (Segment, error) {
	if len(data) == 0 || data[0] != versionV1 && data[0] != versionV2 {
		return Segment{}, ErrSegment
	}
	memory := payloads.Get().(*[]byte)
	defer payloads.Put(memory)
	raw, err := foreignDecoder.DecodeAll(data[1:], (*memory)[:0])
	if err != nil {
		return Segment{}, err
	}
	if cap(raw) <= maxKept {
		*memory = raw
	}
	seg, _, err := parsePayload(data[0], raw, maxForeignEvents)
	seg.Texts, seg.Data = [3]Text{}, data
	return seg, err
}
