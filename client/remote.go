package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/client/management"
	"github.com/ptyrec/ptyrec/internal/sys/redirect"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Subprotocol is the WebSocket subprotocol of a session's frames. The token is a second
// subprotocol: TokenPrefix and the token in base64url.
const (
	Subprotocol = "ptyrec.v1"
	TokenPrefix = "bearer."
)

// ErrToken means that the server requires a token, or rejects this one.
var ErrToken = management.ErrToken

// remote is the server of `ptyrec serve`.
type remote struct {
	base  string // URL without a trailing slash
	token string
	http  *http.Client
}

// newRemote returns the server at a URL (http or https).
func newRemote(where string, o Options) (*remote, error) {
	u, err := url.Parse(where)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("%q is not the URL of a server", where)
	}
	u.RawQuery, u.Fragment = "", ""
	return &remote{strings.TrimRight(u.String(), "/"), o.Token, redirect.SameHost(o.HTTP)}, nil
}

// maxAnswer is the maximum length of a server's answer, in bytes.
const maxAnswer = 64 << 20

// get requests path and decodes the answer into v.
func (s *remote) get(ctx context.Context, path string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+path, nil)
	if err != nil {
		return err
	}
	s.authorize(req.Header)
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return answered(resp)
	}
	return json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(v)
}

func (s *remote) authorize(h http.Header) {
	if s.token != "" {
		h.Set("Authorization", "Bearer "+s.token)
	}
}

// codeInternal is the code of error responses without one.
const codeInternal = "internal"

// answered returns an error unless resp reports success.
func answered(resp *http.Response) error {
	e := &protocol.Error{}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(e); err != nil || e.Code == "" {
		e.Code, e.Message = codeInternal, resp.Status
	}
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return final{fmt.Errorf("%w: %w", ErrToken, e)}
	case http.StatusNotFound:
		return final{fmt.Errorf("%w: %w", session.ErrNotFound, e)}
	}
	if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
		return final{e}
	}
	return e
}

// errForeign means that the server is not ptyrec's.
var errForeign = errors.New("this is not a ptyrec server")

// check returns nil if the server is ptyrec's and accepts the token.
func (s *remote) check(ctx context.Context) error {
	var info struct {
		Name string `json:"name"`
	}
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	err := s.get(ctx, "/api/info", &info)
	var unreachable *url.Error
	var said *protocol.Error
	switch {
	case errors.As(err, &unreachable), errors.As(err, &said) && said.Code != codeInternal:
		return err
	case err != nil || info.Name != "ptyrec":
		return errForeign
	}
	return nil
}

func (s *remote) sessions(ctx context.Context) ([]Session, error) {
	var list struct {
		Sessions []Session `json:"sessions"`
	}
	err := s.get(ctx, "/api/sessions?live=true&limit=1000", &list)
	return list.Sessions, err
}

func (s *remote) follow(string, AttachOptions) place { return s }

// connect opens a WebSocket to a session.
func (s *remote) connect(ctx context.Context, id string) (io.ReadWriteCloser, error) {
	if id == "" || id == newest {
		live, err := s.sessions(ctx)
		if err != nil {
			return nil, err
		}
		if len(live) == 0 {
			return nil, final{fmt.Errorf("live %w", session.ErrNotFound)}
		}
		id = live[0].ID
	}
	o := &websocket.DialOptions{HTTPClient: s.http, Subprotocols: []string{Subprotocol},
		CompressionMode: websocket.CompressionDisabled, HTTPHeader: http.Header{}}
	if s.token != "" {
		o.Subprotocols = append(o.Subprotocols, TokenPrefix+base64.RawURLEncoding.EncodeToString([]byte(s.token)))
	}
	address := "ws" + strings.TrimPrefix(s.base, "http") + "/api/sessions/" + url.PathEscape(id) + "/live"
	dialing, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	c, resp, err := websocket.Dial(dialing, address, o) //nolint:bodyclose // the library reads it, and returns a copy
	if err != nil {
		if resp != nil && resp.StatusCode >= 400 {
			return nil, answered(resp)
		}
		return nil, err
	}
	c.SetReadLimit(protocol.MaxFrame)
	return websocket.NetConn(ctx, c, websocket.MessageBinary), nil
}
