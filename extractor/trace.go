package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
)

// Trace describes how one frame was read. It is for people who look for the reason of a wrong
// transcript.
type Trace struct {
	Agent    string // "" for the shell
	Version  string // of the agent, as its banner says
	Look     string // the versions that the look serves which read the frame; "" for the shell
	Layout   string // how the look parted the screen; "" for the shell
	Document int
	Skipped  string // why nothing was read off this frame; empty if it was read
	Screen   chat.Screen
	Top      int // rows [Top, Bottom) of the screen hold the conversation
	Bottom   int
	State    chat.State

	Base   int                // the document's line that row Top shows
	Placed document.Placement // how that line was found
	Past   int                // items of the document before Items
	Items  []chat.Item        // all items that the document holds now; their lines count from the document's first

	// Parsed are the items that were read again, in the order of the steps with a View.
	Parsed []Parsed
}

// Parsed is what one step with a View is made of.
type Parsed struct {
	Base  int         // the document's line that row Top showed then
	First int         // number of the first item on its document
	Items []chat.Item // as they were then
}

// trace collects the Trace of the frame at hand; nil: nobody wants it.
type trace struct{ Trace }

func (t *trace) skip(why string) {
	if t != nil {
		t.Skipped = why
	}
}

// unreadable notes that the agent's screen shows no conversation.
func (t *trace) unreadable(sp chat.Split) {
	switch {
	case !sp.OK:
		t.skip("the agent's input box is not on the screen: it may be half drawn")
	case sp.Overlay:
		t.skip("a menu or a pager covers the conversation")
	default:
		t.skip("no row of the screen belongs to the conversation")
	}
}

// split notes which rows hold the conversation.
func (t *trace) split(sp chat.Split, end int) {
	if t != nil {
		t.Top, t.Bottom, t.State, t.Layout = sp.Top, end, sp.State, layoutOf(sp)
	}
}

// layoutOf names what of an agent's chrome a look found on the screen.
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

// parsed notes the items of the next step with a View.
func (t *trace) parsed(base, first int, items []chat.Item) {
	if t != nil {
		t.Parsed = append(t.Parsed, Parsed{Base: base, First: first, Items: append([]chat.Item(nil), items...)})
	}
}

// report completes the trace of a frame and passes it on.
func (r *Reader) report(s chat.Screen) {
	t, seg := r.trace, &r.seg
	d := &r.main
	if seg.alt {
		d = &r.alt
	}
	t.Agent, t.Version, t.Document, t.Screen = r.Agent(), r.version, seg.document, s
	t.Base, t.Placed, t.Past, t.Items = d.Base, d.Placed, seg.past, seg.items
	if seg.agent != nil {
		t.Look = seg.agent.Versions
	} else {
		t.Version, t.Layout = "", ""
		t.Items, t.Past = r.shell.Items(0)
	}
	r.Trace(t.Trace)
	r.trace = nil
}
