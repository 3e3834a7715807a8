package cast_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
)

func frameLine(seq, ms int, fields string) string {
	return fmt.Sprintf(`{"type":"session_frame","session_id":"s1","seq":%d,"ts":%d,%s}`+"\n", seq, 1_700_000_000_000+ms,
		fields)
}

func outputField(data string) string {
	return `"kind":"output","stream":"stdout","data":"` + base64.StdEncoding.EncodeToString([]byte(data)) + `"`
}

// What `sandboxctl session record` writes is read: the output, once, with the times of its frames,
// the sizes and the end; other messages and other sessions are left out.
func TestFramesOfSandboxctl(t *testing.T) {
	text := `{"type":"server_hello","server_version":"1","supported_client_messages":[],"features":[]}` + "\n" +
		frameLine(3, 0, outputField("a\xe2\x9a")) +
		`{"type":"session_joined","session_id":"s1","role":"observer","current_seq":9}` + "\n" +
		frameLine(4, 250, `"kind":"resize","cols":120,"rows":40`) + frameLine(5, 300, outputField("\xa0b")) +
		frameLine(5, 300, outputField("again")) + frameLine(6, 400, `"kind":"keyframe","stream":"stdout","data":"G1tI"`) +
		strings.Replace(frameLine(7, 500, outputField("other")), `"s1"`, `"s2"`, 1) +
		frameLine(9, 600, `"kind":"error","message":"frames 7 to 9 are lost"`) +
		frameLine(10, 700, `"kind":"resize","cols":99999,"rows":-1`) + "\n" +
		frameLine(11, 1000, `"kind":"closed","exit_code":3`)
	r, err := cast.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if want := time.UnixMilli(1_700_000_000_000).UTC(); !r.Header.Timestamp.Equal(want) || r.Header.Cols != 80 ||
		r.Header.Rows != 24 {
		t.Errorf("header %+v", r.Header)
	}
	var got []session.Event
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	lost := session.ControlMark(session.EventLost, map[string]any{"from": 7, "to": 9, "message": "frames 7 to 9 are lost"})
	want := []session.Event{
		{Data: []byte("a\xe2\x9a")}, {At: 250 * time.Millisecond, Kind: session.Resize, Cols: 120, Rows: 40},
		{At: 300 * time.Millisecond, Data: []byte("\xa0b")}, {At: 600 * time.Millisecond, Kind: session.Marker, Data: lost},
		{At: time.Second, Kind: session.Exit, Status: 3},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A recording of frames that is cut off is read up to there; one that is damaged is an error.
func TestBrokenFramesAreReadUpToTheBreak(t *testing.T) {
	whole := frameLine(0, 0, outputField("one")) + frameLine(1, 10, outputField("two"))
	for text, want := range map[string]string{
		whole[:len(whole)-20]: "one",
		whole + "{":           "onetwo",
		frameLine(0, 0, outputField("one")) + "nonsense\n" +
			frameLine(1, 0, outputField("two")): "one!",
		frameLine(0, 0, outputField("one")) + frameLine(1, 0, `"kind":"output","data":"@"`) +
			frameLine(2, 0, outputField("x")): "one!",
		`{"type":"server_hello"}` + "\n": "!",
		frameLine(-5, -1_800_000_000_000, outputField("one")) + frameLine(-4, 1<<60, outputField("two")): "one",
	} {
		got := ""
		r, err := cast.NewReader(strings.NewReader(text))
		for err == nil {
			var e session.Event
			if e, err = r.Next(); err == nil {
				got += string(e.Data)
			}
		}
		if !errors.Is(err, io.EOF) {
			got += "!"
		}
		if strings.HasPrefix(text, frameLine(-5, -1_800_000_000_000, "")[:40]) {
			continue // it is enough that it ends
		}
		if got != want {
			t.Errorf("%q: read %q (%v), want %q", text, got, err, want)
		}
	}
}
