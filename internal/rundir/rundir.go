// Package rundir knows where the sockets of live sessions are.
//
// A session makes its socket in the first of these folders that is the user's alone:
//
//	$XDG_RUNTIME_DIR/ptyrec, if that variable names a folder of the user's
//	ptyrec-UID in the folder for temporary files ($TMPDIR, or /tmp if that is too long for a socket's path)
//	a new folder in /tmp, with a name that nobody can take before
//
// It also leaves a symbolic link to it in a folder beside its database. So a program that knows the database finds the socket whatever
// these variables say where it runs: in cron, in a container, in what an agent starts.
package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	ending      = ".sock"    // of the sockets' names
	linksEnding = "-sockets" // of the folder of links, behind the database's name
)

// maxPath is how long a socket's path may be on every system, in bytes: sun_path has 104 of them on some.
const maxPath = 100

// Socket returns the socket of the session with this id, in a folder.
func Socket(dir, id string) string { return filepath.Join(dir, id+ending) }

// Links returns the folder of the links to the sockets of a database's sessions.
func Links(db string) string {
	if path, err := filepath.EvalSymlinks(db); err == nil {
		db = path
	}
	return db + linksEnding
}

// Folders returns the folders in which a session makes its socket, the first one first. Check says whether one may be used.
func Folders() []string {
	var dirs []string
	if dir := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ptyrec"); filepath.IsAbs(dir) && fits(dir) && mine(filepath.Dir(dir)) {
		dirs = append(dirs, dir)
	}
	own := "ptyrec-" + strconv.Itoa(os.Getuid())
	if dir := filepath.Join(os.TempDir(), own); filepath.IsAbs(dir) && fits(dir) {
		return append(dirs, dir)
	}
	return append(dirs, filepath.Join("/tmp", own))
}

// fits reports whether a socket in a folder has a path that every system takes.
func fits(dir string) bool {
	const id = 36 // a UUID
	return len(dir)+1+id+len(ending) <= maxPath
}

// mine reports whether a folder belongs to this user. After su or sudo, XDG_RUNTIME_DIR may be another's.
func mine(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && ownerOf(info) == os.Getuid()
}

// Make makes the folder for a session's socket, or finds it. taken says, for the user, which folder could not be used and why, where that
// was not the first one; err that there is none at all.
func Make() (dir string, taken, err error) {
	for _, dir := range Folders() {
		if err = os.Mkdir(dir, 0o700); err == nil || errors.Is(err, fs.ErrExist) {
			if err = Check(dir); err == nil {
				return dir, taken, nil
			}
		}
		if taken == nil {
			taken = err
		}
	}
	dir, err = os.MkdirTemp("/tmp", "ptyrec-"+strconv.Itoa(os.Getuid())+"-")
	return dir, taken, err
}

// Check reports why sockets in a folder are not to be trusted: somebody else may have made the folder, may enter it, or may put another in its
// place. The error wraps fs.ErrNotExist where there is none, else fs.ErrPermission.
func Check(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	above, err := os.Stat(filepath.Dir(dir))
	if err != nil {
		return err
	}
	var why string
	switch owner := ownerOf(above); {
	case !info.IsDir():
		why = "is no folder"
	case ownerOf(info) != os.Getuid():
		why = fmt.Sprintf("belongs to user %d", ownerOf(info))
	case info.Mode().Perm()&0o077 != 0:
		why = fmt.Sprintf("may be entered by others (its mode is %04o, not 0700)", info.Mode().Perm())
	case owner != 0 && owner != os.Getuid():
		why = fmt.Sprintf("may be replaced by user %d, who owns the folder above", owner)
	case above.Mode().Perm()&0o022 != 0 && above.Mode()&fs.ModeSticky == 0:
		why = "may be replaced by others, who may write to the folder above"
	default:
		return nil
	}
	return fmt.Errorf("%s %s: %w", dir, why, fs.ErrPermission)
}

// ownerOf returns the user that a file belongs to, this user where that is not known.
func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return os.Getuid()
}

// Link lets programs find a session's socket beside its database.
func Link(db, id, socket string) error {
	dir := Links(db)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := Check(dir); err != nil {
		return err
	}
	return os.Symlink(socket, Socket(dir, id))
}

// Find returns the sockets of live sessions by the sessions' ids: those in the user's folder here, and those that are linked beside a
// database, if db is not empty. One may be left over from a session that was killed. The error says which folders were not looked at.
func Find(db string) (sockets map[string]string, err error) {
	for _, dir := range Folders() {
		found, dirErr := In(dir)
		sockets, err = found, errors.Join(err, dirErr)
		if dirErr == nil {
			break
		}
	}
	if db == "" {
		return sockets, err
	}
	linked, dirErr := In(Links(db))
	maps.Copy(sockets, linked)
	return sockets, errors.Join(err, dirErr)
}

// In returns the sockets in one folder, and those that links in there lead to. There are none where there is no folder.
func In(dir string) (map[string]string, error) {
	sockets := map[string]string{}
	err := Check(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return sockets, err
	}
	files, err := os.ReadDir(dir)
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ending)
		if path := resolve(filepath.Join(dir, f.Name())); ok && path != "" && !strings.HasPrefix(id, ".") {
			sockets[id] = path
		}
	}
	return sockets, err
}

// resolve returns the socket at a path, or that a link there leads to; empty where there is none, or not in a folder to be trusted.
func resolve(path string) string {
	if target, err := os.Readlink(path); err == nil {
		if Check(filepath.Dir(target)) != nil {
			return ""
		}
		path = target
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != fs.ModeSocket {
		return ""
	}
	return path
}
