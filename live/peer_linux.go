package live

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerOf gives the process at the other end of a unix socket, 0 where that cannot be known (unix(7), SO_PEERCRED).
func peerOf(conn any) (pid int) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) { // a connection that is closed has none
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}
