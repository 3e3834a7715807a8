// Package leader lets this executable serve as the leader of a command's session.
//
// It does so before other packages are initialized, so that a command starts sooner: Go initializes
// packages in the order of their names once their imports are, and this one imports none but small
// ones (Go 1.21 release notes).
package leader

import (
	"encoding/binary"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys/proc"
)

// Name is the process name (os.Args[0]) that makes an executable run as a session leader. A program
// that imports this package does not reach its main function then.
const Name = "ptyrec-leader"

// OwnedName is Name for a session with an owner, which holds the other end of descriptor 4. When
// that is closed, or the command exits, all processes started in the session are killed.
const OwnedName = Name + "-owned"

// Descriptors of the leader.
const (
	pipe  = 3 // the leader writes the command's process id to it, or a negative error number if it did not start
	owner = 4 // of an owned session
)

func init() {
	switch os.Args[0] {
	case Name:
		os.Exit(lead(false))
	case OwnedName:
		status := lead(true)
		proc.EndDescendants()
		os.Exit(status)
	}
}

// lead is what a leader does: it runs the command in a process group of its own, in the foreground
// of the PTY, and exits with its status.
//
// Without a leader the command would lead the session itself. Its process group would be orphaned
// (POSIX, "Orphaned Process Group"): nobody in its session could continue it, so the kernel does
// not let Ctrl+Z stop it. With one, the command stops, the leader stops itself, which its parent
// sees, and once continued it continues the command.
//
// The leader also becomes the parent of all orphans in the session, so that a search through a
// process's ancestors finds the session, and marks all that is started in it, for when it is over.
func lead(owned bool) int {
	syscall.CloseOnExec(pipe)
	proc.Adopt()
	proc.Mark()
	proc.InheritIgnored()
	// Our parent passes them on; Go would write a trace to the PTY.
	signal.Notify(make(chan os.Signal, 1), proc.CrashSignals()...)
	if owned {
		syscall.CloseOnExec(owner)
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // the command gets it from the terminal; we wait for its end
	}
	tell := os.NewFile(pipe, "leader")
	pid, err := leadStart(os.Args[1], os.Args[2:])
	if err != nil {
		tellStart(tell, -int32(errnoOf(err)))
		return 126
	}
	if owned {
		go endWithOwner(pid) // it ends with this process
	}
	tellStart(tell, int32(pid))
	_ = tell.Close()
	for {
		var ws syscall.WaitStatus
		changed, err := syscall.Wait4(-1, &ws, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err == nil && changed != pid: // an orphan
		case err != nil:
			return 1
		case ws.Exited():
			return ws.ExitStatus()
		case ws.Signaled():
			return 128 + int(ws.Signal())
		default:
			if !owned { // no one would resume us
				_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
			}
			_ = syscall.Kill(-pid, syscall.SIGCONT)
		}
	}
}

// hangUpTime is how long the command may run after a SIGHUP.
const hangUpTime = 2 * time.Second

// endWithOwner ends the command when the owner is gone.
func endWithOwner(pid int) {
	var b [1]byte
	for {
		if n, err := syscall.Read(owner, b[:]); n <= 0 && !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	_ = syscall.Kill(-pid, syscall.SIGHUP)
	time.Sleep(hangUpTime)
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}

// leadStart starts the command in a process group of its own, which is the foreground of the PTY
// before the command's first instruction.
func leadStart(path string, argv []string) (int, error) {
	return Start(path, argv, os.Environ(), []*os.File{os.Stdin, os.Stdout, os.Stderr},
		&syscall.SysProcAttr{Foreground: true, Ctty: 1})
}

// Start starts a program and returns its process id. It runs a script without #! as execvp(3) and
// shells do. It does not use package os, which would first probe what the kernel can do.
func Start(path string, argv, env []string, files []*os.File, sys *syscall.SysProcAttr) (int, error) {
	attr := &syscall.ProcAttr{Env: env, Sys: sys}
	for _, f := range files {
		attr.Files = append(attr.Files, f.Fd())
	}
	defer runtime.KeepAlive(files)
	pid, err := syscall.ForkExec(path, argv, attr)
	if errors.Is(err, syscall.ENOEXEC) {
		return syscall.ForkExec("/bin/sh", append([]string{"sh", path}, argv[1:]...), attr)
	}
	return pid, err
}

func tellStart(w *os.File, n int32) {
	_, _ = w.Write(binary.LittleEndian.AppendUint32(nil, uint32(n))) // the parent may have exited
}

func errnoOf(err error) syscall.Errno {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return syscall.EIO
}
