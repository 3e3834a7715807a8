package usage

import (
	"cmp"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/store"
)

// Sum is a sum of usage. Counts are in tokens.
type Sum struct {
	Input      int64   `json:"input"` // without cached input
	CacheRead  int64   `json:"cache_read"`
	CacheWrite int64   `json:"cache_write"`
	Output     int64   `json:"output"` // including reasoning
	Reasoning  int64   `json:"reasoning"`
	Total      int64   `json:"total"`       // of everything, including usage that is known only as a total
	Cost       float64 `json:"cost"`        // in US dollars, of what has a price
	Unpriced   int64   `json:"unpriced"`    // tokens of Total without a price
	FromLogs   int64   `json:"from_logs"`   // tokens of Total from agents' logs, which are exact
	FromScreen int64   `json:"from_screen"` // tokens of Total from the screen, a lower bound
}

// add adds usage.
func (s *Sum) add(u store.Used, prices *Prices) {
	s.Input += u.Input
	s.CacheRead += u.CacheRead
	s.CacheWrite += u.CacheWrite
	s.Output += u.Output
	s.Reasoning += u.Reasoning
	s.Total += u.Total
	if cost, known := prices.Cost(u.Usage); known {
		s.Cost += cost
	} else {
		s.Unpriced += u.Total
	}
	if u.Source == "log" {
		s.FromLogs += u.Total
	} else {
		s.FromScreen += u.Total
	}
}

// Named is the sum for a model, folder, agent or day.
type Named struct {
	Name string `json:"name"` // empty if unknown
	Sum
}

// Report is the usage of sessions. The sums in each list add up to Total.
type Report struct {
	Total   Sum     `json:"total"`
	Models  []Named `json:"models"`
	Agents  []Named `json:"agents"`
	Folders []Named `json:"folders"`
	Days    []Named `json:"days"` // by time of use, newest last
	Prices  *Prices `json:"prices"`
}

// Of sums up usage. Days are those of the time zone.
func Of(used []store.Used, prices *Prices, zone *time.Location) Report {
	models, agents, folders, days := sums{}, sums{}, sums{}, sums{}
	r := Report{Prices: prices}
	for _, u := range used {
		r.Total.add(u, prices)
		models.of(u.Model).add(u, prices)
		agents.of(u.Agent).add(u, prices)
		folders.of(u.Cwd).add(u, prices)
		days.of(u.At.In(zone).Format(time.DateOnly)).add(u, prices)
	}
	r.Models, r.Agents, r.Folders, r.Days = models.sorted(), agents.sorted(), folders.sorted(), days.sorted()
	slices.SortFunc(r.Days, func(a, b Named) int { return cmp.Compare(a.Name, b.Name) })
	return r
}

// BySession returns the usage of each session by id.
func BySession(used []store.Used, prices *Prices) map[string]*Sum {
	out := map[string]*Sum{}
	for _, u := range used {
		if out[u.Session] == nil {
			out[u.Session] = &Sum{}
		}
		out[u.Session].add(u, prices)
	}
	return out
}

type sums map[string]*Sum

func (s sums) of(name string) *Sum {
	if s[name] == nil {
		s[name] = &Sum{}
	}
	return s[name]
}

// sorted returns the sums, largest first.
func (s sums) sorted() []Named {
	out := []Named{}
	for name, sum := range s {
		out = append(out, Named{name, *sum})
	}
	slices.SortFunc(out, func(a, b Named) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total),
			cmp.Compare(a.Name, b.Name))
	})
	return out
}
