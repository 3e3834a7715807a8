package proc

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// The mark is a finite hard limit of file locks, RLIMIT_LOCKS (getrlimit(2)). Children inherit
// limits, and raising a hard limit needs CAP_SYS_RESOURCE. By default this limit is infinite, and
// no kernel since 2.4.25 enforces it.
const (
	locks     = 10 // RLIMIT_LOCKS, which package syscall does not define
	lockLimit = 1 << 62
	limitName = "Max file locks" // name of the limit in proc_pid_limits(5)
	unlimited = "unlimited"
)

// Mark marks this process. If the system does not allow it, the process stays unmarked.
func Mark() { _ = syscall.Setrlimit(locks, &syscall.Rlimit{Cur: lockLimit, Max: lockLimit}) }

// MarkedHere reports whether this process has the mark. It does not look at /proc, which may be
// another pid namespace's, or anything that has been mounted there.
func MarkedHere() bool {
	var l syscall.Rlimit
	return syscall.Getrlimit(locks, &l) != nil || l.Max != math.MaxUint64
}

// Marked reports whether a process is marked. known is false if that cannot be read because the
// process has exited or is hidden.
func Marked(pid int) (marked, known bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return false, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, limitName); ok {
			values := strings.Fields(rest) // soft, hard, unit
			return len(values) > 1 && values[1] != unlimited, len(values) > 1
		}
	}
	return false, false
}
