package vterm

func (t *Term) enterEscape() {
	t.clearSequence()
	t.state = escape
}

func (t *Term) clearSequence() {
	t.params.reset()
	t.ncol = 0
}

// keep collects a private marker or an intermediate.
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
	case t.state == csiIgnore:
	case b <= 0x2F:
		t.keep(b)
		t.state = csiIntermediate
	case t.state == csiIntermediate:
		t.state = csiIgnore
	case b <= ';':
		t.params.put(b)
		t.state = csiParam
	case t.state == csiEntry:
		t.keep(b)
		t.state = csiParam
	default:
		t.state = csiIgnore
	}
}

// wholeCSI executes the control sequence at the start of p, behind its ESC, if it is one of the common
// kind that is there to its end: perhaps a private marker, then digits and semicolons, then the
// final byte. It says how many bytes that is; 0 leaves p to the state machine.
func (t *Term) wholeCSI(p []byte) int {
	if len(p) < 2 || p[0] != '[' {
		return 0
	}
	i := 1
	t.ncol = 0
	if b := p[1]; b >= '<' && b <= '?' {
		t.keep(b)
		i++
	}
	ps := &t.params
	ps.reset()
	num := int32(0)
	for ; i < len(p); i++ {
		b := p[i]
		switch {
		case b-'0' < 10 && num < maxParam/10-1:
			num = num*10 + int32(b-'0')
		case b == ';' && ps.n < maxParams:
			ps.nums[ps.n-1] = num
			ps.nums[ps.n], ps.subEnd[ps.n] = 0, 0
			ps.n++
			num = 0
		case b >= 0x40 && b < 0x7F:
			ps.nums[ps.n-1] = num
			t.dispatchCSI(b)
			t.joinable = 0
			return i + 1
		default:
			return 0
		}
	}
	return 0
}
