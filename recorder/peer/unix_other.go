//go:build !linux && !darwin

package peer

import (
	"errors"
	"net"
)

// Unix returns an error: the peer of a Unix socket is unknown on this system.
func Unix(*net.UnixConn) (pid int, alive func() bool, close func(), err error) {
	return 0, nil, nil, errors.ErrUnsupported
}

// hold returns a function that knows of no process.
func hold(int) func() bool { return func() bool { return false } }
