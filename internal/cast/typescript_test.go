package cast_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
)

func eventsOf(t testing.TB, r *cast.Reader) (events []session.Event) {
	t.Helper()
	defer r.Close()
	for {
		ev, err := r.Next()
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
	}
}

const typescript = `Script started on 2026-11-21 06:57:59+00:00 [TERM="xterm-256color" TTY="/dev/pts/0" ` +
	`COLUMNS="100" LINES="30" COMMAND="sh -c 'echo "hi"'"]` + "\nhello\r\nbye\r\n\nScript done on 2026-11-21 " +
	"06:57:59+00:00 [COMMAND_EXIT_CODE=\"0\"]\n"

func TestTypescript(t *testing.T) {
	out := func(at time.Duration, text string) session.Event {
		return session.Event{At: at, Kind: session.Output, Data: []byte(text)}
	}
	for name, timing := range map[string]string{
		"classic":  "0.5 7\n0.25 5\n",
		"advanced": "H 0.0 START_TIME 2026-11-21 06:57:59+00:00\nH 0 COLUMNS 100\nO 0.5 7\nI 0.1 6\nO 0.15 5\n",
	} {
		r, err := cast.NewTypescript(strings.NewReader(typescript), strings.NewReader(timing))
		if err != nil {
			t.Fatal(err)
		}
		want := cast.Header{Cols: 100, Rows: 30, Timestamp: time.Date(2026, 11, 21, 6, 57, 59, 0, time.UTC),
			Command: `sh -c 'echo "hi"'`, Term: "xterm-256color", Env: map[string]string{}}
		if diff := cmp.Diff(want, r.Header); diff != "" {
			t.Errorf("%s: header (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]session.Event{out(500*time.Millisecond, "hello\r\n"), out(750*time.Millisecond, "bye\r\n")},
			eventsOf(t, r)); diff != "" {
			t.Errorf("%s: events (-want +got):\n%s", name, diff)
		}
	}
}

// Input, sizes and the exit status of an advanced timing; what is cut off is said.
func TestTypescriptAdvanced(t *testing.T) {
	const data = cast.TypescriptStart + "x\ntyped\nshown"
	const timing = "H 0 OUTPUT_LOG a\nH 0 INPUT_LOG a\nI 1 6\nS 1 SIGWINCH ROWS=40 COLS=120\nO 1 9\nH 0 EXIT_CODE 3\n"
	r, err := cast.NewTypescript(strings.NewReader(data), strings.NewReader(timing))
	if err != nil {
		t.Fatal(err)
	}
	want := []session.Event{
		{At: time.Second, Kind: session.Input, Data: []byte("typed\n")},
		{At: 2 * time.Second, Kind: session.Resize, Cols: 120, Rows: 40},
		{At: 3 * time.Second, Kind: session.Output, Data: []byte("shown")},
		{At: 3 * time.Second, Kind: session.Exit, Status: 3},
	}
	if diff := cmp.Diff(want, eventsOf(t, r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if !r.Truncated() || r.Warning() == "" {
		t.Error("the cut is not told")
	}
}

func TestTypescriptErrors(t *testing.T) {
	if _, err := cast.NewTypescript(strings.NewReader("x"), strings.NewReader("")); !errors.Is(err,
		session.ErrNotRecording) {
		t.Errorf("error = %v", err)
	}
	for _, timing := range []string{"x\n", "x 1\n", "1 x\n", "1 -1\n", "Q\n", "1e99 1\n", "O 1\n"} {
		r, err := cast.NewTypescript(strings.NewReader(typescript), strings.NewReader(timing))
		if err == nil {
			_, err = r.Next()
		}
		if !errors.Is(err, session.ErrCorrupt) {
			t.Errorf("%q: error = %v, want %v", timing, err, session.ErrCorrupt)
		}
	}
}

func frame(at time.Time, data string) []byte {
	var b [12]byte
	binary.LittleEndian.PutUint32(b[:], uint32(at.Unix()))
	binary.LittleEndian.PutUint32(b[4:], uint32(at.Nanosecond()/1000))
	binary.LittleEndian.PutUint32(b[8:], uint32(len(data)))
	return append(b[:], data...)
}

func TestTTYRec(t *testing.T) {
	start := time.Date(2026, 11, 21, 6, 57, 59, 5000, time.UTC)
	whole := append(frame(start, "hello\r\n"), frame(start.Add(1500*time.Millisecond), "\xffbye")...)
	want := []session.Event{{Kind: session.Output, Data: []byte("hello\r\n")},
		{At: 1500 * time.Millisecond, Kind: session.Output, Data: []byte("\xffbye")}}
	r, err := cast.NewReader(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Header.Timestamp.Equal(start) || r.Header.Cols != 80 || r.Header.Rows != 24 {
		t.Errorf("header = %+v", r.Header)
	}
	if diff := cmp.Diff(want, eventsOf(t, r)); diff != "" || r.Truncated() {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	r, err = cast.NewReader(bytes.NewReader(whole[:len(whole)-2]))
	if err != nil {
		t.Fatal(err)
	}
	if got := eventsOf(t, r); len(got) != 2 || string(got[1].Data) != "\xffb" || !r.Truncated() {
		t.Errorf("cut: events = %v, truncated %v", got, r.Truncated())
	}
}

// Any bytes, cut anywhere, give events or an error, and never a panic.
func TestAnyBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "data")
		timing := rapid.StringMatching(`([OISH] ?[0-9.]{0,4} ?[A-Z0-9=]{0,6}\n){0,5}`).Draw(t, "timing")
		for _, open := range []func() (*cast.Reader, error){
			func() (*cast.Reader, error) {
				return cast.NewReader(bytes.NewReader(append(frame(time.Unix(2e9, 0), "x"), data...)))
			},
			func() (*cast.Reader, error) {
				return cast.NewTypescript(strings.NewReader(cast.TypescriptStart+"\n"+string(data)), strings.NewReader(timing))
			},
		} {
			r, err := open()
			for err == nil {
				_, err = r.Next()
			}
		}
	})
}
