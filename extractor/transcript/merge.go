package transcript

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

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
	it, s, last := &v.Items[i], l.seen[e], i == len(v.Items)-1
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
	moved := !last && passed(s.text, it.Text, v.Items[i+1].Text)
	if !moved && s.ate(it.Text, l.resized, v.Reprint || l.resized >= s.textAt) {
		l.note(e, ChangeIgnored, seen, i)
		return
	}
	if v.Settled && it.Role == session.RoleAssistant {
		s.text, s.textAt = it.Text, v.At
	}
	if last && !v.Settled && begins(e, it) {
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

// align returns, for each item, the entry that it continues or repeats, or nil if it is new. It
// keeps the order and maximises the total likeness. shown are the entries that the document showed
// before.
func align(old []*session.Entry, shown map[*session.Entry]bool, items []session.Sighting) []*session.Entry {
	refs := make([]*session.Entry, len(items))
	like := func(e *session.Entry, it *session.Sighting) float64 {
		if shown[e] {
			return alike(e, it)
		}
		return repeats(e, it)
	}
	k := 0 // the common case: nothing moved
	for k < len(items) && k < len(old) && like(old[k], &items[k]) >= 0.9 {
		refs[k] = old[k]
		k++
	}
	n, m := len(items)-k, len(old)-k
	if n == 0 || m == 0 {
		return refs
	}
	w, best := make([]float64, n*m), make([]float64, (n+1)*(m+1))
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			w[i*m+j] = like(old[k+j], &items[k+i])
			b := max(best[(i+1)*(m+1)+j], best[i*(m+1)+j+1])
			if w[i*m+j] > 0 {
				b = max(b, w[i*m+j]+best[(i+1)*(m+1)+j+1])
			}
			best[i*(m+1)+j] = b
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		b := best[i*(m+1)+j]
		switch {
		case w[i*m+j] > 0 && b == w[i*m+j]+best[(i+1)*(m+1)+j+1]:
			refs[k+i] = old[k+j]
			i, j = i+1, j+1
		case b == best[i*(m+1)+j+1]:
			j++
		default:
			i++
		}
	}
	return refs
}

// back finds the entries of items above the first that the log knows: while the window is resized,
// a document may temporarily lose its beginning.
func (l *Log) back(refs []*session.Entry, items []session.Sighting) {
	n := slices.IndexFunc(refs, func(e *session.Entry) bool { return e != nil })
	top := l.index(l.top)
	if n <= 0 || top < 0 {
		return
	}
	above := l.messages(top)
	if k := slices.Index(above, refs[n]); k > 0 {
		copy(refs, align(above[:k], nil, items[:n]))
	}
}

// growing matches the last item with the last entry if both are a reply below the same message and
// the entry is not complete. Its text may look quite different now, because a reply becomes a table
// once the table's head is there.
func growing(old, refs []*session.Entry, items []session.Sighting) {
	i, j := len(items)-1, len(old)-1
	if i < 0 || j < 0 || refs[i] != nil || (i == 0) != (j == 0) || i > 0 && refs[i-1] != old[j-1] {
		return
	}
	if e := old[j]; e.Role == session.RoleAssistant && items[i].Role == e.Role && e.Status == session.StatusStreaming {
		refs[i] = e
	}
}

// sameStart is how many letters the beginnings or ends of two replies must have in common to be the
// same reply, torn by a resize.
const sameStart = 24

// between matches replies that begin or end alike and are between the same messages, or are the
// last ones below the same message: one of the two is torn.
func between(old, refs []*session.Entry, items []session.Sighting) {
	for i := 1; i < len(items); i++ {
		last := i+1 == len(items)
		if refs[i] != nil || refs[i-1] == nil || !last && refs[i+1] == nil || items[i].Role != session.RoleAssistant {
			continue
		}
		j := slices.Index(old, refs[i-1]) + 1
		if j == 0 || j == len(old) || last != (j+1 == len(old)) || !last && old[j+1] != refs[i+1] {
			continue
		}
		if old[j].Role == items[i].Role && torn(old[j].Text, items[i].Text) {
			refs[i] = old[j]
		}
	}
}

// openMarks are the signs of Markdown with which a streaming text begins until the marked text is
// drawn in its style.
const openMarks = "`*_#> "

// torn reports whether one of two replies may be what a resize has left of the other.
func torn(a, b string) bool {
	a, b = words(a), words(b)
	return common(a, b) >= sameStart || min(len(a), len(b)) >= sameStart &&
		(strings.HasSuffix(a, b) || strings.HasSuffix(b, a))
}

// alike rates how much an item in the same document looks like an entry. It returns 0 if it is
// another one.
func alike(e *session.Entry, it *session.Sighting) float64 {
	start := strings.TrimLeft(e.Text, openMarks)
	switch {
	case e.Event != it.Event || e.Role != it.Role:
		return 0
	case it.Event != "" || e.Text == it.Text:
		return 1
	case e.Tool != nil && it.Tool != nil:
		return sameCall(e.Tool, it.Tool)
	case start != "" && strings.HasPrefix(it.Text, start), sameRest(e, it), it.Shortened && sameAround(e.Text, it.Text):
		return 0.9
	}
	a, b := wordsLen(e.Text), wordsLen(it.Text)
	n := commonWords(e.Text, it.Text)
	switch {
	case a == 0 || b == 0:
		return 0.3
	case n == min(a, b):
		return 0.9
	case it.Role == session.RoleUser && n*2 < max(a, b): // another prompt, in place of one that was rewound
		return 0
	}
	return float64(n) / float64(max(a, b)) * 0.8
}

