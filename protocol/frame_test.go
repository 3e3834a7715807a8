package protocol_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/protocol"
)

func TestFrameOnTheWire(t *testing.T) {
	var b bytes.Buffer
	if err := protocol.Write(&b, protocol.Output(258, []byte("hi"))); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "O\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x01\x02hi"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := protocol.Write(&b, protocol.Frame{Payload: make([]byte, protocol.MaxPayload+1)}); !errors.Is(err,
		protocol.ErrTooLong) {
		t.Errorf("a payload that is too long: %v", err)
	}
}

func TestFramesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frames := rapid.SliceOf(rapid.Custom(func(t *rapid.T) protocol.Frame {
			return protocol.Frame{Type: protocol.Type(rapid.Byte().Draw(t, "type")),
				Payload: rapid.SliceOfN(rapid.Byte(), 0, 200_000).Draw(t, "payload")}
		})).Draw(t, "frames")
		var wire []byte
		for _, f := range frames {
			wire = protocol.Append(wire, f)
		}
		in := protocol.NewReader(iotest.HalfReader(bytes.NewReader(wire)))
		for i, want := range frames {
			got, err := in.Next()
			if err != nil || got.Type != want.Type || !bytes.Equal(got.Payload, want.Payload) {
				t.Fatalf("frame %d: %q, %d bytes, %v", i, got.Type, len(got.Payload), err)
			}
		}
		if _, err := in.Next(); !errors.Is(err, io.EOF) {
			t.Fatalf("behind the last: %v", err)
		}
	})
}

func TestPayloadsComeBack(t *testing.T) {
	snap := protocol.Snapshot{Seq: 1 << 40, Cols: 300, Rows: 80, Data: []byte("\x1b[H")}
	if got, err := snap.Frame().Snapshot(); err != nil || !cmp.Equal(got, snap) {
		t.Errorf("%+v, %v", got, err)
	}
	if id, keys, err := protocol.Input(7, []byte("ls\r")).Input(); id != 7 || string(keys) != "ls\r" || err != nil {
		t.Errorf("%d, %q, %v", id, keys, err)
	}
	if seq, data, err := protocol.Output(9, []byte("x")).Output(); seq != 9 || string(data) != "x" || err != nil {
		t.Errorf("%d, %q, %v", seq, data, err)
	}
	until := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	want := protocol.Control{Viewers: []protocol.Viewer{}, Grant: &protocol.Grant{By: "me", At: until, Until: &until},
		Reason: "because"}
	f, err := protocol.JSON(protocol.TypeControl, want)
	if err != nil {
		t.Fatal(err)
	}
	var got protocol.Control
	if err := f.Decode(&got); err != nil || !cmp.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// FuzzReader: whatever comes, a Reader returns whole frames that make the same bytes again, or an
// error; and it never keeps much more memory than came in.
func FuzzReader(f *testing.F) {
	f.Add([]byte("O\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x01\x02hi"), uint8(3))
	f.Add(protocol.Append(protocol.Append(nil, protocol.Input(1, []byte("x"))), protocol.Snapshot{Cols: 1}.Frame()),
		uint8(1))
	f.Add([]byte("S\x00\x10\x00\x00"), uint8(9))
	f.Add([]byte("h\xff\xff\xff\xff"), uint8(0))
	f.Add([]byte(`h`+"\x00\x00\x00\x0d"+`{"version":1}`), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		in := protocol.NewReader(&pieces{data, int(size) + 1})
		var again []byte
		for {
			frame, err := in.Next()
			if err != nil {
				if rest := data[len(again):]; !errors.Is(err, wantError(rest)) {
					t.Fatalf("%v before %q", err, rest)
				}
				return
			}
			if cap(frame.Payload) > 2*len(data)+64<<10 {
				t.Fatalf("%d bytes are kept for %d that came", cap(frame.Payload), len(data))
			}
			again = protocol.Append(again, frame)
			if !bytes.HasPrefix(data, again) {
				t.Fatalf("%q became %q", data, again)
			}
			decodeAll(frame)
		}
	})
}

// wantError is what must be wrong where no whole frame begins.
func wantError(rest []byte) error {
	switch {
	case len(rest) == 0:
		return io.EOF
	case len(rest) >= 5 && binary.BigEndian.Uint32(rest[1:]) > protocol.MaxPayload:
		return protocol.ErrTooLong
	}
	return io.ErrUnexpectedEOF
}

// decodeAll reads a payload as everything that it might be; none of it may panic.
func decodeAll(f protocol.Frame) {
	_, _, _ = f.Output()
	_, _, _ = f.Input()
	_, _ = f.Snapshot()
	for _, v := range []any{&protocol.Attach{}, &protocol.Hello{}, &protocol.Control{}, &protocol.Entries{},
		&protocol.Screen{}, &protocol.ControlRequest{}} {
		_ = f.Decode(v)
	}
}

// pieces returns its bytes a few at a time.
type pieces struct {
	rest []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
