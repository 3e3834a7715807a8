package live_test

import (
	"testing"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/protocol"
)

// Who attaches after the child's end, while the recorder still works, learns that the child is
// over.
func TestHelloAfterTheEnd(t *testing.T) {
	f := newFake(t, live.Options{})
	if p := f.attach(protocol.Attach{Mode: protocol.ModeNone}); p.hello.Session.EndedAt != nil {
		t.Errorf("it ended at %v, and runs", p.hello.Session.EndedAt)
	}
	f.host.Finish()
	if p := f.attach(protocol.Attach{Mode: protocol.ModeNone}); p.hello.Session.EndedAt == nil {
		t.Error("the child is over, and the hello does not say so")
	}
}
