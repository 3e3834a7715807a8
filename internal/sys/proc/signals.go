package proc

import (
	"os"
	"os/signal"
	"syscall"
)

// DeadlySignals returns the signals that end a program or make it crash. A program that changes the
// terminal catches them all, and brings it back.
func DeadlySignals() []os.Signal {
	return append(CrashSignals(), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
}

// CrashSignals returns those of DeadlySignals that stand for a crash. Go delivers them to a program
// that catches them only if others have sent them.
func CrashSignals() []os.Signal {
	return append([]os.Signal{
		syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGSEGV, syscall.SIGSYS, syscall.SIGTRAP,
	}, otherCrashes...)
}

// InheritIgnored makes this process, and what it starts, ignore SIGQUIT if it was started so, as
// far as that can be known: Go hides it for all signals but SIGHUP and SIGINT, and a shell makes
// the commands that it runs in the background ignore both (POSIX, "Asynchronous Lists").
func InheritIgnored() {
	if signal.Ignored(syscall.SIGINT) {
		signal.Ignore(syscall.SIGQUIT)
	}
}
