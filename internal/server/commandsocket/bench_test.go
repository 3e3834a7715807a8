//go:build linux

package commandsocket_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
)

// newServe is a site with a sandbox whose server is a process of its own, `ptyrec serve`.
func newServe(b *testing.B) (s *site, serve *servetest.Serve) {
	b.Helper()
	s = newSite(b)
	s.stop()
	program, err := servetest.Program(s.dir)
	if err != nil {
		b.Fatal(err)
	}
	serve = servetest.Start(b, program, filepath.Join(s.dir, "db"), "")
	s.address, s.url = serve.Address, "http://"+serve.Address
	s.makeBox()
	return s, serve
}

// drain reads messages until the command has ended, and returns how long they are.
func (c *conn) drain(b *testing.B) (size int) {
	for {
		_, message, err := c.ws.Read(b.Context())
		if websocket.CloseStatus(err) == websocket.StatusNormalClosure {
			return size
		}
		if err != nil {
			b.Fatal(err)
		}
		size += len(message)
	}
}

// Speed: `true` over a socket of its own.
func BenchmarkTrue(b *testing.B) {
	s, serve := newServe(b)
	done := serve.Measure(b)
	for b.Loop() {
		c := s.dial()
		c.send(`{"type":"execute","command":"true","close_stdin":true}`)
		c.drain(b)
	}
	done()
}

// Speed: the first output of a command, from the request for the socket on; at most 40 ms.
func BenchmarkFirstOutput(b *testing.B) {
	s, serve := newServe(b)
	done := serve.Measure(b)
	for b.Loop() {
		c := s.dial()
		c.send(`{"type":"execute","command":"echo first","close_stdin":true}`)
		for m, _ := c.next(); m["type"] != "stdout"; m, _ = c.next() {
		}
		b.StopTimer()
		c.drain(b)
		b.StartTimer()
	}
	done()
}

// Speed: cat of 10 MB, at most 0.8 s.
func BenchmarkCat(b *testing.B) {
	const size = 10_000_000
	var text bytes.Buffer
	for i := 0; text.Len() < size; i++ {
		fmt.Fprintf(&text, "%d the quick brown fox jumps over the lazy dog\n", i)
	}
	s, serve := newServe(b)
	file := filepath.Join(s.dir, "text")
	if err := os.WriteFile(file, text.Bytes()[:size], 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	done := serve.Measure(b)
	for b.Loop() {
		c := s.dial()
		c.send(fmt.Sprintf(`{"type":"execute","command":"cat %s","close_stdin":true}`, file))
		if n := c.drain(b); n < size {
			b.Fatalf("%d bytes came", n)
		}
	}
	done()
}
