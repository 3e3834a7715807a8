package recorder

import (
	"context"
	"errors"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Host serves the viewers of a live session.
type Host interface {
	// Event gets each raw event, in the log's order. It must not wait, nor call the Controls,
	// nor keep the event's data.
	Event(e session.Event)
	// Typed receives the keys typed at the session's own terminal and returns those meant for
	// the child. They may share memory. If wait is not 0, Typed has held some back, and must be
	// called without keys if none are typed within wait.
	Typed(keys []byte) (pass []byte, wait time.Duration)
	// Finish is called when the child has exited, before the last event.
	Finish()
}

// errChildGone means that the child has exited.
var errChildGone = errors.New("the command is over")

// Controls are the operations of a Host on its session. They may be called concurrently, and do
// nothing after the child has exited.
type Controls struct{ r *run }

// Type writes keys to the child, between those typed at its own terminal. It waits while the child
// accepts no keys, until ctx is done; the error is then ctx's, and some of the keys may have been
// written, but not all. shown is called once, perhaps later, with the keys that may be recorded by
// the rules for the session's input.
func (c *Controls) Type(ctx context.Context, keys []byte, shown func(keys []byte)) error {
	c.r.typing.RLock() // the end of the run waits until the keys are recorded
	defer c.r.typing.RUnlock()
	typed := c.r.tee.typing(c.r.child, keys, shown)
	defer typed()
	return c.r.child.typeKeys(ctx, keys)
}

// Drained reports whether the host has received all that the child has written so far.
func (c *Controls) Drained() bool {
	return !c.r.child.pending() && c.r.child.carried.Load() // in this order: the second result must be the newer one
}

// Resize changes the size of the session's window, in cells, until its own terminal changes size.
func (c *Controls) Resize(cols, rows int) error {
	return c.r.resizeTo(&unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
}

// Signal sends a signal to the child's process group.
func (c *Controls) Signal(sig int) { c.r.child.signal(syscall.Signal(sig)) }

// Mark adds a marker to the log.
func (c *Controls) Mark(label []byte) {
	c.r.tee.put(session.Event{At: c.r.tee.now(), Kind: session.Marker, Data: label})
}

// Alert writes a control sequence that does not change the screen, such as a bell, to the session's
// own terminal, between two sequences of the output. It is not recorded. Alert does not wait.
func (c *Controls) Alert(sequence string) { c.r.term.alert(sequence) }

// Settle waits until all earlier events can be read in the log.
func (c *Controls) Settle(ctx context.Context) error {
	if c.r.tee.log == nil {
		return nil
	}
	return c.r.tee.log.Settle(ctx)
}

// Screen calls read with the extraction's screen, and the number of output bytes that it shows. The
// extraction waits meanwhile. Screen returns false if there is no extraction.
func (c *Controls) Screen(read func(t *vterm.Term, seq int64)) bool {
	f := c.r.tee.indexer
	return f != nil && f.screen(read)
}

// Place returns where a process was started, relative to this session. It returns peer.Within if
// that is unknown: for a process that has exited or has hidden ancestors, and for all processes if
// there is no leader.
func (c *Controls) Place(pid int) peer.Place {
	ch := c.r.child
	ch.mu.Lock()
	defer ch.mu.Unlock() // with the lock, the leader's process id cannot be reused
	if ch.gone || ch.pid == ch.group {
		return peer.Within
	}
	return peer.Of(pid, ch.pid)
}

// PlaceTCP returns where the process that holds, or may hold, the client's end of a TCP connection
// was started.
func (c *Controls) PlaceTCP(client, server netip.AddrPort) peer.Place {
	return peer.TCP(client, server, c.Place)
}
