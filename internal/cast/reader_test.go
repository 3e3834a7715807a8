package cast_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
)

const header2 = `{"version": 2, "width": 100, "height": 30, "timestamp": 1763600000, "command": "claude", "title": ` +
	`"T", "env": {"TERM": "xterm-256color", "SHELL": null}}` + "\n"

const header3 = `{"version":3,"term":{"cols":100,"rows":30,"type":"xterm"},"timestamp":1763600000.5,"env":{"SHELL":` +
	`"/bin/sh"}}` + "\n"

func output(at time.Duration, data string) session.Event {
	return session.Event{At: at, Kind: session.Output, Data: []byte(data)}
}

// readAll returns the events up to the first error; io.EOF is none.
func readAll(r *cast.Reader) (events []session.Event, err error) {
	for {
		ev, err := r.Next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, ev)
	}
}

func open(t testing.TB, text string) *cast.Reader {
	t.Helper()
	r, err := cast.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReaderHeader(t *testing.T) {
	tests := []struct {
		name, text string
		want       cast.Header
	}{
		{"v1", `{"version":1,"width":80,"height":24,"duration":1.5,"command":"/bin/zsh","title":"","env":{"TERM":"xterm"},` +
			`"stdout":[]}`,
			cast.Header{Version: 1, Cols: 80, Rows: 24, Command: "/bin/zsh", Term: "xterm",
				Env: map[string]string{"TERM": "xterm"}}},
		{"v2", header2, cast.Header{Version: 2, Cols: 100, Rows: 30, Timestamp: time.Unix(1763600000, 0).UTC(),
			Command: "claude",
			Title:   "T", Term: "xterm-256color", Env: map[string]string{"TERM": "xterm-256color"}}},
		{"v3", header3, cast.Header{Version: 3, Cols: 100, Rows: 30, Timestamp: time.UnixMilli(1763600000500).UTC(),
			Term: "xterm",
			Env:  map[string]string{"SHELL": "/bin/sh"}}},
		{"no window", "\ufeff" + `{"version":2,"width":0,"height":0}`,
			cast.Header{Version: 2, Cols: 80, Rows: 24, Env: map[string]string{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, open(t, tt.text).Header); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReaderEvents(t *testing.T) {
	tests := []struct {
		name, text string
		want       []session.Event
	}{
		{"v1", "{\n \"version\": 1, \"width\": 80, \"height\": 24,\n \"stdout\": [[0.25, \"a\"], [1, \"b\\r\\n\"]]}\n",
			[]session.Event{output(250*time.Millisecond, "a"), output(1250*time.Millisecond, "b\r\n")}},
		{"v2 counts from the start", header2 + `[0.1,"o","a"]` + "\n" + `[0.30, "i", "b"]` + "\r\n\n" +
			`[2.5,"r","120x40"]` + "\n" + `[2.5,"m","here"]`,
			[]session.Event{output(100*time.Millisecond, "a"),
				{At: 300 * time.Millisecond, Kind: session.Input, Data: []byte("b")},
				{At: 2500 * time.Millisecond, Kind: session.Resize, Cols: 120, Rows: 40},
				{At: 2500 * time.Millisecond, Kind: session.Marker, Data: []byte("here")}}},
		{"v3 counts from the event before", header3 +
			"# note\n[0.1,\"o\",\"a\"]\n[0.2,\"q\",\"?\"]\n[0.3, \"o\", \"b\"]\n[1,\"x\",\"7\"]\n",
			[]session.Event{output(100*time.Millisecond, "a"), output(600*time.Millisecond, "b"),
				{At: 1600 * time.Millisecond, Kind: session.Exit, Status: 7}}},
		{"escapes", header2 + `[0,"o","\u001b[1m\"\\\/\b\f\n\r\t\u20ac\ud83d\ude00é"]`,
			[]session.Event{output(0, "\x1b[1m\"\\/\b\f\n\r\t€😀é")}},
		{"lone surrogates", header2 + `[0,"o","a\ud83db\ude00\ud83d\u0041"]`,
			[]session.Event{output(0, "a\ufffdb\ufffd\ufffdA")}},
		{"raw bytes are kept", header2 + "[0,\"o\",\"\x1b\xff\x00\"]", []session.Event{output(0, "\x1b\xff\x00")}},
		{"time runs backwards", header2 + `[2,"o","a"]` + "\n" + `[1,"o","b"]`,
			[]session.Event{output(2*time.Second, "a"), output(2*time.Second, "b")}},
		{"odd numbers", header2 + `[-1e-06,"o","a"]` + "\n" + `[1.5e0,"o","b"]` + "\n" + `[2.0000000019,"o","c"]`,
			[]session.Event{output(0, "a"), output(1500*time.Millisecond, "b"), output(2*time.Second+1, "c")}},
		{"odd lines", header3 + `[0,"x",3]` + "\n" + `[0,"oo","a"]` + "\n" + `[0,"o","b",{"more":1}]`,
			[]session.Event{{Kind: session.Exit, Status: 3}, output(0, "b")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := open(t, tt.text)
			got, err := readAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if r.Truncated() || r.Warning() != "" {
				t.Errorf("Truncated = true, %q", r.Warning())
			}
		})
	}
}

// A recording that is cut off is read up to the last whole event.
func TestReaderTruncated(t *testing.T) {
	for _, last := range []string{`[0.2`, `[0.2,"o","b`, `[0.2,"o","b\u00`, `[0.2,"o","b"` + "\n",
		`[0.2,"o",` + "\n\n \n", "\x00\x00\x00\x00"} {
		r := open(t, header2+`[0.1,"o","a"]`+"\n"+last)
		got, err := readAll(r)
		if err != nil {
			t.Fatalf("%q: %v", last, err)
		}
		if diff := cmp.Diff([]session.Event{output(100*time.Millisecond, "a")}, got); diff != "" {
			t.Errorf("%q: events (-want +got):\n%s", last, diff)
		}
		if !r.Truncated() || !strings.Contains(r.Warning(), "line 3") {
			t.Errorf("%q: Truncated = %v, Warning = %q", last, r.Truncated(), r.Warning())
		}
	}
}

func TestReaderBrokenMiddle(t *testing.T) {
	r := open(t, header2+`[0.1,"o","a"]`+"\n"+`[0.2,"o",`+"\n"+`[0.3,"o","c"]`+"\n")
	got, err := readAll(r)
	if !errors.Is(err, session.ErrCorrupt) || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("error = %v, want one that names line 3", err)
	}
	if len(got) != 1 {
		t.Errorf("events before it = %d, want 1", len(got))
	}
	if _, again := r.Next(); !errors.Is(again, err) {
		t.Errorf("second error = %v, want the first", again)
	}
}

func TestReaderRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		want       error
	}{
		{"empty", "", session.ErrNotRecording},
		{"text", "hello\n", session.ErrNotRecording},
		{"binary", "\x00\x01\x02", session.ErrNotRecording},
		{"other JSON", `{"name": "x"}`, session.ErrNotRecording},
		{"pretty JSON", "{\n  \"version\": 1,\n  \"format\": \"ptyrec.transcript\"\n}\n", session.ErrNotRecording},
		{"cut header", `{"version": 2, "wid`, session.ErrNotRecording},
		{"no size", `{"version": 2}`, session.ErrNotRecording},
		{"version 0", `{"version": 0}`, session.ErrNotRecording},
		{"broken gzip", "\x1f\x8b\x00\x00\x00", session.ErrNotRecording},
		{"version 4", `{"version": 4, "term": "new"}`, session.ErrNewer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := cast.NewReader(strings.NewReader(tt.text))
			if !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestReaderLongLine(t *testing.T) {
	want := strings.Repeat("0123456789", 100_000)
	got, err := readAll(open(t, header2+`[0,"o","`+want+`"]`+"\n"+`[0,"o","b"]`))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || string(got[0].Data) != want || string(got[1].Data) != "b" {
		t.Errorf("got %d events, want the long and the short one", len(got))
	}
}

func TestReaderCompressed(t *testing.T) {
	text := header2 + strings.Repeat(`[0.1,"o","some text"]`+"\n", 10_000)
	var gz, zs bytes.Buffer
	gw := gzip.NewWriter(&gz)
	zw, err := zstd.NewWriter(&zs)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{gw, zw} {
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, data := range [][]byte{gz.Bytes(), zs.Bytes()} {
		for _, cut := range []int{0, 4} {
			r, err := cast.NewReader(bytes.NewReader(data[:len(data)-cut]))
			if err != nil {
				t.Fatal(err)
			}
			got, err := readAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if cut == 0 && len(got) != 10_000 {
				t.Errorf("events = %d, want 10000", len(got))
			}
			if r.Truncated() != (cut > 0) {
				t.Errorf("Truncated = %v with %d bytes cut off", r.Truncated(), cut)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	if _, err := cast.Open(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: error = %v", err)
	}
	if err := os.WriteFile(path, []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := cast.Open(path); !errors.Is(err, session.ErrNotRecording) || !strings.Contains(err.Error(), path) {
		t.Errorf("error = %v, want one that names the file", err)
	}
	if err := os.WriteFile(path, []byte(header2), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := cast.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
}

// A small file that never ends is refused soon; what is written without compression is not.
func TestBomb(t *testing.T) {
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	line := `[0.1, "o", "` + strings.Repeat("x", 1<<20) + "\"]\n"
	const lines = 200
	_, err = io.WriteString(w, header2)
	for range lines {
		_, more := io.WriteString(w, line)
		err = errors.Join(err, more)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		in   io.Reader
		want error
	}{
		"compressed": {&packed, session.ErrCorrupt},
		"plain":      {io.MultiReader(strings.NewReader(header2), strings.NewReader(strings.Repeat(line, lines))), io.EOF},
	} {
		r, err := cast.NewReader(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for ; err == nil; n++ {
			_, err = r.Next()
		}
		if !errors.Is(err, tt.want) || n > lines+1 || n < lines/2 {
			t.Errorf("%s: %v after %d events, want %v", name, err, n, tt.want)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Absurd times neither overflow nor give dates that cannot be written.
func TestAbsurdTimes(t *testing.T) {
	for _, in := range []string{
		`{"version": 2, "width": 80, "height": 24, "timestamp": 999999999999}` + "\n" +
			strings.Repeat("[1e9, \"o\", \"x\"]\n", 3),
		`{"version": 3, "term": {"cols": 80, "rows": 24}, "timestamp": 7999999999}` + "\n" +
			strings.Repeat("[999999999, \"o\", \"x\"]\n", 400),
	} {
		r, err := cast.NewReader(strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		for {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			at := r.Header.Timestamp.Add(e.At)
			if err != nil || e.At < 0 || !r.Header.Timestamp.IsZero() && !time.Unix(0, at.UnixNano()).Equal(at) {
				t.Fatalf("event at %s, %v", at, err)
			}
		}
	}
}
