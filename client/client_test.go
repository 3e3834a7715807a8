package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

func randomBytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return b
}

// 1,000 connections end in the middle, at any byte: the output is there once, whole.
func TestResumeExactlyOnce(t *testing.T) {
	p := &peer{output: randomBytes(600_000), ends: true, cut: func() int { return rand.Intn(16_000) }}
	c := p.start(t)
	client.Hurry(c)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			lost := 0
			s, err := c.Attach(t.Context(), peerID,
				client.AttachOptions{Mode: protocol.ModeBytes, OnEvent: func(e client.Event) {
					if _, ok := e.(client.Lost); ok {
						lost++
					}
				}})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			got, err := io.ReadAll(s)
			if err != nil || !bytes.Equal(got, p.output) {
				t.Errorf("%d bytes of %d, same: %v, error %v", len(got), len(p.output), bytes.Equal(got, p.output), err)
			}
			if status, ok := s.ExitStatus(); status != 3 || !ok {
				t.Errorf("exit status %d, %v", status, ok)
			}
			if lost == 0 {
				t.Error("no connection was lost")
			}
		})
	}
	wg.Wait()
	if p.conns < 1000 {
		t.Errorf("only %d connections", p.conns)
	}
}

func TestFromTheMiddle(t *testing.T) {
	p := &peer{output: []byte("0123456789"), ends: true}
	from := int64(4)
	s, err := p.start(t).Attach(t.Context(), "last", client.AttachOptions{Mode: protocol.ModeBytes, From: &from})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := io.ReadAll(s)
	if string(got) != "456789" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRequests(t *testing.T) {
	p := &peer{}
	s, err := p.start(t).Attach(t.Context(), peerID[:6], client.AttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	big := strings.Repeat("x", protocol.MaxOutput+10)
	if n, err := io.WriteString(s, big); n != len(big) || err != nil {
		t.Errorf("wrote %d: %v", n, err)
	}
	for _, err := range []error{s.Take(t.Context()), s.Resize(t.Context(), 100, 30), s.Grant(t.Context(), time.Minute),
		s.Revoke(t.Context()), s.Kill(t.Context(), 15), s.Release(t.Context())} {
		if err != nil {
			t.Error(err)
		}
	}
	typed, asked, _ := p.saw()
	if typed != big {
		t.Errorf("%d bytes were typed", len(typed))
	}
	if diff := cmp.Diff("iicrcckc", typesOf(asked)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func typesOf(asked []protocol.Type) string {
	var b strings.Builder
	for _, t := range asked {
		b.WriteByte(byte(t))
	}
	return b.String()
}

func TestRefusedInput(t *testing.T) {
	p := &peer{deny: &protocol.Error{Code: protocol.CodeNoControl, Message: "no grant"}}
	s, err := p.start(t).Attach(t.Context(), peerID, client.AttachOptions{Kind: protocol.Agent})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n, err := s.Write([]byte("ls\r"))
	var refused *protocol.Error
	if !errors.As(err, &refused) || refused.Code != protocol.CodeNoControl || n != 0 {
		t.Errorf("wrote %d, %v", n, err)
	}
}

// A session that is gone is not tried again.
func TestGone(t *testing.T) {
	gone := make(chan struct{}) // the connection must not end before, else the stream is back by then
	release := sync.OnceFunc(func() { close(gone) })
	defer release()
	p := &peer{output: []byte("abc"), cut: func() int { <-gone; return 2 }}
	c := p.start(t)
	client.Hurry(c)
	s, err := c.Attach(t.Context(), peerID, client.AttachOptions{Mode: protocol.ModeBytes})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Remove(rundir.Socket(p.dir, peerID)); err != nil {
		t.Fatal(err)
	}
	release()
	got, err := io.ReadAll(s)
	if string(got) != "ab" || !errors.Is(err, session.ErrNotFound) {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := s.Write([]byte("x")); !errors.Is(err, client.ErrDisconnected) {
		t.Errorf("writing gave %v", err)
	}
}

func TestNoSuchSession(t *testing.T) {
	c := (&peer{}).start(t)
	for _, ref := range []string{"zzz", "/nonexistent.sock"} {
		if _, err := c.Attach(t.Context(), ref, client.AttachOptions{}); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%s: %v", ref, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Attach(ctx, peerID, client.AttachOptions{}); err == nil {
		t.Error("attached with a context that is over")
	}
}

func TestSessions(t *testing.T) {
	p := &peer{}
	c := p.start(t)
	q := &peer{dir: p.dir, id: "019a0000-0000-7000-8000-000000000002"}
	q.start(t)
	if err := os.WriteFile(rundir.Socket(p.dir, "junk"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := c.Sessions(t.Context())
	ids := []string{}
	for _, s := range found {
		ids = append(ids, s.ID)
	}
	if diff := cmp.Diff([]string{q.id, p.id}, ids); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := c.Attach(t.Context(), "019a", client.AttachOptions{}); !errors.Is(err, session.ErrAmbiguous) {
		t.Errorf("an ambiguous beginning: %v", err)
	}
}

func TestClose(t *testing.T) {
	p := &peer{output: randomBytes(1 << 20)}
	s, err := p.start(t).Attach(t.Context(), peerID, client.AttachOptions{Mode: protocol.ModeBytes})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Errorf("reading a closed stream: %v", err)
	}
}

func TestBackoff(t *testing.T) {
	got := []time.Duration{}
	for n := 1; n <= 7; n++ {
		got = append(got, client.Backoff(n)/(100*time.Millisecond))
	}
	if diff := cmp.Diff([]time.Duration{5, 10, 20, 40, 80, 80, 80}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSplitURL(t *testing.T) {
	for _, c := range []struct{ in, server, id string }{
		{"https://host/", "https://host", ""},
		{"http://127.0.0.1:7681/s/019a#token=x", "http://127.0.0.1:7681", "019a"},
		{"https://host/term/s/019a/?x=1", "https://host/term", "019a"},
		{"ftp://host/", "", ""},
		{"https://user:pw@host/", "", ""},
		{"019a", "", ""},
	} {
		server, id, err := client.SplitURL(c.in)
		if server != c.server || id != c.id || (err == nil) != (c.server != "") {
			t.Errorf("%s: %q %q %v", c.in, server, id, err)
		}
	}
}

// Attach returns the error of its ctx, whatever it was doing when that ended.
func TestAttachEndsWithContext(t *testing.T) {
	dir := shortDir(t)
	listener, err := net.Listen("unix", rundir.Socket(dir, peerID))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	c, err := client.Dial(t.Context(), "", client.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var session sync.WaitGroup
	defer session.Wait()
	session.Go(func() {
		conn, err := listener.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = conn.Read(make([]byte, 1)) // the client has connected, and waits for the answer
		cancel()
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	})
	if _, err := c.Attach(ctx, peerID, client.AttachOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Attach: %v, want %v", err, context.Canceled)
	}
}
