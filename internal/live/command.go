package live

import (
	"context"
	"errors"
	"net/netip"

	"github.com/ptyrec/ptyrec/recorder/peer"
)

// Command lets viewers act on the session's command. Its methods may be called concurrently.
type Command interface {
	// Type waits while the command accepts no keys. shown is called once, perhaps later, with the
	// keys that the screen has shown: only these may be recorded.
	Type(ctx context.Context, keys []byte, shown func(keys []byte)) error
	Resize(cols, rows int) error // in cells
	Signal(sig int)
}

// Record is the raw log of the session while it is recorded. Its methods may be called
// concurrently.
type Record interface {
	// Mark adds a marker.
	Mark(label []byte)
	// Settle waits until all earlier events can be read.
	Settle(ctx context.Context) error
	// Drained reports whether Host.Event was called for all output so far.
	Drained() bool
}

// Processes says where processes were started. A process that was started in a recorded session,
// this one or another, cannot take control of this one or allow others to. Its methods may be
// called concurrently.
type Processes interface {
	// Place returns where a process was started. An unknown process counts as started in the
	// session.
	Place(pid int) peer.Place
	// PlaceTCP returns where the process that holds the client's end of a TCP connection was
	// started.
	PlaceTCP(client, server netip.AddrPort) peer.Place
}

// withDefaults sets functions that are nil.
func (o Options) withDefaults() Options {
	if o.Command == nil {
		o.Command = noCommand{}
	}
	if o.Record == nil {
		o.Record = noRecord{}
	}
	if o.Processes == nil {
		o.Processes = noProcesses{}
	}
	if o.Screen == nil {
		o.Screen = func(ReadScreen) bool { return false }
	}
	if o.Foreground == nil {
		o.Foreground = func() (Foreground, bool) { return Foreground{}, false }
	}
	if o.Notify == nil {
		o.Notify = func(string, bool) {}
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = defaultWriteTimeout
	}
	if o.Linger == 0 {
		o.Linger = defaultLinger
	}
	return o
}

var errNoCommand = errors.New("the session has no command that viewers reach")

type noCommand struct{}

func (noCommand) Type(context.Context, []byte, func([]byte)) error { return errNoCommand }
func (noCommand) Resize(int, int) error                            { return errNoCommand }
func (noCommand) Signal(int)                                       {}

type noRecord struct{}

func (noRecord) Mark([]byte)                  {}
func (noRecord) Settle(context.Context) error { return nil }
func (noRecord) Drained() bool                { return true }

type noProcesses struct{}

func (noProcesses) Place(int) peer.Place                               { return peer.Outside }
func (noProcesses) PlaceTCP(netip.AddrPort, netip.AddrPort) peer.Place { return peer.Outside }
