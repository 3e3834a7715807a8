//go:build darwin || freebsd || netbsd || openbsd

package recorder

import "golang.org/x/sys/unix"

const (
	ioctlGetTermios = unix.TIOCGETA
	ioctlSetTermios = unix.TIOCSETA
	iutf8           = 0 // macOS sets it by itself, the others do not know it
)
