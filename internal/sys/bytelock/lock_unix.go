//go:build linux || darwin

// Package bytelock locks single bytes of open files.
package bytelock

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// These are open file description locks. They belong to the open file, not to the process, so two
// Stores in one process see each other's locks, and closing another descriptor of the file does not
// drop them.

// Lock locks the byte at offset at for writing. It does not wait: it returns an error if somebody
// else holds the lock.
func Lock(f *os.File, at int64) error {
	return unix.FcntlFlock(f.Fd(), ofdSetLock, flock(unix.F_WRLCK, at))
}

// Locked reports whether somebody else has locked the byte. It does not see locks taken through f
// itself.
func Locked(f *os.File, at int64) bool {
	lock := flock(unix.F_WRLCK, at)
	return unix.FcntlFlock(f.Fd(), ofdGetLock, lock) == nil && lock.Type != unix.F_UNLCK
}

// AnyLocked reports whether somebody else has locked any byte of f. It does not see locks taken
// through f itself.
func AnyLocked(f *os.File) bool {
	lock := &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart} // length 0: the whole file
	return unix.FcntlFlock(f.Fd(), ofdGetLock, lock) == nil && lock.Type != unix.F_UNLCK
}

func flock(kind int16, at int64) *unix.Flock_t {
	return &unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: at, Len: 1}
}
