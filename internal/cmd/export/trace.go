package export

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/session"
)

// Reasons why there is nothing to report.
var (
	errPiped   = errors.New("the command ran without a terminal")
	errNoFrame = errors.New("nothing was on the screen yet")
)

// traced is a session and a function that opens its raw log at the beginning.
type traced struct {
	Session session.Session
	Open    func() (source archive.EventSource, closeSource func(), err error)
}

// entryHistory is the history of an entry. Rows and lines are counted from 1.
type entryHistory struct {
	Seq     int           `json:"seq"`
	ID      string        `json:"id"`
	Role    string        `json:"role,omitempty"`
	Event   string        `json:"event,omitempty"`
	Agent   string        `json:"agent,omitempty"`
	Text    string        `json:"text,omitempty"`
	Sent    bool          `json:"sent,omitempty"` // the text is that of a sent prompt
	Changes []entryChange `json:"changes"`
}

// entryChange is one change of an entry.
type entryChange struct {
	At     float64               `json:"at"` // in seconds since the start
	Frame  int                   `json:"frame"`
	Change transcript.ChangeKind `json:"change"`
	entryOrigin
	Was  string `json:"was,omitempty"` // previous text; if the change was ignored, the text on the screen
	Text string `json:"text,omitempty"`
	// Fields are the names of the other changed fields.
	Fields []string `json:"fields,omitempty"`
}

// entryOrigin describes where on the screen an item was read, and by which rules.
type entryOrigin struct {
	Agent    string              `json:"look,omitempty"`   // agent of the rule's look
	Serves   string              `json:"serves,omitempty"` // versions for which the look is valid
	Version  string              `json:"version,omitempty"`
	Rule     string              `json:"rule,omitempty"`
	Layout   string              `json:"layout,omitempty"` // how the screen was divided
	Rows     *lineSpan           `json:"rows,omitempty"`   // rows of the screen; null if all of them had scrolled out
	Above    int                 `json:"above,omitempty"`  // number of lines that had scrolled out
	Document int                 `json:"document,omitempty"`
	Lines    *lineSpan           `json:"lines,omitempty"` // lines of the document
	Placed   extractor.Placement `json:"placed,omitempty"`
}

// lineSpan is a range of rows or lines, both ends included.
type lineSpan struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// traceEntry returns the history of entry number seq. The error wraps a *archive.MissingError if
// there is no such entry, or is errPiped.
func traceEntry(r traced, seq int) (report, error) {
	entries, err := r.read(nil)
	if err != nil {
		return nil, err
	}
	e := archive.Entry(entries, seq)
	if e == nil {
		return nil, &archive.MissingError{Session: r.Session.ID, Seq: seq}
	}
	h := &entryHistory{Seq: seq, ID: e.ID, Role: e.Role, Event: e.Event, Agent: e.Agent, Text: e.Text, Sent: e.Sent,
		Changes: []entryChange{}}
	_, err = r.read(func(t transcript.Trace) {
		for _, c := range t.Changes {
			if c.Entry == e.ID {
				h.add(t, c)
			}
		}
	})
	return h, err
}

// add adds a change. Changes that are ignored in consecutive frames are merged.
func (h *entryHistory) add(t transcript.Trace, c transcript.Change) {
	n := entryChange{At: seconds(t.At), Frame: t.Frame, Change: c.Kind, Was: c.Was, Text: c.Text, Fields: c.Fields}
	if c.Item >= 0 && c.View < len(t.Parsed) && c.Item < len(t.Parsed[c.View].Items) {
		p := t.Parsed[c.View]
		n.entryOrigin = originOf(t, p.Items[c.Item], p.Base)
	}
	if last := len(h.Changes) - 1; last >= 0 && c.Kind == transcript.ChangeIgnored && h.Changes[last].Change == c.Kind {
		return
	}
	h.Changes = append(h.Changes, n)
}

// originOf returns the origin of an item. base is the line of its document on the first row of the
// conversation.
func originOf(t transcript.Trace, it extractor.Item, base int) entryOrigin {
	o := entryOrigin{Agent: t.Agent, Serves: t.Look, Version: t.Version, Rule: it.Rule, Layout: t.Layout,
		Document: t.Document, Placed: t.Placed}
	if it.End > it.First {
		o.Lines = &lineSpan{it.First + 1, it.End}
	}
	first, end := max(it.First, base), min(it.End, base+t.Bottom-t.Top)
	if first < end {
		o.Rows = &lineSpan{t.Top + first - base + 1, t.Top + end - base}
	}
	o.Above = max(0, min(it.End, base)-it.First)
	return o
}

