package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes the data written to f durable, with the metadata needed to read it.
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
