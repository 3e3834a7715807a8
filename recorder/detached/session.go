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
	ownerFile       = 3 // run --detach: the same end
)

// Session describes a session to start in the background.
type Session struct {
	Command  []string
	Database string // path of the database
	Size     string // size of the window, in the form of ParseSize
	Redact   *bool  // the flag --redact; nil if it was not given
	Input    bool   // whether to record keys
	Notify   *bool  // the flag --notify; nil if it was not given
	Owned    bool   // whether to pass this process's owner on to the recorder
	Starter  int    // process id of the program that types into the session; 0 if there is none
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

// Launch starts the recorder, and returns the session's id when the command runs. said is what the
// recorder has written to stderr until then. If the recorder ends before that, id is empty, and err
// is the error of exec.Cmd.Wait, if any.
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
	text, _ := io.ReadAll(told) // empty after an error
	said, _ = io.ReadAll(errs)  // as much as is available
	if text = bytes.TrimSpace(text); len(text) > 0 {
		return string(text), said, nil
	}
	return "", said, cmd.Wait()
}

// Report sends the session's id to the process that launched this recorder, and lets it exit. From
// then on nothing reads stderr.
func Report(id string) {
	f := os.NewFile(reportFile, "start")
	_, _ = fmt.Fprintln(f, id) // the process may have exited
	_ = f.Close()
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		_ = unix.Dup2(int(null.Fd()), 2)
		_ = null.Close()
	}
}

// Owner returns this end of the pipe whose other end the owner holds.
func Owner() *os.File { return openOwner(hostedOwnerFile) }

// openOwner returns an inherited file that the command will not inherit.
func openOwner(fd int) *os.File {
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "owner")
}
