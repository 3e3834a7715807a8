package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes the data written to f durable, with the metadata needed to read it.
func syncData(f *os.File) error { return control(f, unix.Fdatasync) }

// startSync tells the system to write f's data now, and does not wait for it.
func startSync(f *os.File) {
	_ = control(f, func(fd int) error { return unix.SyncFileRange(fd, 0, 0, unix.SYNC_FILE_RANGE_WRITE) })
}

func control(f *os.File, call func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	ctlErr := conn.Control(func(fd uintptr) { err = call(int(fd)) })
	if ctlErr != nil {
		return ctlErr
	}
	return err
}
