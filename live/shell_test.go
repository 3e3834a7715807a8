package live

import (
	"testing"

	"github.com/ptyrec/ptyrec/protocol"
)

const (
	markPrompt  = "\x1b]133;A\x07$ \x1b]133;B\x07"
	markCommand = "\x1b]133;C\x1b\\"
	markEnd     = "\x1b]133;D;0\x07"
)

// What who has the terminal and the marks say together.
func TestWhatAShellDoes(t *testing.T) {
	const unknown, prompt, running = protocol.ShellUnknown, protocol.ShellPrompt, protocol.ShellRunning
	var (
		none      = Foreground{}                       // a job
		editor    = Foreground{Keys: true}             // a job that takes keys, such as ssh
		reader    = Foreground{Reads: true}            // a job that reads a line
		program   = Foreground{Own: true}              // no shell at all
		own       = Foreground{Own: true, Shell: true} // a shell within a builtin command
		ready     = Foreground{Own: true, Shell: true, Keys: true}
		dash      = Foreground{Own: true, Shell: true, Reads: true}
		nested    = Foreground{Shell: true, Reads: true}
		within    = Foreground{Shell: true} // a nested shell within a builtin command
		marked    = markPrompt + "sleep\r\n" + markCommand
		innerMark = marked + markPrompt
	)
	for _, tt := range []struct {
		output string
		f      Foreground
		want   protocol.ShellState
	}{
		{"", program, unknown}, {"", own, running}, {"", ready, prompt}, {"", dash, prompt}, {"", none, running}, {"", editor, unknown}, {"", reader, unknown},
		{"", nested, prompt}, {"", within, running},
		{markPrompt, program, prompt}, {markPrompt, ready, prompt}, {markPrompt, none, running},
		{marked, program, running}, {marked, own, running}, {marked, ready, running}, {marked, none, running}, {marked, reader, running},
		{marked, editor, unknown}, {marked, nested, prompt},
		{marked + markEnd, program, running}, {marked + markEnd, ready, prompt}, {marked + markEnd + markPrompt, program, prompt},
		{markCommand + markEnd, program, prompt}, {markCommand + markEnd, own, running}, // a shell that marks no prompts
		{innerMark, editor, prompt}, {innerMark + markCommand, editor, running}, {innerMark + markCommand + markEnd + markPrompt, editor, prompt},
	} {
		for size := 1; size <= len(tt.output)+1; size++ {
			var m marks
			for rest := tt.output; rest != ""; {
				n := min(size, len(rest))
				m.output([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := m.state(tt.f, true); got != tt.want {
				t.Errorf("%q in pieces of %d, %+v: %q, want %q", tt.output, size, tt.f, got, tt.want)
				break
			}
		}
	}
	if got := (&marks{last: 'C'}).state(Foreground{}, false); got != running {
		t.Errorf("marks alone: %q", got)
	}
	if got := (&marks{}).state(Foreground{}, false); got != unknown {
		t.Errorf("nothing known: %q", got)
	}
}

// What a line and its Enter, typed at once, echo is not behind that Enter.
func TestWhatComesBehindEnter(t *testing.T) {
	for _, tt := range []struct {
		keys, output string
		want         int64
	}{
		{"\r", "\r\nout", 10}, {"ls", "ls", -1}, {"ls\r", "ls\r\nout", 14}, {"ls\r", "ls", 10}, {"a\nb", "", 10}, {"\x1b[13;1u", "x\n", 10}, {"\r\r", "\n", 10},
	} {
		var e entered
		e.keys([]byte(tt.keys), 10)
		e.output([]byte(tt.output), 10)
		got := int64(-1)
		if e.typed {
			got = e.seq
		}
		if got != tt.want {
			t.Errorf("%q, then %q: %d, want %d", tt.keys, tt.output, got, tt.want)
		}
	}
}
