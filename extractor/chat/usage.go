package chat

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// Usage describes how an agent prints its usage: a row with figures. The named groups of the
// expression are: input, read and write (of a cache), output, reasoning, total, cost, model and
// label, which distinguishes rows of one model.
type Usage struct {
	Row    func() *regexp.Regexp
	Below  func() *regexp.Regexp // if not nil, it must match one of the Within rows above
	Within int                   // number of rows
	Exit   bool                  // the agent prints it when it exits, not while it runs
	Cached bool                  // input includes cached input
	Last   bool                  // it counts one request only: the largest figure is a lower bound of the sum
}

// IsBelow reports whether the condition on the rows above is met.
func (l *Usage) IsBelow(above []string) bool {
	return l.Below == nil || slices.ContainsFunc(above[max(0, len(above)-l.Within):], l.Below().MatchString)
}

// Figures returns the figures of a row, and a key that distinguishes it from other rows of its
// block. ok is false if there are no figures.
func (l *Usage) Figures(m []string) (u session.Usage, key string, ok bool) {
	u.Source = session.UsageScreen
	figures := map[string]*int64{"input": &u.Input, "read": &u.CacheRead, "write": &u.CacheWrite, "output": &u.Output,
		"reasoning": &u.Reasoning, "total": &u.Total}
	for i, name := range l.Row().SubexpNames() {
		switch x, isNumber := number(m[i]); {
		case name == "model":
			u.Model, key = m[i], m[i]+key
		case name == "label":
			key += m[i]
		case name == "" || !isNumber:
		case name == "cost":
			u.Cost, ok = &x, true
		default:
			*figures[name], ok = int64(x+0.5), true
		}
	}
	if l.Cached {
		u.Input = max(0, u.Input-u.CacheRead)
	}
	u.Total = max(u.Total, u.Input+u.CacheRead+u.CacheWrite+u.Output)
	return u, key, ok
}

// units are the factors for the letters after numbers.
var units = map[string]float64{"": 1, "k": 1e3, "m": 1e6, "b": 1e9}

// number parses a number as agents write it: 1,234 or 1.2k.
func number(text string) (x float64, ok bool) {
	text = strings.ToLower(strings.ReplaceAll(text, ",", ""))
	digits := strings.TrimRight(text, "kmb")
	x, err := strconv.ParseFloat(digits, 64)
	x *= units[text[len(digits):]]
	return x, err == nil && x <= 1e15
}

// Figure is a pattern for such a number.
const Figure = `[\d,.]+[kKmMbB]?`
