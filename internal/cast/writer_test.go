package cast_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
)

func write(t rapid.TB, h cast.Header, events []session.Event) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := cast.NewWriter(&buf, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		if err := w.Write(ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestWriter(t *testing.T) {
	h := cast.Header{Cols: 100, Rows: 30, Timestamp: time.Unix(1763600000, 0), Command: "a && b", Title: "T",
		Term: "xterm"}
	events := []session.Event{
		output(time.Second/3, "\x1b[1m\"é\xe2\x82"), // the euro sign is cut
		{At: time.Second, Kind: session.Resize, Cols: 80, Rows: 24},
		output(2*time.Second, "\xac\xff\r\n"),
		{At: 2 * time.Second, Kind: session.Marker, Data: []byte("here")},
		{At: 3 * time.Second, Kind: session.Input, Data: []byte("\xf0\x9f")},
		{At: 4 * time.Second, Kind: session.Exit, Status: 1},
	}
	tests := []struct {
		version int
		want    string
	}{
		{2, `{"version":2,"width":100,"height":30,"timestamp":1763600000,"command":"a && b","title":"T"}
[0.333333,"o","\u001b[1m\"é"]
[1.000000,"r","80x24"]
[2.000000,"o","€` + "\ufffd" + `\r\n"]
[2.000000,"m","here"]
[2.000000,"i","` + "\ufffd\ufffd" + `"]
`},
		{3, `{"version":3,"term":{"cols":100,"rows":30,"type":"xterm"},"timestamp":1763600000,"command":"a && b","title":"T"}
[0.333333,"o","\u001b[1m\"é"]
[0.666667,"r","80x24"]
[1.000000,"o","€` + "\ufffd" + `\r\n"]
[0.000000,"m","here"]
[2.000000,"x","1"]
[0.000000,"i","` + "\ufffd\ufffd" + `"]
`},
	}
	for _, tt := range tests {
		h.Version = tt.version
		if diff := cmp.Diff(tt.want, string(write(t, h, events))); diff != "" {
			t.Errorf("v%d (-want +got):\n%s", tt.version, diff)
		}
	}
	if _, err := cast.NewWriter(&bytes.Buffer{}, cast.Header{Version: 1}); err == nil {
		t.Error("v1: no error")
	}
}

// What is written is read back, times to the microsecond, whatever the version.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := cast.Header{Version: rapid.IntRange(2, 3).Draw(t, "version"), Cols: 80, Rows: 24, Env: map[string]string{}}
		var want []session.Event
		at := time.Duration(0)
		for range rapid.IntRange(0, 20).Draw(t, "n") {
			at += time.Duration(rapid.IntRange(0, 1e9).Draw(t, "pause")) * time.Microsecond
			text := []byte(rapid.StringN(1, 40, -1).Draw(t, "text"))
			kind := rapid.SampledFrom([]session.EventKind{session.Output, session.Input, session.Marker}).Draw(t, "kind")
			want = append(want, session.Event{At: at, Kind: kind, Data: bytes.ToValidUTF8(text, []byte("?"))})
		}
		r, err := cast.NewReader(bytes.NewReader(write(t, h, want)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(h, r.Header); diff != "" {
			t.Fatalf("header (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
	})
}

// A recording of a real agent comes through unchanged, in both versions.
func TestRoundTripReal(t *testing.T) {
	r, err := cast.Open("testdata/claude.cast")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	want, err := readAll(r)
	if err != nil || len(want) < 100 {
		t.Fatalf("%d events, error %v", len(want), err)
	}
	for _, version := range []int{2, 3} {
		h := r.Header
		h.Version = version
		again, err := cast.NewReader(bytes.NewReader(write(t, h, want)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("v%d (-want +got):\n%s", version, diff)
		}
	}
}

// FuzzReader: no input panics, and what is read can be written and read again.
func FuzzReader(f *testing.F) {
	f.Add([]byte(header2 + `[0.1,"o","a\u001b\ud83d"]` + "\n[1e3,\"r\",\"80x24\"]\n[2"))
	f.Add([]byte(header3 + "[0.1,\"o\",\"a\"]\n# c\n[1,\"x\",\"0\"]\n"))
	f.Add([]byte(`{"version":1,"width":80,"height":24,"stdout":[[0.1,"a"]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := cast.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		defer func() { _ = r.Close() }()
		events, _ := readAll(r)
		h := r.Header
		h.Version = 3
		again, err := cast.NewReader(bytes.NewReader(write(t, h, events)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readAll(again); err != nil || again.Truncated() {
			t.Fatalf("own recording: error %v, warning %q", err, again.Warning())
		}
	})
}

func BenchmarkReader(b *testing.B) {
	data, err := os.ReadFile("testdata/claude.cast")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := cast.NewReader(bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := readAll(r); err != nil {
			b.Fatal(err)
		}
	}
}
