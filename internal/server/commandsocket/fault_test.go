package commandsocket_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/testkit/servetest"
	"github.com/ptyrec/ptyrec/session"
)

// Faults: a command whose connection is cut again and again, at any byte. Both streams are whole,
// and the exit code is right.
func TestFaultDisconnects(t *testing.T) {
	times := 100
	if os.Getenv("PTYREC_LONG_TESTS") != "" {
		times = 1000
	}
	s := newSite(t)
	s.makeBox()
	c := s.dial()
	c.send(fmt.Sprintf(`{"type":"execute","command_id":"c","command":"i=0; while [ $i -lt %d ]; do i=$((i+1)); echo `+
		`out $i h\u00e9; echo err $i >&2; done; read x; exit 7"}`, times*10))
	if m, _ := c.next(); m["type"] != "started" { // until then, a cut may come before the command
		t.Fatal(m)
	}
	got := [2]hash.Hash{sha256.New(), sha256.New()}
	want := [2]hash.Hash{sha256.New(), sha256.New()}
	for i := 1; i <= times*10; i++ {
		_, _ = fmt.Fprintf(want[0], "out %d h\u00e9\n", i)
		_, _ = fmt.Fprintf(want[1], "err %d\n", i)
	}
	var at [2]int64
	for range times {
		for n := rand.IntN(20); n > 0 && at[0]+at[1] <= int64(times*100); n-- { // the last connection has half
			m, code := c.next()
			i := map[any]int{"stdout": 1, "stderr": 2}[m["type"]] - 1
			if m["type"] == "started" {
				continue
			}
			if i < 0 || int64(m["offset"].(float64)) != at[i] {
				t.Fatalf("%v (%d), at %v", m, code, at)
			}
			text := m["data"].(string)
			text = text[:min(len(text), 50+rand.IntN(2000))] // the rest was cut off
			for len(text) > 0 && text[len(text)-1]&0xc0 == 0x80 {
				text = text[:len(text)-1]
			}
			if len(text) > 0 && text[len(text)-1] >= 0xc0 {
				text = text[:len(text)-1]
			}
			_, _ = io.WriteString(got[i], text)
			at[i] += int64(len(text))
			if len(text) < len(m["data"].(string)) {
				break
			}
		}
		_ = c.ws.CloseNow()
		c = s.dial()
		c.send(fmt.Sprintf(`{"type":"reconnect","command_id":"c","stdout_offset":%d,"stderr_offset":%d}`, at[0], at[1]))
	}
	c.send(`{"type":"input","data":"\n"}`)
	text, last, code := c.all(at[:]...)
	for i := range got {
		_, _ = io.WriteString(got[i], text[i])
		if string(got[i].Sum(nil)) != string(want[i].Sum(nil)) {
			t.Errorf("stream %d differs", i+1)
		}
	}
	if last["exit_code"] != 7.0 || code != 1000 {
		t.Errorf("%v, %d", last, code)
	}
}

// Faults: 10 MB of binary output is the same text with and without cuts.
func TestFaultBinary(t *testing.T) {
	s := newSite(t)
	s.makeBox()
	data := make([]byte, 10<<20)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	file := filepath.Join(s.dir, "binary")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256([]byte(session.Text(data)))
	first := true
	p := servetest.NewProxy(t, func() string { return s.address }, func() int64 {
		if first { // the request that makes the box
			first = false
			return -1
		}
		return 5<<20 + rand.Int64N(5<<20)
	})
	for name, address := range map[string]string{"whole": s.address, "cut": p.Address} {
		c, err := s.commands(address).Start(t.Context(), client.Exec{Command: "cat " + file, NoStdin: true})
		if err != nil {
			t.Fatal(err)
		}
		got := sha256.New()
		for {
			e, err := c.Next(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			chunk, ok := e.(client.Chunk)
			if err != nil || !ok {
				t.Fatalf("%s: %v, %v", name, e, err)
			}
			_, _ = io.WriteString(got, chunk.Text)
		}
		if [32]byte(got.Sum(nil)) != want {
			t.Errorf("%s: the text differs", name)
		}
		_ = c.Close()
	}
	if p.Cuts.Load() == 0 {
		t.Error("nothing was cut")
	}
}
