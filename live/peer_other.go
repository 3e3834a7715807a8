//go:build !linux && !darwin

package live

import (
	"errors"
	"net"
)

// peerOf returns an error: the peer of a Unix socket is unknown on this system.
func peerOf(*net.UnixConn) (pid int, alive func() bool, close func(), err error) {
	return 0, nil, nil, errors.ErrUnsupported
}
