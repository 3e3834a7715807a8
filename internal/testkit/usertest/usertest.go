// Package usertest runs parts of tests as a user other than root.
package usertest

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// ID is a user who owns nothing.
const ID = 23_456

// Run calls f as the user ID. Only f's goroutine has that user; it must not call t.FailNow. The
// test is skipped unless it runs as root.
func Run(t *testing.T, f func()) {
	t.Helper()
	NeedRoot(t)
	done := make(chan error)
	go func() {
		defer close(done)
		runtime.LockOSThread() // the thread ends with the goroutine
		const keep = ^uintptr(0)
		if _, _, errno := unix.RawSyscall(setResUID, keep, ID, keep); errno != 0 {
			done <- errno
			return
		}
		f()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// NeedRoot skips the test unless it runs as root.
func NeedRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 || setResUID == 0 {
		t.Skip("needs root on Linux: it takes two users")
	}
}

// Folder returns an empty folder that the user ID owns and can reach.
func Folder(t *testing.T) string {
	t.Helper()
	NeedRoot(t)
	dir, err := os.MkdirTemp("/tmp", "pu")
	if err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		err = os.Chown(dir, ID, ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
