package vterm

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Repaint returns bytes that draw this screen on a terminal of the same size and width table,
// whatever that showed before: rows with styles, links and soft wraps, the main screen under an
// alternate one, cursor and saved cursor, margins, tab stops, character sets, modes, title, and the
// beginning of an incomplete sequence. Output can continue after them. The scrollback is not
// included: the first row does not continue it, and a window that grows pulls no rows from it.
//
// The length depends on the screen, not on the output so far.
func (t *Term) Repaint() []byte {
	p := painter{t: t, buf: make([]byte, 0, 4096)}
	p.buf = append(p.buf, normal...)
	if len(t.alt.rows) == 0 && t.alt.saved != (savedCursor{}) {
		p.put("\x1b[?47h")
		p.saved(&t.alt, 0)
		p.put("\x1b[?47l")
	}
	p.stacks(0)
	p.screen(&t.main)
	if t.scr == &t.alt {
		p.saved(&t.main, t.sb.n)
		p.put("\x1b[?1049h\x1b(B\x0f")
		p.put("\x1b[<99u")
		p.stacks(1)
		p.screen(&t.alt)
		p.saved(&t.alt, 0)
	} else {
		p.saved(&t.main, t.sb.n)
	}
	p.settings()
	p.cursor()
	p.buf = append(p.buf, t.unfinished()...)
	return p.buf
}

// normal brings a terminal to its default state: it ends sequences, modes, margins, styles and the
// alternate screen.
const normal = "\x18\x1b[!p\x1b[<99u\x1b[?1049l\x1b[<99u\x1b[>4m\x1b[0 " +
	"q\x1b[r\x1b[?1;6;9;45;66;1000;1002;1003;1005;1006;1015;1016;1004;1007;2004;2026;12;25l\x1b>\x1b[?7h\x1b[4;20l" +
	"\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b]8;;\x1b\\\x1b[m\x1b[0\"q"

// painter writes the bytes of Repaint, for a terminal in its default modes.
type painter struct {
	t    *Term
	buf  []byte
	attr uint32 // current style
	last rune   // character before the cursor if it was just printed, otherwise 0
}

func (p *painter) put(s string) {
	p.buf = append(p.buf, s...)
	p.last = 0
}

func (p *painter) putf(format string, args ...any) {
	p.buf = fmt.Appendf(p.buf, format, args...)
	p.last = 0
}

func (p *painter) move(x, y int) { p.putf("\x1b[%d;%dH", y+1, x+1) }

// screen draws the rows, and sets tab stops and margins.
func (p *painter) screen(sc *screen) {
	p.plain()
	p.put("\x1b[H\x1b[J")
	reached := false // whether the last cell of the row above was just printed
	for y, l := range sc.rows {
		flows := l.wrapped && reached && p.follows(l.at(0))
		if l.wrapped && y > 0 && !flows {
			p.wrap(sc.rows[y-1], y)
		}
		reached = p.row(l, y, flows)
	}
	p.tabs(sc)
	p.putf("\x1b[%d;%dr", sc.top+1, sc.bottom+1)
}

// follows reports whether c can be printed directly after the last cell.
func (p *painter) follows(c cell) bool {
	first, _ := utf8.DecodeRune(p.t.appendCell(nil, c))
	return c.ch != 0 && p.last != 0 && alone(p.last) && alone(first)
}

// row draws the cells that are not blank, and reports whether it printed the last one. at says that
// the cursor is already there, because it will wrap into the row.
func (p *painter) row(l *line, y int, at bool) bool {
	reached := false
	for x := 0; x < p.t.cols; {
		c := l.at(x)
		if c.ch == 0 && c.attr == 0 {
			x++
			at = false
			continue
		}
		if !at {
			p.move(x, y)
		}
		if c.ch == 0 && p.t.onlyBackground(c.attr) {
			n := 1
			for x+n < p.t.cols && l.at(x+n) == c {
				n++
			}
			p.style(c.attr)
			p.putf("\x1b[%dX", n)
			x += n
			at = false
			continue
		}
		p.style(c.attr)
		p.print(c, x)
		x += max(1, c.width())
		at, reached = true, x >= p.t.cols
	}
	return reached
}

