package codex

import (
	"testing"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row/rowtest"
)

// TestWrapBehindHyphen joins words that were cut after a hyphen, and leaves a pair of words as it
// is.
func TestWrapBehindHyphen(t *testing.T) {
	for _, c := range []struct{ dump, want string }{
		{"• It reads the first write-\n  ahead log of the multi- and\n  single-line kinds.", "It reads the first write-ahead log of the multi- and single-line kinds."},
		{"• It reads what is there -\n  unconditionally.", "It reads what is there - unconditionally."},
		{"• It says what is there now!\n  (unconditionally)", "It says what is there now! (unconditionally)"},
		{"• It reads a file of the mid-\n  day/night-unconditionally.", "It reads a file of the mid-day/night-unconditionally."},
		{"• It was drawn in a wide windo\n+w.", "It was drawn in a wide window."},
		{"• It was drawn in a wide windo\n+w, first write-\n  ahead.", "It was drawn in a wide window, first write-ahead."},
		{"• It was there at mid-\n  day/unconditionally.", "It was there at mid- day/unconditionally."},
		{"• See https://example.com/a/bc\n+/d.", "See https://example.com/a/bc/d."},
	} {
		text, _ := markdown.Render(rowtest.Dump(t, 30, c.dump), &markdown.Style{Left: 2, Seam: cutSeam})
		if text != c.want {
			t.Errorf("got %q, want %q", text, c.want)
		}
	}
}
