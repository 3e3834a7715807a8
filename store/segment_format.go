package store

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// The formats of segments are described in docs/format.md. Format 2 is used only for segments with
// Pipe events or with data in an Exit event.
const (
	versionV1 = 1
	versionV2 = 2
)

// headSize is the minimum size of an event, in bytes: kind, time and one number.
const headSize = 3

func encode(b *Builder) []byte {
	version := byte(versionV1)
	if b.piped {
		version = versionV2
	}
	unit := b.unit()
	raw := binary.AppendUvarint(b.raw[:0], uint64(b.firstEvent))
	raw = binary.AppendUvarint(raw, uint64(b.startByte))
	raw = binary.AppendUvarint(raw, uint64(len(b.events)))
	raw = append(raw, unit)
	scale, last := scaleOf[unit], time.Duration(0)
	for i, ev := range b.events {
		raw = append(raw, byte(ev.Kind))
		raw = binary.AppendVarint(raw, int64((ev.At-last)/scale))
		last = ev.At
		switch ev.Kind {
		case session.Resize:
			raw = binary.AppendUvarint(raw, uint64(ev.Cols))
			raw = binary.AppendUvarint(raw, uint64(ev.Rows))
		case session.Exit:
			raw = binary.AppendVarint(raw, int64(ev.Status))
			if b.piped {
				raw = binary.AppendUvarint(raw, uint64(b.sizes[i]))
			}
		case session.Pipe:
			raw = binary.AppendUvarint(raw, uint64(b.sizes[i]))
			raw = append(raw, byte(ev.Stream))
			raw = binary.AppendUvarint(raw, uint64(ev.Text))
		default:
			raw = binary.AppendUvarint(raw, uint64(b.sizes[i]))
		}
	}
	b.raw = append(raw, b.body...)
	b.frame = encoder.EncodeAll(b.raw, append(b.frame[:0], version))
	return bytes.Clone(b.frame)
}

// unit returns the largest unit in which all times are whole numbers.
func (b *Builder) unit() byte {
	unit := byte(6)
	for _, ev := range b.events {
		for ev.At%scaleOf[unit] != 0 {
			unit -= 3
		}
	}
	return unit
}

// scaleOf is the duration of each unit.
var scaleOf = [...]time.Duration{0: time.Nanosecond, 3: time.Microsecond, 6: time.Millisecond}

// parsePayload parses a decompressed segment, which may have at most most events.
func parsePayload(version byte, raw []byte, most int64) (seg Segment, events []session.Event, err error) {
	r := payload{rest: raw, piped: version == versionV2}
	seg.FirstEvent, seg.StartByte = r.number(), r.number()
	count, unit := r.number(), r.byte()
	if r.failed || count == 0 || count > min(most, int64(len(r.rest)/headSize)) || unit > 6 || unit%3 != 0 {
		return seg, nil, ErrSegment
	}
	events = make([]session.Event, count)
	sizes := make([]int64, count)
	at := time.Duration(0)
	for i := range events {
		sizes[i] = r.head(&events[i])
		at += events[i].At * scaleOf[unit]
		events[i].At = at
	}
	seg.EndByte = seg.StartByte + r.data(events, sizes)
	if r.failed || len(r.rest) > 0 || seg.FirstEvent > math.MaxInt64-count {
		return seg, nil, ErrSegment
	}
	seg.EndEvent = seg.FirstEvent + count
	seg.StartAt, seg.EndAt = events[0].At, at
	return seg, events, nil
}

// payload is a reader of a decompressed segment. After an error it returns zeros.
type payload struct {
	rest   []byte
	piped  bool // whether it has format 2
	failed bool
}

// head reads one event without its data. The event's At is the time since the event before, in
// units.
func (p *payload) head(ev *session.Event) (size int64) {
	ev.Kind = session.EventKind(p.byte())
	ev.At = time.Duration(p.varint())
	switch ev.Kind {
	case session.Output, session.Input, session.Marker:
		return p.number()
	case session.Resize:
		ev.Cols, ev.Rows = int(p.number()), int(p.number())
	case session.Exit:
		ev.Status = int(p.varint())
		if p.piped {
			return p.number()
		}
	case session.Pipe:
		size = p.number()
		ev.Stream, ev.Text = int(p.byte()), p.number()
		p.failed = p.failed || !p.piped || ev.Stream != session.Stdout && ev.Stream != session.Stderr
		return size
	default:
		p.failed = true
	}
	return 0
}

// data sets the data of each event, and returns the number of output bytes.
func (p *payload) data(events []session.Event, sizes []int64) (output int64) {
	for i := range events {
		n := sizes[i]
		if n > int64(len(p.rest)) {
			p.failed = true
			return 0
		}
		if n > 0 {
			events[i].Data = p.rest[:n:n]
		}
		p.rest = p.rest[n:]
		output += events[i].Printed()
	}
	return output
}

func (p *payload) byte() byte {
	if len(p.rest) == 0 {
		p.failed = true
		return 0
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

// number reads a uvarint, which must fit in an int64.
func (p *payload) number() int64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 || v > math.MaxInt64 {
		p.failed = true
		return 0
	}
	p.rest = p.rest[n:]
	return int64(v)
}

func (p *payload) varint() int64 {
	v, n := binary.Varint(p.rest)
	if n <= 0 {
		p.failed = true
		return 0
	}
	p.rest = p.rest[n:]
	return v
}