// screenView is the classification of the rows of a frame.
type screenView struct {
	At       float64             `json:"at"`
	Frame    int                 `json:"frame"`
	Agent    string              `json:"look,omitempty"`
	Serves   string              `json:"serves,omitempty"` // versions for which the look is valid
	Version  string              `json:"version,omitempty"`
	Layout   string              `json:"layout,omitempty"` // how the screen was divided
	Alt      bool                `json:"alt"`
	Document int                 `json:"document"`
	State    string              `json:"state,omitempty"`
	Skipped  string              `json:"skipped,omitempty"` // reason why the frame was not read
	Placed   extractor.Placement `json:"placed,omitempty"`
	Rows     []tracedRow         `json:"rows"`
}

// tracedRow is the classification of a row.
type tracedRow struct {
	Row  int    `json:"row"`
	Line int    `json:"line,omitempty"` // of the document; 0 for chrome
	Seq  int    `json:"seq,omitempty"`  // of the row's entry, if it is in the transcript
	Kind string `json:"kind"`           // a role, an event, or one of the kinds below
	Rule string `json:"rule,omitempty"`
	Text string `json:"text"`
}

// Kinds of rows that do not belong to an item.
const (
	kindChrome = "chrome" // outside the conversation: an input box, a spinner, a menu
	kindNone   = "-"      // in the conversation, but not read by a rule: a banner, a rule, a blank row
)

// traceScreen returns the classification of the rows in the last frame up to at. The error is
// errNoFrame if there was none, or errPiped.
func traceScreen(r traced, at time.Duration) (report, error) {
	var v *screenView
	var ids []string // of the entry of each row; "" if there is none
	entries, err := r.read(func(t transcript.Trace) {
		if t.At <= at && len(t.Screen.Lines) > 0 {
			v, ids = viewOf(t)
		}
	})
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, errNoFrame
	}
	seq := map[string]int{}
	for _, e := range entries {
		seq[e.ID] = e.Seq
	}
	for i, id := range ids {
		v.Rows[i].Seq = seq[id]
	}
	return v, nil
}

func viewOf(t transcript.Trace) (*screenView, []string) {
	v := &screenView{At: seconds(t.At), Frame: t.Frame, Agent: t.Agent, Serves: t.Look, Version: t.Version,
		Alt:      t.Screen.Alt,
		Document: t.Document, State: t.State.String(), Skipped: t.Skipped}
	if v.Skipped == "" {
		v.Placed, v.Layout = t.Placed, t.Layout
	}
	ids := make([]string, len(t.Screen.Lines))
	for i, l := range t.Screen.Lines {
		r := tracedRow{Row: i + 1, Kind: kindChrome, Text: l.Text}
		if v.Skipped != "" {
			r.Kind = kindNone
		} else if i >= t.Top && i < t.Bottom {
			line := t.Base + i - t.Top
			r.Kind, r.Line = kindNone, line+1
			for k, it := range t.Items {
				if line >= it.First && line < it.End {
					r.Kind, r.Rule, ids[i] = it.Role+it.Event, it.Rule, t.Entries[k]
				}
			}
		}
		v.Rows = append(v.Rows, r)
	}
	return v, ids
}

// read replays the recording, calls trace, if set, for each frame, and returns the entries.
func (r traced) read(trace func(transcript.Trace)) ([]*session.Entry, error) {
	if r.Session.Piped() {
		return nil, errPiped
	}
	source, closeSource, err := r.Open()
	if err != nil {
		return nil, err
	}
	defer closeSource()
	s := r.Session
	p := transcript.NewProcessor(transcript.ProcessorOptions{
		Cols: s.Cols, Rows: s.Rows, Started: s.StartedAt, SessionID: s.ID, Command: s.Command, Trace: trace,
	})
	var last time.Duration
	for {
		e, err := source.Next()
		if err != nil {
			p.Close(last)
			return p.Entries(), archive.IgnoreEnd(err)
		}
		p.Feed(e)
		last = e.At
	}
}

// seconds returns d in seconds, rounded to milliseconds.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// String returns "3" or "3-5".
func (s lineSpan) String() string {
	if s.First == s.Last {
		return fmt.Sprint(s.First)
	}
	return fmt.Sprintf("%d-%d", s.First, s.Last)
}
