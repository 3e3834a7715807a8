package protocol

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// socketEnding is that of the sockets' names.
const socketEnding = ".sock"

// maxSocketPath is how long a socket's path may be on every system, in bytes: sun_path has 104 of them on some.
const maxSocketPath = 100

// SocketDir gives the folder that holds the sockets of this user's sessions: $XDG_RUNTIME_DIR/ptyrec, else, or where that is too long
// for a socket's path, ptyrec-UID in the folder for temporary files. Both sides must check it with CheckSocketDir: in a folder that others may write to, one of them could have made it.
func SocketDir() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dir = filepath.Join(dir, "ptyrec")
		if len(dir)+1+36+len(socketEnding) <= maxSocketPath {
			return dir
		}
	}
	return filepath.Join(os.TempDir(), "ptyrec-"+strconv.Itoa(os.Getuid()))
}

// SocketPath gives the socket of the session with this id, in dir.
func SocketPath(dir, id string) string { return filepath.Join(dir, id+socketEnding) }

// CheckSocketDir tells that dir is a folder of this user's own which nobody else may enter.
func CheckSocketDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || known && int(owner.Uid) != os.Getuid() {
		return fmt.Errorf("%s is no folder of yours alone: %w", dir, fs.ErrPermission)
	}
	return nil
}

// SocketIDs gives the ids of the sessions that have a socket in dir, sorted. One may be left over from a session that was killed.
func SocketIDs(dir string) ([]string, error) {
	if err := CheckSocketDir(dir); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), socketEnding); ok && !strings.HasPrefix(id, ".") && f.Type()&fs.ModeSocket != 0 {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
