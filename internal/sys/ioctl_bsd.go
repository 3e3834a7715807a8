//go:build darwin || freebsd || netbsd || openbsd

package sys

import "golang.org/x/sys/unix"

// What ioctls and settings of a terminal are called here (tty_ioctl(4), termios(4)).
const (
	IoctlGetTermios = unix.TIOCGETA
	IoctlSetTermios = unix.TIOCSETA
	IUTF8           = 0 // macOS sets it by itself, the others do not know it
)
