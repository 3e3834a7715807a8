package live

import (
	"io"
	"net"
)

// inside reports whether a viewer may run inside the session that it watches: it must not grant
// itself control. A connection whose peer is unknown or has exited counts as inside, because a
// process can open a connection, pass it on and exit. Connections other than Unix sockets are made
// by this process, and are not inside.
func (h *Host) inside(conn io.ReadWriteCloser) bool {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	pid, alive, close, err := peerOf(c)
	if err != nil {
		return true
	}
	defer close()
	return h.opt.Processes.Inside(pid) || !alive()
}
