package archive

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// Excerpt is the part of a recording that shows certain entries. It is redrawn, because the
// original bytes repaint what was said before. Only the text of the entries is drawn; all other
// text is blanked. Titles, keys, marks and the scrollback are omitted.
//
// An Excerpt is itself an EventSource. Its time starts at the beginning of the excerpt. Its events
// are output, resizes and, if the excerpt includes the end of the recording, the exit.
type Excerpt struct {
	From, To time.Duration // time in the recording, inclusive

	source EventSource
	term   *vterm.Term
	veil   *veil
	shown  []string        // rows as last drawn; nil: not drawn yet, so clear the screen first
	last   string          // cursor as last drawn
	drawn  time.Duration   // time of the last drawing
	due    time.Duration   // time of the first change since the last drawing; negative: none
	queue  []session.Event // events that Next returns first
	err    error
}

// frameTime is the minimum time between two drawings of an excerpt.
const frameTime = time.Second / 30

// NewExcerpt returns the part of source that shows the entries of r. source is the recording of t,
// in a window of cols by rows cells. The error is a *MissingError.
func NewExcerpt(t *session.Transcript, r Ref, cols, rows int, source EventSource) (*Excerpt, error) {
	from, to, err := r.Span(t)
	if err != nil {
		return nil, err
	}
	return &Excerpt{
		From: from, To: to, source: source, veil: newVeil(t.Entries, r.chooses),
		term: vterm.New(vterm.Options{Cols: cols, Rows: rows}), due: -1,
	}, nil
}

// Next returns the next event, and io.EOF after the last one. An error of the source is returned
// after the events that precede it.
func (x *Excerpt) Next() (session.Event, error) {
	for len(x.queue) == 0 {
		if x.err != nil {
			return session.Event{}, x.err
		}
		x.read()
	}
	e := x.queue[0]
	x.queue = x.queue[1:]
	return e, nil
}

// read handles one event of the source.
func (x *Excerpt) read() {
	e, err := x.source.Next()
	if err == nil && e.At > x.To {
		err = io.EOF
	}
	if x.due >= 0 && (err != nil || e.At-x.drawn >= frameTime || e.Kind == session.Resize) {
		x.draw(x.due)
	}
	if err != nil {
		x.err = err
		return
	}
	if e.At >= x.From && x.shown == nil {
		cols, rows := x.size()
		x.queue = append(x.queue, session.Event{Kind: session.Resize, Cols: cols, Rows: rows})
		x.shown, x.drawn = []string{}, x.From-frameTime
	}
	switch e.Kind {
	case session.Output:
		_, _ = x.term.Write(e.Data) // never fails
	case session.Resize:
		x.term.Resize(e.Cols, e.Rows)
	case session.Exit:
		if x.shown != nil {
			x.draw(max(x.due, x.From))
			x.queue = append(x.queue, session.Event{At: e.At - x.From, Kind: session.Exit, Status: e.Status})
		}
		return
	default:
		return
	}
	if x.shown == nil { // before the start of the excerpt
		return
	}
	if e.Kind == session.Resize {
		x.queue = append(x.queue, session.Event{At: e.At - x.From, Kind: session.Resize, Cols: e.Cols, Rows: e.Rows})
		x.shown = []string{}
	}
	x.due = e.At
}

func (x *Excerpt) size() (cols, rows int) {
	s := x.term.Snapshot()
	return s.Cols, s.Rows
}

// Screen returns the current screen with all other text blanked.
func (x *Excerpt) Screen() screen.Screen {
	s := *x.term.Snapshot()
	s.Lines, s.Title = slices.Clone(s.Lines), ""
	for y, row := range s.Lines {
		s.Lines[y] = x.veil.over(row)
	}
	return screen.Screen{Snapshot: &s}
}

// draw outputs the rows that have changed.
func (x *Excerpt) draw(at time.Duration) {
	s := x.Screen()
	var b strings.Builder
	if len(x.shown) == 0 {
		b.WriteString("\x1b[m\x1b[?7l\x1b[2J") // no wrapping: a row may be as wide as the window
		x.shown = make([]string, len(s.Lines))
	}
	for y, row := range s.Lines {
		text := screen.Row(row)
		if y < len(x.shown) && text != x.shown[y] {
			fmt.Fprintf(&b, "\x1b[%d;1H%s\x1b[K", y+1, text)
			x.shown[y] = text
		}
	}
	cursor := fmt.Sprintf("\x1b[%d;%dH\x1b[?25%c", s.CursorY+1, s.CursorX+1,
		map[bool]byte{true: 'h', false: 'l'}[s.Visible])
	if b.Len() > 0 || cursor != x.last {
		b.WriteString(cursor)
		x.last = cursor
		x.queue = append(x.queue, session.Event{At: at - x.From, Kind: session.Output, Data: []byte(b.String())})
	}
	x.drawn, x.due = at, -1
}

// ScreenAt plays the excerpt up to a time in the recording and returns its screen, which is blank
// before the excerpt begins.
func (x *Excerpt) ScreenAt(at time.Duration) (screen.Screen, error) {
	if at < x.From {
		cols, rows := x.size()
		return screen.Of(vterm.New(vterm.Options{Cols: cols, Rows: rows})), nil
	}
	x.To = min(x.To, at)
	for {
		if _, err := x.Next(); errors.Is(err, io.EOF) {
			return x.Screen(), nil
		} else if err != nil {
			return x.Screen(), err
		}
	}
}
