package sys

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// OpenPTY opens a new pseudoterminal (pty(7), ioctl_tty(2)). Deadlines work with ptmx; a Close of
// it ends its Reads. Nobody's controlling terminal becomes tty.
//
// It does without creack/pty, whose ptsname hands the kernel the address of a variable as a number:
// where the garbage collector moves the stack before the call, the number stays 0, and tty is
// /dev/pts/0, which may be any user's terminal.
func OpenPTY() (ptmx, tty *os.File, err error) {
	ptmx, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	name, err := unlockPTY(ptmx)
	if err == nil {
		tty, err = os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, ptmx.Close())
	}
	return ptmx, tty, nil
}

// unlockPTY lets the other end be opened, and returns its name.
func unlockPTY(ptmx *os.File) (name string, err error) {
	conn, err := ptmx.SyscallConn() // not Fd, which would make it blocking
	if err != nil {
		return "", err
	}
	var n uint32
	ctlErr := conn.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			n, err = unix.IoctlGetUint32(int(fd), unix.TIOCGPTN)
		}
	})
	return fmt.Sprintf("/dev/pts/%d", n), errors.Join(ctlErr, err)
}
