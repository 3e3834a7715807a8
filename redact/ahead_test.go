package redact

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/ptyrec/ptyrec/redact/shapes"
)

// What a pattern matches is never left out, at whatever place the text ends or is damaged.
func TestAheadFits(t *testing.T) {
	patterns := map[int]*regexp.Regexp{}
	matched, refused := 0, 0
	for _, c := range append(append(shapes.All(), shapes.More()...), shapes.Wrapped()...) {
		text := c.Before + c.Secret + c.After
		for round := 0; round < 20 && text != ""; round++ {
			known().each(text, func(word, end int) {
				if word >= len(knownWords) {
					return
				}
				for i, n := range byWord[word] {
					r := knownRules[n]
					if !r.anchored {
						continue
					}
					fits := aheads()[word][i]().fits(text[end:])
					if !fits {
						refused++
					}
					if patterns[n] == nil {
						patterns[n] = regexp.MustCompile(r.pattern)
					}
					if !patterns[n].MatchString(text[end-len(knownWords[word]):]) {
						continue
					}
					if matched++; !fits {
						t.Errorf("%s: %q is left out behind %q", r.id, text[end:], knownWords[word])
					}
				}
			})
			at := rand.IntN(len(text))
			switch piece := []string{"", " ", "\"", "é", "\xff", "=", "\u212a", "\n"}[rand.IntN(8)]; rand.IntN(3) {
			case 0:
				text = text[:at] + piece + text[at:]
			case 1:
				text = text[:at] + piece + text[at+1:]
			default:
				text = text[:max(1, at)]
			}
		}
	}
	if matched < 1000 || refused < 1000 {
		t.Errorf("%d matches, %d places left out: the test shows too little", matched, refused)
	}
}