// onlyBackground reports whether erasing results in cells of this style.
func (t *Term) onlyBackground(attr uint32) bool {
	if attr&^styleMask != 0 {
		return false
	}
	pen0 := t.styles.pens[attr]
	return pen0 == pen{bg: pen0.bg}
}

// wrap makes row y continue the row above. To do so it prints, and erases that again.
func (p *painter) wrap(above *line, y int) {
	x := p.t.cols - 1
	c := above.at(x)
	if c.ch == 0 && c.attr&cellTail != 0 && x > 0 && above.at(x-1).width() == 2 {
		x--
		c = above.at(x)
	}
	p.move(x, y-1)
	p.style(c.attr)
	p.print(c, 0)
	p.plain()
	p.put(" ")
	if c.ch == 0 && p.t.onlyBackground(c.attr) {
		p.move(x, y-1)
		p.style(c.attr)
		p.put("\x1b[X")
		p.plain()
	}
	p.move(0, y)
	p.put("\x1b[X")
}

// print prints the content of c at column x, so that it does not join the character before it.
func (p *painter) print(c cell, x int) {
	if p.last != 0 && !p.follows(c) {
		p.putf("\x1b[%dG", x+1)
	}
	text := p.t.appendCell(nil, c)
	end, _ := utf8.DecodeLastRune(text)
	p.buf = append(p.buf, text...)
	p.last = end
}

// alone reports whether r is a common character that joins neither the one before nor the one after
// it.
func alone(r rune) bool {
	return r >= ' ' && r < 0x7F || r >= 0xC0 && r < 0x300 || r >= 0x2500 && r < 0x25A0 ||
		r >= 0x3041 && r < 0x3097 || r >= 0x30A1 && r < 0xA000 && r != 0x3297 && r != 0x3299
}

// tabs sets the tab stops if they are not the default ones.
func (p *painter) tabs(sc *screen) {
	p.put("\x1b[3g")
	var stops []int
	for x := range sc.tabs {
		stops = append(stops, x)
	}
	slices.Sort(stops)
	for _, x := range stops {
		if x < p.t.cols {
			p.putf("\x1b[%dG\x1bH", x+1)
		}
	}
}

// saved sets the saved cursor of the current screen. base is the number of rows above the screen.
func (p *painter) saved(sc *screen, base int) {
	s := sc.saved
	e := p.t.extra
	if s.brush.flags&penExtended == 0 {
		e = brushExtra{}
	}
	p.brush(s.brush, e)
	p.move(min(s.x, p.t.cols-1), min(max(s.y-base, 0), p.t.rows-1))
	p.designate('(', s.charset)
	p.put("\x1b7")
	p.designate('(', nil)
}

func (p *painter) designate(slot byte, set *charset) {
	p.putf("\x1b%c%c", slot, setName(set))
}

// setName returns the final byte that designates set.
func setName(set *charset) byte {
	if set != nil {
		for final, s := range charsets {
			if s == set {
				return final
			}
		}
	}
	return 'B'
}

// settings sets the modes that do not affect the bytes after them.
func (p *painter) settings() {
	t := p.t
	if t.title != "" {
		p.putf("\x1b]2;%s\x1b\\", t.title)
	}
	for _, m := range []struct {
		on   bool
		code int
	}{
		{t.appCursor, 1}, {t.cursorBlink, 12}, {t.reverseWrap, 45}, {t.appKeypad, 66}, {t.focus, 1004},
		{t.alternateScroll, 1007}, {t.bracketedPaste, 2004},
		{t.mouse != 0, t.mouse}, {t.mouseFormat != 0, t.mouseFormat}, {!t.hidden, 25}, {t.origin, 6},
	} {
		if m.on {
			p.putf("\x1b[?%dh", m.code)
		}
	}
	if t.newLine {
		p.put("\x1b[20h")
	}
	p.keys()
}

