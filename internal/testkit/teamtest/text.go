package teamtest

import (
	"math"
	"math/rand/v2"
	"strings"
)

const (
	// meanSize is the mean size of a message, in bytes.
	meanSize = 557
	// spread is the standard deviation of the logarithms of sizes. In the transcripts in testdata,
	// half the messages are smaller than 0.35 of the mean, and 5 % larger than 3.9 of it.
	spread = 1.46
	// maxSize is the maximum size of a message, in bytes.
	maxSize = 64 << 10
)

// common are words, with their frequency in a million words of a text. Benchmarks search for them.
var common = []struct {
	text string
	of   int
}{
	{"the", 45_000}, {"return", 9_000}, {"if err", 4_000}, {"real result", 4_000}, {"mutex", 400}, {"lock", 400},
	{"unlock", 300}, {"goroutine", 300},
	{"garbage collector", 60}, {"缓存", 200}, {"数据库查询", 100}, {"rareword", 1},
}

// vocabulary is the number of other words.
const vocabulary = 50_000

// Texts generates texts of 86 words, 57 of them different. In 557 bytes, the transcripts in
// testdata have 76 and 48, this project's documents 93 and 65. As in any language, the nth word is
// about 1/n as frequent as the first (Zipf's law), and frequent words are short.
type Texts struct {
	r    *rand.Rand
	zipf *rand.Zipf
}

// NewTexts returns Texts that generate the same texts for the same seed.
func NewTexts(seed uint64) *Texts {
	r := rand.New(rand.NewPCG(seed, 1))
	return &Texts{r, rand.NewZipf(r, 1.2, 2, vocabulary-1)}
}

// Next returns the next text.
func (t *Texts) Next() string {
	size := min(maxSize, int(meanSize*math.Exp(spread*t.r.NormFloat64()-spread*spread/2)))
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(t.word())
		b.WriteString(between[t.r.IntN(len(between))])
	}
	return b.String()
}

func (t *Texts) word() string {
	n := t.r.IntN(1_000_000)
	for _, c := range common {
		if n -= c.of; n < 0 {
			return c.text
		}
	}
	return spell(int(t.zipf.Uint64()))
}

var (
	// between are separators of words.
	between = []string{" ", " ", " ", " ", " ", " ", ", ", ". ", ".", "_", ": ", " = ", " (", ")\n\t\t", "`\n- ",
		"\n\n        "}
	// syllables are the syllables of words.
	syllables = strings.Fields("a of to in re con ta lem sol mi ver des lot ti and pro sec com ran un fel pa ner cal " +
		"fit or man sur bel po list en rod din")
)

// spell returns the nth word. The first three have one syllable.
func spell(n int) (word string) {
	if n >= 3 {
		n += len(syllables)
	}
	for {
		word += syllables[n%len(syllables)]
		if n = n/len(syllables) - 1; n < 0 {
			return word
		}
	}
}
