package client

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys/rundir"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// local is the sessions of this user on this machine: those with a socket in dir or, if dir is
// empty, those found by rundir.Find.
type local struct {
	dir, database string
	// to those without one; nil: there are none
	other func(ctx context.Context, ref string) (io.ReadWriteCloser, error)
}

func (l local) follow(string, AttachOptions) place { return l }

// connect dials a session's socket. If nothing listens on it, the session has ended and the error
// is final.
func (l local) connect(ctx context.Context, ref string) (io.ReadWriteCloser, error) {
	ref = cmp.Or(ref, newest)
	path := ref
	if !strings.ContainsRune(ref, '/') {
		var err error
		path, err = l.find(ref)
		if l.other != nil && errors.Is(err, session.ErrNotFound) {
			conn, err := l.other(ctx, ref)
			if err != nil {
				return nil, final{err}
			}
			return conn, nil
		}
		if err != nil {
			return nil, final{err}
		}
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, final{fmt.Errorf("live %w: %s", session.ErrNotFound, ref)}
	}
	return conn, err
}

// find returns the socket of the session that ref refers to: an id, a unique beginning or end of
// one, or "last".
func (l local) find(ref string) (string, error) {
	sockets, err := l.sockets()
	if err != nil {
		return "", err
	}
	ids := slices.Sorted(maps.Keys(sockets))
	if ref == newest && len(ids) > 0 {
		return sockets[ids[len(ids)-1]], nil
	}
	if path, ok := sockets[ref]; ok {
		return path, nil
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !session.Matches(id, ref) })
	switch len(ids) {
	case 0:
		return "", fmt.Errorf("live %w: %s", session.ErrNotFound, ref)
	case 1:
		return sockets[ids[0]], nil
	}
	return "", fmt.Errorf("%w: %s", session.ErrAmbiguous, ref)
}

// sockets returns all sockets by session id, or an error if there are none.
func (l local) sockets() (sockets map[string]string, err error) {
	if l.dir != "" {
		sockets, err = rundir.In(l.dir)
	} else {
		sockets, err = rundir.Find(l.database)
	}
	if len(sockets) > 0 {
		err = nil // an untrusted folder does not hide the others
	}
	return sockets, err
}

// ids returns the ids of all sockets, sorted by the start of their sessions.
func (l local) ids() ([]string, error) {
	sockets, err := l.sockets()
	return slices.Sorted(maps.Keys(sockets)), err
}

// sessions asks each socket for its session, and omits sockets of killed sessions.
func (l local) sessions(ctx context.Context) ([]Session, error) {
	ids, err := l.ids()
	if err != nil {
		return nil, err
	}
	found := []Session{}
	for _, id := range slices.Backward(ids) {
		h, err := l.hello(ctx, id)
		if err == nil {
			found = append(found, Session{h.Session, h.State})
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return found, nil
}

// askTimeout is the time within which a session must answer sessions.
const askTimeout = time.Second

func (l local) hello(ctx context.Context, id string) (protocol.Hello, error) {
	var h protocol.Hello
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	conn, err := l.connect(ctx, id)
	if err != nil {
		return h, err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	return shake(conn, protocol.NewReader(bufio.NewReader(conn)),
		protocol.Attach{Version: protocol.Version, Name: "list", Kind: protocol.Human, Mode: protocol.ModeNone})
}

// shake sends the first frame and reads the answer.
func shake(w io.Writer, r *protocol.Reader, a protocol.Attach) (protocol.Hello, error) {
	var h protocol.Hello
	f, err := protocol.JSON(protocol.TypeAttach, a)
	if err != nil {
		return h, err
	}
	if err := protocol.Write(w, f); err != nil {
		return h, err
	}
	if f, err = r.Next(); err != nil {
		return h, err
	}
	switch f.Type {
	case protocol.TypeHello:
		return h, f.Decode(&h)
	case protocol.TypeRefused:
		refused := &protocol.Error{}
		if err := f.Decode(refused); err != nil {
			return h, err
		}
		return h, final{refused}
	}
	return h, final{fmt.Errorf("%w: the session began with %q", protocol.ErrBadFrame, f.Type)}
}
