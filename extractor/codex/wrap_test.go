package codex

import (
	"testing"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row/rowtest"
)

// TestWrapBehindHyphen joins words that were cut after a hyphen, and leaves a pair of words as it
// is.
func TestWrapBehindHyphen(t *testing.T) {
	lines := rowtest.Plain(30, "• It reads the first write-", "  ahead log of the multi- and", "  single-line kinds.")
	text, _ := markdown.Render(lines, &markdown.Style{Left: 2, Seam: cutSeam})
	if want := "It reads the first write-ahead log of the multi- and single-line kinds."; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}
