package live

import (
	"fmt"
	"testing"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// TestNewestEntry: where an entry was taken back, the reply to the next prompt missed its first.
func TestNewestEntry(t *testing.T) {
	var n newest
	for i := range 10 * keptNumbers {
		n.update(protocol.Entries{Entries: []*session.Entry{{ID: fmt.Sprint(i), Seq: i + 1}}})
	}
	if got := n.number(); got != 10*keptNumbers {
		t.Errorf("the newest is %d", got)
	}
	if len(n.numbers) > 2*keptNumbers {
		t.Errorf("%d numbers are kept", len(n.numbers))
	}
	n.update(protocol.Entries{Gone: []string{fmt.Sprint(10*keptNumbers - 1)}})
	if got := n.number(); got != 10*keptNumbers-1 {
		t.Errorf("one was taken back: the newest is %d", got)
	}
}
