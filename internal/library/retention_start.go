package library

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lowestPriority is the priority of the process that applies a policy, as in nice(1).
const lowestPriority = 19

// Start starts a process that applies the policy to the database at path, if it is due. It does not
// wait for the process. If the process cannot be started, the next command tries again.
func (p RetentionPolicy) Start(path string, now time.Time, program string, environ []string, args ...string) {
	if program == "" || !p.Due(path, now) {
		return
	}
	cmd := &exec.Cmd{Path: program, Args: append([]string{"ptyrec"}, args...), Env: environ, Dir: filepath.Dir(path)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Start() != nil {
		return
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, lowestPriority)
	go func() { _ = cmd.Wait() }() // ends with this process at the latest
}
