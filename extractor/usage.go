package extractor

import (
	"strconv"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

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
	r.runs = append(r.runs, usageRun{agent: agent, looks: make([]usageFigures, len(agentOf(agent).Usage))})
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
	for i, look := range agentOf(run.agent).Usage {
		if look.Exit && !left {
			continue
		}
		for y, text := range texts {
			m := look.Row.FindStringSubmatch(text)
			if m == nil || r.old[rows[y]] || r.said[text] && r.size != size || !look.IsBelow(texts[:y]) {
				continue
			}
			if u, key, ok := look.Figures(m); ok {
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
	cheaper := u.Cost != nil && c.now.Cost != nil && *u.Cost < *c.now.Cost
	switch {
	case cheaper, u.Total < c.now.Total && !last:
		c.done = append(c.done, c.now)
	case last: // the cost is a sum, the tokens are not
		u.Total = max(u.Total, c.now.Total)
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
