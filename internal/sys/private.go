package sys

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// What root creates belongs to the owner of the folder above it: after sudo with the user's HOME,
// the user can still read what was written there.

// PrivateFile creates the file at path with mode 0600, whatever the umask is, and opens it for
// reading and writing; flags are added to those of open(2). The error wraps fs.ErrExist if there is
// something at path.
func PrivateFile(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW|flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	GiveAs(f, filepath.Dir(path))
	return f, nil
}

// OpenPrivate opens the file at path for reading and writing, and creates it as File does if it is
// missing.
func OpenPrivate(path string) (*os.File, error) {
	f, err := PrivateFile(path, 0)
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	return f, err
}

// PrivateFolder creates the folder at path, and what is missing above it, with mode 0700, whatever
// the umask is. A folder that is there keeps its mode.
func PrivateFolder(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if above := filepath.Dir(path); above != path {
		if err := PrivateFolder(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		if info, statErr := os.Stat(path); errors.Is(err, fs.ErrExist) && statErr == nil && info.IsDir() {
			return nil // another process was faster
		}
		return err
	}
	if os.Geteuid() != 0 {
		return os.Chmod(path, 0o700)
	}
	// The owner of the folder above may have replaced path.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	GiveAs(f, filepath.Dir(path))
	return f.Chmod(0o700)
}

// GiveAs makes a file or folder that root has just created belong to the owner of the one at like:
// the folder that it is in, or the file that it replaces. It does nothing for other users. Where
// root may not do that, the file stays root's.
func GiveAs(f *os.File, like string) {
	if os.Geteuid() != 0 {
		return
	}
	info, err := os.Stat(like)
	if err != nil {
		return
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(stat.Uid), int(stat.Gid)) // not allowed in some containers
	}
}

// Owner returns the id of the user that owns a file, or that of this process if it is unknown.
func Owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return os.Geteuid()
}
