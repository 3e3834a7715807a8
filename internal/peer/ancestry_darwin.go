package peer

import "golang.org/x/sys/unix"

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
