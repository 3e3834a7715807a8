package peer_test

import (
	"net"
	"net/netip"
	"sync"
	"testing"

	"github.com/ptyrec/ptyrec/recorder/peer"
)

// Clients that connect at the same time are all found, though they share the search.
func TestInsideTogether(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			here, there := netip.MustParseAddrPort(c.LocalAddr().String()), netip.MustParseAddrPort(c.RemoteAddr().String())
			if peer.Inside(here, there) {
				t.Errorf("%s is not found outside", here)
			}
			if !peer.Inside(netip.AddrPortFrom(here.Addr(), 1), there) {
				t.Error("a client that is not there is found outside")
			}
		})
	}
	all.Wait()
}
