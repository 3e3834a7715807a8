package vterm

// maxKeyboards is the maximum depth of the stack of keyboard flags of a screen; kitty has a similar
// limit.
const maxKeyboards = 16

// keyboard says how the program wants keys to be reported, and the shape of the cursor. Neither
// changes cells, but a viewer's terminal needs both.
type keyboard struct {
	stacks [2][]int // kitty's progressive enhancement flags of the main and alternate screen; the last ones are in force
	other  int      // modifyOtherKeys
	shape  int      // DECSCUSR
}

// stack returns the flags of the current screen.
func (t *Term) stack() *[]int {
	if t.scr == &t.alt {
		return &t.keyboard.stacks[1]
	}
	return &t.keyboard.stacks[0]
}

// keyboardInForce returns the keyboard flags in force on the current screen.
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

// modifyKeys is XTMODKEYS. Only its resource modifyOtherKeys matters here.
func (t *Term) modifyKeys() {
	switch t.params.get(0, 0) {
	case 0:
		t.keyboard.other = 0
	case 4:
		t.keyboard.other = t.params.get(1, 0)
	}
}

// stacks writes the sequences that set the keyboard flags of a screen, on a terminal that shows
// this screen and is in its default modes.
func (p *painter) stacks(screen int) {
	for _, flags := range p.t.keyboard.stacks[screen] {
		p.putf("\x1b[>%du", flags)
	}
}

// keys writes the other settings of the keyboard, and the cursor's shape.
func (p *painter) keys() {
	if k := p.t.keyboard; k.other > 0 {
		p.putf("\x1b[>4;%dm", k.other)
	}
	if k := p.t.keyboard; k.shape > 0 {
		p.putf("\x1b[%d q", k.shape)
	}
}
