package recorder

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

// privateModes are the DEC private modes to reset at the end of a session (ctlseqs, "DEC Private
// Mode Set"), in this order: the alternate screen goes first.
var privateModes = []int{
	2026,           // synchronized update
	1049, 1047, 47, // alternate screen
	9, 1000, 1001, 1002, 1003, // mouse
	1005, 1006, 1015, 1016, // mouse coordinates
	1004,           // focus events
	2004,           // bracketed paste
	2031,           // colour scheme reports
	1,              // application cursor keys
	keypad,         // application keypad
	6,              // origin mode
	wraps, visible, // autowrap, cursor
}

// Modes of the list that have another name, or are on by default.
const (
	wraps   = 7
	visible = 25
	keypad  = 66
)

func normallyOn(mode int) bool { return mode == wraps || mode == visible }

// modeTracker tracks modes in the output that a child may leave on. It parses no more than
// necessary. The zero value is a terminal in its default state.
type modeTracker struct {
	rows     int          // height of the window, in cells
	changed  map[int]bool // private modes that differ from the default
	kitty    [2]int       // keyboard flags pushed: main screen, alternate screen
	kittySet [2]bool      // keyboard flags set without a push
	keys     bool         // modifyOtherKeys
	region   bool         // a scroll region
	style    bool         // a cursor shape

	parser *ansi.Parser      // nil until the first sequence
	tail   [utf8.UTFMax]byte // end of the output
}

// feed processes p, which may start and end in the middle of a sequence.
func (m *modeTracker) feed(p []byte) {
	copy(m.tail[:], m.tail[min(len(p), len(m.tail)):])
	copy(m.tail[max(0, len(m.tail)-len(p)):], p[max(0, len(p)-len(m.tail)):])
	for len(p) > 0 {
		if !m.inSequence() {
			i := nextEscape(p)
			if i < 0 {
				return
			}
			p = p[i:]
		}
		m.step(p[0])
		p = p[1:]
	}
}

func (m *modeTracker) inSequence() bool {
	return m.parser != nil && m.parser.State() != parser.GroundState
}

// step passes a byte of a sequence to the parser, except bytes of UTF-8, which it would take for
// controls.
func (m *modeTracker) step(c byte) {
	if m.parser == nil {
		m.parser = &ansi.Parser{}
		m.parser.SetParamsSize(parser.MaxParamsSize)
		m.parser.SetDataSize(1) // the contents of strings are not needed
		m.parser.SetHandler(ansi.Handler{HandleCsi: m.csi, HandleEsc: m.escape})
	}
	if c == ansi.ESC {
		m.parser.Reset() // it ends every sequence
	}
	if c < utf8.RuneSelf {
		m.parser.Advance(c)
	}
}

// nextEscape returns the index of the next ESC that may begin a relevant sequence, or -1. It skips
// the most common sequences, those with plain parameters, except DECSTBM: they change nothing that
// is tracked.
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

// between reports whether the output ends with a complete sequence or character.
func (m *modeTracker) between() bool {
	for i := len(m.tail) - 1; i >= 0; i-- {
		if utf8.RuneStart(m.tail[i]) {
			return !m.inSequence() && utf8.FullRune(m.tail[i:])
		}
	}
	return !m.inSequence()
}

func (m *modeTracker) escape(cmd ansi.Cmd) {
	switch int(cmd) { // without intermediates
	case 'c': // RIS
		*m = modeTracker{rows: m.rows, parser: m.parser, tail: m.tail}
	case '=', '>':
		m.set(keypad, cmd.Final() == '=')
	}
}

func (m *modeTracker) csi(cmd ansi.Cmd, params ansi.Params) {
	first, _, _ := params.Param(0, 0)
	second, _, _ := params.Param(1, 0)
	final := cmd.Final()
	switch [2]byte{cmd.Prefix(), cmd.Intermediate()} {
	case [2]byte{'?', 0}:
		if final == 'h' || final == 'l' {
			params.ForEach(0, func(_, mode int, _ bool) { m.set(mode, final == 'h') })
		}
	case [2]byte{'>', 0}:
		if final == 'm' && first == 4 {
			m.keys = second != 0
		}
	case [2]byte{0, 0}:
		if final == 'r' {
			m.setRegion(first, second)
		}
	case [2]byte{0, ' '}:
		if final == 'q' {
			m.style = first != 0
		}
	case [2]byte{0, '!'}:
		if final == 'p' {
			m.softReset()
		}
	}
	if final == 'u' && cmd.Intermediate() == 0 {
		m.keyboard(cmd.Prefix(), params)
	}
}

// setRegion is DECSTBM.
func (m *modeTracker) setRegion(top, bottom int) {
	m.region = top > 1 || bottom != 0 && bottom != m.rows
}

// softReset is DECSTR.
func (m *modeTracker) softReset() {
	for _, mode := range []int{1, 6, keypad, visible} {
		m.set(mode, normallyOn(mode))
	}
	m.region = false
}

func (m *modeTracker) set(mode int, on bool) {
	if !slices.Contains(privateModes, mode) {
		return
	}
	if m.changed == nil {
		m.changed = map[int]bool{}
	}
	m.changed[mode] = on != normallyOn(mode)
}

// keyboard tracks the kitty keyboard protocol, "Progressive enhancement". Each screen has its own
// stack.
func (m *modeTracker) keyboard(verb byte, params ansi.Params) {
	screen := m.screen()
	switch verb {
	case '>':
		m.kitty[screen]++
	case '<':
		n, _, _ := params.Param(0, 1)
		m.kitty[screen] = max(0, m.kitty[screen]-n)
	case '=':
		flags, _, _ := params.Param(0, 0)
		m.kittySet[screen] = flags != 0
	}
}

func (m *modeTracker) screen() int {
	if m.changed[1049] || m.changed[1047] || m.changed[47] {
		return 1
	}
	return 0
}

// reset returns the sequences that restore the terminal, which the caller must write.
func (m *modeTracker) reset() string {
	var b strings.Builder
	screen := m.screen()
	m.resetKeyboard(&b, screen)
	if m.region {
		b.WriteString("\x1b7\x1b[r\x1b8")
	}
	for _, mode := range privateModes {
		if m.changed[mode] {
			fmt.Fprintf(&b, "\x1b[?%d%c", mode, map[bool]rune{true: 'h', false: 'l'}[normallyOn(mode)])
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
