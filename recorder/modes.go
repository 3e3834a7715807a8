package recorder

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// privateModes are the DEC private modes that a terminal is not to be left in, with what they are
// normally (ctlseqs, "DEC Private Mode Set"). They are reset in this order: the alternate screen
// goes first.
var privateModes = []struct {
	mode   int
	normal bool
}{
	{2026, false},                             // synchronized update
	{1049, false}, {1047, false}, {47, false}, // alternate screen
	{9, false}, {1000, false}, {1001, false}, {1002, false}, {1003, false}, // mouse
	{1005, false}, {1006, false}, {1015, false}, {1016, false}, // mouse coordinates
	{1004, false}, // focus events
	{2004, false}, // bracketed paste
	{2031, false}, // colour scheme reports
	{1, false},    // application cursor keys
	{66, false},   // application keypad
	{6, false},    // origin mode
	{7, true},     // autowrap
	{25, true},    // cursor
}

// maxSequence is how much of a control sequence is kept, in bytes; the ones that matter are
// shorter.
const maxSequence = 64

// modeTracker follows the output for modes that a child may leave on. It understands no more of the
// output than that needs. The zero value is a terminal in its normal state.
type modeTracker struct {
	rows     int               // height of the window, in cells
	changed  map[int]bool      // private modes that are not normal
	kitty    [2]int            // keyboard flags pushed: main screen, alternate screen
	kittySet [2]bool           // keyboard flags set without a push
	keys     bool              // modifyOtherKeys
	region   bool              // a scroll region
	style    bool              // a cursor shape
	state    trackerState      //
	tail     [utf8.UTFMax]byte // of the output
	seq      []byte            // the sequence behind ESC or CSI, so far
}

type trackerState uint8

const (
	trackText trackerState = iota
	trackEscape
	trackCSI
	trackString // OSC, DCS, SOS, PM, APC: up to ST, or BEL
)

// feed follows p, which may start and end anywhere in a sequence.
func (m *modeTracker) feed(p []byte) {
	copy(m.tail[:], m.tail[min(len(p), len(m.tail)):])
	copy(m.tail[max(0, len(m.tail)-len(p)):], p[max(0, len(p)-len(m.tail)):])
	for len(p) > 0 {
		if m.state == trackText {
			i := nextEscape(p)
			if i < 0 {
				return
			}
			m.state = trackEscape
			p = p[i+1:]
			continue
		}
		m.step(p[0])
		p = p[1:]
	}
}

// nextEscape returns the index of the next ESC that may begin a sequence of interest, or -1. It
// skips sequences with plain parameters, except DECSTBM: most are of this kind and change nothing
// that the tracker follows.
func nextEscape(p []byte) int {
	for i := 0; i < len(p); i++ {
		if p[i] != 0x1b {
			n := bytes.IndexByte(p[i:], 0x1b)
			if n < 0 {
				return -1
			}
			i += n
		}
		if i+1 == len(p) || p[i+1] != '[' {
			return i
		}
		begun := i
		for i += 2; i < len(p) && p[i] >= '0' && p[i] <= ';'; i++ {
		}
		if i == len(p) || p[i] < 0x40 || p[i] > 0x7e || p[i] == 'r' {
			return begun
		}
	}
	return -1
}

func (m *modeTracker) step(c byte) {
	switch {
	case c == 0x1b:
		m.state = trackEscape
	case c == 0x18 || c == 0x1a:
		m.state = trackText
	case m.state == trackString:
		if c == 0x07 {
			m.state = trackText
		}
	case m.state == trackEscape:
		m.escape(c)
	case c >= 0x40 && c <= 0x7e:
		m.state = trackText
		m.csi(string(m.seq), c)
	case c >= 0x20 && len(m.seq) < maxSequence:
		m.seq = append(m.seq, c)
	}
}

// between reports whether the output ends with a complete sequence or character.
func (m *modeTracker) between() bool {
	for i := len(m.tail) - 1; i >= 0; i-- {
		if utf8.RuneStart(m.tail[i]) {
			return m.state == trackText && utf8.FullRune(m.tail[i:])
		}
	}
	return m.state == trackText
}

