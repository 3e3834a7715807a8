package store

import (
	"errors"
	"io/fs"
	"os"
	"sync"
)

// liveFile tells which sessions are being recorded. Each recorder holds a lock on the byte of its session
// (the row's number) in a file beside the database; the kernel drops the lock with the process, however
// it ends, so nothing has to be written from time to time, no process number can be mistaken for another,
// and it works over containers that share the folder. The file itself stays empty. On a file system
// without locks every session without an end counts as interrupted.
type liveFile struct {
	path string

	mu   sync.Mutex
	file *os.File // opened by the first claim
}

// claim marks a session as being recorded by this Store. A recording does not fail for want of the mark.
func (l *liveFile) claim(pk int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		f, err := createFile(l.path)
		if errors.Is(err, fs.ErrExist) {
			f, err = os.OpenFile(l.path, os.O_RDWR, 0)
		}
		if err != nil {
			return
		}
		l.file = f
	}
	_ = lockByte(l.file, pk)
}

// release takes the mark back.
func (l *liveFile) release(pk int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = unlockByte(l.file, pk) // the lock goes with the process at the latest
	}
}

// held gives those of the sessions that somebody records.
func (l *liveFile) held(pks []int64) map[int64]bool {
	held := map[int64]bool{}
	if len(pks) == 0 {
		return held
	}
	f, err := os.Open(l.path) // not l.file: one's own locks cannot be seen
	if err != nil {
		return held
	}
	defer func() { _ = f.Close() }()
	for _, pk := range pks {
		held[pk] = byteLocked(f, pk)
	}
	return held
}

func (l *liveFile) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}
