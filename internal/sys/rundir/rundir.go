// Package rundir finds the sockets of live sessions.
//
// A session creates its socket in the first of these folders that belongs to the user alone:
//
//	$XDG_RUNTIME_DIR/ptyrec, if the user owns $XDG_RUNTIME_DIR
//	ptyrec-UID in $TMPDIR, or in /tmp if that is too long for a socket's path
//	a new folder in /tmp, with a name that nobody can create first
//
// It also creates a symbolic link to the socket in a folder next to its database. A program that
// knows the database finds the socket whatever these variables are where the program runs: in cron,
// in a container, in a child of an agent.
package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys"
)

const (
	ending      = ".sock"    // suffix of the sockets' names
	linksEnding = "-sockets" // suffix of the folder of links, after the database's name
)

// maxPath is the maximum length of a socket's path on all systems, in bytes: sun_path has 104 bytes
// on some of them.
const maxPath = 100

// Socket returns the path of a session's socket in a folder.
func Socket(dir, id string) string { return filepath.Join(dir, id+ending) }

// Links returns the folder with the links to the sockets of a database's sessions.
func Links(db string) string {
	if path, err := filepath.EvalSymlinks(db); err == nil {
		db = path
	}
	return db + linksEnding
}

// Folders returns the folders in which a session may create its socket, in order of preference.
// Check reports whether a folder can be used.
func Folders() []string {
	var dirs []string
	if dir := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ptyrec"); filepath.IsAbs(dir) && fits(dir) &&
		mine(filepath.Dir(dir)) {
		dirs = append(dirs, dir)
	}
	own := "ptyrec-" + strconv.Itoa(os.Getuid())
	if dir := filepath.Join(os.TempDir(), own); filepath.IsAbs(dir) && fits(dir) {
		return append(dirs, dir)
	}
	return append(dirs, filepath.Join("/tmp", own))
}

// fits reports whether the path of a socket in the folder is short enough for all systems.
func fits(dir string) bool {
	const id = 36 // a UUID
	return len(dir)+1+id+len(ending) <= maxPath
}

// mine reports whether this user owns the folder. After su or sudo, XDG_RUNTIME_DIR may be another
// user's.
func mine(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && ownerOf(info) == os.Getuid()
}

// Make creates or finds the folder for a session's socket. If that is not the first one, taken is
// the reason why the first cannot be used. err is set if no folder can be used.
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

// Check returns an error if sockets in a folder cannot be trusted, because another user may have
// created it, can access it, or can replace it. The error wraps fs.ErrNotExist if the folder does
// not exist, else fs.ErrPermission.
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
		why = "is not a folder"
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

// ownerOf returns the user that owns a file, or this user if that is unknown.
func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return os.Getuid()
}

// Link creates a link next to the database with which programs find a session's socket.
func Link(db, id, socket string) error {
	dir := Links(db)
	if err := sys.PrivateFolder(dir); err != nil {
		return err
	}
	if err := Check(dir); err != nil {
		return err
	}
	return os.Symlink(socket, Socket(dir, id))
}

// Find returns the sockets of live sessions by session id: those in the user's folders and, if db
// is not empty, those linked next to that database. A socket may have been left by a session that
// was killed. The error names the folders that were skipped.
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

// In returns the sockets in a folder, and those to which links in it point. A missing folder has no
// sockets.
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

// resolve returns the path of a socket, following a link. It returns "" if there is no socket, or
// if it is in a folder that cannot be trusted.
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

// Left returns the folders that Make has created for sessions that could use no other, and that
// were killed. It removes the sockets of dead sessions in them.
func Left() (dirs []string) {
	found, _ := filepath.Glob("/tmp/ptyrec-" + strconv.Itoa(os.Getuid()) + "-*") // the pattern is valid
	for _, dir := range found {
		info, err := os.Stat(dir)
		if err != nil || Check(dir) != nil || time.Since(info.ModTime()) < time.Minute {
			// A new folder may not have its socket yet.
			continue
		}
		if files, err := os.ReadDir(dir); err == nil &&
			!slices.ContainsFunc(files, func(f fs.DirEntry) bool { return !removeDead(filepath.Join(dir, f.Name())) }) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// removeDead removes a socket on which no process listens, and reports whether it did.
func removeDead(path string) bool {
	c, err := net.Dial("unix", path)
	if err == nil {
		_ = c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED) && os.Remove(path) == nil
}
