//go:build !linux

package recorder

import "net/netip"

// InsideTCP would report whether a process that runs in the session holds the client's end of a TCP connection. That is not known here.
func (c *Controls) InsideTCP(_, _ netip.AddrPort) bool { return false }
