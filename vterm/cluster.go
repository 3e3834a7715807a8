package vterm

import (
	"github.com/clipperhouse/displaywidth"
	"github.com/rivo/uniseg"
)

// maxCluster is the maximum length of a grapheme cluster, in bytes. Further combining characters
// are dropped.
const maxCluster = 256

// measure returns the number of cells that r takes, negative if r is not shown, and whether r joins
// the character before the cursor. If so, w is the width of both together, of which old cells are
// already on the screen.
func (t *Term) measure(r rune) (w, old int, joins bool) {
	if r < 0x80 {
		return 1, 0, false
	}
	p := t.props(r)
	if t.widths == Unicode11 {
		w = int(p & propWidth)
		if w == 0 && t.joinable > 0 {
			return t.joinable, t.joinable, true
		}
		return w, 0, false
	}
	return t.measureCluster(r, p)
}

// measureCluster is measure for grapheme clusters (UAX #29).
func (t *Term) measureCluster(r rune, p uint8) (w, old int, joins bool) {
	w = int(p & propWidth)
	if p&propJoins == 0 {
		return w, 0, false
	}
	c := t.beforeCursor()
	if t.scr.x == 0 && w == 0 {
		c = t.endAbove()
	}
	if c.ch == 0 || w > 0 && t.joinable == 0 || p&propJoins == propAfter && !opens(c.ch, r) {
		return dropZero(w), 0, false
	}
	j := t.joint(c.ch, r)
	if !j.joins {
		return dropZero(w), 0, false
	}
	if t.widths == Runes || t.widths == Points && !joinsEmoji(r) || t.scr.x == 0 {
		return c.width(), c.width(), true
	}
	return max(c.width(), j.width), c.width(), true
}

// dropZero returns a negative width for a width of 0, so that a lone zero-width character is not
// shown.
func dropZero(w int) int {
	if w == 0 {
		return -1
	}
	return w
}

// opens reports whether r may join the cell's content although r itself joins nothing: an emoji
// after a joiner, Hangul letters after others, a second regional indicator.
func opens(ch uint32, r rune) bool {
	before := rune(ch)
	switch {
	case ch&chCluster != 0:
		return true
	case r >= 0xAC00 && r <= 0xD7A3:
		return before >= 0x1100 && before < 0x1160 || before >= 0xA960 && before < 0xA980
	}
	return before >= 0x1100 && before < 0x1200 || before >= 0xA960 && before < 0xD800 ||
		before >= 0x1F1E6 && before <= 0x1F1FF
}

// beforeCursor returns the cell of the character before the cursor.
func (t *Term) beforeCursor() cell {
	x := t.scr.x - 1
	l := t.cur()
	if x > 0 && l.at(x).attr&cellTail != 0 {
		x--
	}
	return l.at(x)
}

// endAbove returns the last cell of the row above if the cursor's row continues it. Line editors
// move to the start of a row to write what joins that cell (readline).
func (t *Term) endAbove() cell {
	x, l := t.cols-1, t.above()
	if l == nil {
		return cell{}
	}
	if l.at(x).attr&cellTail != 0 {
		x--
	}
	return l.at(x)
}

// above returns the row of the screen that the cursor's row continues, or nil.
func (t *Term) above() *line {
	if t.scr.y == 0 || !t.cur().wrapped {
		return nil
	}
	return t.scr.rows[t.scr.y-1]
}

// joint is the result of printing a character after another one.
type joint struct {
	joins bool
	width int    // width of both together, in cells
	ch    uint32 // both as a cell's ch; 0 if they are too long, or no number is left
}

// jointKey is a cell's content and the character printed after it.
type jointKey struct {
	ch uint32
	r  rune
}

// maxJoints is the maximum number of cached joints.
const maxJoints = 4096

// joint returns the joint of ch and r, from the cache if it is there.
func (t *Term) joint(ch uint32, r rune) joint {
	if j, ok := t.joints[jointKey{ch, r}]; ok {
		return j
	}
	both := t.cellText(cell{ch: ch}) + string(r)
	j := joint{joins: uniseg.GraphemeClusterCount(both) == 1, width: min(2, displaywidth.String(both))}
	if t.clusters.full() {
		t.sweep()
	}
	if len(both) <= maxCluster {
		if n := t.clusters.number(both); n != 0 {
			j.ch = chCluster | n
		}
	}
	if t.joints == nil || len(t.joints) >= maxJoints {
		t.joints = map[jointKey]joint{}
	}
	t.joints[jointKey{ch, r}] = j
	return j
}

// joinCell adds r to the character before the cursor, which becomes w cells wide.
func (t *Term) joinCell(l *line, r rune, w int) {
	x := t.scr.x - 1
	if x < 0 {
		l, x = t.above(), t.cols-1
	}
	if l.at(x).attr&cellTail != 0 && x > 0 {
		x--
	}
	c := &l.cells()[x]
	ch := uint32(r)
	if c.ch != 0 {
		ch = t.joint(c.ch, r).ch
	}
	if ch == 0 {
		return
	}
	c.ch, c.attr = ch, c.attr&^(cellWide|cellTail)|widthFlags(w)
	l.wrote(x + 1)
}

// cellText returns the text of c, "" if nothing was written.
func (t *Term) cellText(c cell) string {
	switch {
	case c.ch == 0:
		return ""
	case c.ch&chCluster != 0:
		return t.clusters.text(c.ch &^ chCluster)
	}
	return string(rune(c.ch))
}
