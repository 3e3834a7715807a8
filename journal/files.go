package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/bytelock"
	"github.com/ptyrec/ptyrec/session"
)

// makeFolder creates the folder with mode 0700 whatever the umask is. It refuses a link or another
// user's folder.
func makeFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err == nil {
		return os.Chmod(path, 0o700)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Geteuid() && os.Geteuid() != 0 {
		return fmt.Errorf("%s: %w", path, ErrForeign)
	}
	return nil
}

func (w *Writer) name() string {
	return filepath.Join(w.opt.Folder, File{Session: w.opt.Session.ID, Number: w.number}.base())
}

// begin creates the next file; its first event has the number event and comes after offset bytes of
// output. The file gets its name only after it is locked: without the lock others would take it for
// a complete one.
func (w *Writer) begin(event, offset int64) error {
	line, err := encodeHeader(w.seed, w.opt.Session, event, offset)
	if err != nil {
		return err
	}
	w.number++
	path := w.name()
	f, err := os.OpenFile(path+newEnding, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_ = bytelock.Lock(f, writerByte) // if this fails, the session counts as interrupted while it runs
	if err = f.Chmod(0o600); err == nil {
		_, err = f.Write(line)
	}
	if _, there := os.Lstat(path); err == nil && there == nil {
		err = fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()), f.Close())
	}
	w.file, w.written = f, int64(len(line))
	return nil
}

// sync begins to make what was written durable, concurrently with further writes. It reports false
// if the sync before has not ended.
func (w *Writer) sync() bool {
	if w.syncing.Swap(true) {
		return false
	}
	f := w.file
	w.after.Go(func() {
		w.settle(f)
		w.syncing.Store(false)
	})
	return true
}

// settle makes what was written to f durable. Some file systems cannot, which is no error.
func (w *Writer) settle(f *os.File) {
	err := f.Sync()
	if errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		w.fail(err)
	}
}

// rotate begins a new file if the current one has at least limit bytes. The last write must have
// succeeded.
func (w *Writer) rotate(limit int64) {
	if w.written < limit {
		return
	}
	old := w.file
	if w.begin(w.place()) != nil {
		return // keep using this file
	}
	w.after.Go(func() {
		w.settle(old)
		_ = old.Close() // this also releases the lock
		if w.opt.Closed != nil {
			w.opt.Closed()
		}
	})
}

// place returns the number of the next event to be written, and the output bytes before it.
func (w *Writer) place() (number, offset int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for e := range framesOf(w.queue) {
		return e.Number, e.Offset
	}
	return w.next, w.offset
}

// reserveSize is the disk space kept for the session's end, in bytes.
const reserveSize = 8 << 10

// reserve allocates disk space in a file without a name. Closing it returns the space to the disk.
func (w *Writer) reserve() *os.File {
	f, err := os.CreateTemp(w.opt.Folder, ".reserve-*")
	if err != nil {
		return nil
	}
	_ = os.Remove(f.Name())
	_, _ = io.CopyN(f, rand.Reader, reserveSize) // some file systems allocate nothing for zeros
	return f
}

// writeEnd overwrites the torn frame at the end with the session's exit event, if the disk is too
// full for the events before it.
func (w *Writer) writeEnd() {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, whole, end := 0, 0, []byte(nil)
	for e, frame := range framesOf(w.taken, w.queue) {
		if at += len(frame); at <= w.head {
			whole = at
		}
		if end = nil; e.Kind == session.Exit {
			end = frame
		}
	}
	if at > 0 && w.file.Truncate(w.written-int64(w.head-whole)) == nil {
		w.head = whole
		_, _ = w.file.Write(end) // the disk may have filled up further
	}
}

// isRemoved reports whether the file has been unlinked.
func (w *Writer) isRemoved() bool {
	info, err := w.file.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 0
}
