package process_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/process"
)

// A connection begins with small messages, which hold whole characters, so that one that is cut
// early gets on all the same.
func TestPiecesBeginSmall(t *testing.T) {
	text := strings.Repeat("h\u00e9\u20ac\U0001F600", 40_000)
	source := func(yield func(process.Chunk, error) bool) {
		_ = yield(process.Chunk{Stream: process.Stderr, Offset: 7, Text: "short", Info: "a"}, nil) &&
			yield(process.Chunk{Stream: process.Stdout, Offset: 100, Text: text, Info: "b"}, nil)
	}
	got, sizes, at := "", []int{}, int64(100)
	for c, err := range process.Pieces(source) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Stream == process.Stderr {
			if c.Text != "short" || c.Offset != 7 || c.Info != "a" {
				t.Errorf("the first chunk is %+v", c)
			}
			continue
		}
		if want := map[bool]string{true: "b"}[got == ""]; c.Offset != at || c.Info != want || !utf8.ValidString(c.Text) {
			t.Fatalf("at %d: %d, info %q, %q", at, c.Offset, c.Info, c.Text[:8])
		}
		got, at, sizes = got+c.Text, at+int64(len(c.Text)), append(sizes, len(c.Text))
	}
	if got != text {
		t.Error("the text is another one")
	}
	if sizes[0] > 1<<10 || sizes[1] < sizes[0] || sizes[len(sizes)-2] < 60<<10 {
		t.Errorf("the pieces have %v bytes", sizes)
	}
	for _, err := range process.Pieces(source) {
		if err != nil {
			t.Error(err)
		}
		break // must not go on
	}
}
