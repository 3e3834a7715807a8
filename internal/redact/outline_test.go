package redact

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/redact/shapes"
)

// An outline matches wherever its pattern does, also in texts that are cut off or damaged.
func TestOutlineMatchesWhatItsPatternDoes(t *testing.T) {
	pieces := []string{"", " ", "\"", "é", "\xff", "=", "\u212a", "\n", "пароль", "│"}
	matched, refused := 0, 0
	patterns := map[*rule]*regexp.Regexp{}
	for _, c := range append(append(shapes.All(), shapes.More()...), shapes.Wrapped()...) {
		text := c.Before + c.Secret + c.After
		for round := 0; round < 20 && text != ""; round++ {
			for r := range rulesAt(text) {
				if patterns[r] == nil {
					patterns[r] = regexp.MustCompile(strings.TrimPrefix(r.pattern, `\A`))
				}
				var starts []int
				r.outlines().starts(text, 0, len(text), func(at int) { starts = append(starts, at) })
				loc := patterns[r].FindStringIndex(text)
				if loc == nil {
					if len(starts) == 0 {
						refused++
					}
					continue
				}
				matched++
				last, _, _ := r.outlines().extent(text[loc[0]:])
				if !slices.Contains(starts, loc[0]) || loc[0]+last < loc[1] {
					t.Errorf("%s: the outline starts at %v and ends at %d, the pattern matches %v of %q", r.id, starts, loc[0]+last,
						loc, text)
				}
			}
			at := rand.IntN(len(text))
			switch piece := pieces[rand.IntN(len(pieces))]; rand.IntN(3) {
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
		t.Errorf("%d matches, %d texts left out: the test shows too little", matched, refused)
	}
}

// rulesAt returns the rules whose words are in text.
func rulesAt(text string) map[*rule]bool {
	rules := map[*rule]bool{}
	known().each(text, func(word, _ int) {
		if word < len(knownWords) {
			for _, n := range byWord[word] {
				rules[knownRules[n]] = true
			}
		}
	})
	return rules
}

// An automaton that forgets its states in the middle of a text finds the same.
func TestOutlineForgets(t *testing.T) {
	o := newOutline(`a(?:[ab]{1,4}c|[bc]{1,4}d){1,4}e`)
	text := "ab" + strings.Repeat("acbabcd", 50) + "abbce"
	whole, _, _ := o.extent(text)
	o.forward.sets = append(o.forward.sets, make([][]uint32, maxStates)...)
	o.forward.next = append(o.forward.next, make([]int32, maxStates*len(o.forward.reads))...)
	o.forward.verdicts = append(o.forward.verdicts, make([]verdict, maxStates)...)
	clear(o.forward.next)
	if again, _, _ := o.extent(text); again != whole || len(o.forward.sets) >= maxStates {
		t.Errorf("ends at %d with %d states, want %d", again, len(o.forward.sets), whole)
	}
}
