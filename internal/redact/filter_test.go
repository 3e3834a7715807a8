package redact

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// filters returns all filters. Those of allowlists exist only after their first use.
func filters() (all []*filter) {
	for _, r := range knownRules {
		for _, lists := range [][]*allowlist{r.allow, r.global} {
			for _, a := range lists {
				if a.filter != nil && !slices.Contains(all, a.filter) {
					all = append(all, a.filter)
				}
			}
		}
	}
	return append(all, sumBefore, openName, cacheName, plainKey, cacheKey, hashedKey, podSum, podSecret, camelCase,
		secretColumn, columnName, tableRule, noSecret)
}

// A filter matches the same texts as its pattern.
func TestFilterMatchesAsItsPattern(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := strings.Fields(`a1b2c3d4e5f6g7h8 abcdefgh 0x12 KEY_NAME_A null true passWord x.Yz cache-key: v1- sha256= ` +
		`"ABCDEFGHIJKLMNOPQRST" ` +
		`$HOME ${home} 0123456789abcdef0123456789abcdef01234567 tls.Name aaaa ==== xxxx **** example token: key=" é K ſ │ ` +
		`h1: yarn- <x> %{y} {{z}} id /a/b secret_key │─── 12.5 created`)
	seps := []string{"", "", " ", "  ", "\n", "_", "-", "."}
	seen := map[string]bool{}
	matched := 0
	check := func(f *filter) {
		if seen[f.pattern] {
			return
		}
		seen[f.pattern] = true
		re := regexp.MustCompile(f.pattern)
		for range 400 {
			var b strings.Builder
			for range random.IntN(5) {
				b.WriteString(seps[random.IntN(len(seps))] + pieces[random.IntN(len(pieces))])
			}
			text := b.String()
			want := re.MatchString(text)
			if want {
				matched++
			}
			if got := f.matches(text); got != want {
				t.Errorf("%s in %q: %t", f.pattern, text, got)
				return
			}
		}
	}
	for _, f := range filters() {
		check(f)
	}
	for _, r := range knownRules {
		for _, lists := range [][]*allowlist{r.allow, r.global} {
			for _, a := range lists {
				if a.pattern != "" {
					check(newFilter(a.pattern))
				}
			}
		}
	}
	for _, pattern := range []string{`^$`, `^a|b$`, `^^a`, `(?:^|b)a(?:$|c)$`, `$`, `a^`, `a$b`, `$^`, `(?:^$|b)`,
		`(?i)k`, `^.{2}$`, `\bkey\b`, `a{20}`, `(?m)^a`, `[^a]$`, `^(?:a*|b)$`, ``, `^.$`} {
		check(newFilter(pattern))
	}
	if matched < 1000 {
		t.Errorf("only %d texts match", matched)
	}
}
