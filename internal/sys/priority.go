package sys

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Priorities, as nice(1) has them. Only on Linux does a thread have one: elsewhere all work has the
// normal priority.
const (
	lowNice    = 10 // for work that is waited for, but may not delay recorders
	lowestNice = 19 // nobody waits for it
)

// LowestPriority moves the calling goroutine to a thread of its own, of the lowest priority, until
// it ends. The goroutines that it starts have the normal priority.
func LowestPriority() { setPriority(lowestNice) }

func setPriority(priority int) {
	if runtime.GOOS != "linux" {
		return
	}
	runtime.LockOSThread() // the thread ends with the goroutine
	// The system call returns 20 minus the priority.
	if now, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil && 20-now < priority {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, priority)
	}
}

// LowPriority calls fn at a low priority, and returns when it is done. The processes that fn starts
// would keep that priority: fn must start none.
func LowPriority(fn func()) {
	runAside(func() {
		setPriority(lowNice)
		fn()
	})
}

// NormalPriority calls fn at the normal priority, and returns when it is done. A goroutine of a low
// priority uses it to hold what others wait for, such as the lock of a database.
func NormalPriority(fn func()) { runAside(fn) }

// runAside calls fn in a goroutine of its own.
func runAside(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}
