package row

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLetters compares the ways to the letters of a text.
func TestLetters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringOf(rapid.SampledFrom([]rune("ab é│ "))).Draw(t, "a"), rapid.String().Draw(t, "b")
		if got, want := string(AppendLetters(AppendLetters(nil, a), b)), strings.ReplaceAll(a+b, " ", ""); got != want ||
			LettersLen(a+b) != len(want) {
			t.Fatalf("appended %q, length %d; want %q", got, LettersLen(a+b), want)
		}
	})
}
