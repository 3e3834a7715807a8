package session

import (
	"reflect"
	"slices"
	"strings"
)

// Merge brings the log up to what a view shows, anchor first: items that the log already holds for this tape keep
// their entries (equal ones are kept apart by their order), a reply that grew stays one entry, what is new is
// appended after the anchor. On a new tape of the same conversation, items first take up the entries that they
// repeat. An entry that has stood for a while is never taken back. Merging a view twice changes nothing.
func (l *Log) Merge(v View) {
	if v.Tape != l.tape {
		l.tape, l.refs = v.Tape, l.refs[:0:0]
	}
	from := min(v.From, len(l.refs))
	old := l.refs[from:]
	pairs := align(old, v.Items)
	l.drop(old, pairs, v)
	refs := make([]*Entry, len(v.Items))
	for i, j := range pairs {
		if j >= 0 {
			refs[i] = old[j]
		}
	}
	anchor := l.anchor(l.refs[:from], v)
	for i := range v.Items {
		if refs[i] == nil {
			refs[i] = l.adopt(anchor, &v.Items[i], v, l.nextRef(refs[i+1:]))
		}
		if refs[i] == nil {
			refs[i] = l.insert(l.place(refs[i+1:]), &v.Items[i], v)
		}
		l.update(refs[i], &v.Items[i], v, i == len(v.Items)-1)
		anchor = l.index(refs[i]) + 1
	}
	l.refs = append(l.refs[:from:from], refs...)
}

// anchor returns the index of the entry after which the view's items stand.
func (l *Log) anchor(before []*Entry, v View) int {
	if len(before) > 0 {
		return l.index(before[len(before)-1]) + 1
	}
	if v.Reprint {
		return min(l.start, len(l.entries))
	}
	return len(l.entries)
}

// index returns an entry's place in the log; the newest are looked at first.
func (l *Log) index(e *Entry) int {
	for i := len(l.entries) - 1; i >= 0; i-- {
		if l.entries[i] == e {
			return i
		}
	}
	return -1
}

func (l *Log) nextRef(rest []*Entry) *Entry {
	for _, e := range rest {
		if e != nil {
			return e
		}
	}
	return nil
}

// adopt finds the entry from the anchor on that an item shows again.
func (l *Log) adopt(anchor int, it *Sighting, v View, until *Entry) *Entry {
	for _, e := range l.entries[min(anchor, len(l.entries)):] {
		if e == until {
			return nil
		}
		if slices.Contains(l.refs, e) {
			continue
		}
		if repeats(e, it) {
			return e
		}
	}
	return nil
}

// place returns where a new entry goes: before the entry that the next known item has, else at the end.
func (l *Log) place(rest []*Entry) int {
	if e := l.nextRef(rest); e != nil {
		return l.index(e)
	}
	return len(l.entries)
}

func (l *Log) insert(at int, it *Sighting, v View) *Entry {
	e := l.make(&Entry{Type: TypeMessage, Role: it.Role, Agent: it.Agent}, v.At, v.Offset)
	if it.Event != "" {
		e.Type, e.Event = TypeEvent, it.Event
		l.begin(e)
	}
	l.entries = slices.Insert(l.entries, at, e)
	return e
}

// update brings an entry up to date. A reprint in progress shows less than the log has: that is no news.
func (l *Log) update(e *Entry, it *Sighting, v View, last bool) {
	s := l.seen[e]
	if !s.kept && (v.Settled || v.At-s.first >= settleAfter) {
		s.kept = true
	}
	if e.Type == TypeEvent {
		return
	}
	status := StatusComplete
	switch {
	case it.Partial:
		status = StatusPartial
	case it.Open:
		status = StatusStreaming
	}
	it.Tool = fuller(e.Tool, it.Tool)
	if e.Tool != nil && it.Tool == e.Tool {
		it.Text, it.Markdown = e.Text, e.Markdown
	}
	if last && !v.Settled && len(it.Text) < len(e.Text) && strings.HasPrefix(e.Text, it.Text) {
		return
	}
	if e.Text == it.Text && e.Markdown == it.Markdown && e.Output == it.Output && e.Status == status && reflect.DeepEqual(e.Tool, it.Tool) {
		return
	}
	fresh := e.Status == ""
	e.Text, e.Markdown, e.Output, e.Tool, e.Status = it.Text, it.Markdown, it.Output, it.Tool, status
	if !fresh {
		end := l.started.Add(v.At).UTC()
		e.EndAt = &end
	}
	l.change[e] = true
}

