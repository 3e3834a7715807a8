package recorder

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

const (
	echoTime   = 2 * time.Second // a character must be on the screen this long after it was typed
	echoReach  = 256 << 10       // and within this many bytes of output
	echoMemory = 64 << 10        // bounds the keys that wait for their echo, in bytes
	weakEcho   = 3               // characters that prove an echo if the row up to the cursor was unknown
)

// echo finds out which keys a program has shown that were typed while the kernel's echo is off.
// Programs that draw their own input turn the echo off, and so do programs that read a password key
// by key. A character counts as shown if it appears on the screen where the cursor was, the cursor
// moved past it, and the rest of the row is unchanged. A control key counts as shown if the
// character before it does. While an agent that the extractor knows is on the screen and draws its
// own cursor, every key counts as shown.
//
// Whoever types adds keys. The follower does everything else, at the exact position in the output
// where the keys were typed.
type echo struct {
	foreground func() (int, error) // returns the foreground process group of the terminal

	mu    sync.Mutex // guards queue and size
	queue []*typedKeys
	size  int // bytes of the keys in queue and pending

	judged []*typedKeys // judged, but their callers have not been told

	pending []key  // in order; the first is a character
	base    string // the row up to the cursor before the first pending character
	weak    bool   // base is unknown
	last    echoed // verdict on the last character of the line

	agent int // foreground process group when the agent was first seen; 0: no agent
}

// typedKeys are keys that were typed in one call.
type typedKeys struct {
	data  []byte
	at    time.Duration
	seq   int64        // bytes of output before them
	group int          // foreground process group
	sure  bool         // the kernel echoes them; they only keep their place in the order
	kept  func([]byte) // called once, with the keys that were shown

	shown []byte // so far
	left  int    // keys without a verdict
}

// key is one key.
type key struct {
	of   *typedKeys
	data []byte
	text string // what the screen must show; empty for a control key
	kind keyKind
}

type keyKind uint8

const (
	charKey    keyKind = iota
	controlKey         // moves, erases or ends; has no text
	enterKey
	altKey    // ESC and a character
	hiddenKey // has text that cannot be looked for, such as a reply of the terminal
)

type echoed uint8

const (
	echoUnknown echoed = iota // nothing was typed on this line yet
	echoShown
	echoHidden
)

// add queues keys. It reports false if there are too many; they count as not shown.
func (o *echo) add(t *typedKeys) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.size+len(t.data) > echoMemory {
		return false
	}
	o.size += len(t.data)
	o.queue = append(o.queue, t)
	return true
}

// waiting reports whether keys wait for a verdict.
func (o *echo) waiting() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > 0
}

// next removes the keys from the queue that were typed at or before byte seq of the output.
func (o *echo) next(seq int64) *typedKeys {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 || o.queue[0].seq > seq {
		return nil
	}
	t := o.queue[0]
	o.queue = o.queue[1:]
	return t
}

