package markdown

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Item is a list item's marker at the start of a line.
type Item struct {
	Mark    string // as it is drawn, but "-" for all bullets
	number  int    // of an ordered item, else -1
	col     int    // of the marker
	Content int    // where the item's text begins
}

// listLevel is an open list that later blocks may belong to.
type listLevel struct {
	Item
	pad string // before its markers
}

// inner returns what precedes the lines within its items.
func (l *listLevel) inner() string {
	if l.Mark == TaskOpen || l.Mark == TaskDone {
		return l.pad + "  "
	}
	return l.pad + row.Blanks(len(l.markdown())+1)
}

// Markers of tasks, which some agents draw as ☐ and ☑.
const (
	TaskOpen = "- [ ]"
	TaskDone = "- [x]"
)

// markdown is the marker in Markdown, which numbers with digits only.
func (it *Item) markdown() string {
	if it.number < 0 || it.Mark != "" && it.Mark[0] >= '0' && it.Mark[0] <= '9' {
		return it.Mark
	}
	return strconv.Itoa(it.number) + "."
}

// again reports whether an item's number is that of the item above: what follows is another
// paragraph of it, before which Claude Code writes the number again.
func (r *blockReader) again(it Item) bool {
	if len(r.lists) == 0 || !r.gap || it.number < 1 {
		return false
	}
	l := &r.lists[len(r.lists)-1]
	return l.col == it.col && l.number == it.number
}

// itemAt reads the marker of a list item at line i. Where a text may go on there, a word that was
// wrapped is no marker.
func (r *blockReader) itemAt(i int, fresh bool) (Item, bool) {
	it, ok := r.marker(i)
	if !ok || fresh || i == 0 || r.ls[i-1].Blank() {
		return it, ok
	}
	if r.follows(it) {
		return it, true
	}
	if len(r.lists) > 0 && it.col > r.lists[len(r.lists)-1].col && it.number <= 1 { // the first of a nested list
		return it, true
	}
	hang := min(r.ls[i].Indent, r.ls[i-1].Indent)
	return it, it.number <= 1 && r.lk.SeamOf(&r.ls[i-1], &r.ls[i], hang) == SeamBreak
}

// marker reads the marker of a list item at line i.
func (r *blockReader) marker(i int) (Item, bool) {
	if r.lk.Item != nil {
		return r.lk.Item(&r.ls[i])
	}
	return ListItem(&r.ls[i])
}

// follows reports whether an item is the next one of an open list.
func (r *blockReader) follows(it Item) bool {
	return slices.ContainsFunc(r.lists, func(l listLevel) bool {
		return (l.col == it.col || l.Content == it.Content) && (l.number < 0) == (it.number < 0) && (it.number < 0 || it.number == l.number+1)
	})
}

// open makes an item's list the innermost open one.
func (r *blockReader) open(it Item) {
	for len(r.lists) > 0 {
		l := &r.lists[len(r.lists)-1]
		if l.col == it.col || l.Content == it.Content && l.number >= 0 && it.number >= 0 {
			l.Item = it
			return
		}
		if it.col > l.col {
			r.lists = append(r.lists, listLevel{Item: it, pad: l.inner()})
			return
		}
		r.lists = r.lists[:len(r.lists)-1]
	}
	r.lists = append(r.lists, listLevel{Item: it})
}

// close ends the lists that a block at a column does not belong to.
func (r *blockReader) close(col int) {
	for len(r.lists) > 0 && col < r.lists[len(r.lists)-1].Content {
		r.lists = r.lists[:len(r.lists)-1]
	}
}

// pad returns what precedes the lines of a block in the open lists.
func (r *blockReader) pad() string {
	if len(r.lists) == 0 {
		return ""
	}
	return r.lists[len(r.lists)-1].inner()
}

// ListItem reads a list item's marker: - * + • ◦ ▪ or a number or letter with a point.
func ListItem(l *Line) (Item, bool) {
	t := l.Text[l.Indent:]
	for _, b := range []string{"-", "•", "*", "+", "◦", "▪", "‣"} {
		if rest, ok := strings.CutPrefix(t, b); ok && strings.HasPrefix(rest, " ") {
			return l.ItemOf("-", -1, 1, rest), true
		}
	}
	n, number := 0, 0
	for n < len(t) && n < 9 && t[n] >= '0' && t[n] <= '9' {
		number = number*10 + int(t[n]-'0')
		n++
	}
	if n == 0 || n+1 >= len(t) || t[n] != '.' && t[n] != ')' || t[n+1] != ' ' {
		return Item{}, false
	}
	return l.ItemOf(t[:n+1], number, n+1, t[n+1:]), true
}

// ItemOf is an item whose marker takes width cells from the indent, with what follows it.
func (l *Line) ItemOf(mark string, number, width int, rest string) Item {
	gap := len(rest) - len(strings.TrimLeft(rest, " "))
	if gap == len(rest) || gap > 4 { // an empty item, or code in one
		gap = 1
	}
	return Item{Mark: mark, number: number, col: l.Indent, Content: l.Indent + width + gap}
}
