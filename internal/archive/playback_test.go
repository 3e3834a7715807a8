package archive

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
)

func TestLimitIdle(t *testing.T) {
	tp := &Playback{Events: []session.Event{{At: time.Second}, {At: 2 * time.Second}, {At: time.Minute},
		{At: 61 * time.Second}}}
	tp.LimitIdle(3 * time.Second)
	want := []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 6 * time.Second}
	if diff := cmp.Diff(want, tp.Times); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
	for at, want := range map[time.Duration]time.Duration{0: 0, 2 * time.Second: 2 * time.Second,
		30 * time.Second: 5 * time.Second, time.Hour: 6 * time.Second} {
		if got := tp.Played(at); got != want {
			t.Errorf("played(%s) = %s, want %s", at, got, want)
		}
	}
}
