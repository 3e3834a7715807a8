package redact

import (
	_ "embed" // the rules
	"math"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
)

// Both files are in gitleaks' format; `make rules` fetches a newer gitleaks.toml.
var (
	//go:embed gitleaks.toml
	gitleaksTOML string
	//go:embed rules.toml
	rulesTOML string
)

// genericRule is gitleaks' rule for anything that looks random behind a word such as "key".
const genericRule = "generic-api-key"

// rulesFile is what is used of gitleaks' configuration.
type rulesFile struct {
	Allowlist  allowlistTOML
	Allowlists []allowlistTOML
	Rules      []ruleTOML
}

type ruleTOML struct {
	ID, Regex, Path string
	SecretGroup     int
	Entropy         float64
	Keywords        []string
	Allowlists      []allowlistTOML
}

type allowlistTOML struct {
	Condition, RegexTarget             string
	Regexes, Paths, Commits, StopWords []string
}

// rule is one shape of secrets.
type rule struct {
	id       string
	compiled func() *regexp.Regexp
	group    int // 0: the first that took part, else the whole match
	entropy  float64
	allow    []*allowlist

	anchored  bool // a match begins where a keyword does
	wordStart bool // and no letter, digit or _ stands before it
	assigned  bool // an assignment stands behind the word
	reach     int  // how long a match is at most; see maxReach
}

// allowlist says what is no secret though it looks like one.
type allowlist struct {
	target    string // match, line, or the secret
	regexes   func() *regexp.Regexp
	stopWords func() wordSet
}

// ruleSet is rules with the words that call them.
type ruleSet struct {
	rules    []*rule
	ids      map[string]bool
	words    *automaton
	byWord   [][]int // the rules of each word
	wordSize []int
}

var knownRules = sync.OnceValue(func() *ruleSet {
	s := &ruleSet{ids: map[string]bool{}}
	words := map[string]int{}
	var list []string
	for _, text := range []string{rulesTOML, gitleaksTOML} {
		var f rulesFile
		if _, err := toml.Decode(text, &f); err != nil {
			panic(err) // a file of ours
		}
		var ids []string
		global := allowlists(append(f.Allowlists, f.Allowlist))
		for _, t := range f.Rules {
			if t.Regex == "" || t.Path != "" || s.ids[t.ID] { // about files, which have names; or replaced by ours
				continue
			}
			for _, k := range t.Keywords {
				k = strings.ToLower(k)
				n, ok := words[k]
				if !ok {
					n = len(list)
					words[k], list = n, append(list, k)
					s.byWord, s.wordSize = append(s.byWord, nil), append(s.wordSize, len(k))
				}
				s.byWord[n] = append(s.byWord[n], len(s.rules))
			}
			ids = append(ids, t.ID)
			s.rules = append(s.rules, newRule(t, global))
		}
		for _, id := range ids {
			s.ids[id] = true
		}
	}
	s.words = newAutomaton(list)
	return s
})

// gitleaks reads files, where a token is followed by a quote or a blank; on a screen by anything that is no part of it. What
// may stand before the word that it looks for costs time and finds nothing more.
const (
	sourceEnd  = `(?:[\x60'"\s;]|\\[nr]|$)`
	screenEnd  = `(?:[^A-Za-z0-9_]|$)`
	nameBefore = `[\w.-]{0,50}?`
)

func newRule(t ruleTOML, global []*allowlist) *rule {
	text := strings.Replace(t.Regex, sourceEnd, screenEnd, 1)
	text = strings.Replace(text, nameBefore, "", 1)
	text = strings.Replace(text, "{10,150}", "{10,}", 1) // counting takes half of the time
	r := &rule{id: t.ID, group: t.SecretGroup, entropy: t.Entropy, allow: append(allowlists(t.Allowlists), global...)}
	bare := strings.Replace(text, `\b`, "", 1)
	if strings.HasPrefix(text, `\b`) || strings.HasPrefix(text, `(?i)\b`) {
		r.wordStart, text = true, bare
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		panic(err) // a file of ours
	}
	r.reach = reach(tree)
	r.anchored = t.ID == genericRule || begins(tree, t.Keywords)
	r.assigned = r.anchored && strings.Contains(text, assignment)
	if r.wordStart && !r.anchored {
		r.wordStart, text = false, `\b`+text
	}
	if r.anchored {
		text = `\A(?:` + text + `)`
	}
	r.compiled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	return r
}

func allowlists(list []allowlistTOML) (out []*allowlist) {
	for _, t := range list {
		if len(t.Regexes)+len(t.StopWords) == 0 || strings.EqualFold(t.Condition, "AND") { // AND: with a path, which a screen has not
			continue
		}
		a := &allowlist{target: t.RegexTarget, stopWords: sync.OnceValue(func() wordSet { return newWordSet(t.StopWords) })}
		if len(t.Regexes) > 0 {
			text := "(?:" + strings.Join(t.Regexes, ")|(?:") + ")"
			a.regexes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
		}
		out = append(out, a)
	}
	return out
}

// allows tells that a secret, found in a match in a line, is none.
func (a *allowlist) allows(secret, match, line string) bool {
	target := secret
	switch a.target {
	case "match":
		target = match
	case "line":
		target = line
	}
	if a.stopWords().in(strings.ToLower(secret)) {
		return true
	}
	return a.regexes != nil && a.regexes().MatchString(target)
}

// isSecret says whether what a rule found is random enough, and not known to be harmless.
func (r *rule) isSecret(secret, match, line string) bool {
	if r.entropy > 0 && entropy(secret) < r.entropy {
		return false
	}
	if r.id == genericRule && !strings.ContainsAny(secret, "0123456789") {
		return false
	}
	for _, a := range r.allow {
		if a.allows(secret, match, line) {
			return false
		}
	}
	return true
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
