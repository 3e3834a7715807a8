package recorder

import (
	"testing"

	"github.com/ptyrec/ptyrec/session"
)

// What does not fit in the feed is left out, and asked for by number.
func TestFeedLeavesOut(t *testing.T) {
	f := newFeed()
	big := session.Event{Data: make([]byte, feedMemory/2)}
	for range 5 {
		f.put(big)
	}
	if _, _, missed := f.resume(); missed {
		t.Error("resumed before what is queued was taken")
	}
	events, _ := f.take()
	from, to, missed := f.resume()
	if len(events) != 1 || !missed || from != 1 || to != 5 {
		t.Errorf("took %d, left out [%d, %d) %v; want 1, [1, 5)", len(events), from, to, missed)
	}
	f.put(big)
	if events, _ := f.take(); len(events) != 1 {
		t.Errorf("took %d after resuming, want 1", len(events))
	}
}