// feed passes an event to the processor. If keys are pending, it also looks at the screen in
// between.
func (o *echo) feed(p *Processor, e session.Event) {
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
func (o *echo) meet(p *Processor) {
	switch {
	case p.reader.Agent() == "":
		o.agent = 0
	case o.agent == 0:
		o.agent, _ = o.foreground() // 0 if it fails: unknown
	}
}

// reach handles the keys that were typed when the output was where the processor is now.
func (o *echo) reach(p *Processor) {
	for t := o.next(p.offset); t != nil; t = o.next(p.offset) {
		p.Tick(t.at) // the screen at that moment is a frame
		o.meet(p)
		s := p.term.Snapshot()
		o.typed(t, rowToCursor(s), p.reader.Shown() && o.agent > 0 && o.agent == t.group && !s.Visible)
	}
}

// look compares the screen with what was typed.
func (o *echo) look(p *Processor) {
	if len(o.pending) == 0 {
		return
	}
	if p.offset-o.pending[0].of.seq > echoReach {
		o.expire(math.MaxInt64)
		return
	}
	o.expire(p.last)
	if len(o.pending) > 0 {
		o.compare(rowToCursor(p.term.Snapshot()))
	}
}

// typed handles keys that were typed on this screen. agent reports whether the agent on the screen
// reads them.
func (o *echo) typed(t *typedKeys, row string, agent bool) {
	o.expire(t.at)
	keys := splitKeys(t)
	t.left = len(keys)
	if agent || t.sure {
		o.fail(len(o.pending))
		for _, k := range keys {
			o.judge(k, true)
		}
		o.last = echoUnknown
		return
	}
	if len(o.pending) > 0 && (o.weak || row != o.base) {
		o.fail(len(o.pending)) // something else was drawn there
	}
	if len(o.pending) == 0 {
		o.base, o.weak = row, false
	}
	o.pending = append(o.pending, keys...)
	o.controls()
}

// compare compares the row up to the cursor with what was typed.
func (o *echo) compare(row string) {
	for len(o.pending) > 0 {
		n := o.shown(row)
		if n == 0 {
			return
		}
		for _, k := range o.pending[:n] {
			o.judge(k, true)
		}
		o.pending = o.pending[n:]
		o.base = row
		o.controls()
	}
}

// shown returns how many of the pending characters the row shows.
func (o *echo) shown(row string) (n int) {
	text, chars := "", 0
	for _, k := range o.pending {
		if k.kind != charKey {
			break
		}
		text += k.text
		chars++
		if !o.weak && row == o.base+text {
			n = chars
		}
	}
	if o.weak && utf8.RuneCountInString(text) >= weakEcho && strings.HasSuffix(row, text) {
		return chars
	}
	return n
}

// controls judges the leading keys that show nothing themselves. If characters follow them, the row
// before these is unknown.
func (o *echo) controls() {
	for len(o.pending) > 0 && o.pending[0].kind != charKey {
		k := o.pending[0]
		o.pending = o.pending[1:]
		o.judge(k, o.follows(k))
		o.weak = true
	}
}

// follows reports whether a key that shows nothing itself counts as shown.
func (o *echo) follows(k key) bool {
	switch k.kind {
	case controlKey, enterKey:
		return o.last != echoHidden
	case altKey:
		return o.last == echoShown
	}
	return false
}

// fail judges the first n pending keys: none of their characters was shown.
func (o *echo) fail(n int) {
	failed := o.pending[:n]
	o.pending = o.pending[n:]
	for _, k := range failed {
		o.judge(k, o.follows(k))
	}
}

// expire drops the keys that were typed too long ago.
func (o *echo) expire(now time.Duration) {
	n := 0
	for n < len(o.pending) && now-o.pending[n].of.at > echoTime {
		n++
	}
	o.fail(n)
	if n > 0 {
		o.weak = true
		o.controls()
	}
}

// close judges all remaining keys as not shown.
func (o *echo) close() {
	o.fail(len(o.pending))
	for t := o.next(math.MaxInt64); t != nil; t = o.next(math.MaxInt64) {
		if t.sure {
			t.shown = t.data
		}
		o.judged = append(o.judged, t)
	}
}

func (o *echo) judge(k key, shown bool) {
	switch {
	case k.kind == enterKey:
		o.last = echoUnknown
	case k.kind == charKey && shown:
		o.last = echoShown
	case k.kind == charKey:
		o.last = echoHidden
	}
	t := k.of
	if shown {
		t.shown = append(t.shown, k.data...)
	}
	if t.left--; t.left == 0 {
		o.judged = append(o.judged, t)
	}
}

// take returns the keys that were judged since the last call.
func (o *echo) take() []*typedKeys {
	judged := o.judged
	o.judged = nil
	return judged
}

// tell calls back those who typed the judged keys.
func (o *echo) tell(judged []*typedKeys) {
	for _, t := range judged {
		o.mu.Lock()
		o.size -= len(t.data)
		o.mu.Unlock()
		t.kept(t.shown)
	}
}

// splitKeys splits what a terminal sends into keys.
func splitKeys(t *typedKeys) (keys []key) {
	data := t.data
	for len(data) > 0 {
		n, kind := keyAt(data)
		k := key{of: t, data: data[:n:n], kind: kind}
		if kind == charKey {
			k.text = string(data[:n])
		}
		keys = append(keys, k)
		data = data[n:]
	}
	return keys
}

// keyAt returns the length and the kind of the first key in data.
func keyAt(data []byte) (n int, kind keyKind) {
	switch c := data[0]; {
	case c == '\r' || c == '\n':
		return 1, enterKey
	case c == 0x1b && len(data) > 1:
		return escapedKey(data)
	case c < ' ' || c == 0x7f:
		return 1, controlKey
	}
	r, n := utf8.DecodeRune(data)
	if r == utf8.RuneError || r < 0xa0 && r >= 0x7f {
		return n, hiddenKey
	}
	return n, charKey
}

// escapedKey is keyAt for sequences that begin with ESC (ECMA-48, 5.3 to 5.6; ctlseqs).
func escapedKey(data []byte) (n int, kind keyKind) {
	switch c := data[1]; {
	case c == '[':
		return sequenceKey(data)
	case c == 'O' && len(data) > 2:
		return 3, controlKey
	case strings.IndexByte("]P_^X", c) >= 0: // a reply of the terminal
		for n = 2; n < len(data); n++ {
			if data[n] == 0x07 || data[n] == '\\' && data[n-1] == 0x1b {
				return n + 1, hiddenKey
			}
		}
		return n, hiddenKey
	case c < ' ' || c == 0x7f:
		return 1, controlKey
	}
	_, n = utf8.DecodeRune(data[1:])
	return n + 1, altKey
}

// sequenceKey is keyAt for CSI. Some keyboard protocols send characters that way (kitty's u,
// xterm's 27;…~, win32's _).
func sequenceKey(data []byte) (n int, kind keyKind) {
	for n = 2; n < len(data); n++ {
		c := data[n]
		if c < 0x20 || c > 0x7e {
			return n, hiddenKey
		}
		if c < 0x40 {
			continue
		}
		n++
		switch {
		case c == 'M' && n == 3: // X10 mouse: three bytes follow
			return min(n+3, len(data)), controlKey
		case c == 'u', c == '_', c == '~' && strings.HasPrefix(string(data[2:]), "27;"):
			return n, hiddenKey
		}
		return n, controlKey
	}
	return n, hiddenKey
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
