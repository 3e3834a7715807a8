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

// WriteFile atomically replaces the file at path by what write writes: it renames a temporary file
// next to it after a sync. If path is not a regular file (/dev/stdout, a pipe), it is written
// directly. If it is a symbolic link, its target is replaced.
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
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithStaticPermissions(fileMode(path)))
	if err != nil {
		return writeError(path, err)
	}
	_ = sys.LockByte(f.File, 0) // marks it as being written for removeLeft
	removeLeft(path)
	sys.GiveAs(f.File, like(path))
	defer t.Add(f.Name())()
	defer func() { err = errors.Join(err, f.Cleanup()) }()
	if err := WriteBuffered(f, write); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// writeError replaces the name of the temporary file in an error by path.
func writeError(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}

// fileMode returns the mode of the replaced file. A new file is private, because transcripts
// contain secrets.
func fileMode(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o600
}

// removeLeft removes the temporary files next to path that killed commands have left. A file that
// is being written is locked, or empty and new.
func removeLeft(path string) {
	files, _ := os.ReadDir(filepath.Dir(path)) // on an error, they stay
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
		if err == nil && info.Mode().IsRegular() && !sys.ByteLocked(f, 0) &&
			(info.Size() > 0 || time.Since(info.ModTime()) > time.Minute) {
			_ = os.Remove(name)
		}
		_ = f.Close()
	}
}

// minNumber is the minimum number of digits at the end of a temporary file's name, except in one
// case of a million million. It excludes files of the user such as .notes.md2.
const minNumber = 7

// like returns the file from which a file at path takes its owner.
func like(path string) string {
	if _, err := os.Stat(path); err != nil {
		return filepath.Dir(path)
	}
	return path
}

// WriteBuffered calls write with a buffered writer for w, and flushes it.
func WriteBuffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
