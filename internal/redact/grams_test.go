package redact

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGramSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s gramSet
		known := map[gram]bool{}
		for _, g := range rapid.SliceOfN(rapid.Uint64Range(1, 5000), 0, 3000).Draw(t, "grams") {
			s.add(gram(g))
			known[gram(g)] = true
		}
		for g := range gram(5001) {
			if s.has(g) != known[g] {
				t.Fatalf("%d is known: %v", g, s.has(g))
			}
		}
		if s.size != len(known) {
			t.Errorf("%d grams, want %d", s.size, len(known))
		}
	})
}

// A recording with very many secrets has a million parts of them. To find one takes a few looks,
// whatever the secrets are.
func TestManyPartsOfSecretsAreFoundInFewLooks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func(n int) gram{
		"random":       func(int) gram { return gram(random.Uint64()) | 1 },
		"ends count":   func(n int) gram { return gram(n + 1) },
		"starts count": func(n int) gram { return gram(n+1) << 40 },
	} {
		var s gramSet
		const size = 200_000
		for n := range size {
			s.add(next(n))
		}
		if s.tried > 10*size {
			t.Errorf("%s: adding %d parts takes %d looks", name, size, s.tried)
		}
		s.tried = 0
		for n := range size {
			s.has(gram(n) * 0x1234567)
		}
		if s.tried > 4*size {
			t.Errorf("%s: asking for %d parts takes %d looks", name, size, s.tried)
		}
	}
}

// BenchmarkManySecrets hides two megabytes of secrets that are all different.
func BenchmarkManySecrets(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for text.Len() < 2<<20 {
		text.WriteString("password=")
		for range 20 {
			text.WriteByte((upperLetters + lowerLetters + digits)[random.IntN(62)])
		}
		text.WriteString("\r\n")
	}
	r, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		t := r.Terminal()
		for _, find := range []func(*Stream, []byte) []Patch{(*Stream).Find, (*Stream).FindParts} {
			s := t.Stream()
			for chunk := range slices.Chunk([]byte(text.String()), 4<<10) {
				find(s, chunk)
			}
			find(s, nil)
		}
	}
}
