package sys_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// priority returns the priority of the calling thread as nice(1) has it.
func priority(t *testing.T) int {
	t.Helper()
	p, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Error(err)
	}
	return 20 - p // so does the system call return it
}

// What works at a low priority leaves it to nobody else.
func TestPriorities(t *testing.T) {
	normal := priority(t)
	var low, within, lowest int
	sys.LowPriority(func() {
		low = priority(t)
		sys.NormalPriority(func() { within = priority(t) })
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		sys.LowestPriority()
		lowest = priority(t)
	}()
	<-done
	if low != max(normal, 10) || within != normal || lowest != 19 {
		t.Errorf("Do %d, Normal %d, Lock %d; the test itself has %d", low, within, lowest, normal)
	}
	for range 100 { // on whatever threads there are now
		sys.NormalPriority(func() {
			if got := priority(t); got != normal {
				t.Errorf("a goroutine has the priority %d after that, not %d", got, normal)
			}
		})
	}
}
