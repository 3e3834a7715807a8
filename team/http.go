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
)

// Server is the server of a team, as a machine sees it.
type Server struct {
	url, token string
	http       *http.Client
	// Pause waits before a call is tried again. nil: time passes.
	Pause func(ctx context.Context, d time.Duration) error
}

// ErrAddress says that an address is not that of a server to send sessions to.
var ErrAddress = errors.New("the server's address begins with https:// (or is http://localhost)")

// NewServer returns the server at an address, which is used with a token. It sends nothing.
func NewServer(address, token string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return nil, ErrAddress
	}
	local := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return nil, ErrAddress
	}
	return &Server{url: u.Scheme + "://" + u.Host, token: token, http: &http.Client{
		Timeout: callTime,
		// What is sent is for this server only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// URL returns the server's address in its shortest form.
func (s *Server) URL() string { return s.url }

const (
	callTime  = time.Minute // of one call
	maxAnswer = 1 << 20     // bytes
	tries     = 4           // of a call
	firstWait = time.Second
	longWait  = 10 * time.Minute
)

// statusError is an answer that is no success.
type statusError struct {
	Status  int
	Message string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("the server answers %d: %s", e.Status, e.Message)
}

// Check returns an error unless the server takes the token.
func (s *Server) Check(ctx context.Context) error {
	return s.call(ctx, http.MethodGet, "/api/info", "", nil, nil)
}

// call makes a call, again if the server cannot be reached or is busy, and reads the answer into
// to, unless that is nil. A call that was answered with 409 is not made again; its answer is read,
// too.
func (s *Server) call(ctx context.Context, method, path, kind string, body []byte, to any) (err error) {
	wait := firstWait
	for try := 1; ; try++ {
		var after time.Duration
		after, err = s.once(ctx, method, path, kind, body, to)
		var refused *statusError
		if err == nil || errors.As(err, &refused) && refused.Status < http.StatusInternalServerError && refused.Status != http.StatusTooManyRequests || try == tries || ctx.Err() != nil {
			return err
		}
		if after = min(max(after, jitter(wait)), longWait); s.pause(ctx, after) != nil {
			return err
		}
		wait *= 4
	}
}

// jitter returns a duration between half of d and d, so that many machines do not come at once.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d/2) }

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

// once makes a call once. after is how long the server asks to wait.
func (s *Server) once(ctx context.Context, method, path, kind string, body []byte, to any) (after time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	answer, err := s.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return 0, err
	}
	ok := answer.StatusCode/100 == 2
	if to != nil && (ok || answer.StatusCode == http.StatusConflict) {
		if err := json.Unmarshal(text, to); err != nil {
			return 0, fmt.Errorf("the server's answer cannot be read: %w", err)
		}
	}
	if ok {
		return 0, nil
	}
	if n, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		after = time.Duration(n) * time.Second
	}
	var told struct{ Message string }
	_ = json.Unmarshal(text, &told) // a proxy's answer has none
	return after, &statusError{answer.StatusCode, told.Message}
}

// isConflict reports whether the server has something else than what a call continues.
func isConflict(err error) bool {
	var refused *statusError
	return errors.As(err, &refused) && refused.Status == http.StatusConflict
}
