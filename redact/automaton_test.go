package redact

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Reading a text in parts side by side finds what reading it from its beginning finds, in the same
// order, also what lies across the borders of the parts.
func TestAutomatonParts(t *testing.T) {
	a := newAutomaton([]string{"ab", "abab", "b", "cabab", "key", "akeyb"})
	pieces := []string{"ab", "AB", "cab", "key", "x", "akey", "  ", "b"}
	total := 0
	for size := range 300 {
		text := ""
		for len(text) < size {
			text += pieces[rand.IntN(len(pieces))]
		}
		var want, got []hit
		a.read(text, 0, len(text), 0, func(word, end int) { want = append(want, hit{word, end}) })
		a.each(text, func(word, end int) { got = append(got, hit{word, end}) })
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(hit{})); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
		total += len(got)
	}
	if total == 0 {
		t.Error("no word was found")
	}
}
