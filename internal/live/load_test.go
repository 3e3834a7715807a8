//go:build linux

package live_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// screenful is a user who remembers only the newest of what the terminal shows.
type screenful struct {
	ptmx *os.File
	news chan struct{}

	mu   sync.Mutex // guards tail
	tail []byte
}

// flooded runs a command that writes much.
func flooded(t testing.TB, command ...string) *real {
	t.Helper()
	ptmx, tty, err := sys.OpenPTY()
	if err != nil {
		t.Fatal(err)
	}
	u := &screenful{ptmx: ptmx, news: make(chan struct{}, 1)}
	if err := ptytest.SetSize(ptmx, 80, 24); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		u.watch()
	}()
	t.Cleanup(func() {
		_ = tty.Close() // which ends the reading
		<-done
		_ = ptmx.Close()
	})
	return startAt(t, u, tty, command...)
}

func (u *screenful) watch() {
	buf := make([]byte, 64<<10)
	for {
		n, err := u.ptmx.Read(buf)
		if err != nil {
			return
		}
		u.mu.Lock()
		u.tail = append(u.tail[max(0, len(u.tail)-100):], buf[max(0, n-100):n]...)
		u.mu.Unlock()
		select {
		case u.news <- struct{}{}:
		default:
		}
	}
}

func (u *screenful) Type(t testing.TB, keys string) {
	t.Helper()
	if _, err := io.WriteString(u.ptmx, keys); err != nil {
		t.Fatal(err)
	}
}

func (u *screenful) Await(t testing.TB, text string) {
	t.Helper()
	for limit := time.After(2 * time.Minute); ; {
		u.mu.Lock()
		found := bytes.Contains(u.tail, []byte(text))
		u.mu.Unlock()
		if found {
			return
		}
		select {
		case <-u.news:
		case <-limit:
			t.Fatalf("the terminal does not show %q, but %q", text, u.tail)
		}
	}
}

// text is a file of so many megabytes of coloured lines.
func text(t testing.TB, megabytes int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "text")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var block []byte
	for i := 0; len(block) < 1<<20; i++ {
		block = fmt.Appendf(block, "\x1b[3%dmline %d\x1b[m of a text that goes on and on, as a build's or a log's does\r\n",
			i%8, i)
	}
	for range megabytes {
		if _, err := f.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestRandomDisconnects: whatever the places at which viewers are cut off, they end with exactly
// the log's bytes.
func TestRandomDisconnects(t *testing.T) {
	const viewers = 10
	cuts := 1000 / viewers
	if testing.Short() {
		cuts = 10
	}
	path := text(t, 6)
	r := flooded(t, "sh", "-c", "for i in 1 2 3; do cat "+path+"; sleep 0.1; done; echo; echo over; read x; cat "+path)
	var end atomic.Int64 // of the output, before the end of the session
	got := make([][]byte, viewers)
	var ready, done sync.WaitGroup
	ready.Add(viewers)
	for i := range viewers {
		done.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(i)))
			for range cuts {
				if n := end.Load(); n > 0 && int64(len(got[i])) == n {
					got[i] = got[i][:random.IntN(len(got[i]))] // once more from here
				}
				r.some(&got[i], 1+random.Int64N(500<<10), &end)
			}
			ready.Done()
			r.some(&got[i], 1<<40, nil)
		})
	}
	r.user.Await(t, "over")
	last := r.attach(agent(protocol.ModeNone))
	end.Store(last.hello.Seq)
	_ = last.conn.Close() // who does not read is waited for
	ready.Wait()
	r.user.Type(t, "\r")
	r.wait()
	done.Wait()
	want := r.log.output()
	for i := range got {
		if !bytes.Equal(got[i], want) {
			t.Errorf("viewer %d has %d bytes, the log %d", i, len(got[i]), len(want))
		}
	}
}

