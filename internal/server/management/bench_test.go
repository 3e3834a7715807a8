//go:build linux

package management_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
)

// newServe is a site whose server is a process of its own, `ptyrec serve`.
func newServe(b *testing.B) (s *site, serve *servetest.Serve) {
	b.Helper()
	s = newSite(b, nil)
	s.stop()
	b.Setenv("SHELL", "/bin/sh")
	return s, servetest.Start(b, program, s.db.Path(), s.addr, "--agent-id", "agent-01")
}

// busy is a session that has written so much, and a client that controls it.
func busy(b *testing.B, size int) (s *site, serve *servetest.Serve, sid string, typist *peer) {
	b.Helper()
	s, serve = newServe(b)
	_, sid = s.dial().shell()
	typist = s.dial()
	typist.join(sid, "controller")
	typist.send(message{"type": "session_input", "session_id": sid,
		"data": fmt.Sprintf("stty -echo; PS1=; yes 'abcdefghijklmnopqrstuvwxyz 0123456789' | head -c %d; echo en''d\n",
			size)})
	for m := typist.next(); ; m = typist.next() {
		if (m["kind"] == "output" || m["kind"] == "keyframe") && bytes.Contains(decoded(b, m), []byte("end")) {
			return s, serve, sid, typist
		}
	}
}

// BenchmarkAttach is the time from dialling to the first frame of a session with 10 MB.
func BenchmarkAttach(b *testing.B) {
	s, serve, sid, _ := busy(b, 10<<20)
	done := serve.Measure(b)
	for b.Loop() {
		p := s.dial()
		p.join(sid, "observer")
		p.await("session_frame")
		_ = p.ws.CloseNow()
	}
	done()
}

// BenchmarkEcho is a key and what the terminal shows of it: over the socket, and in a terminal of
// one's own, where `ptyrec run` records. The difference is to be 3 ms at most.
func BenchmarkEcho(b *testing.B) {
	b.Run("Socket", func(b *testing.B) {
		_, serve, sid, typist := busy(b, 1000)
		typist.send(message{"type": "session_input", "session_id": sid,
			"data": "stty raw -echo; printf 'rea'; echo dy; exec cat\n"})
		for !bytes.Contains(decoded(b, typist.await("output")), []byte("dy")) {
		}
		done := serve.Measure(b)
		for b.Loop() {
			typist.send(message{"type": "session_input", "session_id": sid, "data": "x"})
			typist.await("output")
		}
		done()
	})
	b.Run("Local", func(b *testing.B) {
		s := newSite(b, nil)
		ptmx, tty, err := sys.OpenPTY()
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = ptmx.Close() }()
		cmd := exec.Command(program, "--db", s.db.Path(), "run", "--", "sh", "-c",
			"stty raw -echo; printf 'rea'; echo dy; exec cat")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
		_ = tty.Close()
		buf := make([]byte, 4096)
		for shown := []byte(nil); !bytes.Contains(shown, []byte("dy")); {
			n, err := ptmx.Read(buf)
			if err != nil {
				b.Fatal(err)
			}
			shown = append(shown, buf[:n]...)
		}
		for b.Loop() {
			if _, err := ptmx.Write([]byte("x")); err != nil {
				b.Fatal(err)
			}
			if _, err := ptmx.Read(buf); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// drain reads messages until one holds the base64 of a text, and returns how long their data is.
func drain(b *testing.B, r *raw, until string) (size int) {
	buf := make([]byte, 64<<10)
	for {
		_, m, err := r.ws.Read(b.Context())
		if err != nil {
			b.Error(err)
			return size
		}
		i := bytes.Index(m, []byte(`"data":"`))
		if i < 0 || !bytes.Contains(m, []byte(`"kind":"output"`)) {
			continue
		}
		n, err := base64.StdEncoding.Decode(buf, m[i+8:len(m)-2])
		if err != nil {
			b.Error(err)
		}
		size += n
		if bytes.Contains(buf[:n], []byte(until)) {
			return size
		}
	}
}

// BenchmarkTenObservers is 10 MB to ten clients.
func BenchmarkTenObservers(b *testing.B) {
	const size = 10 << 20
	s, serve, sid, typist := busy(b, 1000)
	_ = typist.ws.CloseNow()
	b.SetBytes(10 * size)
	done := serve.Measure(b)
	for b.Loop() {
		var all sync.WaitGroup
		for range 10 {
			r := s.raw("join_session", sid)
			if _, _, err := r.ws.Read(b.Context()); err != nil {
				b.Fatal(err)
			}
			all.Go(func() {
				if n := drain(b, r, "ten"); n < size {
					b.Errorf("it got %d bytes", n)
				}
				_ = r.ws.CloseNow()
			})
		}
		p := s.dial()
		testkit.Eventually(b, "it controls", func() bool { return p.join(sid, "controller")["role"] == "controller" })
		p.send(message{"type": "session_input", "session_id": sid,
			"data": fmt.Sprintf("yes 'abcdefghijklmnopqrstuvwxyz 0123456789' | head -c %d; echo t''en\n", size)})
		all.Wait()
		_ = p.ws.CloseNow()
	}
	done()
}

// BenchmarkReplay is 100 MB from the raw log to one client.
func BenchmarkReplay(b *testing.B) {
	const size = 100 << 20
	s, serve, sid, typist := busy(b, size)
	_ = typist.ws.CloseNow()
	b.SetBytes(size)
	done := serve.Measure(b)
	for b.Loop() {
		r := s.raw("list_agents", "")
		if err := r.ws.Write(b.Context(), websocket.MessageText,
			[]byte(`{"type":"join_session","session_id":"`+sid+`","replay_from":0}`)); err != nil {
			b.Fatal(err)
		}
		if n := drain(b, r, "end"); n < size {
			b.Errorf("it got %d bytes", n)
		}
		_ = r.ws.CloseNow()
	}
	done()
}
