package cli

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/ptyrec/ptyrec/internal/private"
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
	private.Give(f.File, like(path))
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
