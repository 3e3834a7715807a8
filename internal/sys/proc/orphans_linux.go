package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

// endTime is the time limit of EndDescendants, which cannot kill processes of other users or
// processes that are blocked in the kernel.
const endTime = 5 * time.Second

// EndDescendants kills all descendants of this process and waits for them. This process must be the
// parent of orphans (see Adopt), so that a descendant cannot escape with nohup, setsid or a double
// fork.
func EndDescendants() {
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		for _, pid := range Descendants() {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have exited
		}
		if !reap() || time.Since(begun) > endTime {
			return
		}
	}
}

// reap waits for the children that have exited, and reports whether others are left.
func reap() bool {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return false
		case pid == 0:
			return true
		}
	}
}

// Descendants returns the process ids of this process's descendants.
func Descendants() (pids []int) {
	children := map[int][]int{}
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = proc.Close() }()
	names, _ := proc.Readdirnames(-1) // the next pass finds what this one misses
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		// proc(5): the name in parentheses may contain anything
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(string(fields[1])); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	pids = children[os.Getpid()]
	for i := 0; i < len(pids); i++ {
		pids = append(pids, children[pids[i]]...)
	}
	return pids
}

// setChildSubreaper is PR_SET_CHILD_SUBREAPER (prctl(2)), which package syscall does not define.
const setChildSubreaper = 36

// Adopt makes this process the parent of all its descendants whose parent exits.
func Adopt() {
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0) // available in all kernels since 3.4
}
