package live

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/ptyrec/ptyrec/internal/sys/rundir"
)

// socket is a session's Unix socket. Closing it removes its file.
type socket struct {
	*net.UnixListener
	path string
	link string // next to the database; may be empty
	once sync.Once
}

// Listen creates the socket of a session, for this user only, in a folder from rundir.Make. If db
// is not empty, it also creates a link to it next to that database. It removes sockets and links of
// dead sessions.
func Listen(dir, db, id string) (net.Listener, error) {
	if err := rundir.Check(dir); err != nil {
		return nil, err
	}
	path := rundir.Socket(dir, id)
	hidden := filepath.Join(dir, "."+id) // name until it listens: a socket that refuses connections counts as dead
	_ = os.Remove(hidden)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	err = os.Chmod(hidden, 0o600)
	if err == nil {
		err = os.Rename(hidden, path)
	}
	if err != nil {
		_ = os.Remove(hidden)
		_ = l.Close()
		return nil, err
	}
	s := &socket{UnixListener: l, path: path}
	removeDead(dir, id)
	for _, left := range rundir.Left() {
		_ = os.Remove(left)
	}
	if db != "" {
		removeDead(rundir.Links(db), id)
		if rundir.Link(db, id, path) == nil { // without a link, clients search the user's folders
			s.link = rundir.Socket(rundir.Links(db), id)
		}
	}
	return s, nil
}

// Close closes the socket, and removes its file and link.
func (s *socket) Close() error {
	s.once.Do(func() {
		_ = os.Remove(s.path)
		if s.link != "" {
			_ = os.Remove(s.link)
		}
		if dir := filepath.Dir(s.path); !slices.Contains(rundir.Folders(), dir) {
			_ = os.Remove(dir) // it was created for this session
		}
	})
	return s.UnixListener.Close()
}

// removeDead removes the sockets in a folder on which no one listens, and their links.
func removeDead(dir, own string) {
	if rundir.Check(dir) != nil {
		return
	}
	files, _ := os.ReadDir(dir) // on an error, they stay
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if path == rundir.Socket(dir, own) || filepath.Ext(path) != filepath.Ext(rundir.Socket(dir, own)) {
			continue
		}
		target := path
		if t, err := os.Readlink(path); err == nil {
			target = t
		}
		c, err := net.Dial("unix", target)
		if err == nil {
			_ = c.Close()
		} else if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(path)
		}
	}
}
