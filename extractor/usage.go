package extractor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// UsageReader reads the token usage that agents print on the screen. Figures count from an agent's
// start.
type UsageReader struct {
	runs    []usageRun
	counted map[any]bool // rows (*vterm.Row) that were counted, and their texts
	size    [2]int       // size of the window at the start of the run, in cells; another size changes the rows
}

// usageRun is the usage of an agent from its start to its end.
type usageRun struct {
	agent  string
	counts []usageCount // in the order in which they began
}

// usageCount is a count that grows. If it decreases, a new one has begun.
type usageCount struct {
	session.Usage
	figure
}

// figure identifies a count of a run.
type figure struct {
	look int    // index of the look
	name string // name of the figure in the look
}

// Begin records the start of an agent.
func (r *UsageReader) Begin(agent string) {
	if r.counted == nil {
		r.counted = map[any]bool{}
	}
	r.runs, r.size = append(r.runs, usageRun{agent: agent}), [2]int{}
}

// Read reads a screen. left reports whether the agent that was started last has exited, or may
// have.
func (r *UsageReader) Read(s *vterm.Snapshot, left bool, at time.Time) {
	n := len(r.runs)
	if n == 0 {
		return
	}
	size := [2]int{s.Cols, s.Rows}
	r.size = cmp.Or(r.size, size)
	rows, texts := logicalLines(s.Lines)
	run := &r.runs[n-1]
	for i, look := range AgentOf(run.agent).Usage {
		if look.Exit && !left {
			continue
		}
		for y, text := range texts {
			if !strings.ContainsAny(text, "0123456789") { // a quick check, as most rows have none
				continue
			}
			m := look.Row().FindStringSubmatch(text)
			if m == nil || r.counted[rows[y]] || r.size != size && r.counted[text] || !look.IsBelow(texts[:y]) {
				continue
			}
			if u, name, ok := look.Figures(m); ok {
				u.Agent, u.At = run.agent, at
				run.take(usageCount{u, figure{i, name}}, look.Last)
				r.counted[rows[y]], r.counted[text] = true, true
			}
		}
	}
}

// logicalLines returns the lines of a screen with soft wraps undone, and the first row of each.
func logicalLines(all []*vterm.Row) (rows []*vterm.Row, texts []string) {
	blanks := 0 // at the end of the previous row
	for _, row := range all {
		if n := len(texts); row.Wrapped && n > 0 {
			texts[n-1] += strings.Repeat(" ", blanks) + row.Text
		} else {
			rows, texts = append(rows, row), append(texts, row.Text)
		}
		blanks = row.Blanks
	}
	return rows, texts
}

// take records a figure.
func (run *usageRun) take(c usageCount, last bool) {
	var now *usageCount
	n := 0 // number of counts with this name
	for i, o := range run.counts {
		if o.figure == c.figure {
			now, n = &run.counts[i], n+1
		}
	}
	if now != nil && (last || c.Total >= now.Total) && (c.Cost == nil || now.Cost == nil || *c.Cost >= *now.Cost) {
		c.Key, c.Total = now.Key, max(c.Total, now.Total) // the cost is a sum, the last tokens are not
		*now = c
		return
	}
	c.Key = fmt.Sprintf("%s/%d", c.name, n)
	run.counts = append(run.counts, c)
}

// Usage returns the usage so far: for each run that of the most detailed look, with the cost from
// another look if necessary.
func (r *UsageReader) Usage() (out []session.Usage) {
	for n, run := range r.runs {
		counts := slices.DeleteFunc(slices.Clone(run.counts),
			func(c usageCount) bool { return c.Total == 0 && c.Cost == nil })
		slices.SortStableFunc(counts, func(a, b usageCount) int { return cmp.Compare(a.look, b.look) })
		priced := slices.IndexFunc(counts, func(c usageCount) bool { return c.Cost != nil })
		for _, c := range counts {
			if c.look == counts[0].look || c.look == counts[max(priced, 0)].look {
				c.Key = fmt.Sprintf("%d/%d/%s", n, c.look, c.Key)
				out = append(out, c.Usage)
			}
		}
	}
	return out
}
