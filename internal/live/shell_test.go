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

// The marks in the output and the processes that have the terminal say together what a shell does.
func TestWhatAShellDoes(t *testing.T) {
	const unknown, prompt, running = protocol.ShellUnknown, protocol.ShellPrompt, protocol.ShellRunning
	var (
		job       = Foreground{}
		keysJob   = Foreground{Keys: true}             // such as an editor, or ssh
		lineJob   = Foreground{Reads: true}            // such as cat
		noShell   = Foreground{Own: true}              // the session's command is no shell
		builtin   = Foreground{Own: true, Shell: true} // the shell itself works
		editing   = Foreground{Own: true, Shell: true, Keys: true}
		reading   = Foreground{Own: true, Shell: true, Reads: true} // a shell without a line editor
		nested    = Foreground{Shell: true, Reads: true}
		inBuiltin = Foreground{Shell: true} // the nested shell itself works
		marked    = markPrompt + "sleep\r\n" + markCommand
		innerMark = marked + markPrompt
	)
	for _, tt := range []struct {
		output string
		f      Foreground
		want   protocol.ShellState
	}{
		{"", noShell, unknown}, {"", builtin, running}, {"", editing, prompt}, {"", reading, prompt}, {"", job, running},
		{"", keysJob, unknown}, {"", lineJob, unknown},
		{"", nested, prompt}, {"", inBuiltin, running},
		{markPrompt, noShell, prompt}, {markPrompt, editing, prompt}, {markPrompt, job, running},
		{marked, noShell, running}, {marked, builtin, running}, {marked, editing, running}, {marked, job, running},
		{marked, lineJob, running},
		{marked, keysJob, unknown}, {marked, nested, prompt},
		{marked + markEnd, noShell, running}, {marked + markEnd, editing, prompt},
		{marked + markEnd + markPrompt, noShell, prompt},
		{markCommand + markEnd, noShell, prompt}, {markCommand + markEnd, builtin, running}, // a shell that marks no prompts
		{innerMark, keysJob, prompt}, {innerMark + markCommand, keysJob, running},
		{innerMark + markCommand + markEnd + markPrompt, keysJob, prompt},
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
