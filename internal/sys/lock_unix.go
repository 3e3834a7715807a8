//go:build linux || darwin

package sys

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// These are open file description locks. They belong to the open file, not to the process, so two
// Stores in one process see each other's locks, and closing another descriptor of the file does not
// drop them.

// LockByte locks the byte at offset at for writing. It does not wait: it returns an error if
// somebody else holds the lock.
func LockByte(f *os.File, at int64) error {
	return unix.FcntlFlock(f.Fd(), ofdSetLock, byteLock(unix.F_WRLCK, at))
}

// ByteLocked reports whether somebody else has locked the byte. It does not see locks taken through
// f itself.
func ByteLocked(f *os.File, at int64) bool {
	lock := byteLock(unix.F_WRLCK, at)
	return unix.FcntlFlock(f.Fd(), ofdGetLock, lock) == nil && lock.Type != unix.F_UNLCK
}

// AnyByteLocked reports whether somebody else has locked any byte of f. It does not see locks taken
// through f itself.
func AnyByteLocked(f *os.File) bool {
	lock := &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart} // length 0: the whole file
	return unix.FcntlFlock(f.Fd(), ofdGetLock, lock) == nil && lock.Type != unix.F_UNLCK
}

func byteLock(kind int16, at int64) *unix.Flock_t {
	return &unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: at, Len: 1}
}
