//go:build !linux

package recorder

import "net/netip"

// InsideTCP reports whether a process in the session holds the client's end of a TCP connection.
// That is unknown on this system.
func (c *Controls) InsideTCP(_, _ netip.AddrPort) bool { return false }
