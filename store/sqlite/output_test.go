package sqlite_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
)

// Output is given from exactly a byte on, also if that is within an event.
func TestOutputFrom(t *testing.T) {
	s := newStore(t)
	create(t, s, "a")
	rawLog(t, s, "a", []session.Event{output(0, "abc"), {At: time.Second, Kind: session.Resize, Cols: 90, Rows: 20},
		output(2*time.Second, "def")})
	for from, want := range map[int64][]string{
		0: {"0 abc", "3 90x20", "3 def"}, 2: {"2 c", "3 90x20", "3 def"}, 3: {"3 def"}, 4: {"4 ef"}, 6: nil,
	} {
		var got []string
		for e, err := range s.OutputFrom(t.Context(), "a", from) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind == session.Resize {
				got = append(got, fmt.Sprintf("%d %dx%d", e.Offset, e.Cols, e.Rows))
				continue
			}
			got = append(got, fmt.Sprintf("%d %s", e.Offset, e.Data))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("from byte %d (-want +got):\n%s", from, diff)
		}
	}
}
