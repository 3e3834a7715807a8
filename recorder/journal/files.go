package journal

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/session"
)

// makeFolder creates the folder with mode 0700 if it is missing. It may be a link to a folder
// elsewhere; another user's folder or link is refused.
func makeFolder(path string) error {
	link, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := sys.PrivateFolder(path); err != nil {
			return err
		}
		link, err = os.Lstat(path)
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errNowhere(path)
	case err != nil:
		return err
	case !info.IsDir() || !trusted(info) || !trusted(link):
		return fmt.Errorf("%s: %w", path, ErrForeign)
	}
	return nil
}

// errNowhere means that the folder of the journals is a link without a target, for example to a
// disk that is not mounted.
func errNowhere(folder string) error {
	target, _ := os.Readlink(folder) // the error is clear enough without it
	return fmt.Errorf("%s: %w: %s is missing", folder, session.ErrNowhere, target)
}

// name returns the path of a file of the session.
func (w *Writer) name(number int) string {
	return filepath.Join(w.opt.Folder, File{Session: w.opt.Session.ID, Number: number}.base())
}

// unused returns the next number that no file has.
func (w *Writer) unused() int {
	for n := w.number + 1; ; n++ {
		if _, err := os.Lstat(w.name(n)); err != nil {
			return n
		}
	}
}

// begin creates file number, whose first event is event, after offset bytes of output.
func (w *Writer) begin(number int, event, offset int64) error {
	line, err := encodeHeader(w.seed, w.opt.Session, event, offset)
	if err != nil {
		return err
	}
	return w.create(number, bytes.NewReader(line))
}

// create creates file number with the content, and makes it the current file. After an error the
// current file is unchanged.
func (w *Writer) create(number int, content io.ReadSeeker) (err error) {
	for range createTries {
		if _, err = content.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err = w.tryCreate(number, content); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// createTries is the maximum number of attempts to create a file that Tidy removes before it is
// locked.
const createTries = 3

// tryCreate is an attempt of create. The file gets its name only after it is locked: without the
// lock, others would take it for a complete one.
func (w *Writer) tryCreate(number int, content io.Reader) error {
	path := w.name(number)
	f, err := sys.PrivateFile(path+newEnding, os.O_APPEND)
	if err != nil {
		return err
	}
	_ = sys.LockByte(f, writerByte) // if this fails, the session counts as interrupted while it runs
	size, err := io.Copy(f, content)
	if _, there := os.Lstat(path); err == nil && there == nil {
		err = fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	if err != nil {
		return errors.Join(err, f.Close(), removeIfThere(f.Name()))
	}
	w.file, w.info, w.number, w.written, w.fresh = f, info, number, size, true
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// isPlaced reports whether the current file still has its name on the disk.
func (w *Writer) isPlaced() bool {
	now, err := os.Lstat(w.name(w.number))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
	}
	return os.SameFile(now, w.info)
}

// restore writes the current file again if it was removed or replaced. Its contents are readable
// while it is open. If that fails, the old file stays in use, and restore can be called again.
func (w *Writer) restore() {
	if w.isPlaced() || makeFolder(w.opt.Folder) != nil {
		return
	}
	name, old := w.name(w.number), w.file
	if w.create(w.unused(), io.NewSectionReader(old, 0, w.written)) != nil {
		return
	}
	_ = old.Close()
	w.fail(fmt.Errorf("%s was removed, and is written again", name))
}

// sync begins to make what was written durable, concurrently with further writes. It reports false
// if the sync before has not ended.
func (w *Writer) sync() bool {
	if w.syncing.Swap(true) {
		return false
	}
	f, fresh := w.file, w.fresh
	w.fresh = false
	w.after.Go(func() {
		w.settle(f, fresh)
		w.syncing.Store(false)
	})
	return true
}

// settle makes what was written to f durable, and its name, too, if the file is fresh. It ignores
// that some file systems do not support this.
func (w *Writer) settle(f *os.File, fresh bool) {
	err := f.Sync()
	if fresh {
		err = errors.Join(err, syncFolder(w.opt.Folder), syncFolder(filepath.Dir(w.opt.Folder)))
	}
	if errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		w.fail(err)
	}
}

// syncFolder makes the names of the files in a folder durable.
var syncFolder = func(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// rotate begins a new file if the current one has at least limit bytes. The last write must have
// succeeded.
func (w *Writer) rotate(limit int64) {
	if w.written < limit {
		return
	}
	w.restore()
	old, fresh := w.file, w.fresh
	event, offset := w.place()
	if w.begin(w.unused(), event, offset) != nil {
		return // keep using this file
	}
	w.after.Go(func() {
		w.settle(old, fresh)
		_ = old.Close() // this also releases the lock
		if w.opt.Closed != nil {
			w.opt.Closed()
		}
	})
}

// place returns the number of the next event, and the output bytes before it.
func (w *Writer) place() (number, offset int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for e := range framesOf(w.queue) {
		return e.Number, e.Offset
	}
	return w.next, w.offset
}

// reserveSize is the disk space reserved for the session's end, in bytes.
const reserveSize = 8 << 10

// reservePrefix begins the temporary name of the reserved file.
const reservePrefix = ".reserve-"

// reserve allocates disk space in a file without a name. Closing it returns the space to the disk.
func (w *Writer) reserve() *os.File {
	f, err := os.CreateTemp(w.opt.Folder, reservePrefix+"*")
	if err != nil {
		return nil
	}
	_ = os.Remove(f.Name())
	_, _ = io.CopyN(f, rand.Reader, reserveSize) // some file systems allocate no space for zeros
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
