package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/session"
)

// read parses what is new on an agent's document and shows it to the log.
func (r *Reader) read(d *document.Document, settled bool) {
	s := &r.seg
	if d.Dirty >= len(d.Lines) && (!settled || s.quiet == s.state && s.quiet != chat.StateUnknown && !s.wiped) {
		return
	}
	if r.show(d, len(d.Lines), settled, false) {
		r.forget(d)
	}
}

// flush reads what of an agent's lines, up to line end, was put off.
func (r *Reader) flush(d *document.Document, end int) {
	if r.seg.agent != nil && r.seg.waiting > 0 {
		r.show(d, min(end, len(d.Lines)), false, true)
	}
}

// show parses what is new on an agent's document up to line end, and shows it to the log, unless it
// is better put off.
func (r *Reader) show(d *document.Document, end int, settled, now bool) bool {
	s := &r.seg
	if len(s.items) > 0 && d.Dirty <= s.items[0].First && !s.cleared && !s.wiped && r.clears(d) { // drawn over the conversation, without a wipe
		r.reopen(s.agent, s.alt, s.start)
	}
	k := len(s.items)
	for k > 0 && s.items[k-1].First >= d.Dirty {
		k--
	}
	k = max(0, k-2) // the items before may end differently now
	for k > 0 && s.items[k].First == s.items[k].End {
		k-- // an item without lines of its own is part of the one before
	}
	from := s.start
	if k > 0 {
		from = s.items[k].First
	}
	if !settled && !now && r.defers(end-from) {
		return false
	}
	lines := d.Lines[min(from, end):end]
	s.waiting, s.readState = 0, s.state
	s.quiet = chat.StateUnknown
	if settled {
		s.quiet = s.state
	}
	headless := k > 0 && s.items[k].Headless // which what is above its lines may have shown
	s.items = append(s.items[:k], shift(r.parse(lines, headless), from)...)
	d.Clean()
	r.trace.parsed(d.Base, s.past+k, s.items[k:])
	s.cleared = s.cleared || r.clears(d)
	if s.wiped && s.cleared && !s.wasCleared {
		r.clear()
	}
	if settled && s.wiped && (s.chrome || len(s.items) > 0) { // else the screen is not yet drawn
		r.judgeWipe()
	}
	v := &session.View{Document: s.document, From: s.past + k, Past: s.past, Reprint: s.reprint, Settled: settled}
	for i := range s.items[k:] {
		it := &s.items[k+i]
		v.Items = append(v.Items, session.Sighting{Message: it.Message, Event: it.Event, Open: it.Open && s.state != chat.StateIdle, Shortened: it.Shortened})
	}
	r.steps = append(r.steps, Step{View: v})
	return true
}

// longRead is from how many lines on a read waits until enough has changed.
const longRead = 400

// defers reports whether n lines are too many to be read now, for what has changed: the cost of
// many small changes must not grow with the length of the message that they are in.
func (r *Reader) defers(n int) bool {
	s := &r.seg
	stopped := s.state != chat.StateBusy && s.state != s.readState
	return n > longRead && s.waiting*16 < n && !stopped
}

// change changes an agent's document, and returns how many of its lines are new then.
func (r *Reader) change(d *document.Document, do func()) int {
	unread := d.Dirty
	if r.seg.waiting > 0 { // what was put off is not new now
		d.Clean()
	}
	do()
	n := len(d.Lines) - d.Dirty
	d.Dirty = min(d.Dirty, unread)
	r.seg.waiting += n
	return n
}

// A document longer than maxTape lines is cut down to keepTape.
const (
	maxTape  = 20000
	keepTape = 10000
)

// forget drops what has long left the window, up to the start of an item. Of an item that is longer
// itself, lines in the middle are left out.
func (r *Reader) forget(d *document.Document) {
	if len(d.Lines) <= maxTape {
		return
	}
	s := &r.seg
	cut := min(len(d.Lines)-keepTape, d.Base)
	n := len(s.items)
	for n > 0 && s.items[n-1].First > cut {
		n--
	}
	if n > 0 { // the item that the cut would go through stays
		n--
		cut = min(cut, s.items[n].First)
	}
	s.past += n
	s.items = shift(append([]chat.Item(nil), s.items[n:]...), -cut)
	s.start = max(0, s.start-cut)
	d.Forget(cut)
	r.resize.Forget()
	if len(d.Lines) > maxTape && len(s.items) > 0 {
		r.shorten(d, &s.items[0])
	}
}

// shorten leaves lines out of the middle of the first item of a document.
func (r *Reader) shorten(d *document.Document, it *chat.Item) {
	from := it.First + keepTape/2
	to := min(it.End, d.Base) - keepTape/2
	by := d.LeaveOut(from, to)
	it.End -= by
	for i := range r.seg.items[1:] {
		r.seg.items[i+1].First -= by
		r.seg.items[i+1].End -= by
	}
}
