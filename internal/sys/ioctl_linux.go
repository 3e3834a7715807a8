package sys

import "golang.org/x/sys/unix"

// Names of ioctls and settings of a terminal on this system (tty_ioctl(4), termios(4)).
const (
	IoctlGetTermios = unix.TCGETS
	IoctlSetTermios = unix.TCSETS
	IUTF8           = unix.IUTF8
)
