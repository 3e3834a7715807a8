//go:build !linux

package sys

import (
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// OpenPTY opens a new pseudoterminal. Deadlines work with ptmx; a Close of it ends its Reads.
// Nobody's controlling terminal becomes tty.
func OpenPTY() (ptmx, tty *os.File, err error) {
	master, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer master.Close()
	if ptmx, err = nonblockingPTY(master); err != nil {
		_ = tty.Close()
		return nil, nil, err
	}
	return ptmx, tty, nil
}

// nonblockingPTY returns a copy of f that Go's poller knows: creack/pty has switched that off.
func nonblockingPTY(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
