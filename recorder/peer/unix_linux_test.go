package peer

import (
	"net"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPeerIsAliveAmongSignals asks whether a peer is alive while signals arrive, such as those that
// Go's scheduler sends: they interrupt system calls.
func TestPeerIsAliveAmongSignals(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	here, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	there, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	_, alive, closePeer, err := Unix(there.(*net.UnixConn))
	if err != nil {
		t.Fatal(err)
	}
	defer closePeer()
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			default:
				_ = unix.Kill(unix.Getpid(), unix.SIGURG)
			}
		}
	}()
	dead := 0
	for range 50_000 {
		if !alive() {
			dead++
		}
	}
	close(done)
	<-stopped
	if dead > 0 {
		t.Errorf("this process was taken for dead %d times", dead)
	}
}
