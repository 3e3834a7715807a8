package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
)

// Trace describes how one frame was read. It is for people who look for the reason of a wrong
// transcript.
type Trace struct {
	Agent   string // "" for the shell
	Version string // of the agent, as its banner says
	Tape    int
	Skipped string // why nothing was read off this frame; empty if it was read
	Screen  chat.Screen
	Top     int // rows [Top, Bottom) of the screen hold the conversation
	Bottom  int
	State   chat.State

	Base   int         // the tape's line that row Top shows
	Placed Placement   // how that line was found
	Past   int         // items of the tape before Items
	Items  []chat.Item // all items that the tape holds now; their lines count from the tape's first

	// Parsed are the items that were read again, in the order of the steps with a View.
	Parsed []Parsed
}

// Parsed is what one step with a View is made of.
type Parsed struct {
	Base  int         // the tape's line that row Top showed then
	First int         // number of the first item on its tape
	Items []chat.Item // as they were then
}

// Placement names the rule that found a frame's place on a tape.
type Placement string

// The rules of the main screen, then those of the alternate screen.
const (
	PlacedScrolled Placement = "as the terminal scrolled"
	PlacedRedrawn  Placement = "redrawn from the top"        // the first rows had scrolled out before
	PlacedWrapped  Placement = "same letters, another width" // after a resize
	PlacedFirst    Placement = "first frame"                 // of the tape
	PlacedOverlap  Placement = "rows in common"              // with what the tape has
	PlacedHead     Placement = "same first rows"             // all below was redrawn
	PlacedTable    Placement = "same table cells"            // in columns of another width
	PlacedBelow    Placement = "nothing in common"           // below everything; rows may be missing above
	PlacedLookBack Placement = "the user has scrolled back"  // the tape did not change
)

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
		t.Top, t.Bottom, t.State = sp.Top, end, sp.State
	}
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
	tape := &r.main
	if seg.alt {
		tape = &r.alt
	}
	t.Agent, t.Version, t.Tape, t.Screen = r.Agent(), r.version, seg.tape, s
	t.Base, t.Placed, t.Past, t.Items = tape.base, tape.placed, seg.past, seg.items
	if seg.agent == nil {
		t.Version, t.Items = "", nil
		for _, c := range seg.commands {
			t.Items = append(t.Items, c.Item)
		}
	}
	r.Trace(t.Trace)
	r.trace = nil
}
