package vterm

func (t *Term) enterEscape() {
	t.clearSequence()
	t.state = escape
}

func (t *Term) clearSequence() {
	t.params.reset()
	t.ncol = 0
}

// keep adds a private marker or an intermediate.
func (t *Term) keep(b byte) {
	if t.ncol < len(t.collect) {
		t.collect[t.ncol] = b
	}
	t.ncol++
}

func (t *Term) inEscape(b byte) {
	switch {
	case b <= 0x2F:
		t.keep(b)
		t.state = escapeIntermediate
	case b == '[':
		t.state = csiEntry
	case b == ']':
		t.startString()
		t.state = oscString
	case b == 'P':
		t.state = dcsEntry
	case b == 'X' || b == '^' || b == '_':
		t.state = sosPmApc
	case b < 0x7F:
		t.state = ground
		t.dispatchEscape(b)
	}
}

func (t *Term) inEscapeIntermediate(b byte) {
	switch {
	case b <= 0x2F:
		t.keep(b)
	case b < 0x7F:
		t.state = ground
		t.dispatchEscape(b)
	}
}

func (t *Term) inCSI(b byte) {
	switch {
	case b == 0x7F:
	case b >= 0x40:
		ignored := t.state == csiIgnore
		t.state = ground
		if !ignored {
			t.dispatchCSI(b)
			t.joinable = 0
		}
	case t.state != csiIgnore:
		t.inHead(b, csiEntry)
	}
}

// inHead processes what precedes the final byte of a control sequence, or of the head of a device
// control string: a private marker, parameters, intermediates. entry is the first of its four
// states.
func (t *Term) inHead(b byte, entry state) {
	const param, intermediate, ignore = csiParam - csiEntry, csiIntermediate - csiEntry, csiIgnore - csiEntry
	switch {
	case b <= 0x2F:
		t.keep(b)
		t.state = entry + intermediate
	case t.state == entry+intermediate:
		t.state = entry + ignore
	case b <= ';':
		t.params.put(b)
		t.state = entry + param
	case t.state == entry:
		t.keep(b)
		t.state = entry + param
	default:
		t.state = entry + ignore
	}
}

// wholeCSI executes the control sequence after the ESC at the start of p, if it is complete and of
// the common form: an optional private marker, digits and semicolons, the final byte. It returns
// its length in bytes, or 0 to leave p to the state machine.
func (t *Term) wholeCSI(p []byte) int {
	if len(p) < 4 || p[0] != '[' {
		return 0
	}
	if d, e := p[1]-'0', p[2]-'0'; d < 10 && (p[2] == 'm' || e < 10 && p[3] == 'm') { // the most common form
		v, n := d, 3
		if e < 10 {
			v, n = 10*d+e, 4
		}
		if t.sgrOne(v) {
			t.joinable = 0
			return n
		}
	}
	t.ncol = 0
	i := 1
	if p[1]-'<' < 4 {
		t.keep(p[1])
		i++
	}
	const maxDigits = 9 // more digits might overflow
	ps := &t.params
	for n := 0; n < maxParams; {
		num, from := int32(0), i
		for i < len(p) && p[i]-'0' < 10 {
			num = num*10 + int32(p[i]-'0')
			i++
		}
		if i == len(p) || i-from > maxDigits {
			return 0
		}
		ps.nums[n] = num
		n++
		b := p[i]
		i++
		if b == ';' {
			continue
		}
		if b-0x40 > 0x7E-0x40 {
			return 0
		}
		ps.n, ps.nsubs = n, 0
		switch {
		case t.ncol > 0:
			t.dispatchCSI(b)
		case b == 'm':
			t.sgr()
		default:
			t.plainCSI(b)
		}
		t.joinable = 0
		return i
	}
	return 0
}
