package process

import (
	"errors"
	"syscall"
	"time"
)

// Errors of Managers and commands, for errors.Is.
var (
	ErrNotFound = errors.New("no such command")
	ErrExists   = errors.New("already exists")
	ErrExpired  = errors.New("the command's record has expired")
	ErrTooMany  = errors.New("too many commands are running")
	ErrEnded    = errors.New("the command has ended")
	ErrBadID    = errors.New("it must be 1 to 128 of A-Z a-z 0-9 . _ - and not begin with a dot")
	ErrStart    = errors.New("the command cannot be started")
)

// Forever is a limit that is never reached.
const Forever time.Duration = -1

// Spec describes a command to run.
type Spec struct {
	Sandbox string // required
	ID      string // generated if empty

	Command string   // command text for Shell
	Shell   string   // path of the shell; empty: /bin/bash
	Argv    []string // run without a shell if Command is empty

	// Session is the name of a shell session of the sandbox. The command starts with the session's
	// folder, variables and functions, and leaves its own for the next one. Commands of a session
	// run one after another, so Start waits.
	Session string
	// Apart runs the command at the same time as those of its Session. It does not change the
	// session.
	Apart bool

	Cwd string            // for this command only; empty: the session's or the server's
	Env map[string]string // added for this command only

	PTY        bool
	Cols, Rows int  // of the PTY; 0: 80x24
	CloseStdin bool // the command reads end of file at once; not with a PTY
	Input      bool // record what Write sends

	Timeout          time.Duration // since the start; 0 or Forever: none
	IdleTimeout      time.Duration // without attached clients; 0 or Forever: none
	TTL              time.Duration // of the record, since the end; 0 or Forever: none
	KillOnDisconnect bool          // kill the command when the last client detaches
	Grace            time.Duration // between TERM and KILL when a limit ends the command; 0: KILL at once

	Listed      bool   // include it in List
	AutoCleanup bool   // only until it ends
	By          string // who asked for it, such as a User-Agent and an address
}

// State is whether a command runs, or why it has ended.
type State string

// States.
const (
	Running  State = "running"
	Exited   State = "exited"  // it exited, or was ended by a signal from outside
	Killed   State = "killed"  // ended by Kill
	TimedOut State = "timeout" // ended by Spec.Timeout
	IdledOut State = "idle"    // ended by Spec.IdleTimeout
	Failed   State = "error"   // its host died first, so the exit code is unknown
)

// Info describes a command.
type Info struct {
	Sandbox, ID string
	SessionID   string // id of the recorded session
	Session     string // see Spec
	Command     string
	PTY         bool
	Listed      bool
	AutoCleanup bool // see Spec
	By          string
	Timeout     time.Duration // see Spec; 0: none
	TTL         time.Duration // see Spec; Forever: none

	PID       int // 0 if unknown because it ended before this Manager was opened
	State     State
	ExitCode  int // 128+n for signal n; valid if it does not run
	StartedAt time.Time
	EndedAt   time.Time // zero while it runs
	Notice    string    // a problem of the recording; empty if none

	apart     bool // see Spec
	forgotten bool
}

// Duration returns how long the command ran, or has run so far.
func (i Info) Duration() time.Duration {
	if i.EndedAt.IsZero() {
		return time.Since(i.StartedAt)
	}
	return i.EndedAt.Sub(i.StartedAt)
}

// Stream is an output stream of a command. All output of a PTY is Stdout.
type Stream uint8

// The streams.
const (
	Stdout Stream = 1
	Stderr Stream = 2
)

// Offsets is a position in both streams, in bytes of text.
type Offsets struct{ Stdout, Stderr int64 }

// Of returns the offset in a stream.
func (o Offsets) Of(s Stream) int64 {
	if s == Stderr {
		return o.Stderr
	}
	return o.Stdout
}

// Chunk is a piece of a stream's text: its bytes as UTF-8, with U+FFFD for each maximal invalid
// part. It contains only complete characters.
type Chunk struct {
	Stream Stream
	Offset int64 // of Text, in bytes of the stream's text
	Text   string
	At     time.Time
	// Info tells what output is missing before this chunk, as "bytes N to M are lost", or describes
	// a problem of the recording; Text may then be empty.
	Info string
}

// Grace is the time between TERM and KILL in the process API.
const Grace = 5 * time.Second

// Kill is the signal that ends a command at once.
const Kill = syscall.SIGKILL
