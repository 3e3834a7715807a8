package redact

import (
	"math/rand/v2"
	"strings"
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

// The first texts are searched without the automaton: no word is missed there, whatever its case.
func TestMayHaveWord(t *testing.T) {
	defer searched.Store(searched.Swap(0))
	for _, w := range knownWords {
		if searched.Store(0); !fold("a " + strings.ToUpper(w) + " b").mayHaveWord() {
			t.Errorf("%q is not found", w)
		}
	}
	if searched.Store(0); fold("claude --resume").mayHaveWord() {
		t.Error("a text without any word has one")
	}
	if !fold("sudo\n--x").mayHaveWord() {
		t.Error("a word that two rows share is not looked for")
	}
	if searched.Store(knownPays); !fold("ls").mayHaveWord() {
		t.Error("the automaton is not made for many texts")
	}
}
