package live

import "testing"

// The echo of a line that is typed together with its Enter does not follow that Enter.
func TestOutputThatFollowsEnter(t *testing.T) {
	for _, tt := range []struct {
		keys, output string
		want         int64
	}{
		{"\r", "\r\nout", 10}, {"ls", "ls", -1}, {"ls\r", "ls\r\nout", 14}, {"ls\r", "ls", 10}, {"a\nb", "", 10},
		{"\x1b[13;1u", "x\n", 10}, {"\r\r", "\n", 10},
		{"\x1b[13~", "x\n", -1}, {"\x1b[131u", "x\n", -1},
	} {
		var e enter
		e.keys([]byte(tt.keys), 10)
		e.output([]byte(tt.output), 10)
		got := int64(-1)
		if last := e.last(); last != nil {
			got = *last
		}
		if got != tt.want {
			t.Errorf("%q, then %q: %d, want %d", tt.keys, tt.output, got, tt.want)
		}
	}
}
