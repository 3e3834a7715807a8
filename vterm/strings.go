package vterm

import (
	"strings"
	"unicode/utf8"
)

// startString begins the payload of an OSC or DCS string.
func (t *Term) startString() {
	if cap(t.str) > 4096 {
		t.str = nil
	}
	t.str, t.strLong = t.str[:0], false
}

func (t *Term) putByte(b byte) {
	if len(t.str) < maxString {
		t.str = append(t.str, b)
	} else {
		t.strLong = true
	}
}

func (t *Term) putString(r rune) {
	if len(t.str)+utf8.UTFMax <= maxString {
		t.str = utf8.AppendRune(t.str, r)
	} else {
		t.strLong = true
	}
}

// endString ends the current string, if there is one, and executes it if ok.
func (t *Term) endString(ok bool) {
	ok = ok && !t.strLong
	switch t.state {
	case oscString:
		t.joinable = 0
		if ok {
			t.dispatchOSC()
		}
	case dcsPassthrough:
		t.joinable = 0
		if ok {
			t.dispatchDCS()
		}
	}
}

// inDCS processes the head of a device control string, which has the form of a control sequence.
func (t *Term) inDCS(b byte) {
	switch {
	case b == 0x7F:
	case b >= 0x40:
		t.dcs = b
		t.startString()
		t.state = dcsPassthrough
	default:
		t.inHead(b, dcsEntry)
	}
}

// maxURI is the maximum length of the URI of a link or folder, as in VTE. Longer ones are ignored.
const maxURI = 2083

// dispatchOSC executes an operating system command: a number, a semicolon and a text.
func (t *Term) dispatchOSC() {
	num, text, _ := strings.Cut(string(t.str), ";")
	switch num {
	case "0", "2":
		t.title = text
		t.cue(CueTitle, 0, text)
	case "7":
		t.cue(CueCwd, 0, text)
		t.mark(MarkFolder, text)
	case "8":
		t.setLink(text)
	case "133":
		t.cue(CueShell, 0, text)
		t.markShell(text)
	}
}

// setLink is OSC 8: parameters, a semicolon, and the URI of the link for the text that follows; an
// empty URI ends the link.
func (t *Term) setLink(text string) {
	_, uri, ok := strings.Cut(text, ";")
	if !ok {
		return
	}
	t.extra.link = 0
	if len(uri) <= maxURI {
		if t.links.full() {
			t.sweep()
		}
		t.extra.link = t.links.number(uri)
	}
	b := t.brush
	b.flags = t.extra.show(b.flags)
	t.paint(b)
}
