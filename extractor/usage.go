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

// UsageReader reads what agents print of the tokens that they use. It is fed with screens; figures
// count from an agent's start.
type UsageReader struct {
	runs    []usageRun
	counted map[any]bool // the rows (*vterm.Row) that have counted, and their texts
	size    [2]int       // of the window when the run began, in cells: another size makes other rows
}

// usageRun is what was read of an agent from its start to its end.
type usageRun struct {
	agent  string
	counts []usageCount // in the order in which they began
}

// usageCount is a count that grows. When it falls, a new one has begun.
type usageCount struct {
	session.Usage
	figure
}

// figure distinguishes the counts of a run.
type figure struct {
	look int    // its index
	name string // of the figure, in the look
}

// Begin notes that an agent has started.
func (r *UsageReader) Begin(agent string) {
	if r.counted == nil {
		r.counted = map[any]bool{}
	}
	r.runs, r.size = append(r.runs, usageRun{agent: agent}), [2]int{}
}

// Read reads a screen. left reports whether the agent that was started last has ended, or may have.
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
			if !strings.ContainsAny(text, "0123456789") { // as most do not: saves time
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
	blanks := 0 // behind the row before
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

// take notes a figure.
func (run *usageRun) take(c usageCount, last bool) {
	var now *usageCount
	n := 0 // of this name
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

// Usage returns what was read: of each run what its best look says, and the cost if only another
// look has that.
func (r *UsageReader) Usage() (out []session.Usage) {
	for n, run := range r.runs {
		counts := slices.DeleteFunc(slices.Clone(run.counts), func(c usageCount) bool { return c.Total == 0 && c.Cost == nil })
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