// fuller returns what is known of a tool call: an agent that later folds it up into a summary takes nothing back.
func fuller(old, now *Tool) *Tool {
	if old == nil || now == nil {
		return now
	}
	if now.Input == "" && old.Input != "" {
		return old
	}
	if now.Input == old.Input && len(now.Output) < len(old.Output) && (now.Truncated || now.Output == "") {
		t := *now
		t.Output, t.Truncated = old.Output, old.Truncated
		return &t
	}
	return now
}

// drop takes back what was seen for a moment only and is gone from where it stood.
func (l *Log) drop(old []*Entry, pairs []int, v View) {
	held := make(map[int]bool, len(pairs))
	for _, j := range pairs {
		held[j] = true
	}
	for j, e := range old {
		s := l.seen[e]
		if held[j] || s.kept || v.At-s.first >= settleAfter {
			continue
		}
		if i := l.index(e); i >= 0 {
			l.entries = slices.Delete(l.entries, i, i+1)
			l.gone = append(l.gone, e.ID)
			delete(l.seen, e)
			delete(l.change, e)
		}
	}
}

// align pairs each new item with the old entry of the tape that it continues (-1: none), keeping order, with the
// largest total likeness.
func align(old []*Entry, items []Sighting) []int {
	pairs := make([]int, len(items))
	k := 0 // the common case: nothing moved
	for k < len(items) && k < len(old) && alike(old[k], &items[k]) >= 0.9 {
		pairs[k] = k
		k++
	}
	n, m := len(items)-k, len(old)-k
	if n == 0 || m == 0 {
		for i := k; i < len(items); i++ {
			pairs[i] = -1
		}
		return pairs
	}
	w := make([][]float64, n+1)
	best := make([][]float64, n+1)
	for i := range best {
		w[i], best[i] = make([]float64, m+1), make([]float64, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			w[i][j] = alike(old[k+j], &items[k+i])
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if w[i][j] > 0 {
				best[i][j] = max(best[i][j], w[i][j]+best[i+1][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < n {
		switch {
		case j < m && w[i][j] > 0 && best[i][j] == w[i][j]+best[i+1][j+1]:
			pairs[k+i] = k + j
			i, j = i+1, j+1
		case j < m && best[i][j] == best[i][j+1]:
			j++
		default:
			pairs[k+i] = -1
			i++
		}
	}
	return pairs
}

// alike says how much an item on the same tape looks like an entry: 0 where it is another one.
func alike(e *Entry, it *Sighting) float64 {
	if e.Event != it.Event || e.Role != it.Role {
		return 0
	}
	if it.Event != "" || e.Text == it.Text {
		return 1
	}
	a, b := words(e.Text), words(it.Text)
	if e.Role == RoleTool {
		if e.Tool != nil && it.Tool != nil && (e.Tool.Input == it.Tool.Input || e.Tool.Name == it.Tool.Name) {
			return 0.9
		}
		return 0.3
	}
	n := common(a, b)
	switch {
	case len(a) == 0 || len(b) == 0:
		return 0.3
	case n == min(len(a), len(b)):
		return 0.9
	}
	return float64(n) / float64(max(len(a), len(b))) * 0.8
}

// repeats tells whether an item on a new tape is an entry of the log shown again, perhaps re-wrapped or half drawn.
func repeats(e *Entry, it *Sighting) bool {
	if e.Event != it.Event || e.Role != it.Role || e.Agent != it.Agent {
		return false
	}
	if it.Event != "" {
		return true
	}
	if e.Text == it.Text {
		return true
	}
	if e.Role == RoleTool {
		return e.Tool != nil && it.Tool != nil && e.Tool.Name == it.Tool.Name && e.Tool.Input == it.Tool.Input
	}
	a, b := words(e.Text), words(it.Text)
	n := common(a, b)
	if e.Status == StatusStreaming && n*3 >= min(len(a), len(b)) && n > 0 {
		return true // its unfinished end is drawn otherwise now
	}
	return n > 0 && (n == len(a) || n == len(b) || n*10 >= 9*max(len(a), len(b)))
}

// words returns a text without its white space: a re-wrap changes nothing else.
func words(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\t' || r == '\u00a0' {
			return -1
		}
		return r
	}, s)
}

// common returns the length of two strings' common prefix in bytes.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
