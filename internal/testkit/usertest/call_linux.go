package usertest

import "golang.org/x/sys/unix"

const setResUID uintptr = unix.SYS_SETRESUID
