package vterm

// plain selects the default style.
func (p *painter) plain() { p.style(0) }

// style selects the style attr.
func (p *painter) style(attr uint32) {
	attr &= styleMask | cellProtected
	if attr == p.attr {
		return
	}
	if (attr^p.attr)&cellProtected != 0 && attr&cellProtected == 0 {
		p.put("\x1b[0\"q")
	}
	was, now := p.t.styles.pens[p.attr&styleMask], p.t.styles.pens[attr&styleMask]
	p.link(was.link, now.link)
	p.pen(now)
	if attr&cellProtected != 0 {
		p.put("\x1b[1\"q")
	}
	p.attr = attr
}

func (p *painter) link(was, now uint32) {
	if was != now {
		p.putf("\x1b]8;;%s\x1b\\", p.t.links.text(now))
	}
}

// pen sets a style without the link.
func (p *painter) pen(n pen) {
	p.put("\x1b[0")
	for i, code := range []string{"1", "2", "3", "5", "7", "8", "9", "53"} {
		if n.flags&(1<<i) != 0 {
			p.put(";" + code)
		}
	}
	if n.underline == UnderlineSingle {
		p.put(";4")
	} else if n.underline != UnderlineNone {
		p.putf(";4:%d", n.underline)
	}
	p.color(30, n.fg)
	p.color(40, n.bg)
	if n.ul != 0 {
		p.color(50, n.ul)
	}
	p.put("m")
}

func (p *painter) color(base int, c uint32) {
	v := c & 0xFFFFFF
	switch {
	case c == 0:
	case c>>24 == 1 && v < 8 && base < 50:
		p.putf(";%d", base+int(v))
	case c>>24 == 1 && v < 16 && base < 50:
		p.putf(";%d", base+60+int(v)-8)
	case c>>24 == 1 && base < 50:
		p.putf(";%d;5;%d", base+8, v)
	case c>>24 == 1:
		p.putf(";58:5:%d", v)
	case base < 50:
		p.putf(";%d;2;%d;%d;%d", base+8, v>>16, v>>8&0xFF, v&0xFF)
	default:
		p.putf(";58:2::%d:%d:%d", v>>16, v>>8&0xFF, v&0xFF)
	}
}

// brush sets everything that SGR, OSC 8 and DECSCA can set, starting from an unknown state.
func (p *painter) brush(b brush, e brushExtra) {
	p.putf("\x1b]8;;%s\x1b\\", p.t.links.text(e.link))
	n := pen{fg: b.fg, bg: b.bg, ul: e.color, flags: b.flags}
	if b.flags&penUnderlined != 0 {
		n.underline = max(e.underline, UnderlineSingle)
	}
	p.pen(n)
	if b.flags&penProtected != 0 {
		p.put("\x1b[1\"q")
	} else {
		p.put("\x1b[0\"q")
	}
}

// repen sets the style of a cell, whatever the current one is.
func (p *painter) repen(attr uint32) {
	n := p.t.styles.pens[attr&styleMask]
	p.putf("\x1b]8;;%s\x1b\\", p.t.links.text(n.link))
	p.pen(n)
	if attr&cellProtected != 0 {
		p.put("\x1b[1\"q")
	} else {
		p.put("\x1b[0\"q")
	}
}
