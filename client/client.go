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

// Options say how to dial. Their zero value works for this machine's sessions, and for servers that
// ask for no token.
type Options struct {
	Token    string       // of a server
	HTTP     *http.Client // nil: http.DefaultClient. Its Timeout must be 0. No redirect to another host is followed
	Database string       // find its sessions wherever their sockets are; empty: only those in the user's folders
	Dir      string       // of the sockets; replaces all of the above
	// Other, if set, connects to sessions of this machine that have no socket, as
	// Client.Connect does.
	Other func(ctx context.Context, ref string) (io.ReadWriteCloser, error)
}

// Session is a live session.
type Session struct {
	session.Session
	State protocol.State `json:"state"` // what its agent does
}

// Client knows a place where sessions are. It may be used concurrently, and holds nothing that must
// be closed.
type Client struct {
	place place
	delay func(try int) time.Duration // before the nth try in a row
}

// place is where sessions are.
type place interface {
	sessions(ctx context.Context) ([]Session, error)
	// connect returns a connection to a session, on which frames go both ways; an empty ref is
	// the session that is meant if none is named. After a final error, retrying is useless.
	connect(ctx context.Context, ref string) (conn io.ReadWriteCloser, err error)
	// follow returns the place for one stream, which may keep there how far it is.
	follow(ref string, o AttachOptions) place
}

// Dial returns a Client for the sessions of a server or of this machine. where is the server's URL
// (http or https, also that of a session's page), or that of a management server
// (ws[s]://HOST:PORT[/AGENT[/SESSION]]); if it is empty, the sessions are those of this user on
// this machine. Dial checks that the server is one and accepts the token, but for a management
// server, which Attach and Sessions connect to.
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

// SplitURL splits the URL of a session's page, https://host/s/ID, into that of its server and the
// session's id. The id is empty if where is a server's URL. That of a management server stays
// whole.
func SplitURL(where string) (server, id string, err error) {
	if management.Is(where) {
		_, err := management.New(where, "", nil)
		return where, "", err
	}
	u, err := url.Parse(where)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", "", fmt.Errorf("%q is no URL of a server", where)
	}
	before, behind, found := strings.Cut(u.Path, "/s/")
	if found {
		id = strings.Trim(behind, "/")
	}
	u.Path, u.RawPath, u.RawQuery, u.Fragment = path.Join("/", before), "", "", ""
	return strings.TrimSuffix(u.String(), "/"), id, nil
}

// Sessions returns the live sessions, the newest first.
func (c *Client) Sessions(ctx context.Context) ([]Session, error) { return c.place.sessions(ctx) }

// IDs returns the ids of this machine's sessions that have a socket, sorted. A socket may be left
// over from a session that was killed. For a server, IDs returns an error.
func (c *Client) IDs() ([]string, error) {
	l, ok := c.place.(local)
	if !ok {
		return nil, errors.New("use Sessions to list the sessions of a server")
	}
	return l.ids()
}

// Connect returns a bare connection to a session, on which frames of package protocol go both ways.
// The caller sends the first frame, and must close the connection. The error wraps
// session.ErrNotFound if no such session is live.
func (c *Client) Connect(ctx context.Context, ref string) (io.ReadWriteCloser, error) {
	return c.place.connect(ctx, ref)
}

// newest names the newest live session.
const newest = "last"

// helloTimeout is how long a session has for its Hello.
const helloTimeout = 10 * time.Second
