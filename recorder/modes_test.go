package recorder

import (
	"bytes"
	"testing"
)

func TestModeTrackerReset(t *testing.T) {
	for _, tt := range []struct {
		name, output, want string
	}{
		{"plain text", "hello\r\n\x1b[1;31mred\x1b[0m", ""},
		{"left as it was", "\x1b[?1049h\x1b[?25l\x1b[?25h\x1b[?1049l", ""},
		{"alternate screen", "\x1b[?1049h", "\x1b[?1049l"},
		{"several at once", "\x1b[?1000;1006;2004h", "\x1b[?1000l\x1b[?1006l\x1b[?2004l"},
		{"cursor", "\x1b[?25l", "\x1b[?25h"},
		{"autowrap", "\x1b[?7l", "\x1b[?7h"},
		{"keypad", "\x1b=", "\x1b[?66l"},
		{"keyboard", "\x1b[>1u\x1b[>5u\x1b[<u", "\x1b[<1u"},
		{"keyboard of both screens", "\x1b[>1u\x1b[?1049h\x1b[>1u\x1b[>1u", "\x1b[<2u\x1b[?1049l\x1b[<1u"},
		{"keyboard set", "\x1b[=5;1u", "\x1b[=0u"},
		{"keyboard query", "\x1b[?u", ""},
		{"restored cursor", "\x1b[u", ""},
		{"other keys", "\x1b[>4;2m", "\x1b[>4m"},
		{"other keys back", "\x1b[>4;2m\x1b[>4m", ""},
		{"cursor shape", "\x1b[5 q", "\x1b[0 q"},
		{"scroll region", "\x1b[2;10r", "\x1b7\x1b[r\x1b8"},
		{"whole scroll region", "\x1b[2;10r\x1b[1;24r", ""},
		{"full reset", "\x1b[?1049h\x1b[?1000h\x1b[>1u\x1bc", ""},
		{"soft reset", "\x1b[?25l\x1b[2;3r\x1b[!p", ""},
		{"cancelled", "\x1b[?25\x18l\x1b[?2\x1b[?1l", ""},
		{"unknown mode", "\x1b[?99999h\x1b[4h", ""},
		{"cut off", "\x1b[?104", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for cut := range len(tt.output) + 1 {
				m := modeTracker{rows: 24}
				m.feed([]byte(tt.output[:cut]))
				m.feed([]byte(tt.output[cut:]))
				if got := m.reset(); got != tt.want {
					t.Fatalf("cut at %d: reset = %q, want %q", cut, got, tt.want)
				}
				if again := m.reset(); again != "" {
					t.Fatalf("second reset = %q", again)
				}
			}
		})
	}
}

func FuzzModeTracker(f *testing.F) {
	f.Add([]byte("\x1b[?1049h\x1b[>1u\x1b[2;10r"), 3)
	f.Fuzz(func(t *testing.T, output []byte, cut int) {
		cut = max(0, min(cut, len(output)))
		whole, parts, single := modeTracker{rows: 24}, modeTracker{rows: 24}, modeTracker{rows: 24}
		whole.feed(output)
		parts.feed(output[:cut])
		parts.feed(output[cut:])
		for i := range output {
			single.feed(output[i : i+1])
		}
		if a, b, c := whole.reset(), parts.reset(), single.reset(); a != b || a != c {
			t.Errorf("cut at %d: reset = %q, whole %q, by bytes %q", cut, b, a, c)
		}
	})
}

func TestModeTrackerBetween(t *testing.T) {
	for _, tt := range []struct {
		output string
		want   bool
	}{
		{"", true}, {"text", true}, {"é", true}, {"text ─\xe2\x94", false}, {"\x1b", false}, {"\x1b[1", false},
		{"\x1b[1m", true},
		{"\x1b]0;title", false}, {"\x1b]0;title\x07", true}, {"\x1b]0;title\x1b\\", true}, {"\x1bPq#0", false},
		{"\x1b]0;x\x18", true},
		{"\xff\xff\xff\xff", true},
	} {
		for cut := range len(tt.output) + 1 {
			m := modeTracker{rows: 24}
			m.feed([]byte(tt.output[:cut]))
			m.feed([]byte(tt.output[cut:]))
			if got := m.between(); got != tt.want {
				t.Errorf("%q cut at %d: %v, want %v", tt.output, cut, got, tt.want)
			}
		}
	}
}

// BenchmarkModeTracker follows a screen that is redrawn all the time, and text: bytes of output
// a second.
func BenchmarkModeTracker(b *testing.B) {
	for name, piece := range map[string]string{
		"ansi": "\x1b[12;40H\x1b[38;5;123m\x1b[1mab\x1b[0m\x1b[K",
		"text": "00000001  compiling package number 7919 of the tree, 19919\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			p := bytes.Repeat([]byte(piece), 64<<10/len(piece))
			b.SetBytes(int64(len(p)))
			var m modeTracker
			for b.Loop() {
				m.feed(p)
			}
		})
	}
}
