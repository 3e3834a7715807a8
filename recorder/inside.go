package recorder

import (
	"net/netip"

	"github.com/ptyrec/ptyrec/internal/peer"
)

// Inside reports whether a process runs in the session: in the command's own terminal session, or
// started from it. Whatever is unknown counts as inside: a process that is gone, one whose
// ancestors are hidden, and every process if there is no leader.
func (c *Controls) Inside(pid int) bool {
	ch := c.r.child
	ch.mu.Lock()
	defer ch.mu.Unlock() // the lock keeps the process id from being reused
	return ch.gone || ch.pid == ch.group || peer.Inside(pid, ch.pid)
}

// InsideTCP reports whether a process in the session holds, or may hold, the client's end of a TCP
// connection.
func (c *Controls) InsideTCP(client, server netip.AddrPort) bool {
	return peer.HeldInside(client, server, c.Inside)
}
