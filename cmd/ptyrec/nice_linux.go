package main

import "golang.org/x/sys/unix"

// yieldThread sets the nice value of this thread. Only Linux has one for each thread.
func yieldThread(nice int) { _ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), nice) }
