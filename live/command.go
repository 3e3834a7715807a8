package live

import (
	"context"
	"errors"
	"net/netip"
)

// Command is what viewers do to the session's command. Its methods may be used concurrently.
type Command interface {
	// Type waits while the command accepts no keys. shown is called once, perhaps later, with
	// the keys that the screen has shown: only these may be recorded.
	Type(ctx context.Context, keys []byte, shown func(keys []byte)) error
	Resize(cols, rows int) error // cells
	Signal(sig int)
}

// Record is the raw log of the session while it is written. Its methods may be used concurrently.
type Record interface {
	// Mark adds a marker.
	Mark(label []byte)
	// Settle returns when the log can be read up to now.
	Settle(ctx context.Context) error
	// Drained reports whether Host.Event was called for all output so far.
	Drained() bool
}

// Processes tells which processes run in the session: they cannot take control of it, nor allow
// others to. Whatever is unknown runs in it. Its methods may be used concurrently.
type Processes interface {
	// Inside reports whether a process runs in the session.
	Inside(pid int) bool
	// InsideTCP reports whether a process in the session holds the client's end of a TCP
	// connection.
	InsideTCP(client, server netip.AddrPort) bool
}

// withDefaults replaces what is nil.
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

func (noProcesses) Inside(int) bool                               { return false }
func (noProcesses) InsideTCP(netip.AddrPort, netip.AddrPort) bool { return false }
