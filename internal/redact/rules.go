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

// genericRule is gitleaks' rule for anything that looks random after a word such as "key".
const genericRule = "generic-api-key"

// namedTokenRule is our rule for tokens that are named in another way.
const namedTokenRule = "named-token"

// CommandRule is the rule for passwords among the arguments of a command.
const CommandRule = "command-password"

// rule is a rule that finds one kind of secrets.
type rule struct {
	id            string
	pattern       string // in RE2 syntax
	group         int    // of the pattern; 0: the first that took part, else the whole match
	entropy       float64
	allow, global []*allowlist

	anchored  bool // a match begins with one of its words
	wordStart bool // and is not preceded by a letter, a digit or _
	assigned  bool // an assignment follows the word
	blank     bool // a match may contain a blank before the secret
	reach     int  // maximum length of a match in bytes; see redact/gen

	whole  compiled // matches the pattern
	first  matcher  // matches the pattern at the start of a text
	behind matcher  // matches the pattern after the first character of a text

	outlined sync.Once
	outline  *outline
}

// compiled is a pattern that is compiled on demand. Most patterns are never needed.
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

// rowsBehind returns how many bytes after its word the rule's secret may be, including wrapping.
func (r *rule) rowsBehind() int {
	if r.id == "private-key" {
		return 4 * r.reach
	}
	return min(r.reach, rowsBehind)
}

// allowlist describes what is not a secret although it looks like one.
type allowlist struct {
	target    string // what pattern is matched against: match, line, or the secret
	pattern   string // in RE2 syntax; may be empty
	stopWords []string

	once   sync.Once
	filter *filter // for pattern; nil if it is empty
	words  *wordSet
}

// allows reports whether secret, found in a match in a line, is not a secret.
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

// known finds the words of the well-known rules and, in addition, the parts of these words before a
// blank: if a row ends there, the word is in two rows.
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

// searched counts the bytes for which mayHaveWord was called, up to the number from which known
// pays off: known takes a megabyte, and creating it takes as long as searching these bytes without
// it.
var searched atomic.Int64

const knownPays = 16 << 10

// mayHaveWord reports whether known may find a word. A recorder that starts searches only the
// command line, for which known must not be created.
func (v *view) mayHaveWord() bool {
	if searched.Load() > knownPays || searched.Add(int64(len(v.folded))) > knownPays || len(v.folds) > 0 ||
		strings.Contains(v.folded, "\n") {
		return true
	}
	text := strings.ToLower(v.folded)
	return slices.ContainsFunc(knownWords, func(w string) bool { return strings.Contains(text, w) })
}

// isKnown reports whether id is the id of a well-known rule.
func isKnown(id string) bool {
	return slices.ContainsFunc(knownRules, func(r *rule) bool { return r.id == id })
}

// isSecret reports whether what a rule found is random enough and not known to be harmless.
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

// hexEntropy is the minimum entropy of a secret in hexadecimal digits. Nearly all keys of 128 bits
// or more exceed it; one in five does not exceed the bound of gitleaks' generic rule.
const hexEntropy = 3

var (
	hexKey    = lazy.Regexp(`^(?:[0-9a-f]{32,}|[0-9A-F]{32,})$`)
	camelCase = newFilter(`[a-z][A-Z][a-z]|[a-z0-9]\.[A-Za-z]`)
	camelWord = lazy.Regexp(`[A-Z]?[a-z]{4,}`)
	digitRun  = lazy.Regexp(`[0-9]+`)
)

// isIdentifier reports whether s looks like a name in source code, such as tls13.ExpandLabel: it is
// in camel case or qualified, consists mostly of words, and its few digits are in one place.
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

// entropy returns Shannon's entropy in bits a byte.
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
