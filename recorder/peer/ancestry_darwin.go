package peer

import (
	"bytes"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/recorder/leader"
)

// ancestry returns the parent of a process (0 for the first process) and the leader of its terminal
// session. ok is false if either is unknown.
func ancestry(pid int) (parent, sid int, ok bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return 0, 0, false
	}
	sid, err = unix.Getsid(pid)
	return int(info.Eproc.Ppid), sid, err == nil
}

// isLeader reports whether a process is the leader of a recorded session.
func isLeader(pid int) bool {
	args, err := unix.SysctlRaw("kern.procargs2", pid) // the number of arguments, the path, zeros, the arguments
	if err != nil || len(args) < 4 {
		return false
	}
	_, rest, _ := bytes.Cut(args[4:], []byte{0})
	name, _, _ := bytes.Cut(bytes.TrimLeft(rest, "\x00"), []byte{0})
	return string(name) == leader.Name || string(name) == leader.OwnedName
}
