package redact

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

//go:generate go run ./gen

// genericRule is gitleaks' rule for anything that looks random behind a word such as "key".
const genericRule = "generic-api-key"

// namedTokenRule is our rule for tokens that are named in another way.
const namedTokenRule = "named-token"

// CommandRule is the rule of passwords among the arguments of a command.
const CommandRule = "command-password"

// rule is one shape of secrets.
type rule struct {
	id            string
	pattern       string // RE2
	group         int    // of the pattern; 0: the first that took part, else the whole match
	entropy       float64
	allow, global []*allowlist

	anchored  bool // a match begins where one of its words does
	wordStart bool // and no letter, digit or _ is before it
	assigned  bool // an assignment follows the word
	blank     bool // a blank may be in a match, before the secret
	reach     int  // how long a match is at most; see redact/gen

	whole  compiled // the pattern
	first  matcher  // the pattern at the start of a text
	behind matcher  // the pattern after the first character of a text

	outlined sync.Once
	outline  *outline
}

// compiled is a pattern that is compiled when it is first needed. Most never are.
type compiled struct {
	once sync.Once
	re   *regexp.Regexp
}

func (c *compiled) from(pattern string) *regexp.Regexp {
	c.once.Do(func() { c.re = regexp.MustCompile(pattern) })
	return c.re
}

func (r *rule) outlines() *outline {
	r.outlined.Do(func() { r.outline = newOutline(r.pattern) })
	return r.outline
}

// rowsBehind returns how many bytes behind its word the rule's secret may be, with what wraps it.
func (r *rule) rowsBehind() int {
	if r.id == "private-key" {
		return 4 * r.reach
	}
	return min(r.reach, rowsBehind)
}

// allowlist says what is no secret though it looks like one.
type allowlist struct {
	target    string // match, line, or the secret
	pattern   string // RE2; empty: none
	stopWords []string

	once   sync.Once
	filter *filter // of pattern; nil: none
	words  *wordSet
}

// allows reports whether secret, found in a match in a line, is no secret.
func (a *allowlist) allows(secret, match string, line func() string) bool {
	a.once.Do(func() {
		a.words = newWordSet(a.stopWords)
		if a.pattern != "" {
			a.filter = newFilter(a.pattern)
		}
	})
	target := secret
	switch a.target {
	case "match":
		target = match
	case "line":
		target = line()
	}
	return a.words.in(secret) || a.filter != nil && a.filter.matches(target)
}

// known finds the words of the well-known rules and, behind those, what is before a blank in them:
// where a row ends there, the word is in two rows.
var known = sync.OnceValue(func() *automaton {
	words := slices.Clone(knownWords)
	for _, w := range knownWords {
		for i := range len(w) {
			if w[i] == ' ' && i > 0 && isWord(w[i-1]) && !slices.Contains(words[len(knownWords):], w[:i]) {
				words = append(words, w[:i])
			}
		}
	}
	return newAutomaton(words)
})

// searched counts the bytes that mayHaveWord was asked about, up to those for which known pays: it
// takes a megabyte, and as long to make as to search these without it.
var searched atomic.Int64

const knownPays = 16 << 10

// mayHaveWord reports whether known may find a word. A recorder that starts searches the command
// line only, for which it should not make known.
func (v *view) mayHaveWord() bool {
	if searched.Load() > knownPays || searched.Add(int64(len(v.folded))) > knownPays || len(v.folds) > 0 || strings.Contains(v.folded, "\n") {
		return true
	}
	text := strings.ToLower(v.folded)
	return slices.ContainsFunc(knownWords, func(w string) bool { return strings.Contains(text, w) })
}

// isKnown reports whether id is that of a well-known rule.
func isKnown(id string) bool {
	return slices.ContainsFunc(knownRules, func(r *rule) bool { return r.id == id })
}

// isSecret says whether what a rule found is random enough, and not known to be harmless.
func (r *rule) isSecret(secret, match string, line func() string) bool {
	if r.entropy > 0 && entropy(secret) < r.entropy && (entropy(secret) < hexEntropy || !hexKey().MatchString(secret)) {
		return false
	}
	if r.id == genericRule && (!strings.ContainsAny(secret, digits) || isHarmless(secret, match, line)) {
		return false
	}
	allows := func(a *allowlist) bool { return a.allows(secret, match, line) }
	return !slices.ContainsFunc(r.allow, allows) && !slices.ContainsFunc(r.global, allows)
}

// hexEntropy is exceeded by nearly all keys of 128 bits or more in hexadecimal digits; the bound of
// gitleaks' generic rule is not by one in five.
const hexEntropy = 3

var (
	hexKey    = lazy.Regexp(`^(?:[0-9a-f]{32,}|[0-9A-F]{32,})$`)
	camelCase = newFilter(`[a-z][A-Z][a-z]|[a-z0-9]\.[A-Za-z]`)
	camelWord = lazy.Regexp(`[A-Z]?[a-z]{4,}`)
	digitRun  = lazy.Regexp(`[0-9]+`)
)

// isIdentifier reports whether s looks like a name in source code, such as tls13.ExpandLabel: it is
// in camel case or qualified, most of it is words, and the few digits are in one place.
func isIdentifier(s string) bool {
	if !camelCase.matches(s) || strings.ContainsAny(s, "/+=-") {
		return false
	}
	letters, digits := 0, digitRun().FindAllString(s, -1)
	for _, w := range camelWord().FindAllString(s, -1) {
		letters += len(w)
	}
	return len(digits) <= 1 && len(strings.Join(digits, "")) <= 5 && 2*letters >= len(s)
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) (bits float64) {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
