package process

import "golang.org/x/sys/unix"

// awaitChild waits until a child of this process has exited, without reaping it. It returns false
// if there are no children.
func awaitChild() bool {
	for {
		switch err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT, nil); err {
		case nil:
			return true
		case unix.EINTR:
		default:
			return false
		}
	}
}
