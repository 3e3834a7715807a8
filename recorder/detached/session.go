package detached

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// File descriptors that the processes inherit.
const (
	reportFile      = 3 // of the recorder: it writes its id to this one
	hostedOwnerFile = 4 // of the recorder: the other end is its owner's, if it has one
	ownerFile       = 3 // of run --detach: the same
)

// Session describes a session to start in the background.
type Session struct {
	Command  []string
	Database string // its path
	Size     string // of the window, as ParseSize reads it
	Redact   *bool  // the flag --redact; nil if it was not given
	Input    bool   // record what is typed
	Notify   *bool  // the flag --notify; nil if it was not given
	Owned    bool   // pass this process's owner on to the recorder
	Starter  int    // the process id of the program that types into the session; 0: none
}

// args returns the arguments of the recorder.
func (s Session) args() []string {
	args := []string{"--db", s.Database}
	if s.Redact != nil {
		args = append(args, fmt.Sprintf("--redact=%v", *s.Redact))
	}
	args = append(args, "run", "--hosted", "--size", s.Size, fmt.Sprintf("--input=%v", s.Input))
	if s.Notify != nil {
		args = append(args, fmt.Sprintf("--notify=%v", *s.Notify))
	}
	if s.Owned {
		args = append(args, "--owned")
	}
	if s.Starter != 0 {
		args = append(args, "--starter", strconv.Itoa(s.Starter))
	}
	return append(append(args, "--"), s.Command...)
}

// Launch starts the recorder, and returns the session's id once the command runs. said is what the
// recorder has written to its stderr until then. If it ends before that, id is empty, and err is
// the error of exec.Cmd.Wait, if any.
func (s Session) Launch(environ []string) (id string, said []byte, err error) {
	told, tell, err := os.Pipe()
	if err != nil {
		return "", nil, err
	}
	defer told.Close()
	errs, errTo, err := os.Pipe()
	if err != nil {
		_ = tell.Close()
		return "", nil, err
	}
	defer errs.Close()
	cmd := exec.Command(Program(), s.args()...)
	cmd.Args[0] = programName
	cmd.Env = WithoutSession(environ)
	cmd.ExtraFiles = []*os.File{tell}
	if s.Owned {
		cmd.ExtraFiles = append(cmd.ExtraFiles, openOwner(ownerFile))
	}
	cmd.Stderr = errTo
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_, _ = tell.Close(), errTo.Close()
	if err != nil {
		return "", nil, err
	}
	text, _ := io.ReadAll(told) // an empty one is the error
	said, _ = io.ReadAll(errs)  // what can be had of it
	if text = bytes.TrimSpace(text); len(text) > 0 {
		return string(text), said, nil
	}
	return "", said, cmd.Wait()
}

// Report tells the process that launched this recorder the session's id, and lets it exit. From
// then on nothing reads stderr.
func Report(id string) {
	f := os.NewFile(reportFile, "start")
	_, _ = fmt.Fprintln(f, id) // a process that is gone needs no answer
	_ = f.Close()
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		_ = unix.Dup2(int(null.Fd()), 2)
		_ = null.Close()
	}
}

// Owner returns the file whose other end the owner of an owned recorder holds.
func Owner() *os.File { return openOwner(hostedOwnerFile) }

// openOwner returns an inherited file, which no command inherits.
func openOwner(fd int) *os.File {
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "owner")
}
