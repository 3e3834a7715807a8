package leader

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

// endTime is how long EndDescendants goes on: it cannot end what belongs to another user, or waits in the kernel.
const endTime = 5 * time.Second

// EndDescendants kills all descendants of this process, which must be the parent of their orphans (AdoptOrphans), and waits for them.
// Whatever a descendant does to leave, by nohup, setsid or a double fork, it keeps a parent among them.
func EndDescendants() {
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		for _, pid := range descendants() {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
		}
		if !reap() || time.Since(begun) > endTime {
			return
		}
	}
}

// reap waits for the children that have ended, and reports whether there are others.
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

// descendants returns the processes below this one.
func descendants() (pids []int) {
	children := map[int][]int{}
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = proc.Close() }()
	names, _ := proc.Readdirnames(-1) // the next round finds what this one does not
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // proc(5): the name in parentheses may hold anything
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
