package store

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/fts"
)

// What other databases than SQLite's share with a Store: segments, and the words of messages and
// queries.

// Segment is a piece of a raw log that is readable alone (docs/format.md).
type Segment struct {
	FirstEvent, EndEvent int64         // the events that it holds: [first, end)
	StartAt, EndAt       time.Duration // times of the first and the last of them
	StartByte, EndByte   int64         // the output bytes that it holds: [start, end)
	Data                 []byte        // as stored
}

// Limits of a segment that comes from another machine.
const (
	maxForeign       = 16 << 20 // bytes before compression
	maxForeignEvents = 1 << 18
)

var foreignDecoder = must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxForeign), zstd.WithDecoderLowmem(true)))

// payloads holds the memory of payloads, to be used again.
var payloads = sync.Pool{New: func() any { return new([]byte) }}

// maxKept is the largest memory that payloads holds, in bytes: most segments need less.
const maxKept = segmentSize * 5 / 4

// ParseSegment reads a segment that comes from another machine, to its last event. It refuses one
// that holds more than 16 MiB, or more than 262,144 events.
func ParseSegment(data []byte) (Segment, error) {
	if len(data) == 0 || data[0] != versionV1 && data[0] != versionV2 {
		return Segment{}, errSegment
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
	return Segment{seg.firstEvent, seg.endEvent, seg.startAt, seg.endAt, seg.startByte, seg.endByte, data}, err
}

// Segments returns what was written so far, as segments, but for those that Take has returned.
func (r *Recording) Segments() []Segment {
	r.cut()
	return r.whole()
}

// whole returns the segments that are complete.
func (r *Recording) whole() []Segment {
	out := make([]Segment, len(r.segs))
	for i, s := range r.segs {
		out[i] = Segment{s.firstEvent, s.endEvent, s.startAt, s.endAt, s.startByte, s.endByte, s.data}
	}
	return out
}

// NextSegment returns the first segment of a raw log that holds the event or a later one, and ends
// after from. ok is false if there is none.
type NextSegment func(ctx context.Context, event int64, from From) (seg Segment, ok bool, err error)

func (n NextSegment) fetch(ctx context.Context, event int64, from From) (segment, bool, error) {
	s, ok, err := n(ctx, event, from)
	return segment{firstEvent: s.FirstEvent, endEvent: s.EndEvent, startAt: s.StartAt, endAt: s.EndAt, startByte: s.StartByte, endByte: s.EndByte, data: s.Data}, ok, err
}

// EventsOf returns the raw log of a session whose segments next returns, as EventsFrom does.
func EventsOf(ctx context.Context, id string, from From, next NextSegment) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		r := rawReader{fetch: next.fetch, id: id, from: from, next: from.Event, yield: yield}
		r.run(ctx)
	}
}

// OutputOf returns the output of a session whose segments next returns, as OutputFrom does.
func OutputOf(ctx context.Context, id string, offset int64, next NextSegment) iter.Seq2[Placed, error] {
	return outputFrom(ctx, rawReader{fetch: next.fetch, id: id}, offset)
}

// Indexed returns the texts of a message to split into words: what was said, and its output. A
// phrase is found in one of them as a whole.
func Indexed(e *session.Entry) [2]string { return indexedOf(e) }

// Nanos returns a time as databases have it: in nanoseconds since 1970 UTC; 0 is the zero time.
func Nanos(t time.Time) int64 { return nanos(t) }

// Expr returns what the query's words ask for; nil if there are none.
func (q Query) Expr() *fts.Expr {
	var parts []fts.Part
	for _, part := range parseQuery(q.Text).parts {
		if part[0] != '"' {
			parts = append(parts, fts.Part{Operator: part})
			continue
		}
		text, prefix := unquoted(part)
		parts = append(parts, fts.Part{Text: text, Prefix: prefix})
	}
	return fts.Parse(parts)
}
