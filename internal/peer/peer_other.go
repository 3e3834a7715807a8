//go:build !linux

package peer

import "net/netip"

// Sessions returns none: this system does not show who has a connection open.
func Sessions(_, _ netip.AddrPort) (ids []string, known bool) { return nil, true }
