package store_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func encode(firstEvent, startByte int64, events []session.Event) []byte {
	var b store.Builder
	b.Begin(firstEvent, startByte)
	for _, ev := range events {
		b.Add(ev)
	}
	return b.Build().Data
}

func decode(data []byte) (firstEvent, startByte int64, events []session.Event, err error) {
	seg, events, err := store.DecodeSegment(data)
	return seg.FirstEvent, seg.StartByte, events, err
}

func drawEvent(t *rapid.T, at time.Duration) session.Event {
	ev := session.Event{At: at, Kind: session.EventKind(rapid.IntRange(0, int(session.Marker)).Draw(t, "kind"))}
	switch ev.Kind {
	case session.Resize:
		ev.Cols, ev.Rows = rapid.IntRange(1, 1000).Draw(t, "cols"), rapid.IntRange(1, 1000).Draw(t, "rows")
	case session.Exit:
		ev.Status = rapid.IntRange(-1, 255).Draw(t, "status")
	default:
		ev.Data = rapid.SliceOfN(rapid.Byte(), 1, 60).Draw(t, "data")
	}
	return ev
}

// Any events come back from a segment byte by byte and nanosecond by nanosecond.
func TestSegmentRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]time.Duration{1, time.Microsecond, time.Millisecond}).Draw(t, "unit")
		var want []session.Event
		at := time.Duration(0)
		for range rapid.IntRange(1, 50).Draw(t, "n") {
			at += unit * time.Duration(rapid.IntRange(0, 1e6).Draw(t, "pause"))
			want = append(want, drawEvent(t, at))
		}
		data := encode(7, 1000, want)
		first, offset, got, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if first != 7 || offset != 1000 {
			t.Errorf("first event %d, offset %d, want 7 and 1000", first, offset)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// FuzzDecodeSegment: no bytes panic, and what can be read is written and read the same.
func FuzzDecodeSegment(f *testing.F) {
	f.Add(encode(0, 0, []session.Event{printed(1, "a\xff"), {At: 2, Kind: session.Resize, Cols: 80, Rows: 24}}))
	f.Add(encode(5, 9, []session.Event{{At: time.Second, Kind: session.Exit, Status: -1}}))
	f.Add(store.EncodePayload([]byte{0, 0, 1, 3, 0, 2, 1, 'x'}))
	f.Add(store.EncodePayload([]byte{0, 0, 255, 255, 255, 255, 255, 255, 255, 127, 0}))
	f.Add([]byte{2})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, segment := range [][]byte{data, store.EncodePayload(data)} {
			first, offset, events, err := decode(segment)
			if err != nil {
				continue
			}
			_, _, again, err := decode(encode(first, offset, events))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(events, again); diff != "" {
				t.Fatalf("events (-first +second):\n%s", diff)
			}
		}
	})
}

func BenchmarkSegment(b *testing.B) {
	events := realEvents(b)
	var size int64
	for _, ev := range events {
		size += int64(len(ev.Data))
	}
	data := encode(0, 0, events)
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			encode(0, 0, events)
		}
		b.ReportMetric(100*float64(len(data))/float64(size), "%size")
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			if _, _, _, err := decode(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func printed(at time.Duration, data string) session.Event {
	return session.Event{At: at, Kind: session.Output, Data: []byte(data)}
}

// realEvents returns the events of a recording of a real agent.
func realEvents(b *testing.B) (events []session.Event) {
	b.Helper()
	r, err := cast.Open("../internal/cast/testdata/claude.cast")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for {
		ev, err := r.Next()
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			b.Fatal(err)
		}
		events = append(events, ev)
	}
}
