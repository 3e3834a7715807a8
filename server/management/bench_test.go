//go:build linux

package management_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// memory reports the most memory that the server took.
func memory(b *testing.B, serve *exec.Cmd) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", serve.Process.Pid)) // without it nothing is reported
	for line := range strings.Lines(string(text)) {
		if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.Fields(kib)[0])
			b.ReportMetric(float64(n)/1024, "serve-MiB")
		}
	}
}

// newServe is a site whose server is a process of its own, `ptyrec serve`.
func newServe(b *testing.B) (s *site, serve *exec.Cmd) {
	b.Helper()
	s = newSite(b, nil)
	s.stop()
	secret := filepath.Join(s.dir, "token")
	if err := os.WriteFile(secret, []byte(token), 0o600); err != nil {
		b.Fatal(err)
	}
	serve = exec.Command(program, "--db", s.db.Path(), "serve", "--allow-run", "--listen", s.addr, "--token-file", secret, "--agent-id", "agent-01")
	serve.Env = append(os.Environ(), "SHELL=/bin/sh")
	if err := serve.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = serve.Process.Signal(os.Interrupt)
		_ = serve.Wait()
	})
	eventually(b, "it listens", func() bool {
		c, err := net.Dial("tcp", s.addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return s, serve
}

// busy is a session that has written so much, and a client that controls it.
func busy(b *testing.B, size int) (s *site, serve *exec.Cmd, sid string, typist *peer) {
	b.Helper()
	s, serve = newServe(b)
	_, sid = s.dial().shell()
	typist = s.dial()
	typist.join(sid, "controller")
	typist.send(message{"type": "session_input", "session_id": sid, "data": fmt.Sprintf("stty -echo; PS1=; yes 'abcdefghijklmnopqrstuvwxyz 0123456789' | head -c %d; echo en''d\n", size)})
	for m := typist.next(); ; m = typist.next() {
		if (m["kind"] == "output" || m["kind"] == "keyframe") && bytes.Contains(decoded(b, m), []byte("end")) {
			return s, serve, sid, typist
		}
	}
}

// BenchmarkAttach is the time from dialling to the first frame of a session with 10 MB.
func BenchmarkAttach(b *testing.B) {
	s, _, sid, _ := busy(b, 10<<20)
	for b.Loop() {
		p := s.dial()
		p.join(sid, "observer")
		p.await("session_frame")
		_ = p.ws.CloseNow()
	}
}

// BenchmarkEcho is a key and what the terminal shows of it.
func BenchmarkEcho(b *testing.B) {
	_, _, sid, typist := busy(b, 1000)
	typist.send(message{"type": "session_input", "session_id": sid, "data": "stty raw; cat\n"})
	time.Sleep(300 * time.Millisecond)
	for b.Loop() {
		typist.send(message{"type": "session_input", "session_id": sid, "data": "x"})
		typist.await("output")
	}
}

// drain reads messages until one holds the base64 of a text, and returns how long their data is.
func drain(b *testing.B, r *raw, until string) (size int) {
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
		text, _ := base64.StdEncoding.DecodeString(string(m[i+8 : len(m)-2]))
		size += len(text)
		if bytes.Contains(text, []byte(until)) {
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
		eventually(b, "it controls", func() bool { return p.join(sid, "controller")["role"] == "controller" })
		p.send(message{"type": "session_input", "session_id": sid, "data": fmt.Sprintf("yes 'abcdefghijklmnopqrstuvwxyz 0123456789' | head -c %d; echo t''en\n", size)})
		all.Wait()
		_ = p.ws.CloseNow()
	}
	memory(b, serve)
}

// BenchmarkReplay is 100 MB from the raw log to one client.
func BenchmarkReplay(b *testing.B) {
	const size = 100 << 20
	s, serve, sid, typist := busy(b, size)
	_ = typist.ws.CloseNow()
	b.SetBytes(size)
	for b.Loop() {
		r := s.raw("list_agents", "")
		if err := r.ws.Write(b.Context(), websocket.MessageText, []byte(`{"type":"join_session","session_id":"`+sid+`","replay_from":0}`)); err != nil {
			b.Fatal(err)
		}
		if n := drain(b, r, "end"); n < size {
			b.Errorf("it got %d bytes", n)
		}
		_ = r.ws.CloseNow()
	}
	memory(b, serve)
}
