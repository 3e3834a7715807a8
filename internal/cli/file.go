package cli

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// WriteFile makes path appear with what write writes, whole or not at all: a temporary file beside
// it is synced and renamed. A path that is no regular file (/dev/stdout, a pipe) is written
// straight. Symbolic links are followed: what they point to is replaced, not the link.
func (t *Temporaries) WriteFile(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeDevice(path, write)
	}
	return t.replaceFile(path, write)
}

func writeDevice(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := WriteBuffered(f, write); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

func (t *Temporaries) replaceFile(path string, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(fileMode(path)))
	if err != nil {
		return writeError(path, err)
	}
	_ = sys.LockByte(f.File, 0) // so that others do not take it for left over
	removeLeft(path)
	sys.GiveAs(f.File, like(path))
	defer t.Add(f.Name())()
	defer func() { err = errors.Join(err, f.Cleanup()) }()
	if err := WriteBuffered(f, write); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// writeError names the file that was asked for, and not the temporary one.
func writeError(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}

// fileMode is the mode of the file that is replaced; a new one is the user's alone: transcripts
// hold secrets.
func fileMode(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o600
}

// removeLeft removes the temporary files that commands which were killed have left beside path. One
// that is being written is locked, or empty and new.
func removeLeft(path string) {
	files, _ := os.ReadDir(filepath.Dir(path)) // if this fails, they stay
	for _, e := range files {
		number, ok := strings.CutPrefix(e.Name(), "."+filepath.Base(path))
		if _, err := strconv.ParseUint(number, 10, 64); !ok || err != nil || len(number) < minNumber {
			continue
		}
		name := filepath.Join(filepath.Dir(path), e.Name())
		f, err := os.OpenFile(name, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		info, err := f.Stat()
		if err == nil && info.Mode().IsRegular() && !sys.ByteLocked(f, 0) && (info.Size() > 0 || time.Since(info.ModTime()) > time.Minute) {
			_ = os.Remove(name)
		}
		_ = f.Close()
	}
}

// minNumber is how many digits the number behind a temporary file's name has at least, but for one
// in a million million: a user's own .notes.md2 is no such file.
const minNumber = 7

// like is what a file at path takes its owner from.
func like(path string) string {
	if _, err := os.Stat(path); err != nil {
		return filepath.Dir(path)
	}
	return path
}

// WriteBuffered calls write with a buffer before w, and flushes it.
func WriteBuffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
