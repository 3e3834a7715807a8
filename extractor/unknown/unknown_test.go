package unknown

import (
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// TestHintsAreNoAnswer tells the beginning of an answer from a hint below a prompt that waits.
func TestHintsAreNoAnswer(t *testing.T) {
	for _, tt := range []struct {
		below []string
		want  bool
	}{
		{[]string{"", "Looking at it."}, true},
		{[]string{"", "                              ? for shortcuts"}, false},
		{[]string{"", "was there before"}, false},
		{[]string{"edit it with the up arrow"}, false},
		{[]string{"", "────────"}, false},
	} {
		r := Reader{typed: typed{above: rowtest.Plain(60, "was there before")}}
		if got := r.newBelow(rowtest.Plain(60, tt.below...)); got != tt.want {
			t.Errorf("%q: %v", tt.below, got)
		}
	}
}
