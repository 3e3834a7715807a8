//go:build linux

package sandboxapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
)

// bigSize is how much the benchmarks of big outputs read, in bytes.
const bigSize = 10_000_000

// newServe is a site whose server is a process of its own, `ptyrec serve`.
func newServe(b *testing.B) (s *site, serve *servetest.Serve) {
	b.Helper()
	s = newSite(b)
	s.stop()
	program, err := servetest.Program(filepath.Dir(s.db))
	if err != nil {
		b.Fatal(err)
	}
	serve = servetest.Start(b, program, s.db, "")
	s.url = "http://" + serve.Address
	b.Cleanup(http.DefaultClient.CloseIdleConnections)
	return s, serve
}

// bigFile returns a file of text.
func bigFile(b *testing.B, binary bool) string {
	var text bytes.Buffer
	for i := 0; text.Len() < bigSize; i++ {
		if binary {
			text.WriteByte(byte(i * i >> 3))
			continue
		}
		fmt.Fprintf(&text, "%d the quick brown fox jumps over the lazy dog\n", i)
	}
	name := filepath.Join(b.TempDir(), "text")
	if err := os.WriteFile(name, text.Bytes()[:bigSize], 0o600); err != nil {
		b.Fatal(err)
	}
	return name
}

// read sends a request and reads the answer to its end.
func (s *site) read(method, path string, o object) (n int64) {
	s.t.Helper()
	body, _ := json.Marshal(o) // can be
	resp := s.do(method, path, string(body))
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %d bytes, %s: %v", path, n, resp.Status, err)
	}
	return n
}

// Speed: true in a shell session, at most 25 ms.
func BenchmarkTrue(b *testing.B) {
	s, serve := newServe(b)
	s.read("POST", "/api/execute", object{"command": "true"})
	done := serve.Measure(b)
	for b.Loop() {
		s.read("POST", "/api/execute", object{"command": "true"})
	}
	done()
}

// Speed: the first output of a stream, at most 40 ms.
func BenchmarkFirstOutput(b *testing.B) {
	s, serve := newServe(b)
	s.read("POST", "/api/execute", object{"command": "true"})
	done := serve.Measure(b)
	for b.Loop() {
		resp := s.do("POST", "/api/execute/stream", `{"command":"echo first"}`)
		r := bufio.NewReader(resp.Body)
		for {
			e, err := nextEvent(r)
			if err != nil {
				b.Fatal(err)
			}
			if e.data["type"] == "stdout" {
				break
			}
		}
		b.StopTimer()
		_, _ = io.Copy(io.Discard, r) // so that the connection is used again
		_ = resp.Body.Close()
		b.StartTimer()
	}
	done()
}

// Speed: cat of 10 MB, by execute at most 0.5 s, by stream at most 0.8 s.
func BenchmarkCat(b *testing.B) {
	for name, binary := range map[string]bool{"Text": false, "Binary": true} {
		o := object{"command": "cat " + bigFile(b, binary)}
		for how, path := range map[string]string{"Execute": "/api/execute", "Stream": "/api/execute/stream"} {
			b.Run(name+how, func(b *testing.B) {
				s, serve := newServe(b)
				b.SetBytes(bigSize)
				done := serve.Measure(b)
				for b.Loop() {
					if n := s.read("POST", path, o); n < bigSize {
						b.Fatal(n)
					}
				}
				done()
			})
		}
	}
}

// Speed: fifty commands at a time, at most 2 s.
func BenchmarkFifty(b *testing.B) {
	s, serve := newServe(b)
	for i := range 50 {
		s.read("POST", "/api/session/create", object{"id": fmt.Sprint("s", i)})
	}
	done := serve.Measure(b)
	for b.Loop() {
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() { s.read("POST", "/api/execute", object{"command": "true", "sessionId": fmt.Sprint("s", i)}) })
		}
		all.Wait()
	}
	done()
}

// Speed: the list with 1,000 finished processes, at most 50 ms.
func BenchmarkList(b *testing.B) {
	s, serve := newServe(b)
	const finished = 1000
	for i := 0; i < finished; i += 20 {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { s.read("POST", "/api/process/start", object{"command": "true"}) })
		}
		all.Wait()
	}
	for count := 0; count < finished; {
		_, a := s.request("GET", "/api/process/list?status=completed", nil)
		count = len(a.Processes)
	}
	done := serve.Measure(b)
	for b.Loop() {
		s.read("GET", "/api/process/list", nil)
	}
	done()
}

// Speed: resuming at any offset of 1 GB, at most 100 ms.
func BenchmarkResume(b *testing.B) {
	for name, command := range map[string]string{
		"Bulk":  "yes 'the quick brown fox jumps over the lazy dog' | head -c 1000000000",
		"Lines": "yes 'the quick brown fox jumps over the lazy dog' | head -c 1000000000 | stdbuf -oL cat",
	} {
		b.Run(name, func(b *testing.B) {
			s, serve := newServe(b)
			id := s.startProcess(object{"command": command})
			if n := s.read("GET", "/api/process/"+id+"/stream", nil); n < 1e9 {
				b.Fatal(n)
			}
			for _, at := range []int64{0, 1e8, 500_000_001, 9e8, 1e9 - 1000} {
				b.Run(fmt.Sprint(at/1_000_000), func(b *testing.B) {
					done := serve.Measure(b)
					for b.Loop() {
						resp := s.do("GET", fmt.Sprintf("/api/process/%s/stream?since=%d.0", id, at), "")
						r := bufio.NewReader(resp.Body)
						for {
							e, err := nextEvent(r)
							if err != nil {
								b.Fatal(err)
							}
							if e.data["type"] == "stdout" {
								break
							}
						}
						_ = resp.Body.Close()
					}
					done()
				})
			}
		})
	}
}

// Memory: fifty commands that run, fifty readers and one that does not read: serve at most 80 MiB,
// each command's host at most 24 MiB.
func BenchmarkMemory(b *testing.B) {
	s, serve := newServe(b)
	done, host := serve.Measure(b), 0.0
	for b.Loop() {
		deaf := s.do("GET", "/api/process/"+s.startProcess(object{"command": "yes | head -c 100000000"})+"/stream", "")
		var all sync.WaitGroup
		for range 50 {
			id := s.startProcess(object{"command": "for i in $(seq 20); do head -c 200000 /dev/zero | tr '\\0' x; sleep 0.1; " +
				"done"})
			all.Go(func() { s.read("GET", "/api/process/"+id+"/stream", nil) })
		}
		time.Sleep(time.Second) // in the midst of it
		host = max(host, serve.LargestHost())
		all.Wait()
		_ = deaf.Body.Close()
	}
	done()
	b.ReportMetric(host, "host-MiB")
}
