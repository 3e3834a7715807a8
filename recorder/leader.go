package recorder

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// LeaderName is the name (os.Args[0]) by which an executable is started to be a session leader: its main has to call Lead then.
const LeaderName = "ptyrec-leader"

// leaderPipe is the descriptor on which the leader tells the command's process id, or, negative, why it did not start.
const leaderPipe = 3

// Lead is what a leader does: it runs the command in a process group of its own, in the foreground of the PTY, and exits with its status.
//
// Without a leader the command would lead the session itself. Its process group would be orphaned (POSIX, "Orphaned Process Group"):
// nobody in its session could continue it, so the kernel does not let Ctrl+Z stop it. With one, the command stops, the leader stops itself, which
// its parent sees, and once continued it continues the command.
func Lead() int {
	unix.CloseOnExec(leaderPipe)
	tell := os.NewFile(leaderPipe, "leader")
	pid, err := leadStart(os.Args[1], os.Args[2:])
	if err != nil {
		tellStart(tell, -int32(errnoOf(err)))
		return 126
	}
	_ = unix.IoctlSetPointerInt(1, unix.TIOCSPGRP, pid) // checked by what comes of it: the command stops, see below
	tellStart(tell, int32(pid))
	_ = tell.Close()
	for {
		var ws unix.WaitStatus
		_, err := unix.Wait4(pid, &ws, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 1
		case ws.Exited():
			return ws.ExitStatus()
		case ws.Signaled():
			return 128 + int(ws.Signal())
		case ws.StopSignal() == unix.SIGTTIN || ws.StopSignal() == unix.SIGTTOU: // it was faster than the line above
			_ = unix.Kill(-pid, unix.SIGCONT)
		default:
			_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
			_ = unix.Kill(-pid, unix.SIGCONT)
		}
	}
}

func leadStart(path string, argv []string) (int, error) {
	return startProcess(path, argv, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
}

func tellStart(w io.Writer, n int32) {
	_ = binary.Write(w, binary.LittleEndian, n) // a parent that is gone needs no answer
}

func errnoOf(err error) syscall.Errno {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return syscall.EIO
}

// startLed starts the leader, which starts the command; pid is the leader's, group the command's.
func startLed(path string, o Options, stdin, tty *os.File) (pid, group int, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	argv := append([]string{LeaderName, path}, o.Command...)
	pid, err = startProcess(o.Leader, argv, &os.ProcAttr{
		Env:   o.Env,
		Files: []*os.File{stdin, tty, tty, w},
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1},
	})
	_ = w.Close()
	if err != nil {
		return 0, 0, err
	}
	var n int32
	if err = binary.Read(r, binary.LittleEndian, &n); err == nil && n > 0 {
		return pid, int(n), nil
	}
	var ws unix.WaitStatus
	_, _ = unix.Wait4(pid, &ws, 0, nil) // it has nothing more to say
	if n < 0 {
		err = syscall.Errno(-n)
	}
	return 0, 0, err
}
