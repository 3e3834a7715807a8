package recorder

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxAncestors bounds the search for a process's ancestors.
const maxAncestors = 100

// Inside tells whether a process runs in the session: in the command's own terminal session, or started from there. Where the system does
// not tell a process's parent (no /proc) only the first counts.
func (c *Controls) Inside(pid int) bool {
	leader := c.r.child.pid
	for range maxAncestors {
		if pid <= 1 {
			return false
		}
		if sid, err := unix.Getsid(pid); pid == leader || err == nil && sid == leader {
			return true
		}
		pid = parentOf(pid)
	}
	return false
}

// parentOf gives a process's parent, 0 where that cannot be known: the fourth field of proc(5)'s stat, behind the name in parentheses.
func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1])) // 0 where it is no number
	return parent
}
