package recorder

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxInspected is the maximum number of a session's processes to inspect.
const maxInspected = 1000

// inspect inspects the processes of a group among the descendants of root. shell reports whether
// the group's leader is a shell with job control: only these ignore both signals with which the
// kernel stops background processes that use the terminal (POSIX, "Job Control"), while the
// commands that they start do not. reads reports whether one of the processes waits in a read of a
// terminal.
func inspect(root, group int) (shell, reads bool) {
	shell = ignores(group, unix.SIGTSTP, unix.SIGTTOU)
	all := []int{root}
	for i := 0; i < len(all) && i < maxInspected; i++ {
		all = append(all, children(all[i])...)
		if pgrp, err := unix.Getpgid(all[i]); err == nil && pgrp == group && readsTerminal(all[i]) {
			return shell, true
		}
	}
	return shell, false
}

// ignores reports whether a process ignores all of these signals.
func ignores(pid int, signals ...unix.Signal) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(status), "\nSigIgn:")
	line, _, _ := strings.Cut(rest, "\n")
	mask, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64)
	if err != nil {
		return false
	}
	for _, s := range signals {
		if mask&(1<<(s-1)) == 0 {
			return false
		}
	}
	return true
}

// children returns the visible children of a process.
func children(pid int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is valid
	for _, list := range lists {
		text, _ := os.ReadFile(list) // empty if the thread has exited
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// readsTerminal reports whether a thread of a process is in read(2) of a terminal.
func readsTerminal(pid int) bool {
	calls, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid)) // the pattern is valid
	for _, call := range calls {
		text, _ := os.ReadFile(call) // empty if the thread has exited or is hidden
		fields := bytes.Fields(text)
		if len(fields) < 2 || string(fields[0]) != strconv.Itoa(unix.SYS_READ) {
			continue
		}
		fd, err := strconv.ParseUint(string(fields[1]), 0, 64)
		if err != nil {
			continue
		}
		name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
		if err == nil && (name == "/dev/tty" || strings.HasPrefix(name, "/dev/pts/")) {
			return true
		}
	}
	return false
}
