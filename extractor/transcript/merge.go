package transcript

import (
	"reflect"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// Merge brings the log up to what a view shows, anchor first: items that the log already holds for
// this document keep their entries (equal ones are kept apart by their order), a reply that grew
// stays one entry, what is new is appended after the anchor. Items may also take up entries that
// are no longer on the document: all of the conversation's where a new document shows it again. An
// entry that has stood for a while is never taken back. Merging a view twice changes nothing.
func (l *Log) Merge(v session.View) {
	if v.Document != l.document {
		l.entered()
		l.settle(l.refs)
		l.document, l.refs, l.past, l.top = v.Document, nil, 0, nil
	}
	from := min(max(0, v.From-l.past), len(l.refs))
	shown := map[*session.Entry]bool{}
	for _, e := range l.refs[from:] {
		shown[e] = true
	}
	old := l.messages(l.anchor(l.refs[:from], v))
	refs := align(old, shown, v.Items)
	growing(old, refs, v.Items)
	if v.Reprint {
		between(old, refs, v.Items)
	}
	if from == 0 && l.past == 0 {
		l.back(refs, v.Items)
	}
	l.drop(l.refs[from:], refs, v)
	for i := range v.Items {
		if refs[i] == nil {
			refs[i] = l.insert(l.place(refs[i+1:], &v.Items[i], v), i, v)
		}
		l.update(refs[i], i, v)
	}
	l.refs = slices.Replace(l.refs, from, len(l.refs), refs...)
	if l.top == nil && len(l.refs) > 0 {
		l.top = l.refs[0]
	}
	if n := min(v.Past-l.past, len(l.refs)) - 1; n > 0 { // the item before is an anchor
		l.settle(l.refs[:n])
		l.refs, l.past = l.refs[n:], l.past+n
	}
}

// entered ends the shell commands that the document so far showed as running: the last one took
// over the screen.
func (l *Log) entered() {
	for _, e := range l.refs {
		if e.Role == session.RoleShell && e.Status == session.StatusStreaming {
			e.Status = session.StatusComplete
			l.seen[e].changed = true
		}
	}
}

// anchor returns the index at which the view's items begin in the log.
func (l *Log) anchor(before []*session.Entry, v session.View) int {
	if len(before) > 0 {
		return l.index(before[len(before)-1]) + 1
	}
	if v.Reprint {
		return min(l.start, len(l.entries))
	}
	if len(l.refs) > 0 {
		return l.index(l.refs[0])
	}
	return len(l.entries)
}

// messages returns the entries from an index on that a document can show.
func (l *Log) messages(from int) []*session.Entry {
	var out []*session.Entry
	for _, e := range l.entries[min(from, len(l.entries)):] {
		if e.Type == session.TypeMessage || l.seen[e].onTape {
			out = append(out, e)
		}
	}
	return out
}

// index returns an entry's index in the log. It searches from the end.
func (l *Log) index(e *session.Entry) int {
	for i := len(l.entries) - 1; i >= 0; i-- {
		if l.entries[i] == e {
			return i
		}
	}
	return -1
}

// place returns where to insert a new entry: before the entry of the next known item, else at the
// end. A prompt is placed before the work on it, even if the screen showed that first.
func (l *Log) place(rest []*session.Entry, it *session.Sighting, v session.View) int {
	for _, e := range rest {
		if e != nil {
			return l.index(e)
		}
	}
	at := len(l.entries)
	for ; it.Role == session.RoleUser && at > 0; at-- {
		e := l.entries[at-1]
		if e.Event != session.EventBusy || e.Agent != it.Agent {
			break
		}
		e.At, e.Offset = l.started.Add(v.At).UTC(), v.Offset
		l.seen[e].changed = true
	}
	return at
}

// insert adds an entry for the view's item i.
func (l *Log) insert(at, i int, v session.View) *session.Entry {
	it := &v.Items[i]
	e := l.make(&session.Entry{Type: session.TypeMessage, Role: it.Role, Agent: it.Agent}, v.At, v.Offset)
	if it.Event != "" {
		e.Type, e.Event = session.TypeEvent, it.Event
		l.seen[e].onTape = true
		l.begin(e)
		l.note(e, ChangeNew, "", i)
	}
	l.entries = slices.Insert(l.entries, at, e)
	return e
}

// update updates an entry from the view's item i. A reprint in progress shows less than the log
// has, and changes nothing.
func (l *Log) update(e *session.Entry, i int, v session.View) {
	it, s := &v.Items[i], l.seen[e]
	seen := it.Text
	var was session.Entry
	if l.changed != nil {
		was = *e
	}
	s.keep(it, v)
	if e.Type == session.TypeEvent {
		return
	}
	status := statusOf(it)
	keepTool(e, it)
	open := s.learnOpen(it)
	if it.Shortened {
		s.lengthen(it, open)
	}
	if it.Role == session.RoleAssistant && (v.Reprint || l.resized <= s.first) {
		repair(it, e, !v.Reprint)
	}
	keepHead(e, it)
	if l.incomplete(e, i, v) {
		l.note(e, ChangeIgnored, seen, i)
		return
	}
	grown := l.grown(e, it)
	if !grown && e.Status == status && unchanged(e, it) {
		return
	}
	fresh := e.Status == ""
	e.Text, e.Markdown, e.Output, e.Tool, e.Status, e.Details = it.Text, it.Markdown, it.Output, it.Tool, status,
		it.Details
	if !fresh {
		end := l.started.Add(v.At).UTC()
		e.EndAt = &end
	}
	s.changed = true
	l.noteUpdate(e, &was, seen, i)
}

// incomplete reports whether the view's item i shows less of an entry than the log has. It
// remembers the text of a settled reply.
func (l *Log) incomplete(e *session.Entry, i int, v session.View) bool {
	it, s, last := &v.Items[i], l.seen[e], i == len(v.Items)-1
	moved := !last && passed(s.text, it.Text, v.Items[i+1].Text)
	if !moved && s.ate(it.Text, l.resized, v.Reprint || l.resized >= s.textAt) {
		return true
	}
	if v.Settled && it.Role == session.RoleAssistant {
		s.text, s.textAt = it.Text, v.At
	}
	return last && !v.Settled && begins(e, it)
}

// keep decides whether an entry stays in the log even if its item disappears.
func (s *sight) keep(it *session.Sighting, v session.View) {
	s.kept = s.kept || v.Settled || v.At-s.first >= settleAfter || it.Tool != nil && it.Tool.Input != ""
}

// learnOpen is learn for a reply that is still growing; for others it returns nil.
func (s *sight) learnOpen(it *session.Sighting) []int {
	if it.Role != session.RoleAssistant || !it.Open {
		return nil
	}
	return s.learn(it)
}

// statusOf returns the status of an entry that shows an item.
func statusOf(it *session.Sighting) string {
	switch {
	case it.Partial:
		return session.StatusPartial
	case it.Open:
		return session.StatusStreaming
	}
	return session.StatusComplete
}

// keepTool keeps what the log has of a tool call and an item no longer shows.
func keepTool(e *session.Entry, it *session.Sighting) {
	if it.Tool == nil || e.Tool == nil {
		return
	}
	tool := fuller(e.Tool, it.Tool)
	if tool.Input != it.Tool.Input {
		it.Text, it.Markdown = e.Text, e.Markdown
	}
	if it.OmittedLines > 0 { // what is omitted now was there before
		tool.Output, tool.Truncated = it.Tool.Output, true
	}
	it.Tool = tool
}

// keepHead keeps the beginning of a text that the log has and an item no longer shows.
func keepHead(e *session.Entry, it *session.Sighting) {
	if it.TruncatedAt == session.TruncatedHead && len(it.Text) < len(e.Text) && sameRest(e, it) {
		it.Text, it.Markdown, it.Details = e.Text, e.Markdown, e.Details
	}
}

// begins reports whether an item shows only the beginning of an entry's text.
func begins(e *session.Entry, it *session.Sighting) bool {
	return len(it.Text) < len(e.Text) && strings.HasPrefix(e.Text, it.Text)
}

// unchanged reports whether an item shows the same as an entry.
func unchanged(e *session.Entry, it *session.Sighting) bool {
	return e.Text == it.Text && e.Markdown == it.Markdown && e.Output == it.Output &&
		(e.Tool == it.Tool || reflect.DeepEqual(e.Tool, it.Tool)) && sameDetails(e.Details, it.Details)
}

// passed reports whether the end of a text now belongs to the next item. The first rows of that
// item were never on the screen, and only what followed showed where the text ends.
func passed(was, now, next string) bool {
	rest, ok := strings.CutPrefix(was, now)
	rest = strings.TrimSpace(rest)
	return ok && min(len(rest), len(next)) > 0 && (strings.HasPrefix(rest, next) || strings.HasPrefix(next, rest))
}

// sameDetails compares without reflection, because a shell's commands are read again and again.
func sameDetails(a, b session.Details) bool {
	if !same(a.ExitStatus, b.ExitStatus) || !same(a.Duration, b.Duration) {
		return false
	}
	a.ExitStatus, a.Duration = b.ExitStatus, b.Duration
	return a == b
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// grown records an output to build later, and reports whether it has changed.
func (l *Log) grown(e *session.Entry, it *session.Sighting) bool {
	s := l.seen[e]
	was := s.printed
	s.printed = it.Printed
	if it.Printed == nil {
		return false
	}
	it.Output, it.Truncated, it.TruncatedAt, it.OmittedLines = e.Output, e.Truncated, e.TruncatedAt, e.OmittedLines
	size := it.Printed.Size()
	if was == it.Printed && s.size == size {
		return false
	}
	s.size = size
	l.printed[e] = it.Printed
	return true
}

// repair restores the rows that an agent erased by mistake within what the document shows of a
// growing reply; see sight.ate. If whole is set, it restores only whole lines: then nothing shows
// that the agent has printed everything again, because a terminal multiplexer hides that.
func repair(it *session.Sighting, e *session.Entry, whole bool) {
	text, ok := withRows(e.Text, it.Text, whole)
	if !ok {
		return
	}
	if markdown, ok := withRows(e.Markdown, it.Markdown, whole); ok {
		it.Text, it.Markdown = text, markdown
	}
}

// seam is the minimum length of the text on both sides of erased rows, in bytes.
const seam = 8

// withRows restores rows that are missing in the middle of a text. now is the text without them;
// was, the earlier text, has the same beginning, the rows, and a part of the end. It reports
// whether it restored any. If whole is set, the rows must be whole lines.
func withRows(was, now string, whole bool) (string, bool) {
	n := common(was, now)
	if whole {
		n = 1 + strings.LastIndexByte(was[:n], '\n')
	}
	rest, end := was[n:], now[n:]
	for k := min(len(rest), len(end)); n >= seam && k >= seam; k-- {
		if rows, ok := strings.CutSuffix(rest, end[:k]); ok && strings.Contains(rows, "\n") &&
			(!whole || strings.HasSuffix(rows, "\n")) {
			return was + end[k:], !strings.Contains(now, rows) // otherwise was had them twice, because it was partly redrawn
		}
	}
	return now, false
}

// fuller returns what is known of a tool call. An agent that later folds it into a summary removes
// nothing.
func fuller(old, now *session.Tool) *session.Tool {
	if now.Input == "" && old.Input != "" {
		t := *old
		if t.Status == session.ToolRunning {
			t.Status = now.Status
		}
		if t.Output == "" {
			t.Output, t.Truncated = now.Output, now.Truncated
		}
		return &t
	}
	if isTail(now.Input, old.Input) || isHead(now.Input, old.Input) {
		t := *now
		t.Input = old.Input
		return &t
	}
	if now.Input == old.Input && len(now.Output) < len(old.Output) && (now.Truncated || now.Output == "") {
		t := *now
		t.Output, t.Truncated = old.Output, old.Truncated
		return &t
	}
	return now
}

// drop removes entries that were seen only briefly and have disappeared, that turned out to be the
// rest of another item, and a prompt that an agent drew twice, one below the other, while it was
// being sent.
func (l *Log) drop(old, held []*session.Entry, v session.View) {
	for k, e := range old {
		s := l.seen[e]
		twice := k > 0 && s.first > l.resized && samePrompt(e, old[k-1]) && slices.Contains(held, old[k-1])
		misread := v.Again && e.Role == session.RoleShell
		stays := (s.kept || v.At-s.first >= settleAfter) && !twice && !misread && !restOf(e, v.Items)
		if stays || slices.Contains(held, e) {
			continue
		}
		if i := l.index(e); i >= 0 {
			l.entries = slices.Delete(l.entries, i, i+1)
			l.gone = append(l.gone, e.ID)
			l.note(e, ChangeDropped, e.Text, -1)
			delete(l.seen, e)
			delete(l.printed, e)
		}
	}
}

// samePrompt reports whether two entries are prompts with the same text.
func samePrompt(a, b *session.Entry) bool {
	return a.Role == session.RoleUser && b.Role == a.Role && a.Text == b.Text
}

// restOf reports whether an entry whose head was not seen is a part of a complete item.
func restOf(e *session.Entry, items []session.Sighting) bool {
	return e.TruncatedAt == session.TruncatedHead && slices.ContainsFunc(items, func(it session.Sighting) bool {
		return it.TruncatedAt != session.TruncatedHead && strings.Contains(wordsOf(it.Text), wordsOf(e.Text))
	})
}
