//go:build darwin || freebsd || netbsd || openbsd

package sys

import "golang.org/x/sys/unix"

// Names of ioctls and settings of a terminal on this system (tty_ioctl(4), termios(4)).
const (
	IoctlGetTermios = unix.TIOCGETA
	IoctlSetTermios = unix.TIOCSETA
	IUTF8           = 0 // macOS sets it automatically, the others do not have it
)
