package live

import (
	"io"
	"net"
)

// inside reports whether a connection may come from inside the session. So does one whose other end cannot be known, or has ended: a
// process can open a connection, hand it on and exit. What is no unix socket was made by this process.
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
	return h.child.Inside(pid) || !alive()
}
