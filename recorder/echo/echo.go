// Package echo finds out which of the keys that a user typed a program has shown. Only those may be
// recorded: a password is typed too, but is not shown. recorder adds the keys when they are written
// to the PTY and feeds the output through the same object.
package echo

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

const (
	echoTime   = 2 * time.Second // limit until a typed character must be on the screen
	echoReach  = 256 << 10       // the same in bytes of output
	echoMemory = 64 << 10        // maximum size of the keys that wait for their echo, in bytes
	weakEcho   = 3               // number of characters that prove an echo even if the row before them may have changed
	unknownRow = "\x00"          // text that is never on the screen
)

// Echo decides which keys a program has shown that were typed while the kernel did not echo.
// Programs that draw their input turn the echo off, and so do programs that read a password key by
// key. A character counts as shown if it appears where the cursor was, the cursor moved past it,
// and the rest of the row is unchanged. It must stay there: with each further key, Echo checks the
// row up to the cursor. A line is recorded when Enter ends it, with its control keys, if all its
// characters were shown and stayed; otherwise nothing of it is. Characters that were erased or are
// after the cursor are left out. When another process group comes to the foreground, the line ends
// unrecorded. While a known agent is on the screen and draws its own cursor, every key counts as
// shown.
//
// Keys are judged at the exact position in the output where they were typed. Add, Waiting and Tell
// may be called at any time; calls of the other methods must not overlap.
type Echo struct {
	foreground func() (int, error)

	mu    sync.Mutex // guards queue, size and full
	queue []*Keys
	size  int  // bytes of the keys in queue, line and pending
	full  bool // some keys of the line did not fit

	judged []*Keys // decided, but their callers were not called back yet

	line    []key       // shown and waiting for Enter, in order
	chars   bool        // line has a character
	hidden  atomic.Bool // a character was not shown, so nothing of the line is recorded
	pending []key       // not shown yet, in order; the first is a character
	base    string      // the row up to the cursor before run
	run     string      // the characters at the end of line
	before  string      // base and run when the last control key was typed
	weak    bool        // base may be out of date
	group   int         // foreground process group that reads the line; 0: unknown

	agent int // foreground process group when the agent was first seen; 0: no agent
}

// New returns an Echo. foreground returns the foreground process group of the terminal.
func New(foreground func() (int, error)) *Echo { return &Echo{foreground: foreground} }

// Feed passes an event to the processor. If keys are pending, it also looks at the screen in
// between.
func (o *Echo) Feed(p *transcript.Processor, e session.Event) {
	o.reach(p)
	data := e.Data
	for e.Kind == session.Output && len(o.pending) > 0 && len(data) > 1 { // the line may be gone by the end of the event
		n := bytes.IndexAny(data[1:], "\r\n") + 1
		if n == 0 {
			break
		}
		e.Data, data = data[:n], data[n:]
		p.Feed(e)
		o.look(p)
	}
	e.Data = data
	p.Feed(e)
	o.look(p)
	o.meet(p)
}

// meet records the process group of an agent that has appeared.
func (o *Echo) meet(p *transcript.Processor) {
	switch {
	case p.Agent() == "":
		o.agent = 0
	case o.agent == 0:
		o.agent, _ = o.foreground() // 0 if it fails, which means unknown
	}
}

// reach handles the keys that were typed at the processor's position in the output.
func (o *Echo) reach(p *transcript.Processor) {
	if o.overflown() {
		o.fail(len(o.pending))
		o.hide()
	}
	for t := o.next(p.Offset()); t != nil; t = o.next(p.Offset()) {
		p.Tick(t.At) // the screen at that moment is a frame
		o.meet(p)
		s := p.Screen().Snapshot()
		o.typed(t, rowToCursor(s), p.AgentShown() && o.agent > 0 && o.agent == t.Group && !s.Visible)
	}
}

// look compares the screen with the typed keys.
func (o *Echo) look(p *transcript.Processor) {
	if len(o.pending) == 0 {
		return
	}
	if p.Offset()-o.pending[0].of.Seq > echoReach {
		o.expire(math.MaxInt64)
		return
	}
	o.expire(p.LastOutput())
	if len(o.pending) > 0 {
		o.compare(rowToCursor(p.Screen().Snapshot()))
	}
}

// typed handles keys that were typed on this screen. agent reports whether the agent on the screen
// reads them.
func (o *Echo) typed(t *Keys, row string, agent bool) {
	o.expire(t.At)
	keys := splitKeys(t)
	t.left = len(keys)
	if agent || t.Group != o.group && t.Group != 0 && o.group != 0 {
		o.leave()
	}
	o.group = t.Group
	shown := agent || t.Sure && o.idle()
	if !shown {
		o.stay(row)
		shown = t.Sure && o.idle() // the previous line is decided only now
	}
	if shown {
		for _, k := range keys {
			o.judge(k, true)
		}
		return
	}
	if len(o.pending) == 0 && o.run == "" {
		o.begin(row)
	}
	o.pending = append(o.pending, keys...)
	o.controls()
}

// stay checks that the characters before the cursor are still on the screen.
func (o *Echo) stay(row string) {
	switch {
	case row == o.base+o.run, o.run == "" && (o.weak || len(o.pending) == 0):
	case len(o.pending) > 0:
		o.fail(len(o.pending)) // something else was drawn there
	default:
		o.hide()
	}
}

