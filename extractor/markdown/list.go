package markdown

import (
	"slices"
	"strconv"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// Item is a list item's marker at the start of a line.
type Item struct {
	Mark    string // in Markdown: "-" for all bullets, "1." for numbers
	number  int    // of an ordered item, else -1
	col     int    // column of the marker
	Content int    // column of the item's text
	text    int    // offset of the item's text, in bytes
}

// Markers of tasks, for which some agents draw other characters.
const (
	TaskOpen = "- [ ]"
	TaskDone = "- [x]"
)

// listLevel is an open list to which later blocks may belong.
type listLevel struct {
	Item
	inner string // put before the lines within its items
}

// beyond is a column to the right of every line.
const beyond = 1 << 30

// noList is the level outside lists.
var noList = listLevel{Item: Item{number: -1, col: beyond}}

// next reports whether an item follows the last one of the list. Numbers may be right-aligned, and
// their column moves to the right when a list grows to a hundred items: rows that have left the
// window before keep their column.
func (l *listLevel) next(it Item) bool {
	if l.number < 0 {
		return it.number < 0 && l.col == it.col
	}
	return it.number == l.number+1 && (l.Content == it.Content || l.col <= it.col && it.col < l.Content)
}

// list returns the innermost open list.
func (r *blockReader) list() *listLevel { return &r.lists[len(r.lists)-1] }

// outer returns the list that contains the innermost open one, or that one itself if it is not
// nested.
func (r *blockReader) outer() *listLevel {
	n := len(r.lists)
	return &r.lists[min(max(1, n-2), n-1)]
}

// again reports whether an item has the number of the previous item. What follows is then another
// paragraph of it, before which some agents repeat the number.
func (r *blockReader) again(it Item) bool {
	l := r.list()
	return r.gap && it.number > 0 && l.number == it.number && l.col == it.col
}

// interrupts reports whether a list item begins at line i, which follows text: the next one of an
// open list, the first of a nested one, one to the left of those above (an agent may indent the
// first one too far), or one of another list: after a complete line, or indented further than the
// paragraph above. A word that was wrapped is not a marker.
func (r *blockReader) interrupts(i int) bool {
	it, ok := r.marker(i)
	if !ok || r.follows(it) || it.number > 1 {
		return ok && r.follows(it)
	}
	indented := len(r.lists) == 1 && it.col > r.ls[i-1].Indent
	return indented || it.col > r.outer().col || r.breaks(i)
}

// marker parses the marker of a list item at line i.
func (r *blockReader) marker(i int) (Item, bool) {
	if r.lk.Item != nil {
		return r.lk.Item(&r.ls[i])
	}
	return ListItem(&r.ls[i])
}

// follows reports whether an item is the next one of an open list.
func (r *blockReader) follows(it Item) bool {
	return slices.ContainsFunc(r.lists, func(l listLevel) bool { return l.next(it) })
}

// open makes an item's list the innermost open one, and returns the text before its markers.
func (r *blockReader) open(it Item) (pad string) {
	for len(r.lists) > 1 && (it.col <= r.list().col || r.list().next(it)) {
		r.lists = r.lists[:len(r.lists)-1]
	}
	pad = r.list().inner
	r.lists = append(r.lists, listLevel{it, pad + row.Blanks(len(row.FirstWord(it.Mark))+1)})
	return pad
}

// close closes the lists to which a block at a column does not belong.
func (r *blockReader) close(col int) { r.lists = r.within(col) }

// within returns the open lists to which a block at a column belongs.
func (r *blockReader) within(col int) []listLevel {
	n := len(r.lists)
	for col < r.lists[n-1].Content {
		n--
	}
	return r.lists[:n]
}

var bullets = []string{"-", "•", "*", "+", "◦", "▪", "‣"}

// ListItem parses a list item's marker: - * + • ◦ ▪ or a number with a point or bracket. The item's
// text may still be missing. A bold number counts only if the text is bold, too.
func ListItem(l *Line) (Item, bool) {
	t := l.Text[l.Indent:]
	mark := row.FirstWord(t)
	n := len(mark)
	switch {
	case n == 0:
	case slices.Contains(bullets, mark):
		return l.ItemOf("-", -1, 1, t[n:]), true
	case mark[n-1] == '.' || mark[n-1] == ')':
		number, err := strconv.ParseUint(mark[:n-1], 10, 31)
		return l.ItemOf(mark, int(number), n, t[n:]), err == nil && !l.First().Bold
	}
	return Item{}, false
}

// TaskItem parses a task of a list, which begins with one of signs, or another item. signs maps to
// TaskOpen or TaskDone.
func TaskItem(l *Line, signs map[string]string) (Item, bool) {
	t := l.Text[l.Indent:]
	sign := row.FirstWord(t)
	if task := signs[sign]; task != "" {
		return l.ItemOf(task, -1, row.Width(sign), t[len(sign):]), true
	}
	return ListItem(l)
}

// ItemOf returns an item whose marker takes width cells after the indentation and is followed by
// rest.
func (l *Line) ItemOf(mark string, number, width int, rest string) Item {
	n := row.Indent(rest)
	return Item{Mark: mark, number: number, col: l.Indent, Content: l.Indent + width + max(n, 1),
		text: len(l.Text) - len(rest) + n}
}
