package peer

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/recorder/leader"
)

// ancestry returns the parent of a process (0 for the first process) and the leader of its terminal
// session. ok is false if either is unknown: the process has exited or is hidden.
func ancestry(pid int) (parent, sid int, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, false
	}
	// proc(5): the name in parentheses may contain anything
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 || bytes.ContainsAny(fields[0], "ZX") { // zombie, dead
		return 0, 0, false
	}
	parent, parentErr := strconv.Atoi(string(fields[1]))
	sid, sidErr := unix.Getsid(pid)
	return parent, sid, parentErr == nil && sidErr == nil
}

// isLeader reports whether a process is the leader of a recorded session.
func isLeader(pid int) bool {
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	name, _, _ := bytes.Cut(command, []byte{0})
	return err == nil && (string(name) == leader.Name || string(name) == leader.OwnedName)
}
