// Package nice runs work at a lower priority than the rest of the process.
//
// Only on Linux does a thread have a priority. Elsewhere all work has the normal one.
package nice

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Priorities, as nice(1) has them.
const (
	low    = 10 // somebody waits for the work, but the recording of sessions comes first
	lowest = 19 // nobody waits for it
)

// Lock moves the calling goroutine to a thread of its own, of the lowest priority, until it ends.
// The goroutines that it starts have the normal priority.
func Lock() { lock(lowest) }

func lock(priority int) {
	if runtime.GOOS != "linux" {
		return
	}
	runtime.LockOSThread()                                                                   // the thread ends with the goroutine
	if now, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil && 20-now < priority { // so does the system call return it
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, priority)
	}
}

// Do calls fn at a low priority, and returns when it is done. The processes that fn starts would
// keep that priority: fn must start none.
func Do(fn func()) {
	run(func() {
		lock(low)
		fn()
	})
}

// Normal calls fn at the normal priority, and returns when it is done. A goroutine of a low
// priority uses it to hold what others wait for, such as the lock of a database.
func Normal(fn func()) { run(fn) }

// run calls fn in a goroutine of its own.
func run(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}
