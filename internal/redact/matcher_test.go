package redact

import (
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A matcher finds the same as package regexp, whatever the pattern and the text.
func TestMatcherFindsWhatRegexpFinds(t *testing.T) {
	check := func(t *rapid.T, pattern, text string) {
		m := (&matcher{}).from(`\A`, pattern)
		want := regexp.MustCompile(`\A(?:` + pattern + `)`).FindStringSubmatchIndex(text)
		if got, _ := m.find(text); !slices.Equal(got, want) {
			t.Errorf("%q in %q: %v, want %v", pattern, text, got, want)
		}
	}
	t.Run("known", rapid.MakeCheck(func(t *rapid.T) {
		r := rapid.SampledFrom(knownRules).Draw(t, "rule")
		text := rapid.StringMatching(r.pattern+`(?s:.{0,4})`).Draw(t, "text")
		check(t, r.pattern, text)
	}))
	parts := []string{"a", "b", "ab", "[ab]", "[^a]", ".", "é", "(?i:k)", `\b`, `\B`, "^", "$", `(?m:^)`, `(?m:$)`, `\A`,
		`\z`, `\s`, `\w`, ""}
	var tree func(depth int) *rapid.Generator[string]
	tree = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return rapid.SampledFrom(parts)
		}
		return rapid.Custom(func(t *rapid.T) string {
			sub := tree(depth - 1)
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				return "(" + sub.Draw(t, "group") + ")"
			case 1:
				return "(?:" + sub.Draw(t, "one") + "|" + sub.Draw(t, "other") + ")"
			case 2:
				times := rapid.SampledFrom([]string{"?", "*", "+", "{2}", "{0,3}", "{1,3}", "{2,}", "{0}", "{3,5}"}).Draw(t,
					"times")
				return "(?:" + sub.Draw(t, "repeated") + ")" + times + rapid.SampledFrom([]string{"", "?"}).Draw(t, "lazy")
			case 3:
				return sub.Draw(t, "leaf")
			}
			return sub.Draw(t, "before") + sub.Draw(t, "after")
		})
	}
	t.Run("any", rapid.MakeCheck(func(t *rapid.T) {
		pattern := tree(4).Draw(t, "pattern")
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abAkKé\n ")), 0, 12, -1).Draw(t, "text")
		check(t, pattern, text)
	}))
}
