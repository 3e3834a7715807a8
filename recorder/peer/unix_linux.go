package peer

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// peerPIDFD is SO_PEERPIDFD (Linux 6.5), which package unix does not define yet.
const peerPIDFD = 77

// Unix returns the process that opened a Unix socket connection. alive reports whether it is still
// running, so that its process id has not been reused. The caller must call close. An error means
// that the process cannot be determined or has exited.
func Unix(conn *net.UnixConn) (pid int, alive func() bool, close func(), err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, nil, nil, err
	}
	handle := -1
	controlErr := raw.Control(func(fd uintptr) { pid, handle, err = peerHandle(int(fd)) })
	if err = errors.Join(controlErr, err); err != nil {
		return 0, nil, nil, err
	}
	alive = func() bool { return runs(handle) }
	return pid, alive, func() { _ = unix.Close(handle) }, nil
}

// runs reports whether the process of a descriptor is still running: the descriptor becomes
// readable when it exits (pidfd_open(2)).
func runs(handle int) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, 0)
		if !errors.Is(err, unix.EINTR) { // a signal interrupts poll(2) even if it does not wait
			return n == 0 && err == nil
		}
	}
}

// hold returns a function that reports whether a process which runs now is still running.
func hold(pid int) func() bool {
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return func() bool { return false }
	}
	return func() bool { return runs(handle) }
}

// peerHandle returns the process id of a socket's peer (unix(7), SO_PEERCRED) and a descriptor of
// the process. Older kernels can only open the descriptor by process id, which may have been reused
// if the peer has exited.
func peerHandle(socket int) (pid, handle int, err error) {
	peer, err := unix.GetsockoptUcred(socket, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, -1, err
	}
	if handle, err = unix.GetsockoptInt(socket, unix.SOL_SOCKET, peerPIDFD); errors.Is(err, unix.ENOPROTOOPT) {
		handle, err = unix.PidfdOpen(int(peer.Pid), 0)
	}
	return int(peer.Pid), handle, err
}
