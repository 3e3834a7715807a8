package recorder

import (
	"errors"

	"golang.org/x/sys/unix"
)

// awaitChange returns when a child has ended or stopped, and leaves its state to be taken.
func awaitChange(pid int) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
