package extractor

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
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

// UsageReader reads what agents print of the tokens that they use. It is fed with screens; figures
// count from an agent's start.
type UsageReader struct {
	runs []usageRun
	old  map[*vterm.Row]bool // rows that were counted for earlier runs, and may still be on the screen
	said map[string]bool     // their texts
	size [2]int              // of the window when the run began, in cells: another size makes other rows
}

// usageRun is what was read of an agent from its start to its end.
type usageRun struct {
	agent string
	looks []usageFigures // by the index of the look
}

// usageFigures are the figures of one look.
type usageFigures struct {
	rows   map[*vterm.Row]string // that were counted, with their texts
	order  []string              // keys
	counts map[string]*usageCount
}

// usageCount is a count that grows. When it falls, a new one has begun.
type usageCount struct {
	now  session.Usage
	done []session.Usage
}

// usageOf returns how an agent prints what it has used.
func usageOf(agent string) []Usage {
	if a := agentOf(agent); a != nil {
		return a.Usage
	}
	return nil
}

// Begin notes that an agent has started.
func (r *UsageReader) Begin(agent string) {
	if r.old == nil {
		r.old, r.said = map[*vterm.Row]bool{}, map[string]bool{}
	}
	if n := len(r.runs); n > 0 {
		for _, f := range r.runs[n-1].looks {
			for row, text := range f.rows {
				r.old[row], r.said[text] = true, true
			}
		}
	}
	r.size = [2]int{}
	r.runs = append(r.runs, usageRun{agent: agent, looks: make([]usageFigures, len(usageOf(agent)))})
}

// Read reads a screen. left reports whether the agent that was started last has ended, or may have.
func (r *UsageReader) Read(s *vterm.Snapshot, left bool, at time.Time) {
	if len(r.runs) == 0 {
		return
	}
	size := [2]int{s.Cols, s.Rows}
	if r.size == [2]int{} {
		r.size = size
	}
	rows, texts := logicalLines(s.Lines)
	run := &r.runs[len(r.runs)-1]
	for i, look := range usageOf(run.agent) {
		if look.Exit && !left {
			continue
		}
		for y, text := range texts {
			m := look.Row.FindStringSubmatch(text)
			if m == nil || r.old[rows[y]] || r.said[text] && r.size != size || !look.isBelow(texts[:y]) {
				continue
			}
			if u, key, ok := look.figures(m); ok {
				u.Agent, u.At = run.agent, at
				run.looks[i].take(u, key, look.Last)
				run.looks[i].rows[rows[y]] = text
			}
		}
	}
}

// logicalLines returns the lines of a screen with soft wraps undone, and the first row of each.
func logicalLines(all []*vterm.Row) (rows []*vterm.Row, texts []string) {
	blanks := 0 // behind the row before
	for _, row := range all {
		if n := len(texts); row.Wrapped && n > 0 {
			texts[n-1] += strings.Repeat(" ", blanks) + row.Text
			blanks = row.Blanks
			continue
		}
		rows, texts, blanks = append(rows, row), append(texts, row.Text), row.Blanks
	}
	return rows, texts
}

// isBelow reports whether what must be above a row is there.
func (l *Usage) isBelow(above []string) bool {
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

// figures returns what a row says, and what tells it apart from others of its block.
func (l *Usage) figures(m []string) (u session.Usage, key string, ok bool) {
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

// take notes a figure.
func (f *usageFigures) take(u session.Usage, key string, last bool) {
	if f.counts == nil {
		f.rows, f.counts = map[*vterm.Row]string{}, map[string]*usageCount{}
	}
	c := f.counts[key]
	if c == nil {
		f.order = append(f.order, key)
		f.counts[key] = &usageCount{now: u}
		return
	}
	fell := u.Total < c.now.Total || u.Cost != nil && c.now.Cost != nil && *u.Cost < *c.now.Cost
	switch {
	case fell && last: // the cost is a sum, the tokens are not
		total := max(u.Total, c.now.Total)
		if u.Cost != nil && c.now.Cost != nil && *u.Cost < *c.now.Cost {
			c.done = append(c.done, c.now)
		} else {
			u.Total = total
		}
	case fell:
		c.done = append(c.done, c.now)
	}
	c.now = u
}

// Usage returns what was read: of each run what its best look says, and the cost if only another
// look has that.
func (r *UsageReader) Usage() (out []session.Usage) {
	for n, run := range r.runs {
		tokens, cost := false, false
		for i, f := range run.looks {
			some := f.all(strconv.Itoa(n) + "/" + strconv.Itoa(i))
			for _, u := range some {
				if !tokens || !cost && u.Total == 0 {
					out = append(out, u)
				}
			}
			tokens = tokens || len(some) > 0
			for _, u := range some {
				cost = cost || u.Cost != nil
			}
		}
	}
	return out
}

// all returns the figures, whose keys begin with prefix.
func (f *usageFigures) all(prefix string) (out []session.Usage) {
	for _, key := range f.order {
		c := f.counts[key]
		for j, u := range append(c.done[:len(c.done):len(c.done)], c.now) {
			if u.Key = strings.Join([]string{prefix, key, strconv.Itoa(j)}, "/"); u.Total > 0 || u.Cost != nil {
				out = append(out, u)
			}
		}
	}
	return out
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

// figure is a number as count reads it.
const figure = `[\d,.]+[kKmMbB]?`