// some reads output behind what got holds, until the connection has given limit bytes, or got has
// all up to end.
func (r *real) some(got *[]byte, limit int64, end *atomic.Int64) {
	conn, err := net.Dial("unix", r.path)
	if err != nil {
		r.t.Error(err)
		return
	}
	defer conn.Close()
	from := int64(len(*got))
	f, err := protocol.JSON(protocol.TypeAttach, protocol.Attach{Version: 1, Mode: protocol.ModeBytes, From: &from})
	if err == nil {
		err = protocol.Write(conn, f)
	}
	if err != nil {
		r.t.Error(err)
		return
	}
	if end != nil { // one that has all there is so far is cut off, too
		_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	}
	in := protocol.NewReader(bufio.NewReader(io.LimitReader(conn, limit)))
	for {
		f, err := in.Next()
		if err != nil {
			return
		}
		switch f.Type {
		case protocol.TypeOutput:
			seq, data, err := f.Output()
			if err != nil || seq != int64(len(*got)) {
				r.t.Errorf("output at %d, want %d: %v", seq, len(*got), err)
				return
			}
			*got = append(*got, data...)
		case protocol.TypeGap, protocol.TypeRefused:
			r.t.Errorf("%c: %s", f.Type, f.Payload)
			return
		case protocol.TypeExit:
			return
		}
		if end != nil {
			if n := end.Load(); n > 0 && int64(len(*got)) >= n {
				return
			}
		}
	}
}

