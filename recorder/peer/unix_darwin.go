package peer

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// Unix returns the process that opened a Unix socket connection. alive reports whether it may
// still be running. The caller must call close. An error means that the process cannot be
// determined.
func Unix(conn *net.UnixConn) (pid int, alive func() bool, close func(), err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, nil, nil, err
	}
	controlErr := raw.Control(func(fd uintptr) {
		pid,
			err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	if err = errors.Join(controlErr, err); err != nil {
		return 0, nil, nil, err
	}
	return pid, func() bool { return unix.Kill(pid, 0) == nil }, func() {}, nil
}

// hold returns a function that reports whether there is still a process with an id.
func hold(pid int) func() bool { return func() bool { return unix.Kill(pid, 0) == nil } }
