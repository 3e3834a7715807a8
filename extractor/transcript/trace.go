package transcript

import (
	"reflect"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/session"
)

// Trace describes how one frame was read, and what it changed in the log.
type Trace struct {
	extractor.Trace
	At      time.Duration // since the start of the recording
	Frame   int           // number of the frame, from 1
	Entries []string      // for each of Items, the id of its entry; "" if it has none
	Changes []Change
}

// Change is what happened to one entry.
type Change struct {
	Entry string // its id
	Kind  ChangeKind
	View  int    // index in Parsed of the items that led to it
	Item  int    // index in that view's Items; -1 if no item led to it
	Was   string // the entry's text before; with ChangeIgnored, the text on the screen
	Text  string // and after
	// Fields are the other fields of the entry that changed, by their names in the transcript.
	Fields []string
}

// ChangeKind says what happened to an entry.
type ChangeKind string

// The kinds of changes.
const (
	ChangeNew      ChangeKind = "new"
	ChangeGrew     ChangeKind = "grew"     // the old text is the beginning of the new one
	ChangeText     ChangeKind = "changed"  // any other change of the text
	ChangeRepaired ChangeKind = "repaired" // rows that the screen had lost were put back
	ChangeDetails  ChangeKind = "details"  // the text is the same, other fields changed
	ChangeIgnored  ChangeKind = "ignored"  // the screen shows less than the log has
	ChangeDropped  ChangeKind = "dropped"  // the entry was on the screen for a moment only
)

// note reports a change of an entry. item is its index in the view's items, or -1.
func (l *Log) note(e *session.Entry, kind ChangeKind, was string, item int) {
	if l.changed != nil {
		l.changed(Change{Entry: e.ID, Kind: kind, Item: item, Was: was, Text: e.Text})
	}
}

// noteUpdate reports that an entry was brought up to date with an item whose text on the screen was
// seen.
func (l *Log) noteUpdate(e, was *session.Entry, seen string, item int) {
	if l.changed == nil {
		return
	}
	c := Change{Entry: e.ID, Kind: ChangeText, Item: item, Was: was.Text, Text: e.Text}
	switch {
	case was.Status == "":
		c.Kind = ChangeNew
	case e.Text != seen && e.Text != was.Text:
		c.Kind = ChangeRepaired
	case e.Text == was.Text:
		c.Kind = ChangeDetails
	case strings.HasPrefix(e.Text, was.Text):
		c.Kind = ChangeGrew
	}
	for _, f := range []struct {
		name string
		same bool
	}{
		{"status", e.Status == was.Status},
		{"markdown", e.Markdown == was.Markdown || c.Kind != ChangeDetails},
		{"output", e.Output == was.Output && !l.unwritten(e)},
		{"tool", reflect.DeepEqual(e.Tool, was.Tool)},
		{"truncated", e.TruncatedAt == was.TruncatedAt && e.OmittedLines == was.OmittedLines},
		{"exit_status", e.ExitStatus == was.ExitStatus},
	} {
		if !f.same && c.Kind != ChangeNew {
			c.Fields = append(c.Fields, f.name)
		}
	}
	l.changed(c)
}

// unwritten reports whether the entry's output has grown and is not built yet.
func (l *Log) unwritten(e *session.Entry) bool { return l.printed[e] != nil }

// watch has the reader and the log report what they do.
func (p *Processor) watch() {
	p.reader.Trace = func(t extractor.Trace) { p.trace.Trace = t }
	p.log.changed = func(c Change) {
		if p.trace != nil {
			c.View = p.view
			p.trace.Changes = append(p.trace.Changes, c)
			return
		}
		c.Item = -1 // an event between frames, or the output of a plain program
		p.opt.Trace(Trace{At: p.now, Frame: p.frames, Changes: []Change{c}})
	}
}

// begin begins a frame.
func (p *Processor) begin(at time.Duration) {
	p.now = at
	p.frames++
	if p.opt.Trace != nil {
		p.trace, p.view = &Trace{At: at, Frame: p.frames}, 0
	}
}

// end reports the frame.
func (p *Processor) end() {
	if p.trace == nil {
		return
	}
	t := p.trace
	t.Entries = make([]string, len(t.Items))
	for i := range t.Items {
		if k := t.Past + i - p.log.past; t.Document == p.log.document && k >= 0 && k < len(p.log.refs) {
			t.Entries[i] = p.log.refs[k].ID
		}
	}
	p.trace = nil
	p.opt.Trace(*t)
}
