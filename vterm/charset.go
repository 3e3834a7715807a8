package vterm

// charset maps some of the characters 0x20 to 0x7E to others (ISO 2022). nil means ASCII.
type charset map[rune]rune

func (c *charset) translate(r rune) rune {
	if to, ok := (*c)[r]; ok {
		return to
	}
	return r
}

// national returns a national replacement set. to has the characters at the twelve positions that
// ISO 646 leaves open, in order; a space keeps the ASCII character.
func national(to string) *charset {
	c := charset{}
	at := []rune("#@[\\]^_`{|}~")
	for i, r := range []rune(to) {
		if r != ' ' {
			c[at[i]] = r
		}
	}
	return &c
}

// charsets holds the sets by the final byte that designates them (VT220 Programmer Reference,
// tables 2-5 to 2-15). The positions are # @ [ \ ] ^ _ ` { | } ~.
var charsets = map[byte]*charset{
	'0': specialGraphics(),
	'A': national("£           "),
	'4': national("£¾i½|   ¨f¼´"),
	'C': national("  ÄÖÅÜ éäöåü"),
	'5': national("  ÄÖÅÜ éäöåü"),
	'R': national("£à°ç§   éùè¨"),
	'Q': national(" àâçêî ôéùèû"),
	'K': national(" §ÄÖÜ   äöüß"),
	'Y': national("£§°çé  ùàòèì"),
	'E': national(" ÄÆØÅÜ äæøåü"),
	'6': national(" ÄÆØÅÜ äæøåü"),
	'Z': national("£§¡Ñ¿   °ñç "),
	'H': national(" ÉÄÖÅÜ éäöåü"),
	'7': national(" ÉÄÖÅÜ éäöåü"),
	'=': national("ùàéçêîèôäöüû"),
}

// specialGraphics returns DEC Special Graphics, the line drawing characters (VT100 User Guide,
// table 3-9).
func specialGraphics() *charset {
	c := charset{}
	for i, r := range []rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·") {
		c['`'+rune(i)] = r
	}
	return &c
}

// designate assigns a set to one of G0 to G3 (ESC ( F and similar sequences). ESC % @ and ESC % G
// assign ASCII.
func (t *Term) designate(slot, final byte) {
	switch slot {
	case '%':
		if final == '@' || final == 'G' {
			t.level, t.charsets[0] = 0, nil
			t.charset = nil
		}
		return
	case '(', ')', '*', '+', '-', '.':
	default:
		return
	}
	set, known := charsets[final]
	if !known && final != 'B' {
		return
	}
	g := map[byte]int{'(': 0, ')': 1, '*': 2, '+': 3, '-': 1, '.': 2}[slot]
	t.charsets[g] = set
	if t.level == g {
		t.charset = set
	}
}

// shiftTo selects one of G0 to G3 for printing (SI, SO, LS2, LS3).
func (t *Term) shiftTo(g int) {
	t.level, t.charset = g, t.charsets[g]
}

// resetCharsets assigns ASCII to G0 to G3.
func (t *Term) resetCharsets() {
	t.level, t.charset, t.charsets = 0, nil, [4]*charset{}
}