// cursor sets the cursor with its pending wrap, and the style, character sets and modes that would
// have affected the bytes before.
func (p *painter) cursor() {
	t := p.t
	sc := t.scr
	l := sc.rows[sc.y]
	back := 0 // number of cells to print again, so that the cursor is after them
	if sc.x >= t.cols {
		back = 1
		if c := l.at(t.cols - 1); c.ch == 0 && c.attr&cellTail != 0 {
			back = 2
		}
	} else if t.joinable > 0 && t.joinable <= sc.x && t.plainSet() && !t.insert {
		back = t.joinable
	}
	x, y := min(sc.x, t.cols)-back, sc.y
	if t.origin {
		y -= sc.top
	}
	if back == 0 || l.at(x).attr&(styleMask|cellProtected) == t.attr && t.plainSet() {
		p.brush(t.brush, t.extra)
		p.charsets()
		p.late()
		p.move(x, y)
		if back > 0 {
			p.print(l.at(x), x)
		}
		return
	}
	p.attr = ^uint32(0) & styleMask // unknown
	p.move(x, y)
	p.repen(l.at(x).attr)
	p.print(l.at(x), x)
	p.brush(t.brush, t.extra)
	p.charsets()
	p.late()
}

// plainSet reports whether characters are printed as they are.
func (t *Term) plainSet() bool { return t.charset == nil && t.charsets[t.level] == nil }

func (p *painter) charsets() {
	for i, set := range p.t.charsets {
		if set != nil {
			p.designate("()*+"[i], set)
		}
	}
	if p.t.level > 0 {
		p.put([]string{1: "\x0e", 2: "\x1bn", 3: "\x1bo"}[p.t.level])
	}
}

// late sets the modes that affect how characters are printed.
func (p *painter) late() {
	if !p.t.autowrap {
		p.put("\x1b[?7l")
	}
	if p.t.insert {
		p.put("\x1b[4h")
	}
	if p.t.synced {
		p.put("\x1b[?2026h")
	}
}

// unfinished returns the beginning of the incomplete sequence or character at the end of the output
// so far.
func (t *Term) unfinished() []byte {
	var b []byte
	collect := string(t.collect[:min(t.ncol, len(t.collect))])
	switch t.state {
	case escape, escapeIntermediate:
		b = append(b, "\x1b"+collect...)
	case csiEntry, csiParam, csiIntermediate:
		b = t.appendParams(append(b, "\x1b["...), collect, t.state == csiEntry)
	case csiIgnore:
		b = append(b, "\x1b[0<"...)
	case dcsEntry, dcsParam, dcsIntermediate:
		b = t.appendParams(append(b, "\x1bP"...), collect, t.state == dcsEntry)
	case dcsPassthrough:
		b = t.appendParams(append(b, "\x1bP"...), collect, false)
		b = append(append(b, t.dcs), t.str...)
	case dcsIgnore:
		b = append(b, "\x1bP0<"...)
	case oscString:
		b = append(append(b, "\x1b]"...), t.str...)
	case sosPmApc:
		b = append(b, "\x1b_"...)
	}
	return append(b, t.carry[:t.ncarry]...)
}

// appendParams appends marker, numbers and intermediates of a control sequence, normalized.
func (t *Term) appendParams(b []byte, collect string, entry bool) []byte {
	if entry {
		return b
	}
	if collect != "" && collect[0] >= '<' {
		b, collect = append(b, collect[0]), collect[1:]
	}
	for i := range t.params.n {
		if i > 0 {
			b = append(b, ';')
		}
		if v := t.params.nums[i]; v != 0 || t.params.n == 1 && len(t.params.sub(0)) == 0 && collect == "" {
			b = fmt.Appendf(b, "%d", v)
		}
		for _, v := range t.params.sub(i) {
			b = append(b, ':')
			if v >= 0 {
				b = fmt.Appendf(b, "%d", v)
			}
		}
	}
	return append(b, collect...)
}
