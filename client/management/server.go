package management

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/internal/sys/redirect"
	wire "github.com/ptyrec/ptyrec/protocol/management"
	"github.com/ptyrec/ptyrec/session"
)

// ErrToken reports that the server requires a token, or another one.
var ErrToken = errors.New("the server rejected the token")

// final is an error that another attempt would only meet again.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// IsFinal reports whether another attempt would only meet err again.
func IsFinal(err error) bool {
	var f final
	return errors.As(err, &f)
}

// Is reports whether an address is that of a management server.
func Is(where string) bool {
	return strings.HasPrefix(where, "ws://") || strings.HasPrefix(where, "wss://")
}

// Server is a management server. It may be used concurrently.
type Server struct {
	url     url.URL // with the query that the user wrote
	agent   string  // id of the machine; empty: the only one
	session string  // default session
	token   string
	http    *http.Client
}

// New returns the server at ws[s]://HOST:PORT[/AGENT[/SESSION]], where AGENT may follow the path of
// the endpoint, /ws/sandbox. A token in the query (?token=) has precedence over token. New sends
// nothing to the server. Errors do not contain the query.
func New(where, token string, c *http.Client) (*Server, error) {
	plain, _, _ := strings.Cut(where, "?")
	plain, _, _ = strings.Cut(plain, "#")
	bad := fmt.Errorf("%q is not the URL of a management server", plain)
	u, err := url.Parse(where)
	if err != nil || !Is(where) || u.Host == "" || u.User != nil {
		return nil, bad
	}
	s := &Server{url: *u, token: u.Query().Get("token"), http: redirect.SameHost(c)}
	if s.token == "" {
		s.token = token
	}
	names := strings.Split(strings.Trim(strings.TrimPrefix(u.EscapedPath()+"/", wire.Path+"/"), "/"), "/")
	for i, name := range names {
		if names[i], err = url.PathUnescape(name); err != nil {
			return nil, bad
		}
	}
	if len(names) > 2 {
		return nil, bad
	}
	s.agent, s.session = names[0], append(names[1:], "")[0]
	s.url.Path, s.url.RawPath, s.url.Fragment = wire.Path, "", ""
	return s, nil
}

// String returns the server's address without secrets, to show to people.
func (s *Server) String() string { return s.url.Scheme + "://" + s.url.Host }

// openTime is how long a server has to accept a connection.
const openTime = 10 * time.Second

// open opens a connection.
func (s *Server) open(ctx context.Context) (*socket, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	o := &websocket.DialOptions{HTTPClient: s.http, CompressionMode: websocket.CompressionDisabled,
		HTTPHeader: http.Header{}}
	o.HTTPHeader.Set(wire.ClientHeader, "1")
	if s.token != "" {
		o.HTTPHeader.Set("Authorization", "Bearer "+s.token)
	}
	ws, resp, err := websocket.Dial(ctx, s.url.String(), o) //nolint:bodyclose // the library closes the body
	if err != nil {
		return nil, s.refusal(resp, err)
	}
	ws.SetReadLimit(wire.MaxMessage)
	return &socket{ws}, nil
}

// refusal returns the error for a failed upgrade. It does not contain the address, which may
// contain a token.
func (s *Server) refusal(resp *http.Response, err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	if resp == nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	text := fmt.Errorf("%s: the server answered %q", s, resp.Status)
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return final{fmt.Errorf("%w (%w)", ErrToken, text)}
	case code == http.StatusNotFound:
		return final{fmt.Errorf("%w: there is no management server", text)}
	case code >= 400 && code < 500 && code != http.StatusTooManyRequests:
		return final{text}
	}
	return text
}

// Entry is a session of a server.
type Entry struct {
	Agent string
	wire.Session
}

// List returns the sessions of the server's machines, or of the machine in its address.
func (s *Server) List(ctx context.Context) ([]Entry, error) {
	conn, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	agents := []string{s.agent}
	if s.agent == "" {
		if agents, err = conn.agents(ctx, nil); err != nil {
			return nil, err
		}
	}
	var all []Entry
	for _, agent := range agents {
		sessions, err := conn.sessions(ctx, agent, nil)
		if err != nil {
			return nil, err
		}
		for _, one := range sessions {
			all = append(all, Entry{agent, one})
		}
	}
	return all, nil
}

// only returns the machine of a list with one.
func only(agents []string) (string, error) {
	switch len(agents) {
	case 0:
		return "", final{fmt.Errorf("machine %w: the server has none", session.ErrNotFound)}
	case 1:
		return agents[0], nil
	}
	return "", final{&ManyAgents{agents}}
}

// ManyAgents reports that the server has several machines and its address names none of them.
type ManyAgents struct {
	Agents []string // their ids
}

// Error implements error.
func (m *ManyAgents) Error() string {
	return "the server has several machines: " + strings.Join(m.Agents, ", ")
}

// NoSession reports that a machine does not have the session.
type NoSession struct {
	Agent, Session string
	Names          []string // names of its sessions
}

// Error implements error.
func (n *NoSession) Error() string {
	return fmt.Sprintf("machine %s has no session %s", n.Agent, n.Session)
}

// Unwrap returns session.ErrNotFound.
func (n *NoSession) Unwrap() error { return session.ErrNotFound }
