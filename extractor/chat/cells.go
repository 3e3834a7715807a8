package chat

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Cells are the cells that a look draws below each other: prompts, replies, calls, and chrome
// between them.
type Cells struct {
	Agent string // prefix of the rules' names
	Cells []Cell // in the order in which they are tried for a row
	// Ended reports whether a row shows that the turn above has ended, so that its reply is
	// complete. If it is nil, each row on which a cell may begin does.
	Ended func(l row.Line) bool
}

// Cell describes one kind of cell. Its contents are described by data if possible: an Event, or a
// Role and a Style.
type Cell struct {
	Rule     string // its name in traces; "" for chrome
	Begin    *Mark  // what its first row begins with; nil: anything, and it ends no cell above
	Headless bool   // for cells whose first rows were never on the screen
	// When is an additional condition on the rows from its first one on, and the items above. It
	// may be nil.
	When func(lines []row.Line, earlier []Item) bool
	// Rows returns its number of rows, or 0 if it does not begin here. If it is nil, the cell ends
	// at the next row on which a cell may begin.
	Rows func(lines []row.Line) int

	Event string // session.EventClear, …
	Role  string
	Style *markdown.Style
	// Read parses what data cannot describe. earlier are the items above. If ok is false, it
	// becomes no item of its own, and its first End lines belong to the previous item.
	Read func(lines []row.Line, earlier []Item) (it Item, ok bool)
	// Add adds the items in the lines [first, end) if there may be none or several, or if they
	// change the previous one.
	Add func(p *Parser, first, end int)
	// Keeps means that rows on which chrome may begin do not end it.
	Keeps bool
	// Through reports whether it continues at a row above which rows were never on the screen. If
	// it is nil, it ends there.
	Through func(l row.Line) bool
	// Left returns the number of rows of chrome at the start of lines that a resize has left in the
	// middle of the cell, or 0 if the row belongs to the cell. If it is nil, all rows do.
	Left func(lines []row.Line) int
}

// Mark is the beginning of a row.
type Mark struct {
	Col   int                      // column of the sign
	Signs []string                 // one of these is there
	Ink   func(s vterm.Style) bool // condition on the style of its first character; nil: any
	Row   func(l row.Line) bool    // alternatively, a condition on the row
	Text  func(text string) bool   // alternatively, a condition on the text of the row, in any column
}

// On reports whether a row begins with the mark.
func (m *Mark) On(l row.Line) bool { return m.on(&l, row.Indent(l.Text)) }

// Signed reports whether a row begins with one of the mark's signs, in any style.
func (m *Mark) Signed(l row.Line) bool {
	return !l.Wrapped && row.Indent(l.Text) == m.Col && row.Starts(l.Text[m.Col:], m.Signs...)
}

// on is like On, with the row's indentation, which is the same for all marks.
func (m *Mark) on(l *row.Line, indent int) bool {
	if m.Text != nil {
		return m.Text(l.Text)
	}
	if l.Wrapped || indent != m.Col || m.Ink != nil && !m.Ink(l.StyleAt(m.Col)) {
		return false
	}
	if m.Row != nil {
		return m.Row(*l)
	}
	return row.Starts(l.Text[m.Col:], m.Signs...)
}

// Parse parses the items in conversation lines; see Look.Parse.
func (c *Cells) Parse(lines []row.Line) []Item {
	p := &Parser{Agent: c.Agent, Lines: lines}
	for i := 0; i < len(lines); {
		i += max(1, c.take(p, i))
	}
	ended := c.Ended
	if ended == nil {
		ended = c.Begins
	}
	it := p.Above()
	it.Open = it.Open || it.said() && !slices.ContainsFunc(lines[it.End:], ended)
	return p.Items
}

// take parses the cell that begins at line i, and returns its number of lines.
func (c *Cells) take(p *Parser, i int) int {
	cell, n := c.at(p.Lines[i:], p.Items)
	end := i + len(row.Trim(p.Lines[i:i+n]))
	if end == i {
		return n
	}
	from, headless := i, cell.Headless
	if above := p.Above(); headless && cell.Role != "" && above.Role == cell.Role &&
		row.SkipBlank(p.Lines, above.End) >= i {
		from, headless = above.First, above.Headless // the cell began above rows that the screen never showed
		p.Items = p.Items[:len(p.Items)-1]
		cell, _ = c.at(p.Lines[from:], p.Items)
	}
	if cell.Add != nil {
		cell.Add(p, from, end)
	} else if it, ok := cell.read(cell.own(p.Lines[row.SkipBlank(p.Lines, from):end]), p.Items); ok {
		it.Headless = headless
		p.Add(it, from, end, cell.Rule)
	} else if it.End > 0 {
		p.Above().End = i + it.End
	}
	return n
}