// begin begins a run after row. The last control key may have moved the cursor, erased or added
// text; otherwise, if the row changed, the characters before the key did not stay.
func (o *Echo) begin(row string) {
	o.base = row
	if len(o.line) == 0 || strings.HasPrefix(row, o.before) {
		return
	}
	gone, ok := strings.CutPrefix(o.before, row)
	if !ok {
		o.hide()
		return
	}
	o.before = row
	for i := len(o.line) - 1; i >= 0 && gone != ""; i-- { // erased, or after the cursor
		k := &o.line[i]
		if k.kind != charKey || k.drop {
			continue
		}
		k.drop = true
		gone = gone[:max(0, strings.LastIndex(gone, k.text))]
	}
}

// idle reports whether nothing was typed on the line.
func (o *Echo) idle() bool {
	return len(o.line) == 0 && len(o.pending) == 0 && !o.hidden.Load()
}

// compare compares the row up to the cursor with what was typed.
func (o *Echo) compare(row string) {
	for len(o.pending) > 0 {
		n := o.shown(row)
		if n == 0 {
			return
		}
		seen := o.pending[:n]
		o.pending = o.pending[n:]
		for _, k := range seen {
			o.run += k.text
		}
		o.begin(strings.TrimSuffix(row, o.run))
		o.weak = false
		for _, k := range seen {
			o.put(k)
		}
		o.controls()
	}
}

// shown returns how many of the pending characters the row shows.
func (o *Echo) shown(row string) (n int) {
	text, chars := "", 0
	for _, k := range o.pending {
		if k.kind != charKey {
			break
		}
		text += k.text
		chars++
		if row == o.base+o.run+text {
			n = chars
		}
	}
	if n == 0 && o.weak && utf8.RuneCountInString(text) >= weakEcho && strings.HasSuffix(row, text) {
		return chars
	}
	return n
}

// controls handles the leading keys that need not appear: control keys, and all keys on a hidden
// line. If characters follow them, the row before these is unknown.
func (o *Echo) controls() {
	for len(o.pending) > 0 && (o.pending[0].kind != charKey || o.hidden.Load()) {
		k := o.pending[0]
		o.pending = o.pending[1:]
		if k.kind != charKey {
			switch {
			case k.kind == enterKey || len(o.line) == 0:
				o.before = ""
			case o.base != unknownRow:
				o.before = o.base + o.run
			}
			o.base, o.run, o.weak = unknownRow, "", true
		}
		o.put(k)
	}
}

// put adds a key to the line and, at its end, decides about the line.
func (o *Echo) put(k key) {
	if o.hidden.Load() {
		if k.kind == enterKey {
			o.hidden.Store(false)
		}
		o.judge(k, false)
		return
	}
	k.drop = k.kind == hiddenKey || k.kind == altKey && !o.chars
	o.line, o.chars = append(o.line, k), o.chars || k.kind == charKey
	if k.kind != enterKey && o.chars {
		return
	}
	line := o.line
	o.line, o.chars = nil, false
	for _, k := range line {
		o.judge(k, !k.drop)
	}
}

// hide drops the line: nothing of it is recorded, including Enter.
func (o *Echo) hide() {
	line := o.line
	o.line, o.chars, o.run, o.weak = nil, false, "", true
	o.hidden.Store(true)
	for _, k := range line {
		o.judge(k, false)
	}
}

// leave drops the line and begins another one.
func (o *Echo) leave() {
	o.fail(len(o.pending))
	o.hide()
	o.hidden.Store(false)
}

// fail drops the first n pending keys: none of their characters was shown.
func (o *Echo) fail(n int) {
	failed := o.pending[:n]
	o.pending = o.pending[n:]
	for _, k := range failed {
		if k.kind == charKey {
			o.hide()
		}
		o.put(k)
	}
}

// expire drops the keys that were typed too long ago.
func (o *Echo) expire(now time.Duration) {
	n := 0
	for n < len(o.pending) && now-o.pending[n].of.At > echoTime {
		n++
	}
	if n > 0 {
		o.fail(n)
		o.base = unknownRow
		o.controls()
	}
}

// Close decides about all keys so far. Those that the screen does not show yet count as not shown.
func (o *Echo) Close(p *transcript.Processor) {
	o.reach(p)
	idle := o.idle()
	o.leave()
	for t := o.next(math.MaxInt64); t != nil; t = o.next(math.MaxInt64) {
		if t.Sure && idle {
			t.shown = t.Data
		}
		o.judged = append(o.judged, t)
	}
}

// rowToCursor returns the text before the cursor on its line, including the rows that wrap into it.
func rowToCursor(s *vterm.Snapshot) string {
	y := min(s.CursorY, len(s.Lines)-1)
	if y < 0 {
		return ""
	}
	width := s.CursorX
	if s.PendingWrap {
		width = s.Cols
	}
	text := cellsOf(s.Lines[y], width)
	for y > 0 && s.Lines[y].Wrapped {
		y--
		text = cellsOf(s.Lines[y], s.Cols) + text
	}
	return text
}

// cellsOf returns the first n cells of a row.
func cellsOf(row *vterm.Row, n int) string {
	text := ansi.Truncate(row.Text, n, "")
	return text + strings.Repeat(" ", max(0, n-ansi.StringWidth(text)))
}
