package vterm

// maxKeyboards bounds the stack of keyboard flags, per screen; kitty keeps about as many.
const maxKeyboards = 16

// keyboard is how the program wants keys reported, and the shape of the cursor. Neither changes
// cells, but a viewer's terminal must know both.
type keyboard struct {
	stacks [2][]int // kitty's progressive enhancement flags: main and alternate screen; the last one is in force
	other  int      // modifyOtherKeys
	shape  int      // DECSCUSR
}

// stack is that of the screen which is shown.
func (t *Term) stack() *[]int {
	if t.scr == &t.alt {
		return &t.keyboard.stacks[1]
	}
	return &t.keyboard.stacks[0]
}

// keyboardInForce returns the flags of the screen that is shown.
func (t *Term) keyboardInForce() int {
	if s := *t.stack(); len(s) > 0 {
		return s[len(s)-1]
	}
	return 0
}

// pushKeyboard is CSI > u, popKeyboard CSI < u, setKeyboard CSI = u (kitty keyboard protocol,
// "Progressive enhancement").
func (t *Term) pushKeyboard() {
	s := t.stack()
	if len(*s) == maxKeyboards {
		*s = append((*s)[:0], (*s)[1:]...)
	}
	*s = append(*s, t.params.get(0, 0)&31)
}

func (t *Term) popKeyboard() {
	s := t.stack()
	*s = (*s)[:max(0, len(*s)-t.params.get(0, 1))]
}

func (t *Term) setKeyboard() {
	s := t.stack()
	if len(*s) == 0 {
		*s = append(*s, 0)
	}
	flags, now := t.params.get(0, 0)&31, &(*s)[len(*s)-1]
	switch t.params.get(1, 1) {
	case 1:
		*now = flags
	case 2:
		*now |= flags
	case 3:
		*now &^= flags
	}
}

// modifyKeys is XTMODKEYS; of its resources only modifyOtherKeys matters.
func (t *Term) modifyKeys() {
	switch t.params.get(0, 0) {
	case 0:
		t.keyboard.other = 0
	case 4:
		t.keyboard.other = t.params.get(1, 0)
	}
}

// stacks brings a terminal that is in its normal modes to the keyboard flags of a screen, which it
// shows.
func (p *painter) stacks(screen int) {
	for _, flags := range p.t.keyboard.stacks[screen] {
		p.putf("\x1b[>%du", flags)
	}
}

// keys sets the rest of the keyboard, and the cursor's shape.
func (p *painter) keys() {
	if k := p.t.keyboard; k.other > 0 {
		p.putf("\x1b[>4;%dm", k.other)
	}
	if k := p.t.keyboard; k.shape > 0 {
		p.putf("\x1b[%d q", k.shape)
	}
}
