// Package nice lets a goroutine work when no other needs the processor.
package nice

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// lowest is the priority of work that nobody waits for.
const lowest = 19

// Lock moves the calling goroutine to a thread of its own, of the lowest priority, until it ends.
// Only on Linux does a thread have a priority; elsewhere Lock does nothing.
func Lock() {
	if runtime.GOOS == "linux" {
		runtime.LockOSThread() // the thread ends with the goroutine
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, lowest)
	}
}
