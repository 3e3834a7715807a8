package live

import (
	"io"
	"net"
)

// inside reports whether a connection may come from inside the session. This includes a connection
// whose peer is unknown or has exited, because a process can open a connection, pass it on and
// exit. Connections other than Unix sockets are made by this process.
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
