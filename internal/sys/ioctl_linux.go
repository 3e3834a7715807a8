package sys

import "golang.org/x/sys/unix"

// What ioctls and settings of a terminal are called here (tty_ioctl(4), termios(4)).
const (
	IoctlGetTermios = unix.TCGETS
	IoctlSetTermios = unix.TCSETS
	IUTF8           = unix.IUTF8
)
