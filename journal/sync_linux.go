package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes what was written to f durable, and as much of its metadata as reading it takes.
func syncData(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	ctlErr := conn.Control(func(fd uintptr) { err = unix.Fdatasync(int(fd)) })
	if ctlErr != nil {
		return ctlErr
	}
	return err
}