// sameCall rates how much two sights of a tool call look alike. A call that is folded into a
// summary has no input, and may be any.
func sameCall(a, b *session.Tool) float64 {
	switch {
	case a.Input == b.Input && a.Name == b.Name:
		return 1
	case a.Input == "" || b.Input == "":
		if a.Name != b.Name {
			return 0.45
		}
		return 0.5
	case a.Input == b.Input, strings.HasPrefix(a.Input, b.Input), strings.HasPrefix(b.Input, a.Input):
		if a.Name != b.Name { // a file that is read and then changed
			return 0.4
		}
		return 0.9
	case a.Name == b.Name && words(a.Input) == words(b.Input): // wrapped differently
		return 0.9
	case a.Name == b.Name && (isTail(a.Input, b.Input) || isTail(b.Input, a.Input) || isHead(a.Input, b.Input) ||
		isHead(b.Input, a.Input)):
		return 0.9
	case a.Name == b.Name && a.Status == session.ToolRunning && strings.HasSuffix(a.Input, "…"):
		// And renamed when it is finished.
		return 0.5
	}
	return 0
}

// isTail reports whether a tool's input is the end of another, as a file's name is of its path.
func isTail(tail, input string) bool {
	rest, ok := strings.CutSuffix(input, tail)
	return ok && tail != "" && (strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, " "))
}

// isHead reports whether a tool's input is the beginning of another, cut off for lack of space.
func isHead(head, input string) bool {
	h, ok := strings.CutSuffix(head, "…")
	return ok && strings.HasPrefix(input, h) && len(h) < len(strings.TrimSuffix(input, "…"))
}

// repeats rates how much an item looks like an entry of the log shown again, maybe rewrapped or
// partly drawn. It returns 0 if it is another one.
func repeats(e *session.Entry, it *session.Sighting) float64 {
	switch {
	case e.Event != it.Event || e.Role != it.Role || e.Agent != it.Agent:
		return 0
	case it.Event != "" || e.Text == it.Text:
		return 0.95
	case e.Tool != nil && it.Tool != nil:
		return 0.9 * sameCall(e.Tool, it.Tool)
	case e.Text != "" && strings.HasPrefix(it.Text, e.Text), sameRest(e, it), it.Shortened && sameAround(e.Text, it.Text):
		return 0.9
	}
	a, b := words(e.Text), words(it.Text)
	n := common(a, b)
	switch {
	case n == 0:
		return 0
	case n == len(a), n == len(b), n*10 >= 9*max(len(a), len(b)):
		return 0.9
	case holed(a, b):
		return 0.8
	case e.Status == session.StatusStreaming &&
		(n*3 >= min(len(a), len(b)) || n >= max(24, len(words(firstLine(e.Text))))):
		return 0.5 // its incomplete end is drawn differently now
	}
	return 0
}

// sameRest reports whether the beginning of the message is missing in the entry or the item, and
// the other ends with what is there.
func sameRest(e *session.Entry, it *session.Sighting) bool {
	if it.TruncatedAt != session.TruncatedHead && e.TruncatedAt != session.TruncatedHead {
		return false
	}
	a, b := words(e.Text), words(it.Text)
	return it.TruncatedAt == session.TruncatedHead && b != "" && strings.HasSuffix(a, b) ||
		e.TruncatedAt == session.TruncatedHead && a != "" && strings.HasSuffix(b, a)
}

// holed reports whether one of two texts without white space is the other without some rows in its
// middle. An agent that miscounts the rows it redraws erases such rows, and shows them again only
// when it redraws everything.
func holed(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) < holedText || len(a)*4 < len(b)*3 {
		return false
	}
	n := common(a, b)
	return strings.HasSuffix(b, a[n:])
}

// holedText is the minimum length of a text in which a hole is possible, in bytes.
const holedText = 200

// firstLine returns a text up to its first line break.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// words returns a text without white space and other invisible characters, because rewrapping
// changes nothing else.
func words(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		blank := blankLen(s[i:])
		if blank == 0 {
			b.WriteByte(s[i])
			blank = 1
		}
		i += blank
	}
	return b.String()
}

// wordsLen returns len(words(s)).
func wordsLen(s string) int {
	n := len(s) - strings.Count(s, " ") - strings.Count(s, "\n") - strings.Count(s, "\t")
	for _, c := range unseen {
		n -= len(c) * strings.Count(s, c)
	}
	return n
}

// commonWords returns common(words(a), words(b)).
func commonWords(a, b string) (n int) {
	for {
		for blank := blankLen(a); blank > 0; blank = blankLen(a) {
			a = a[blank:]
		}
		for blank := blankLen(b); blank > 0; blank = blankLen(b) {
			b = b[blank:]
		}
		if a == "" || b == "" || a[0] != b[0] {
			return n
		}
		a, b, n = a[1:], b[1:], n+1
	}
}

// unseen are the non-ASCII characters to ignore: a hard blank, and those that join or select emoji,
// which a terminal multiplexer sometimes drops.
var unseen = []string{"\u00a0", "\u200d", "\ufe0f"}

// blankLen returns the length in bytes of the character at the beginning of s if it is ignored, or
// 0.
func blankLen(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == ' ' || s[0] == '\n' || s[0] == '\t':
		return 1
	case s[0] < utf8.RuneSelf:
		return 0
	}
	for _, c := range unseen {
		if strings.HasPrefix(s, c) {
			return len(c)
		}
	}
	return 0
}

// common returns the length of the common prefix of two strings, in bytes.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
