package echo_test

import (
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/recorder/echo"
	"github.com/ptyrec/ptyrec/session"
)

// step is output of a program, or keys typed behind it.
type step struct {
	output, keys string
	group        int  // 0: 7
	sure         bool // echoed by the kernel
}

// kept runs the steps, a millisecond apart, and returns the keys that count as shown, in the order
// in which they were judged.
func kept(t *testing.T, steps []step) string {
	t.Helper()
	p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: 80, Rows: 24, Started: time.Unix(0, 0), SessionID: "s"})
	e := echo.New(func() (int, error) { return 7, nil })
	got, told, typed := "", 0, 0
	var at time.Duration
	for _, s := range steps {
		at += time.Millisecond
		if s.output != "" {
			e.Feed(p, session.Event{At: at, Kind: session.Output, Data: []byte(s.output)})
		}
		if s.keys == "" {
			continue
		}
		typed++
		group := 7
		if s.group != 0 {
			group = s.group
		}
		keys := &echo.Keys{
			Data: []byte(s.keys), At: at, Seq: p.Offset(), Group: group, Sure: s.sure,
			Kept: func(shown []byte) { got += string(shown); told++ },
		}
		if !e.Add(keys) {
			t.Fatalf("%q does not fit", s.keys)
		}
	}
	e.Close(p)
	e.Tell(e.Take())
	if told != typed {
		t.Errorf("%d of %d calls got a verdict", told, typed)
	}
	if e.Waiting() {
		t.Error("keys still wait after Close")
	}
	return got
}

func TestKept(t *testing.T) {
	for name, c := range map[string]struct {
		steps []step
		want  string
	}{
		"shown key by key": {[]step{{output: "Name: ", keys: "a"}, {output: "a", keys: "b"},
			{output: "b", keys: "\r"}, {output: "\r\n"}}, "ab\r"},
		"shown at once": {[]step{{output: "Name: ", keys: "ab\r"}, {output: "ab\r\n"}}, "ab\r"},
		"never shown":   {[]step{{output: "Password: ", keys: "ab\r"}, {output: "\r\nover\r\n"}}, ""},
		"masked":        {[]step{{output: "Password: ", keys: "ab\r"}, {output: "**\r\n"}}, ""},
		"shown for a moment": {[]step{{output: "Password: ", keys: "a"}, {output: "a", keys: "b"},
			{output: "\b*b", keys: "\r"}, {output: "\b*\r\n"}}, ""},
		"erased": {[]step{{output: "Name: ", keys: "ab"}, {output: "ab", keys: "\x7f"},
			{output: "\b \b", keys: "c\r"}, {output: "c\r\n"}}, "a\x7fc\r"},
		"by the kernel": {[]step{{output: "Name: ", keys: "ab\r", sure: true}, {output: "ab\r\n"}}, "ab\r"},
		"for two programs": {[]step{{output: "Name: ", keys: "a"}, {output: "a", keys: "b\r", group: 8},
			{output: "b\r\n"}}, "b\r"},
		"no Enter": {[]step{{output: "Name: ", keys: "ab"}, {output: "ab"}}, ""},
		"a password, then a name": {[]step{{output: "Password: ", keys: "ab\r"}, {output: "\r\nName: ", keys: "cd\r"},
			{output: "cd\r\n"}}, "cd\r"},
		"wide characters": {[]step{{output: "名: ", keys: "日本\r"}, {output: "日本\r\n"}}, "日本\r"},
		"something else was drawn": {[]step{{output: "Name: ", keys: "a"}, {output: "a", keys: "b"},
			{output: "\r\x1b[Klog\r\nName: b", keys: "\r"}, {output: "\r\n"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := kept(t, c.steps); got != c.want {
				t.Errorf("%q counts as shown, want %q", got, c.want)
			}
		})
	}
}

// TestAddIsBounded checks that keys which nobody reads take a bounded amount of memory.
func TestAddIsBounded(t *testing.T) {
	e := echo.New(func() (int, error) { return 0, nil })
	for n := 0; n <= 1<<20; n += 1000 {
		if !e.Add(&echo.Keys{Data: make([]byte, 1000), Kept: func([]byte) {}}) {
			return
		}
	}
	t.Error("1 MiB of keys fits")
}
