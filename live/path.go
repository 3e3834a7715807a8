package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// ending is that of the sockets' names.
const ending = ".sock"

// maxPath is how long a socket's path may be on every system, in bytes: sun_path has 104 of them on some.
const maxPath = 100

// ErrUnsafe says that the folder of the sockets is not only the user's own.
var ErrUnsafe = errors.New("the folder is not only yours")

// Path gives the socket of a session: ID.sock in ptyrec of $XDG_RUNTIME_DIR, or where that is not set or too long a path, in
// ptyrec-UID of the folder for temporary files.
func Path(id string) string { return filepath.Join(folder(), id+ending) }

func folder() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dir = filepath.Join(dir, "ptyrec")
		if len(dir)+1+36+len(ending) <= maxPath {
			return dir
		}
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("ptyrec-%d", os.Getuid()))
}

// makeFolder makes the folder of the sockets. It refuses one that others own, or may enter.
func makeFolder() (string, error) {
	dir := folder()
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return "", &fs.PathError{Op: "stat", Path: dir, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Getuid() || st.Mode&0o077 != 0 {
		return "", fmt.Errorf("%s: %w", dir, ErrUnsafe)
	}
	return dir, nil
}

// Sessions gives the ids of the sessions that have a socket. Some of them may be dead.
func Sessions() ([]string, error) {
	entries, err := os.ReadDir(folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ending); ok && !strings.HasPrefix(id, ".") {
			ids = append(ids, id)
		}
	}
	return ids, err
}
