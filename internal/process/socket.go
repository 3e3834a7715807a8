package process

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
)

// socketEnding is the suffix of a host's socket, and of the link to it next to the database.
const socketEnding = ".process"

// dialTime is how long to wait for a host to accept a connection.
const dialTime = 5 * time.Second

// listen creates the socket of a session's host. Closing it removes its file and the link to it.
func listen(db, id string) (net.Listener, error) {
	dir, _, err := rundir.Make()
	if err != nil {
		return nil, err
	}
	links := rundir.Links(db)
	if err := sys.PrivateFolder(links); err != nil {
		return nil, err
	}
	if err := rundir.Check(links); err != nil {
		return nil, err
	}
	s := &socket{path: filepath.Join(dir, id+socketEnding), link: filepath.Join(links, id+socketEnding)}
	_, _ = os.Remove(s.path), os.Remove(s.link) // left by an earlier record with this id
	if s.UnixListener, err = net.ListenUnix("unix", &net.UnixAddr{Name: s.path, Net: "unix"}); err != nil {
		return nil, err
	}
	s.SetUnlinkOnClose(false)
	if err = os.Chmod(s.path, 0o600); err == nil {
		err = os.Symlink(s.path, s.link)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

type socket struct {
	*net.UnixListener
	path, link string
}

// Close closes the socket, and removes its file and the link to it.
func (s *socket) Close() error {
	_, _ = os.Remove(s.link), os.Remove(s.path)
	return s.UnixListener.Close()
}

// dial connects to the host of a session. The error wraps fs.ErrNotExist if it has none.
func dial(db, id string) (net.Conn, error) {
	path, err := os.Readlink(filepath.Join(rundir.Links(db), id+socketEnding))
	if err != nil {
		return nil, err
	}
	if err := rundir.Check(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return net.DialTimeout("unix", path, dialTime)
}

// hosted returns the ids of the sessions that have or had a host.
func hosted(db string) []string {
	dir := rundir.Links(db)
	if rundir.Check(dir) != nil {
		return nil
	}
	files, _ := os.ReadDir(dir) // an unreadable folder counts as empty
	var ids []string
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), socketEnding); ok {
			ids = append(ids, id)
		}
	}
	return ids
}