// TestAViewerThatNeverReads costs little, is dropped in the end, and disturbs nobody.
func TestAViewerThatNeverReads(t *testing.T) {
	block := bytes.Repeat([]byte("0123456789abcdef"), 4<<10)
	f := newFake(t, live.Options{WriteTimeout: time.Second,
		Past: func(_ context.Context, from int64, fn func(int64, session.Event) error) error {
			for seq := from; ; seq += int64(len(block)) {
				if err := fn(seq, session.Event{Kind: session.Output, Data: block}); err != nil {
					return err
				}
			}
		}})
	const many = 20
	before := heap()
	var idle []*peer
	for i := range many {
		mode := []protocol.Mode{protocol.ModeBytes, protocol.ModeScreen}[i%2]
		idle = append(idle, f.attach(protocol.Attach{Name: "idle", Mode: mode}))
	}
	reader := f.attach(protocol.Attach{Name: "reader", Mode: protocol.ModeBytes})
	const total = 320
	got := make(chan int)
	go func() {
		n := 0
		for n < total*len(block) {
			_, data, err := reader.await(protocol.TypeOutput).Output()
			if err != nil {
				t.Error(err)
			}
			n += len(data)
		}
		got <- n
	}()
	for range total {
		f.host.Event(session.Event{Kind: session.Output, Data: block})
	}
	if n := <-got; n != total*len(block) {
		t.Errorf("the one who reads got %d bytes", n)
	}
	each := (heap() - before) / many
	t.Logf("%d viewers that never read: %d KB each, with what all share", many, each>>10)
	if each > 1<<20 {
		t.Errorf("each costs %d bytes", each)
	}
	testkit.Eventually(t, "all are dropped", func() bool {
		left := 0
		p := f.attach(agent(protocol.ModeNone))
		for _, v := range p.hello.Control.Viewers {
			if v.Name == "idle" {
				left++
			}
		}
		_ = p.conn.Close()
		return left == 0
	})
	for _, p := range idle {
		_ = p.conn.Close()
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestGarbage: what is no frame ends the connection of the one who sent it, and nothing else.
func TestGarbage(t *testing.T) {
	r := flooded(t, "sh", "-c", "echo ready; read x")
	r.user.Await(t, "ready")
	good := r.attach(human("good", protocol.ModeNone))
	hello := frameBytes(t, protocol.TypeAttach, protocol.Attach{Version: 1})
	for _, garbage := range []string{
		"GET / HTTP/1.1\r\n\r\n", "\x00\x00\x00\x00\x00", "h\xff\xff\xff\xff", "h\x00\x00\x00\x02{]", "i\x00\x00\x00\x01x",
		hello + "i\x00\x00\x00\x01x", hello + "c\x00\x00\x00\x02[]", hello + "i\x00\x10\x00\x01",
		hello + "\xff\xff\xff\xff\xff",
		frameBytes(t, protocol.TypeAttach, protocol.Attach{Version: 2}),
		frameBytes(t, protocol.TypeAttach, map[string]any{"version": 1, "mode": "other"}),
		frameBytes(t, protocol.TypeAttach, map[string]any{"version": 1, "mode": "bytes", "from": -1}),
		frameBytes(t, protocol.TypeAttach, map[string]any{"version": 1, "mode": "bytes", "from": 1 << 40}),
	} {
		conn, err := net.Dial("unix", r.path)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		if _, err := io.WriteString(conn, garbage); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%q: %v", garbage, err)
		}
		_ = conn.Close()
	}
	good.write(protocol.Frame{Type: 'z', Payload: []byte("unknown")})
	good.write(protocol.Frame{Type: protocol.TypePing, Payload: []byte("still there?")})
	if f := good.await(protocol.TypePong); string(f.Payload) != "still there?" {
		t.Errorf("the pong is %q", f.Payload)
	}
}

func frameBytes(t *testing.T, kind protocol.Type, v any) string {
	t.Helper()
	f, err := protocol.JSON(kind, v)
	if err != nil {
		t.Fatal(err)
	}
	return string(protocol.Append(nil, f))
}

// BenchmarkFirstScreen is how long a viewer waits for its first screen behind 100 MB of output.
func BenchmarkFirstScreen(b *testing.B) {
	path := text(b, 100)
	r := flooded(b, "sh", "-c", "cat "+path+"; echo over; read x")
	r.user.Await(b, "over")
	var longest time.Duration
	for b.Loop() {
		begun := time.Now()
		p := r.attach(agent(protocol.ModeScreen))
		s, err := p.await(protocol.TypeSnapshot).Snapshot()
		took := time.Since(begun)
		longest = max(longest, took)
		if err != nil {
			b.Fatal(err)
		}
		term := vterm.New(vterm.Options{Cols: s.Cols, Rows: s.Rows})
		_, _ = term.Write(s.Data)
		if got := term.Snapshot().Lines[s.Rows-2].Text; got != "over" {
			b.Fatalf("the screen ends in %q", got)
		}
		_ = p.conn.Close()
	}
	b.ReportMetric(float64(longest.Milliseconds()), "ms-longest")
	r.user.Type(b, "\r")
}

// BenchmarkViewers is how fast the session's own terminal gets a flood, by the number of its
// viewers.
func BenchmarkViewers(b *testing.B) {
	for _, n := range []int{0, 1, 200} {
		for _, mode := range []protocol.Mode{protocol.ModeScreen, protocol.ModeBytes} {
			if n == 0 && mode == protocol.ModeBytes {
				continue
			}
			b.Run(fmt.Sprintf("%s-%d", mode, n), func(b *testing.B) {
				path := text(b, 100)
				b.SetBytes(100 << 20)
				for b.Loop() {
					b.StopTimer()
					r := flooded(b, "sh", "-c", "echo ready; read x; cat "+path+"; echo over; read x")
					r.user.Await(b, "ready")
					var done sync.WaitGroup
					if n > 0 {
						readers := exec.Command("nice", "-n", "20", os.Args[0]) // as other programs, where this one goes before them
						readers.Env = append(os.Environ(), fmt.Sprintf("LIVE_READERS=%d %s %s", n, mode, r.path))
						readers.Stderr = os.Stderr
						told, err := readers.StdoutPipe()
						if err == nil {
							err = readers.Start()
						}
						if err != nil {
							b.Fatal(err)
						}
						_, _ = told.Read(make([]byte, 1)) // all are attached
						done.Go(func() { _ = readers.Wait() })
					}
					b.StartTimer()
					r.user.Type(b, "\r")
					r.user.Await(b, "over")
					b.StopTimer()
					r.user.Type(b, "\r")
					r.wait()
					done.Wait()
					b.StartTimer()
				}
			})
		}
	}
}

// readers are viewers in a process of their own, as others are: n of them, which read and throw
// away.
func readers(job string) error {
	var n int
	var mode, path string
	if _, err := fmt.Sscan(job, &n, &mode, &path); err != nil {
		return err
	}
	var done sync.WaitGroup
	for range n {
		conn, err := net.Dial("unix", path)
		if err != nil {
			return err
		}
		f, err := protocol.JSON(protocol.TypeAttach, protocol.Attach{Version: 1, Mode: protocol.Mode(mode)})
		if err == nil {
			err = protocol.Write(conn, f)
		}
		if err == nil {
			_, err = conn.Read(make([]byte, 100))
		}
		if err != nil {
			return err
		}
		done.Go(func() { _, _ = io.Copy(io.Discard, conn) })
	}
	fmt.Print(".")
	done.Wait()
	return nil
}
