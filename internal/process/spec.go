package process

import (
	"errors"
	"syscall"
	"time"
)

// Errors of a Manager and its commands, for errors.Is.
var (
	ErrNotFound = errors.New("no such command")
	ErrExists   = errors.New("already exists")
	ErrExpired  = errors.New("the command's record has expired")
	ErrTooMany  = errors.New("too many commands are running")
	ErrEnded    = errors.New("the command has ended")
	ErrBadID    = errors.New("it must be 1 to 128 of A-Z a-z 0-9 . _ - and not begin with a dot")
	ErrStart    = errors.New("the command cannot be started")
)

// Forever is a limit that never applies.
const Forever time.Duration = -1

// Spec describes a command to run.
type Spec struct {
	Sandbox string // required
	ID      string // empty: Start makes one up

	Command string   // text for Shell
	Shell   string   // path of the shell; empty: /bin/bash
	Argv    []string // runs without a shell, if Command is empty

	// Session names a shell session of the sandbox. The command begins with the session's
	// directory, variables and functions, and leaves its own behind for the next one. Commands
	// of one session run one after another: Start waits.
	Session string
	// Apart runs the command beside those of its Session, which it leaves unchanged.
	Apart bool

	Cwd string            // of this command alone; empty: the session's, or the server's
	Env map[string]string // added for this command alone

	PTY        bool
	Cols, Rows int  // of the PTY; 0: 80x24
	CloseStdin bool // the command reads end of file; not with a PTY
	Input      bool // record what Write sends

	Timeout          time.Duration // from the start; 0 or Forever: none
	IdleTimeout      time.Duration // while nobody is attached; 0 or Forever: none
	TTL              time.Duration // of the record, from the end; 0 or Forever: none
	KillOnDisconnect bool          // kill the command when the last one detaches
	Grace            time.Duration // from TERM to KILL when these limits end the command; 0: KILL at once

	Listed      bool   // List names it
	AutoCleanup bool   // until it ends
	By          string // who asks for it, such as a User-Agent and an address
}

// State says whether and why a command has ended.
type State string

// States.
const (
	Running  State = "running"
	Exited   State = "exited"  // it exited, or a signal from elsewhere ended it
	Killed   State = "killed"  // by Kill
	TimedOut State = "timeout" // Spec.Timeout was over
	IdledOut State = "idle"    // Spec.IdleTimeout was over
	Failed   State = "error"   // its host ended before it did: the exit code is not known
)

// Info describes a command.
type Info struct {
	Sandbox, ID string
	SessionID   string // of the recorded session
	Session     string // of Spec
	Command     string
	PTY         bool
	Listed      bool
	AutoCleanup bool // of Spec
	By          string
	Timeout     time.Duration // of Spec; 0: none
	TTL         time.Duration // Forever: none

	PID       int // 0: not known, because it ended before this Manager was opened
	State     State
	ExitCode  int // 128+n for signal n; valid unless Running
	StartedAt time.Time
	EndedAt   time.Time // zero while it runs
	Notice    string    // what is wrong with the recording; empty: nothing

	apart     bool // of Spec
	forgotten bool
}

// Duration returns how long the command ran, or has run.
func (i Info) Duration() time.Duration {
	if i.EndedAt.IsZero() {
		return time.Since(i.StartedAt)
	}
	return i.EndedAt.Sub(i.StartedAt)
}

// Stream is one of the two that a command writes. All output of a PTY is Stdout.
type Stream uint8

// Streams.
const (
	Stdout Stream = 1
	Stderr Stream = 2
)

// Offsets are positions in both streams, in bytes of text.
type Offsets struct{ Stdout, Stderr int64 }

// Of returns the position in a stream.
func (o Offsets) Of(s Stream) int64 {
	if s == Stderr {
		return o.Stderr
	}
	return o.Stdout
}

// Chunk is a piece of a stream's text: its bytes as UTF-8, with U+FFFD for each maximal invalid
// part. It holds whole characters.
type Chunk struct {
	Stream Stream
	Offset int64 // of Text, in bytes of the stream's text
	Text   string
	At     time.Time
	// Info says that output is missing before this chunk, as "bytes N to M are lost", or what
	// is wrong with the recording; Text may be empty then.
	Info string
}

// Grace is the time from TERM to KILL that the process API leaves a command.
const Grace = 5 * time.Second

// Kill ends a command at once.
const Kill = syscall.SIGKILL
