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
