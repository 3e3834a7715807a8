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
		texts := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]byte("ab\x00")), 0, 40), 1, 20).Draw(t, "texts")
		for n, text := range texts {
			var got, want []int
			s.in(text, func(at int) { got = append(got, at) })
			eachGram(text, func(g gram, at int) {
				if known[g] {
					want = append(want, at)
				}
			})
			if n%2 == 0 {
				eachGram(text, func(g gram, _ int) {
					s.add(g)
					known[g] = g != 0
				})
			}
			if !slices.Equal(got, want) {
				t.Fatalf("text %d, %q: found at %v, want %v", n, text, got, want)
			}
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
		text := make([]byte, size)
		for i := range text {
			text[i] = byte(random.IntN(256))
		}
		s.in(text, func(int) {})
		if s.tried > 8*size {
			t.Errorf("%s: adding and asking for %d parts takes %d looks", name, size, s.tried)
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
