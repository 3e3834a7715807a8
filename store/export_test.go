package store

import "github.com/ptyrec/ptyrec/session"

// The segment codec, for tests.

func EncodeSegment(firstEvent, startByte int64, events []session.Event) []byte {
	var b builder
	b.begin(firstEvent, startByte)
	for _, ev := range events {
		b.add(ev)
	}
	return b.build(dense).data
}

func DecodeSegment(data []byte) (firstEvent, startByte int64, events []session.Event, err error) {
	seg, events, err := decodeSegment(data)
	return seg.firstEvent, seg.startByte, events, err
}

// EncodePayload gives a segment with any content.
func EncodePayload(raw []byte) []byte { return dense.EncodeAll(raw, []byte{versionV1}) }
