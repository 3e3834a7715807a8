package chat

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// Usage is how an agent prints what it has used: a row with figures, which the groups of an
// expression name: input, read and write (of a cache), output, reasoning, total, cost, model and
// label, which tells rows of one model apart.
type Usage struct {
	Row    *regexp.Regexp
	Below  *regexp.Regexp // a row at most distance rows above it; nil: it may be anywhere
	Within int            // that distance
	Exit   bool           // it is printed when the agent is left; else while it runs
	Cached bool           // input has what a cache had
	Last   bool           // it is not the sum of all requests: only the largest counts, as the least that was used
}

// IsBelow reports whether what must be above a row is there.
func (l *Usage) IsBelow(above []string) bool {
	if l.Below == nil {
		return true
	}
	for _, text := range above[max(0, len(above)-l.Within):] {
		if l.Below.MatchString(text) {
			return true
		}
	}
	return false
}

// Figures returns what a row says, and what tells it apart from others of its block.
func (l *Usage) Figures(m []string) (u session.Usage, key string, ok bool) {
	u.Source = session.UsageScreen
	for i, name := range l.Row.SubexpNames() {
		text := m[i]
		if name == "" || text == "" {
			continue
		}
		n, isNumber := count(text)
		switch name {
		case "model":
			u.Model, key = text, text+key
		case "label":
			key += text
		case "cost":
			if dollars, err := strconv.ParseFloat(text, 64); err == nil {
				u.Cost, ok = &dollars, true
			}
		case "input":
			u.Input = n
		case "read":
			u.CacheRead = n
		case "write":
			u.CacheWrite = n
		case "output":
			u.Output = n
		case "reasoning":
			u.Reasoning = n
		case "total":
			u.Total = n
		}
		ok = ok || isNumber && name != "model" && name != "label"
	}
	if l.Cached {
		u.Input = max(0, u.Input-u.CacheRead)
	}
	u.Total = max(u.Total, u.Input+u.CacheRead+u.CacheWrite+u.Output)
	return u, key, ok
}

// count reads a number as agents write it: 1,234 or 1.2k.
func count(text string) (n int64, ok bool) {
	text = strings.ToLower(strings.NewReplacer(",", "", "_", "", "\u00a0", "").Replace(text))
	factor := 1.0
	for unit, f := range map[string]float64{"k": 1e3, "m": 1e6, "b": 1e9} {
		if rest, found := strings.CutSuffix(text, unit); found {
			text, factor = rest, f
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x < 0 || x*factor > 1e15 {
		return 0, false
	}
	return int64(x*factor + 0.5), true
}

// Figure is a number as count reads it.
const Figure = `[\d,.]+[kKmMbB]?`
