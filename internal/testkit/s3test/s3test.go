// Package s3test runs an S3 server for tests: gofakes3, or versitygw if $PTYREC_VERSITYGW is the
// path of its program (`make s3-test`).
package s3test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Name is the name of the bucket.
const Name = "recordings"

// Server is a server with one bucket.
type Server struct {
	down, mute atomic.Bool
}

// Down makes the server abort all connections, or work again.
func (s *Server) Down(down bool) { s.down.Store(down) }

// Mute makes the server execute requests but abort before it responds, or respond again.
func (s *Server) Mute(mute bool) { s.mute.Store(mute) }

// New returns a server with an empty bucket, and sets the environment variables with which programs
// find it. It ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	h := fake(t)
	if program := os.Getenv("PTYREC_VERSITYGW"); program != "" {
		h = versity(t, program)
	}
	s := &Server{}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.down.Load() {
			panic(http.ErrAbortHandler)
		}
		if s.mute.Load() {
			h.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_S3": front.URL, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test",
		"AWS_SECRET_ACCESS_KEY": "test-secret",
	} {
		if t, ok := t.(interface{ Setenv(key, value string) }); ok {
			t.Setenv(name, value)
		}
	}
	return s
}

// fake returns a server in this process.
func fake(t testing.TB) http.Handler {
	backend := s3mem.New()
	if err := backend.CreateBucket(Name); err != nil {
		t.Fatal(err)
	}
	return gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
}

// patience is the time limit for starting versitygw.
const patience = time.Minute

// versity runs versitygw with a folder, and returns a handler that passes requests on to it.
func versity(t testing.TB, program string) http.Handler {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, Name), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // free the port for the program
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "--access", "test", "--secret", "test-secret", "--port", address, "posix",
		dir)
	cmd.Stdout, cmd.Stderr = io.Discard, t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not listen: %v", program, err)
		}
	}
	to := &url.URL{Scheme: "http", Host: address}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host // it is signed
	}}
}