// at returns the cell that begins with the first line, and its number of lines.
func (c *Cells) at(lines []row.Line, earlier []Item) (*Cell, int) {
	indent := row.Indent(lines[0].Text)
	for k := range c.Cells {
		cell := &c.Cells[k]
		if cell.Begin != nil && !cell.Begin.on(&lines[0], indent) || cell.Headless && !lines[0].Lost ||
			cell.When != nil && !cell.When(lines, earlier) {
			continue
		}
		if cell.Rows == nil {
			return cell, c.next(lines, cell)
		}
		if n := cell.Rows(lines); n > 0 {
			return cell, n
		}
	}
	return &anyCell, 0
}

// next returns the number of lines of a cell up to the next line on which another may begin, or
// above which rows are lost.
func (c *Cells) next(lines []row.Line, of *Cell) int {
	goesOn := func(l row.Line) bool {
		return (!l.Lost || of.Through != nil && of.Through(l)) && !c.ends(of, l)
	}
	n := 1
	for {
		n += row.Run(lines[n:], goesOn)
		below := n + of.left(lines[n:])
		if below == n || below == len(lines) || !goesOn(lines[below]) {
			return n
		}
		n = below
	}
}

// left returns the number of rows of chrome at the start of lines that a resize has left.
func (c *Cell) left(lines []row.Line) int {
	if c.Left == nil || len(lines) == 0 {
		return 0
	}
	return c.Left(lines)
}

// own returns the lines of a cell without what a resize has left in it.
func (c *Cell) own(lines []row.Line) []row.Line {
	var out []row.Line
	from := 0
	for i := 1; c.Left != nil && i < len(lines); i++ {
		if n := c.Left(lines[i:]); n > 0 {
			out = append(out, lines[from:i]...)
			from = i + n
			i = from - 1
		}
	}
	if from == 0 { // as in most cells
		return lines
	}
	return append(out, lines[from:]...)
}

// ends reports whether another cell than of may begin on a row.
func (c *Cells) ends(of *Cell, l row.Line) bool {
	if l.Text == "" { // a quick check
		return false
	}
	indent := row.Indent(l.Text)
	for k := range c.Cells {
		if cell := &c.Cells[k]; cell.Begin != nil && cell.Begin.on(&l, indent) && !(of.Keeps && cell.Rule == "") {
			return true
		}
	}
	return false
}

// anyCell is a placeholder that every cell ends.
var anyCell Cell

// Begins reports whether a cell may begin on a row.
func (c *Cells) Begins(l row.Line) bool { return c.ends(&anyCell, l) }

// Of returns the cell that a row begins regardless of other rows. begins is false if there is none.
func (c *Cells) Of(l row.Line) (cell *Cell, begins bool) {
	if !c.Begins(l) { // as most rows do not
		return &anyCell, false
	}
	cell, _ = c.at([]row.Line{l}, nil)
	return cell, true
}

// read parses a cell's lines. ok is false if they become no item.
func (c *Cell) read(lines []row.Line, earlier []Item) (it Item, ok bool) {
	switch {
	case c.Read != nil:
		return c.Read(lines, earlier)
	case c.Event != "":
		return Item{Event: c.Event}, true
	case c.Role == session.RoleUser:
		return Typed(lines, c.Style)
	case c.Role != "":
		return Wrote(c.Role, lines, c.Style)
	}
	return it, false
}

// Second returns a condition on the second row, for Cell.When.
func Second(is func(row.Line) bool) func([]row.Line, []Item) bool {
	return func(lines []row.Line, _ []Item) bool { return len(lines) > 1 && is(lines[1]) }
}

// First returns a condition on the first row, for Cell.When.
func First(is func(row.Line) bool) func([]row.Line, []Item) bool {
	return func(lines []row.Line, _ []Item) bool { return is(lines[0]) }
}
