package extractor

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
)

// Trace describes how a frame was read, for debugging a wrong transcript.
type Trace struct {
	Agent    string // "" for the shell
	Version  string // of the agent, from its banner
	Look     string // versions of the look that read the frame; "" for the shell
	Layout   string // how the look divided the screen; "" for the shell
	Document int
	Skipped  string // why the frame was not read; empty if it was read
	Screen   chat.Screen
	Top      int // rows [Top, Bottom) of the screen contain the conversation
	Bottom   int
	State    chat.State

	Base   int                // line of the document that row Top shows
	Placed document.Placement // how that line was found
	Past   int                // number of items of the document before Items
	Items  []chat.Item        // all items of the document; their lines count from the document's first

	// Parsed are the items that were parsed again, in the order of the steps with a View.
	Parsed []Parsed
}

// Parsed is the source of one step with a View.
type Parsed struct {
	Base  int         // line of the document that row Top showed then
	First int         // index of the first item in its document
	Items []chat.Item // as they were then
}

// drawing is the reason why an incomplete screen is not read.
const drawing = "the cursor is not in the input, where it rests: the screen is half drawn"

// unreadable returns the reason why an agent's screen shows no conversation.
func unreadable(sp chat.Split) string {
	switch {
	case !sp.OK:
		return "the agent's input box is not on the screen: it may be half drawn"
	case sp.Overlay:
		return "a menu or a pager covers the conversation"
	}
	return "no row of the screen belongs to the conversation"
}

// split records which rows contain the conversation.
func (t *Trace) split(sp chat.Split, top, end int) {
	t.Top, t.Bottom, t.State, t.Layout = top, end, sp.State, layoutOf(sp)
}

// layoutOf names the parts of an agent's chrome that a look found on the screen.
func layoutOf(sp chat.Split) string {
	switch {
	case !sp.OK:
		return "no chrome"
	case sp.Scrolled:
		return "scrolled back"
	case sp.State == chat.StateAsking:
		return "question"
	case sp.Right > 0:
		return "input box and scroll bar"
	}
	return "input box"
}

// parsed records the items of the next step with a View.
func (r *Reader) parsed(first int, items []chat.Item) {
	if r.Trace != nil {
		r.trace.Parsed = append(r.trace.Parsed, Parsed{Base: r.drawn().Base, First: first, Items: slices.Clone(items)})
	}
}

// report completes the trace of a frame and passes it on.
func (r *Reader) report(f Frame) {
	if r.Trace == nil {
		return
	}
	t, seg, d := &r.trace, &r.seg, r.drawn()
	t.Agent, t.Document, t.Screen, t.Base, t.Placed = r.Agent(), seg.document, r.screen(f), d.Base, d.Placed
	if seg.agent != noAgent {
		t.Version, t.Look, t.Past, t.Items = r.version, seg.agent.Versions, seg.past, seg.items
	} else {
		t.Layout = ""
		t.Items, t.Past = r.shell.Items(0)
	}
	r.Trace(*t)
}
