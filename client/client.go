package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/client/management"
	"github.com/ptyrec/ptyrec/internal/sys/redirect"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Options configure Dial. The zero value works for sessions of this machine, and for servers that
// require no token.
type Options struct {
	Token    string       // token of the server
	HTTP     *http.Client // nil means http.DefaultClient. Timeout must be 0. Redirects to other hosts are refused
	Database string       // path of a database whose sessions to find; empty means those in the user's folders
	Dir      string       // folder of the sockets; overrides all of the above
	// Other, if set, connects to a session of this machine that has no socket.
	// It behaves like Client.Connect.
	Other func(ctx context.Context, ref string) (io.ReadWriteCloser, error)
}

// Session is a live session.
type Session struct {
	session.Session
	State protocol.State `json:"state"` // state of its agent
}

// Client accesses the sessions of a server or of this machine. It is safe for concurrent use and
// need not be closed.
type Client struct {
	place place
	delay func(try int) time.Duration // before the nth try in a row
}

// place is a source of sessions: a server, a management server, or this machine.
type place interface {
	sessions(ctx context.Context) ([]Session, error)
	// connect returns a connection for frames to a session. An empty ref means the default
	// session. An error of type final is permanent.
	connect(ctx context.Context, ref string) (conn io.ReadWriteCloser, err error)
	// follow returns a place for one stream, which may store its progress there.
	follow(ref string, o AttachOptions) place
}

// Dial returns a Client for the sessions of a server or of this machine. where is the URL of a
// server or of a session's page (http or https), or that of a management server
// (ws[s]://HOST:PORT[/AGENT[/SESSION]]). If where is empty, the sessions are those of this user on
// this machine. Dial checks that a server is ptyrec's and accepts the token; the error wraps
// ErrToken if it does not. It does not contact a management server; Attach and Sessions do.
func Dial(ctx context.Context, where string, o Options) (*Client, error) {
	if where == "" {
		return &Client{local{o.Dir, o.Database, o.Other}, backoff}, nil
	}
	if management.Is(where) {
		s, err := management.New(where, o.Token, o.HTTP)
		if err != nil {
			return nil, err
		}
		return &Client{managed{server: s}, patientBackoff}, nil
	}
	base, _, err := SplitURL(where)
	if err != nil {
		return nil, err
	}
	s := &remote{base: base, token: o.Token, http: redirect.SameHost(o.HTTP)}
	if err := s.check(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", base, err)
	}
	return &Client{s, backoff}, nil
}

// SplitURL splits the URL of a session's page, https://host/s/ID, into the server's URL and the
// session's id. For a server's URL the id is empty. The URL of a management server is not split.
func SplitURL(where string) (server, id string, err error) {
	if management.Is(where) {
		_, err := management.New(where, "", nil)
		return where, "", err
	}
	u, err := url.Parse(where)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", "", fmt.Errorf("%q is not the URL of a server", where)
	}
	before, behind, found := strings.Cut(u.Path, "/s/")
	if found {
		id = strings.Trim(behind, "/")
	}
	u.Path, u.RawPath, u.RawQuery, u.Fragment = path.Join("/", before), "", "", ""
	return strings.TrimSuffix(u.String(), "/"), id, nil
}

// Sessions returns the live sessions, newest first.
func (c *Client) Sessions(ctx context.Context) ([]Session, error) { return c.place.sessions(ctx) }

// IDs returns the sorted ids of this machine's sessions that have a socket, including sockets left
// over from killed sessions. For a server, IDs returns an error.
func (c *Client) IDs() ([]string, error) {
	l, ok := c.place.(local)
	if !ok {
		return nil, errors.New("use Sessions to list the sessions of a server")
	}
	return l.ids()
}

// Connect returns a connection that carries frames of package protocol. The caller sends the first
// frame and must close the connection. The error wraps session.ErrNotFound if no live session
// matches ref.
func (c *Client) Connect(ctx context.Context, ref string) (io.ReadWriteCloser, error) {
	return c.place.connect(ctx, ref)
}

// newest refers to the newest live session.
const newest = "last"

// helloTimeout is the time within which a session must send its Hello.
const helloTimeout = 10 * time.Second
