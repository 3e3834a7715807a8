package recorder

import "golang.org/x/sys/unix"

// awaitChange returns when a child has ended or stopped, or earlier. It leaves the child's state to
// be taken.
func awaitChange(pid int) {
	_ = unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil) // the caller looks anyway
}
