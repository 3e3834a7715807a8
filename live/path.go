package live

import (
	"errors"
	"io/fs"
	"os"

	"github.com/ptyrec/ptyrec/protocol"
)

// Path gives the socket of a session.
func Path(id string) string { return protocol.SocketPath(protocol.SocketDir(), id) }

// makeFolder makes the folder of the sockets. It refuses one that others own, or may enter.
func makeFolder() (string, error) {
	dir := protocol.SocketDir()
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, protocol.CheckSocketDir(dir)
}
