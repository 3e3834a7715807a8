// Package redact finds secrets in text by their form, and replaces them by marks.
//
// Its rules are those of gitleaks (gitleaks.toml, unchanged from its Go module) and some of its own
// (rules.toml, services.toml), which redact/gen converts to Go. The time is linear in the length of
// the text: see search.go.
package redact

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// Options define what is a secret. The zero value selects the well-known secrets.
type Options struct {
	Patterns []Pattern
	Unknown  bool // only Patterns, without the well-known secrets
}

// Pattern is a user's pattern for secrets.
type Pattern struct {
	Name string `toml:"name" json:"name"` // used in the mark; lower-case letters, digits and "-"
	// In RE2 syntax; its first group, if it has one that matched, is the secret.
	Regexp string `toml:"regexp" json:"regexp"`
}

// Match is a secret: text[Start:End], in bytes.
type Match struct {
	Rule       string
	Start, End int
}

// Redactor finds and replaces secrets. It may be used concurrently. A nil Redactor finds nothing.
type Redactor struct {
	own   []*rule
	known bool            // find the well-known secrets
	ids   map[string]bool // of the user's rules
}

var patternName = lazy.Regexp(`^[a-z0-9][a-z0-9-]{0,62}$`)

// New returns a Redactor. It returns an error if a pattern is invalid.
func New(o Options) (*Redactor, error) {
	r := &Redactor{known: !o.Unknown, ids: map[string]bool{}}
	for _, p := range o.Patterns {
		if !patternName().MatchString(p.Name) {
			return nil, fmt.Errorf("redaction pattern %q: a name is made of a-z, 0-9 and -", p.Name)
		}
		if _, err := regexp.Compile(p.Regexp); err != nil {
			return nil, fmt.Errorf("redaction pattern %s: %w", p.Name, err)
		}
		r.own = append(r.own, &rule{id: p.Name, pattern: p.Regexp})
		r.ids[p.Name] = true
	}
	return r, nil
}

// With returns a Redactor that finds what r finds, and what matches more patterns. r must not be
// nil.
func (r *Redactor) With(patterns []Pattern) (*Redactor, error) {
	more, err := New(Options{Patterns: patterns, Unknown: !r.known})
	if err != nil {
		return nil, err
	}
	more.own = append(slices.Clone(r.own), more.own...)
	for id := range r.ids {
		more.ids[id] = true
	}
	return more, nil
}

// Mark returns the text that replaces a secret found by the rule.
func Mark(rule string) string { return markStart + rule + "]" }

const markStart = "[redacted:"

// Text replaces each secret in text by its Mark. If found is not nil, it counts them in found by
// rule. Redacting the result again does not change it, unless the text is made to have that effect.
func (r *Redactor) Text(text string, found map[string]int) string {
	for again := againBytes + againTimes*len(text); r != nil; again -= len(text) {
		matches := r.Find(text)
		if len(matches) == 0 {
			break
		}
		var b strings.Builder
		at := 0
		for _, m := range matches {
			b.WriteString(text[at:m.Start])
			b.WriteString(Mark(m.Rule))
			at = m.End
			if found != nil {
				found[m.Rule]++
			}
		}
		b.WriteString(text[at:])
		if text = b.String(); again < len(text) {
			break
		}
	}
	return text
}

// Once its secrets are replaced, a text is searched again, as the rest of a long secret may be
// found only then. Limits of that, so that no text takes a round for each of its rows.
const (
	againBytes = 64 << 10
	againTimes = 3 // the length of the text
)

// Find returns the secrets in text, in order and without overlap. Marks are not secrets. A secret
// that is cut by line breaks is one match, from its first to its last byte.
func (r *Redactor) Find(text string) []Match {
	if r == nil || text == "" {
		return nil
	}
	return r.find(fold(text))
}

// find is Find for the text of a view.
func (r *Redactor) find(v *view) []Match {
	v.marks = r.marks(v.text)
	var matches []Match
	if r.known {
		find := func(other *view) {
			other.marks = v.marks
			more, _ := findKnown(other)
			matches = append(matches, more...)
		}
		var around []span
		if matches, around = findKnown(v); around != nil {
			find(v.unwrap(around))
			find(v.hardWrap(around))
		}
		matches = append(matches, v.columns()...)
		if strings.Contains(v.text, `\"`) {
			find(unescape(v.text))
		}
	}
	for _, own := range r.own {
		matches = append(matches, own.everywhere(v)...)
	}
	if len(matches) == 0 {
		return nil
	}
	toTokenEnd(v.text, matches)
	return v.outside(v.marks, join(matches))
}

// longSecret is a length in bytes at which a rule may have reached its limit.
const longSecret = 200

// toTokenEnd extends long secrets to the end of their token: a rule looks at a limited number of
// bytes, and a secret may be longer.
func toTokenEnd(text string, matches []Match) {
	for i := range matches {
		m := &matches[i]
		for m.End-m.Start >= longSecret && m.End < len(text) && inToken(text[m.End]) {
			m.End++
		}
	}
}

// marks returns the ranges of existing marks in text.
func (r *Redactor) marks(text string) (spans [][2]int) {
	for at := 0; ; {
		i := strings.Index(text[at:], markStart)
		if i < 0 {
			return spans
		}
		start := at + i
		at = start + len(markStart)
		name, _, ok := strings.Cut(text[at:min(len(text), at+80)], "]")
		if ok && (r.ids[name] || r.known && isKnown(name)) {
			at += len(name) + 1
			spans = append(spans, [2]int{start, at})
		}
	}
}

// vague are the rules that recognise a secret only by what is before it, with a degree of
// vagueness. They name a secret only if no less vague rule does.
var vague = map[string]int{genericRule: 2, namedTokenRule: 1, "url-password": 1, "url-token": 1}

// join merges overlapping matches. The first of the least vague rules names the result.
func join(matches []Match) []Match {
	slices.SortStableFunc(matches, func(a, b Match) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	out := matches[:1]
	for _, m := range matches[1:] {
		last := &out[len(out)-1]
		if m.Start >= last.End {
			out = append(out, m)
			continue
		}
		if vague[m.Rule] < vague[last.Rule] {
			last.Rule = m.Rule
		}
		last.End = max(last.End, m.End)
	}
	return out
}

// outside removes the marks from matches. A match that contains more than marks keeps those inside
// it. Both are in order and without overlap.
func (v *view) outside(marks [][2]int, matches []Match) []Match {
	if len(marks) == 0 {
		return matches
	}
	var out []Match
	for _, m := range matches {
		for len(marks) > 0 && marks[0][1] <= m.Start {
			marks = marks[1:]
			v.compared++
		}
		covered := 0
		for _, s := range marks {
			v.compared++
			if s[0] >= m.End {
				break
			}
			switch {
			case s[0] <= m.Start:
				m.Start = min(s[1], m.End)
			case s[1] >= m.End:
				m.End = s[0]
			default:
				covered += s[1] - s[0]
			}
		}
		if m.End-m.Start > covered {
			out = append(out, m)
		}
	}
	return out
}

// Known reports whether r finds the well-known secrets.
func (r *Redactor) Known() bool { return r != nil && r.known }
