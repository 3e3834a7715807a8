package extractor

import (
	"testing"
)

// A prompt whose text an agent folds says how many lines are not shown.
func TestFoldedPaste(t *testing.T) {
	for _, tt := range []struct {
		text  string
		lines int
		ok    bool
	}{
		{"Look: [Pasted text #1 +39 lines] and [Pasted text #2 +3 lines]", 42, true},
		{"[Pasted Text: 14 lines]", 14, true},
		{"[Pasted Content 4096 chars]", 0, true},
		{"[Pasted by me]", 0, false},
	} {
		if n, ok := foldedPaste(tt.text); n != tt.lines || ok != tt.ok {
			t.Errorf("%q: got %d %v, want %d %v", tt.text, n, ok, tt.lines, tt.ok)
		}
	}
}
