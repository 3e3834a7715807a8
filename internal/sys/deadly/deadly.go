// Package deadly knows the signals that end a program or make it crash. A program that changes the
// terminal catches them all, and brings it back.
package deadly

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals returns all of them.
func Signals() []os.Signal {
	return append(Crashes(), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
}

// Crashes returns those that stand for a crash. Go delivers them to a program that catches them
// only if others have sent them.
func Crashes() []os.Signal {
	return append([]os.Signal{
		syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGSEGV, syscall.SIGSYS, syscall.SIGTRAP,
	}, others...)
}

// Inherit makes this process, and what it starts, ignore SIGQUIT if it was started so, as far as
// that can be known: Go hides it for all signals but SIGHUP and SIGINT, and a shell makes the
// commands that it runs in the background ignore both (POSIX, "Asynchronous Lists").
func Inherit() {
	if signal.Ignored(syscall.SIGINT) {
		signal.Ignore(syscall.SIGQUIT)
	}
}