func (m *modeTracker) escape(c byte) {
	m.state = trackText
	switch c {
	case '[':
		m.state = trackCSI
		m.seq = m.seq[:0]
	case ']', 'P', 'X', '^', '_':
		m.state = trackString
	case 'c': // RIS
		*m = modeTracker{rows: m.rows, seq: m.seq}
	case '=', '>':
		m.set(66, c == '=')
	}
}

// csi takes a whole control sequence: what is between CSI and the final byte, and the final byte.
func (m *modeTracker) csi(params string, final byte) {
	switch {
	case final == 'h' || final == 'l':
		if list, ok := strings.CutPrefix(params, "?"); ok {
			m.private(list, final == 'h')
		}
	case final == 'u' && params != "":
		m.keyboard(params[0], params[1:])
	case final == 'm' && strings.HasPrefix(params, ">4"):
		m.keys = !(params == ">4" || params == ">4;0" || params == ">4;")
	case final == 'r':
		m.scrollRegion(params)
	case final == 'q' && strings.HasSuffix(params, " "):
		m.style = params != " " && params != "0 "
	case final == 'p' && params == "!": // DECSTR
		for _, mode := range []int{1, 6, 66, 25} {
			m.set(mode, mode == 25)
		}
		m.region = false
	}
}

func (m *modeTracker) private(list string, on bool) {
	for field := range strings.SplitSeq(list, ";") {
		if mode, err := strconv.Atoi(field); err == nil {
			m.set(mode, on)
		}
	}
}

func (m *modeTracker) set(mode int, on bool) {
	for _, known := range privateModes {
		if known.mode != mode {
			continue
		}
		if on == known.normal {
			delete(m.changed, mode)
			return
		}
		if m.changed == nil {
			m.changed = map[int]bool{}
		}
		m.changed[mode] = true
	}
}

// keyboard follows the kitty keyboard protocol, "Progressive enhancement": each screen has a stack
// of its own.
func (m *modeTracker) keyboard(verb byte, params string) {
	screen := m.screen()
	n, err := strconv.Atoi(params)
	switch verb {
	case '>':
		m.kitty[screen]++
	case '<':
		if err != nil {
			n = 1
		}
		m.kitty[screen] = max(0, m.kitty[screen]-n)
	case '=':
		m.kittySet[screen] = !strings.HasPrefix(params, "0")
	}
}

func (m *modeTracker) screen() int {
	if m.changed[1049] || m.changed[1047] || m.changed[47] {
		return 1
	}
	return 0
}

func (m *modeTracker) scrollRegion(params string) {
	if strings.ContainsAny(params, "?<=> ") {
		return
	}
	top, bottom, _ := strings.Cut(params, ";")
	full := (top == "" || top == "0" || top == "1") && (bottom == "" || bottom == "0" || bottom == strconv.Itoa(m.rows))
	m.region = !full
}

// reset returns the sequences that bring the terminal back to normal, and assumes that they will be
// written.
func (m *modeTracker) reset() string {
	var b strings.Builder
	screen := m.screen()
	m.resetKeyboard(&b, screen)
	if m.region {
		b.WriteString("\x1b7\x1b[r\x1b8")
	}
	for _, known := range privateModes {
		if m.changed[known.mode] {
			fmt.Fprintf(&b, "\x1b[?%d%c", known.mode, map[bool]rune{true: 'h', false: 'l'}[known.normal])
		}
	}
	if screen == 1 {
		m.resetKeyboard(&b, 0)
	}
	if m.keys {
		b.WriteString("\x1b[>4m")
	}
	if m.style {
		b.WriteString("\x1b[0 q")
	}
	*m = modeTracker{rows: m.rows}
	return b.String()
}

func (m *modeTracker) resetKeyboard(b *strings.Builder, screen int) {
	if n := m.kitty[screen]; n > 0 {
		fmt.Fprintf(b, "\x1b[<%du", n)
	}
	if m.kittySet[screen] {
		b.WriteString("\x1b[=0u")
	}
}
