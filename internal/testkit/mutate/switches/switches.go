// Package switches connects the conditions of an instrumented package with the worker that switches
// them off, or with the package's tests. See package mutate.
package switches

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Variable names the environment variable with the number of the condition that is switched off in
// tests.
const Variable = "PTYREC_CONDITION_OFF"

var (
	condition, _ = strconv.Atoi(os.Getenv(Variable)) // the number of the condition that is switched off; 0: none
	met          []bool                              // nil in tests
)

// A loop that does not end for want of a condition must not take the machine's memory: after 8 GiB
// of addresses the process ends. A platform that has no such limit goes without.
func init() {
	const most = 8 << 30
	_ = unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: most, Max: most})
}

// Begin switches condition number n of count off, or none if n is 0, and forgets what Met returns.
func Begin(n, count int) { condition, met = n, make([]bool, count+1) }

// Met returns the numbers of the conditions whose value was not the one that switching them off
// would give them, since Begin.
func Met() []int {
	out := []int{}
	for n, ok := range met {
		if ok {
			out = append(out, n)
		}
	}
	return out
}

// Off returns what condition number n is: value, or off if it is switched off.
func Off[B ~bool](n int, value, off B) B {
	if n == condition {
		return off
	}
	if value != off && met != nil {
		met[n] = true
	}
	return value
}
