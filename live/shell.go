package live

import (
	"bytes"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Foreground says which processes have the session's terminal, see recorder.Foreground.
type Foreground struct{ Own, Shell, Keys, Reads bool }

// shellTime is how often a session with observers is asked what its shell does.
const shellTime = 200 * time.Millisecond

// shell finds out what the session's shell does: by its marks (OSC 133), or by who has the
// terminal. It may be used concurrently.
type shell struct {
	looking sync.Mutex // guards the next two fields
	state   protocol.ShellState
	looked  time.Time

	mu      sync.Mutex // guards the fields below
	marks   marks
	entered entered
}

// marks are what shells have said in the output.
type marks struct {
	tail    []byte // of the output: the beginning of a mark
	last    byte   // A or B: a prompt, C: a command runs, D: it has ended; 0: nothing was said
	prompts bool   // prompts are marked, too
	inner   bool   // what was said last is from a shell within a command that runs
}

// markStart begins a mark. Its kind follows.
var markStart = []byte("\x1b]133;")

// output reads a piece of the output.
func (m *marks) output(data []byte) {
	if len(m.tail) > 0 {
		next := data[:min(len(data), len(markStart)+1)] // enough for the rest of a mark
		joined := append(m.tail, next...)
		m.read(joined)
		if len(next) == len(data) {
			m.tail = partOfMark(joined)
			return
		}
	}
	m.read(data)
	m.tail = partOfMark(data)
}

// partOfMark returns the end of data where it begins a mark, but does not say its kind.
func partOfMark(data []byte) []byte {
	for n := min(len(data), len(markStart)); n > 0; n-- {
		if bytes.Equal(data[len(data)-n:], markStart[:n]) {
			return bytes.Clone(data[len(data)-n:])
		}
	}
	return nil
}

func (m *marks) read(data []byte) {
	for {
		i := bytes.Index(data, markStart)
		if i < 0 || i+len(markStart) == len(data) {
			return
		}
		data = data[i+len(markStart):]
		switch kind := data[0]; kind {
		case 'A', 'B':
			m.inner = m.inner || m.last == 'C'
			m.prompts, m.last = true, kind
		case 'C', 'D':
			m.last = kind
		}
	}
}

// state returns what the shell does; known is whether the foreground is.
func (m *marks) state(f Foreground, known bool) protocol.ShellState {
	if known && f.Own {
		m.inner = false
	}
	waits := f.Keys || f.Reads
	prompt := known && f.Shell && waits
	job := known && !waits && (f.Shell || !f.Own)
	switch {
	case m.last == 'C' && prompt && !f.Own: // of a shell that marks nothing, within the command
		return protocol.ShellPrompt
	case m.last == 'C' && known && f.Keys && !f.Own && !m.inner: // a program that takes keys: when it is done nobody can tell
		return protocol.ShellUnknown
	case m.last == 'C', m.last == 'D' && m.prompts && !prompt, job:
		return protocol.ShellRunning
	case m.last != 0, prompt:
		return protocol.ShellPrompt
	}
	return protocol.ShellUnknown
}

// entered is where Enter was typed last.
type entered struct {
	seq   int64 // the output goes on with
	line  bool  // the rest of the line may still be echoed there
	typed bool  // it was
}

// typed notes keys that are typed now, in front of output seq.
func (e *entered) keys(keys []byte, seq int64) {
	i := bytes.LastIndexAny(keys, "\r\n")
	if j := bytes.LastIndex(keys, []byte("\x1b[13")); j > i { // CSI 13 u, the kitty keyboard's
		i = j
	}
	if i >= 0 {
		*e = entered{seq: seq, line: len(bytes.Trim(keys[:i], "\r\n")) > 0, typed: true}
	}
}

// output notes a piece of the output: a line that was typed together with its Enter is echoed
// behind that, and counts as typed before.
func (e *entered) output(data []byte, seq int64) {
	if !e.line {
		return
	}
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		e.seq, e.line = seq+int64(i)+1, false
	}
}

// event takes a raw event, in front of which the output has seq bytes.
func (s *shell) event(e session.Event, seq int64) {
	if e.Kind != session.Output {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks.output(e.Data)
	s.entered.output(e.Data, seq)
}

// keys notes that keys are typed. The output has seq bytes.
func (s *shell) keys(keys []byte, seq int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entered.keys(keys, seq)
}

// lastEnter returns where the output goes on behind the last Enter, nil if none was typed.
func (s *shell) lastEnter() *int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.entered.typed {
		return nil
	}
	seq := s.entered.seq
	return &seq
}

// shellState returns what the session's shell does, or did a moment ago.
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

// showShell tells an observer what the shell does, if that has changed.
func (v *viewer) showShell() error {
	now := v.host.shellState()
	if now == v.shell {
		return nil
	}
	v.shell = now
	return v.send(protocol.TypeShell, protocol.Shell{State: now})
}
