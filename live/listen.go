package live

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/ptyrec/ptyrec/protocol"
)

// socket is a session's unix socket. Its file goes when it is closed.
type socket struct {
	*net.UnixListener
	path string
	once sync.Once
}

// Listen makes the socket of a session (Path), which only the user may use, and removes those of sessions that are dead.
func Listen(id string) (net.Listener, error) {
	dir, err := makeFolder()
	if err != nil {
		return nil, err
	}
	path := Path(id)
	hidden := filepath.Join(dir, "."+id) // until it listens: one that refuses is taken for dead
	_ = os.Remove(hidden)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	err = errors.Join(os.Chmod(hidden, 0o600))
	if err == nil {
		err = os.Rename(hidden, path)
	}
	if err != nil {
		_ = os.Remove(hidden)
		_ = l.Close()
		return nil, err
	}
	removeDead(dir, id)
	return &socket{UnixListener: l, path: path}, nil
}

// Close ends the listening.
func (s *socket) Close() error {
	s.once.Do(func() { _ = os.Remove(s.path) })
	return s.UnixListener.Close()
}

// removeDead removes the sockets that nobody listens on.
func removeDead(dir, own string) {
	ids, _ := protocol.SocketIDs(dir) // an error leaves them where they are
	for _, id := range ids {
		if id == own {
			continue
		}
		c, err := net.Dial("unix", Path(id))
		if err == nil {
			_ = c.Close()
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(Path(id))
		}
	}
}
