package servetest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy passes TCP connections on to a server and aborts them.
type Proxy struct {
	Address string       // 127.0.0.1:port
	Cuts    atomic.Int64 // number of connections that it has aborted

	frozen chan struct{}
	once   sync.Once
	mu     sync.Mutex // guards the fields below
	conns  map[net.Conn]bool
	closed bool
}

// NewProxy starts a proxy that passes each connection on to the address that to returns. It resets
// the connection after cut() bytes from the server, unless that is negative. cut may be nil.
func NewProxy(t testing.TB, to func() string, cut func() int64) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Address: l.Addr().String(), frozen: make(chan struct{}), conns: map[net.Conn]bool{}}
	var working sync.WaitGroup
	working.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			limit := int64(-1)
			if cut != nil {
				limit = cut()
			}
			working.Go(func() { p.pass(near, to(), limit) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.Freeze()
		p.closeAll()
		working.Wait()
	})
	return p
}

// Freeze makes the proxy stop passing data on, while its connections stay open.
func (p *Proxy) Freeze() { p.once.Do(func() { close(p.frozen) }) }

func (p *Proxy) closeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for c := range p.conns {
		_ = c.Close()
	}
}

// keep registers a connection until drop is called.
func (p *Proxy) keep(c net.Conn) (drop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = true
	if p.closed {
		_ = c.Close()
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, c)
	}
}

func (p *Proxy) pass(near net.Conn, to string, limit int64) {
	defer near.Close()
	defer p.keep(near)()
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	defer p.keep(far)()
	var other sync.WaitGroup
	other.Go(func() {
		_ = p.copy(far, near, -1)
		_ = far.Close()
	})
	if p.copy(near, far, limit) {
		p.Cuts.Add(1)
		for _, end := range []net.Conn{near, far} {
			_ = end.(*net.TCPConn).SetLinger(0)
		}
	}
	_, _ = near.Close(), far.Close()
	other.Wait()
}

// copy copies up to limit bytes, and reports whether it reached the limit. It returns when one end
// is closed, and blocks while the proxy is frozen.
func (p *Proxy) copy(to io.Writer, from net.Conn, limit int64) (cut bool) {
	buf := make([]byte, 32<<10)
	for limit != 0 {
		n, err := from.Read(buf)
		select {
		case <-p.frozen:
			if err == nil {
				continue
			}
			return false
		default:
		}
		if limit > 0 {
			n = int(min(int64(n), limit))
			limit -= int64(n)
		}
		if _, writeErr := to.Write(buf[:n]); writeErr != nil || err != nil {
			return false
		}
	}
	return true
}
