package live

import (
	"context"
	"time"

	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// ReadScreen reads the screen of a session. seq is the number of output bytes that t shows.
type ReadScreen = func(t *vterm.Term, seq int64)

// Options describe the session of a Host, and how to reach its command. Only Session is required.
type Options struct {
	Session    session.Session // description for viewers
	Before     int64           // bytes of output from before the Host, which are in Past
	Watched    string          // why no one can take control of the session; empty if people can
	Server     string          // name of the server, "ptyrec 1.2.3"
	Command    Command         // nil if viewers can only watch, see Watched
	Record     Record          // nil without a recording
	Processes  Processes       // nil if no viewer runs in a session
	Starter    *peer.Process   // program that started the session and types into it; nil if there is none
	Unattended bool            // no person can confirm at the session's terminal: see agree
	// Screen calls read with the session's screen, which does not change meanwhile. It returns
	// false if there is no screen. May be nil.
	Screen func(read ReadScreen) bool
	// Foreground returns the processes in the foreground of the session's terminal. If known is
	// false, f is zero. If Foreground is nil, they are never known.
	Foreground func() (f Foreground, known bool)
	// Notify shows text at the session's own terminal, and rings its bell if ring is set. nil if
	// the session has no terminal.
	Notify func(text string, ring bool)

	// Past calls fn with the Output and Resize events of the raw log until fn fails, starting with
	// the one that holds output byte from. seq is the offset of an event's first byte; it jumps if
	// output is missing. nil without a recording.
	Past func(ctx context.Context, from int64, fn func(seq int64, e session.Event) error) error
	// Events calls fn with the events of the raw log from a number on, until fn fails. Missing
	// events leave gaps in the numbers. nil without a recording.
	Events events
	// Entries returns the entries numbered above after, for viewers. nil without entries.
	Entries func(ctx context.Context, after int) ([]*session.Entry, error)
	// Asks, if set, reports whether a screen shows a question of an agent that Enter would
	// answer, see extractor.Asks.
	Asks func(s *vterm.Snapshot, agent string) (asks, known bool)

	// Forget stops the recording of the session and deletes it. nil if that is not possible.
	Forget func(ctx context.Context) error

	WriteTimeout time.Duration // time until a viewer that does not read is disconnected; 0 means defaultWriteTimeout
	Linger       time.Duration // how long Close waits for viewers that still read; 0 means defaultLinger
}
