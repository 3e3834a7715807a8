package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ptyrec/ptyrec/session"
)

// segmentSize is the approximate amount of data in a segment, in bytes before compression.
const segmentSize = 1 << 20

// maxSegment bounds what a damaged segment can make a reader allocate, in bytes.
const maxSegment = 256 << 20

// segment is a piece of a raw log that is readable alone. Its format is stated in docs/format.md;
// the first byte is the format's version.
type segment struct {
	firstEvent, endEvent int64         // the events that it holds: [first, end)
	startAt, endAt       time.Duration // times of the first and the last of them
	startByte, endByte   int64         // the output bytes that it holds: [start, end)
	texts                [3]text       // by stream
	data                 []byte        // as stored
}

// text is what a segment holds of the text of a stream.
type text struct {
	first int64 // the first event of the stream
	end   int64 // where the text ends, in bytes; 0: the segment has none
}

// The coders are shared: EncodeAll and DecodeAll may be called concurrently.
var (
	encoder = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(true),
		zstd.WithWindowSize(1<<20), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)))
	decoder = must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSegment)))
)

// must is for coders whose options are constants.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// builder collects events for one segment. Its zero value begins a session.
type builder struct {
	firstEvent, startByte int64
	events                []session.Event // without their data
	sizes                 []int           // of their data
	body                  []byte          // their data
	outBytes              int64
	texts                 [3]text
	piped                 bool // it needs format 2

	raw, frame []byte // memory of the segments before, to be used again
}

// begin empties the builder for the segment that starts at the given event and output byte.
func (b *builder) begin(event, startByte int64) {
	b.firstEvent, b.startByte, b.outBytes, b.piped = event, startByte, 0, false
	b.texts = [3]text{}
	b.events, b.sizes, b.body = b.events[:0], b.sizes[:0], b.body[:0]
}

// add copies ev into the segment.
func (b *builder) add(ev session.Event) {
	b.body = append(b.body, ev.Data...)
	b.sizes = append(b.sizes, len(ev.Data))
	b.outBytes += ev.Printed()
	b.piped = b.piped || ev.Kind == session.Pipe || ev.Kind == session.Exit && len(ev.Data) > 0
	if t := &b.texts[ev.Stream]; ev.Kind == session.Pipe {
		if t.end == 0 {
			t.first = b.endEvent()
		}
		t.end = ev.Text + session.TextSize(ev.Data)
	}
	ev.Data = nil
	b.events = append(b.events, ev)
}

func (b *builder) empty() bool     { return len(b.events) == 0 }
func (b *builder) endEvent() int64 { return b.firstEvent + int64(len(b.events)) }
func (b *builder) endByte() int64  { return b.startByte + b.outBytes }

// size returns the approximate length of the segment before compression, in bytes.
func (b *builder) size() int { return len(b.body) + 4*len(b.events) }

// build returns the collected events as a segment in the newest format. At least one event must
// have been added.
func (b *builder) build() segment {
	return segment{
		firstEvent: b.firstEvent, endEvent: b.endEvent(),
		startAt: b.events[0].At, endAt: b.events[len(b.events)-1].At,
		startByte: b.startByte, endByte: b.endByte(),
		texts: b.texts, data: encode(b),
	}
}

var errSegment = errors.New("not a whole segment")

// decodeSegment returns a segment's position in the session and its events, which share memory.
func decodeSegment(data []byte) (segment, []session.Event, error) {
	switch {
	case len(data) == 0 || data[0] == 0:
		return segment{}, nil, errSegment
	case data[0] > versionV2:
		return segment{}, nil, fmt.Errorf("segment format %d: %w", data[0], session.ErrNewer)
	}
	raw, err := decoder.DecodeAll(data[1:], nil)
	if err != nil {
		return segment{}, nil, err
	}
	return parsePayload(data[0], raw, math.MaxInt64)
}

// putSegments writes segments of a session. Each replaces those that begin with the same event or a
// later one.
func putSegments(ctx context.Context, tx *sql.Tx, key int64, segs []segment) error {
	for _, seg := range segs {
		var old int64
		err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(length(data)), 0) FROM segments WHERE session_pk = ? AND end_event > ?",
			key, seg.firstEvent).Scan(&old)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM segments WHERE session_pk = ?1 AND end_event > ?2;
			DELETE FROM texts WHERE session_pk = ?1 AND first_event >= ?2`, key, seg.firstEvent); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO segments (session_pk, first_event, end_event, start_at, end_at, start_byte,
			end_byte, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, key, seg.firstEvent, seg.endEvent, int64(seg.startAt), int64(seg.endAt),
			seg.startByte, seg.endByte, seg.data); err != nil {
			return err
		}
		for stream, t := range seg.texts {
			if t.end == 0 {
				continue
			}
			if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO texts (session_pk, stream, end_text, first_event) VALUES (?, ?, ?, ?)",
				key, stream, t.end, t.first); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "UPDATE sessions SET raw_bytes = ?, raw_end = ?, stored_bytes = stored_bytes + ? WHERE pk = ?",
			seg.endByte, int64(seg.endAt), int64(len(seg.data))-old, key); err != nil {
			return err
		}
	}
	return nil
}
