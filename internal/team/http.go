package team

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys/redirect"
	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/session"
)

// Server is the server of a team.
type Server struct {
	url, token string
	http       *http.Client
	// Pause waits before a call is repeated. If it is nil, a timer is used.
	Pause func(ctx context.Context, d time.Duration) error
}

// errAddress reports an invalid address of a server.
var errAddress = errors.New("the server's address begins with https:// (or is http://localhost)")

// NewServer returns the server at an address. token is used for its calls. It sends nothing.
func NewServer(address, token string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Path != "" && u.Path != "/" {
		return nil, errAddress
	}
	local := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return nil, errAddress
	}
	return &Server{url: u.Scheme + "://" + u.Host, token: token, http: &http.Client{
		Timeout: callTime,
		// Requests must reach no other server.
		CheckRedirect: redirect.Never,
	}}, nil
}

// URL returns the server's address in its shortest form.
func (s *Server) URL() string { return s.url }

const (
	callTime  = time.Minute // for one call
	maxAnswer = 1 << 20     // in bytes
	// maxRetryAfter is the maximum time that a server may ask to wait, in seconds.
	maxRetryAfter = 24 * 60 * 60
	tries         = 4 // maximum number of attempts of a call
	firstWait     = time.Second
	longWait      = 10 * time.Minute
	// patience is the maximum wait before a call is repeated. If the server asks for more, the call
	// fails and is repeated later.
	patience = 10 * time.Second
)

// statusError is a response other than success.
type statusError struct {
	Status  int
	Message string
	Code    string
	After   time.Duration // the time that the server asks to wait
}

// Passing reports whether an error of a call may be temporary, and how long the server asks to
// wait. Such an error wraps session.ErrAway: there was no response, or it came from a page of the
// network, or the server has a temporary failure.
func Passing(err error) (after time.Duration, ok bool) {
	var refused *statusError
	if !errors.As(err, &refused) {
		return 0, errors.Is(err, session.ErrAway)
	}
	return refused.After, refused.passing()
}

func (e *statusError) passing() bool {
	return e.Status/100 != 4 || e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooManyRequests
}

// Is reports whether target is the sentinel for the server's response.
func (e *statusError) Is(target error) bool {
	return target == session.ErrAway && e.passing() ||
		target == session.ErrForbidden && e.Status == http.StatusUnauthorized
}

// Backoff computes pauses between attempts: a second at first, then twice as long each time, up to
// 10 minutes. Each is shortened by a random amount, so that many machines do not retry at the same
// time. The zero value is ready.
type Backoff struct{ last time.Duration }

// Next returns the next pause. It is at least after, the time that the server asks for.
func (b *Backoff) Next(after time.Duration) time.Duration {
	b.last = min(max(2*b.last, firstWait), longWait)
	return max(after, b.last/2+rand.N(b.last/2))
}

func (e *statusError) Error() string {
	if e.Status == http.StatusUnauthorized {
		return "the server rejected the token: it is wrong, expired or revoked"
	}
	return fmt.Sprintf("the server answered %d: %s", e.Status, e.Message)
}

// Check returns an error unless the server accepts the token.
func (s *Server) Check(ctx context.Context) error {
	return s.call(ctx, http.MethodGet, "/api/info", "", nil, nil)
}

// call makes a call and decodes the response into to, unless that is nil. It repeats the call if
// the server cannot be reached or is busy. A response with status 409 is decoded, too, and the call
// is not repeated.
func (s *Server) call(ctx context.Context, method, path, kind string, body []byte, to any) (err error) {
	var wait Backoff
	for try := 1; ; try++ {
		if err = s.once(ctx, method, path, kind, body, to); err == nil || try == tries || ctx.Err() != nil {
			return err
		}
		after, ok := Passing(err)
		if !ok || after > patience || s.pause(ctx, wait.Next(after)) != nil {
			return err
		}
	}
}

func (s *Server) pause(ctx context.Context, d time.Duration) error {
	if s.Pause != nil {
		return s.Pause(ctx, d)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Refused returns the code and the message with which a server refused a call. ok is false for
// other errors.
func Refused(err error) (code, message string, ok bool) {
	var refused *statusError
	if !errors.As(err, &refused) {
		return "", "", false
	}
	return refused.Code, refused.Message, true
}

// Post makes a call once, with a JSON body, and returns the body of the response. The caller must
// close it.
func (s *Server) Post(ctx context.Context, path string, v any) (io.ReadCloser, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	answer, err := s.send(ctx, http.MethodPost, path, jsonType, body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 == 2 {
		return answer.Body, nil
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	return nil, errors.Join(err, refusal(answer, text))
}

// send sends a request.
func (s *Server) send(ctx context.Context, method, path, kind string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	answer, err := s.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", session.ErrAway, err)
	}
	return answer, nil
}

// refusal returns the error for a response other than success.
func refusal(answer *http.Response, text []byte) error {
	refused := &statusError{Status: answer.StatusCode}
	if n, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && n > 0 {
		refused.After = min(time.Duration(n), maxRetryAfter) * time.Second
	}
	var told team.Refusal
	_ = json.Unmarshal(text, &told) // a proxy's response has none
	refused.Code, refused.Message = told.Code, told.Message
	return refused
}

// once makes a call once.
func (s *Server) once(ctx context.Context, method, path, kind string, body []byte, to any) error {
	answer, err := s.send(ctx, method, path, kind, body)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("%w: %w", session.ErrAway, err)
	}
	ok := answer.StatusCode/100 == 2
	if to != nil && (ok || answer.StatusCode == http.StatusConflict) {
		if err := json.Unmarshal(text, to); err != nil {
			return fmt.Errorf("%w: its answer cannot be read: %w", session.ErrAway, err)
		}
	}
	if ok {
		return nil
	}
	return refusal(answer, text)
}

// isConflict reports whether the call does not continue what the server has.
func isConflict(err error) bool {
	var refused *statusError
	return errors.As(err, &refused) && refused.Status == http.StatusConflict
}
