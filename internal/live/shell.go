package live

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
)

// Foreground describes the processes that have the session's terminal.
type Foreground struct {
	Own   bool // whether they include the session's command, and are not a job that it started
	Shell bool // their leader is a shell with job control
	Keys  bool // whether they read single keys, as a line editor, a full-screen program or ssh does
	Reads bool // whether one of them waits in a read of the terminal
}

// shellTime is the interval at which a Host checks the shell while it has observers.
const shellTime = 200 * time.Millisecond

// shell determines the state of the session's shell. It may be used concurrently.
type shell struct {
	looking sync.Mutex // guards the next two fields
	state   protocol.ShellState
	looked  time.Time // time of the last check

	mu    sync.Mutex // guards marks
	marks marks
}

// output processes a piece of the output.
func (s *shell) output(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks.output(data)
}

// shellState returns the state of the session's shell, at most shellTime old.
func (h *Host) shellState() protocol.ShellState {
	s := &h.shell
	s.looking.Lock()
	defer s.looking.Unlock()
	if time.Since(s.looked) < shellTime {
		return s.state
	}
	f, known := h.opt.Foreground()
	s.mu.Lock()
	s.state = s.marks.state(f, known)
	s.mu.Unlock()
	s.looked = time.Now()
	return s.state
}

// showShell sends the state of the shell to an observer, if it has changed.
func (v *viewer) showShell() error {
	now := v.host.shellState()
	if now == v.shell {
		return nil
	}
	v.shell = now
	return v.send(protocol.TypeShell, protocol.Shell{State: now})
}

// marks reads the marks (OSC 133) that shells write around prompts and commands.
type marks struct {
	last    byte   // kind of the last mark: A, B: prompt, C: start of a command, D: its end; 0: none yet
	prompts bool   // whether there are marks of prompts, too
	inner   bool   // whether the marks are those of another shell, started by a command
	cut     []byte // incomplete mark at the end of the output
}

// markStart is the start of a mark. Its kind follows.
var markStart = []byte("\x1b]133;")

// output processes a piece of the output.
func (m *marks) output(data []byte) {
	if len(m.cut) > 0 {
		data = slices.Concat(m.cut, data)
	}
	for {
		_, rest, ok := bytes.Cut(data, markStart)
		if !ok || len(rest) == 0 {
			break
		}
		m.mark(rest[0])
		data = rest
	}
	m.cut = startOfMark(data)
}

// startOfMark returns the end of data if it is an incomplete mark.
func startOfMark(data []byte) []byte {
	for n := min(len(data), len(markStart)); n > 0; n-- {
		if bytes.HasSuffix(data, markStart[:n]) {
			return markStart[:n]
		}
	}
	return nil
}

// mark processes a mark of this kind.
func (m *marks) mark(kind byte) {
	switch kind {
	case 'A', 'B':
		m.inner = m.inner || m.last == 'C'
		m.prompts, m.last = true, kind
	case 'C', 'D':
		m.last = kind
	}
}

// state returns the state of the shell: that of the marks, unless the foreground shows that they
// are out of date or those of another shell. Without marks the foreground decides. If known is
// false, f must be zero.
func (m *marks) state(f Foreground, known bool) protocol.ShellState {
	if f.Own {
		m.inner = false
	}
	waits := f.Keys || f.Reads // for keys
	prompt := f.Shell && waits
	works := known && !waits && (f.Shell || !f.Own)
	switch {
	case m.last == 'C':
		return m.running(f, prompt)
	case prompt:
		return protocol.ShellPrompt
	case works:
		return protocol.ShellRunning
	case m.last == 'D' && m.prompts: // the prompt is still to come
		return protocol.ShellRunning
	case m.last == 0:
		return protocol.ShellUnknown
	}
	return protocol.ShellPrompt
}

// running returns the state of the shell while a command runs by the marks. prompt reports whether
// a shell in the foreground waits for keys.
func (m *marks) running(f Foreground, prompt bool) protocol.ShellState {
	switch {
	case prompt && !f.Own: // the command is a shell without marks
		return protocol.ShellPrompt
	case f.Keys && !f.Own && !m.inner: // an editor or ssh, which may be idle
		return protocol.ShellUnknown
	}
	return protocol.ShellRunning
}
