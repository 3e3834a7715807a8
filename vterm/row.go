package vterm

import (
	"slices"
	"time"
)

// Color is a cell's colour: the terminal's default, one of the 256 palette entries, or 24-bit RGB.
// The zero value is the default colour.
type Color struct {
	Kind    ColorKind
	Palette uint8 // Kind == ColorPalette
	R, G, B uint8 // Kind == ColorRGB
}

// ColorKind says which fields of a Color are set.
type ColorKind uint8

const (
	ColorDefault ColorKind = iota
	ColorPalette
	ColorRGB
)

// Underline is the style of an underline (SGR 4:n).
type Underline uint8

const (
	UnderlineNone Underline = iota
	UnderlineSingle
	UnderlineDouble
	UnderlineCurly
	UnderlineDotted
	UnderlineDashed
)

// Style is how a run of cells is drawn. It is comparable; the zero value is plain text.
type Style struct {
	Fg, Bg, UnderlineColor             Color
	Bold, Dim, Italic, Blink, Inverse  bool
	Invisible, Strikethrough, Overline bool
	Underline                          Underline
	Link                               string // OSC 8 URI, empty if there is no link
}

// Run is a maximal stretch of cells of one style within a row.
type Run struct {
	Text  string // with blanks for unwritten cells
	Col   int    // first column, in cells from 0
	Width int    // cells
	Style Style
}

// Row is one row of cells, as it stood when it was read. Rows are immutable and shared: a row that
// did not change between two snapshots is the same pointer in both.
type Row struct {
	Text    string // all runs, trailing blanks removed
	Runs    []Run  // with trailing blanks only where they are styled (a background, inverse, an underline)
	Blanks  int    // spaces written behind Text: they belong to the line where the next row is Wrapped
	Wrapped bool   // continues the row above (soft wrap): the two are one logical line
	Marks   []Mark // what a shell said while the cursor was on the row, the newest of each kind, in order
}

// Mark is what a shell says about the place that the cursor is at (OSC 133), or the folder that it
// is in (OSC 7).
type Mark struct {
	Kind MarkKind
	Col  int           // the cursor's column, from 0
	Text string        // what follows the kind: the exit status, the folder's URI
	At   time.Duration // as SetTime said
}

// MarkKind says what a Mark is about.
type MarkKind byte

const (
	MarkPrompt MarkKind = 'A' // a prompt begins
	MarkInput  MarkKind = 'B' // a prompt ends, and what is typed begins
	MarkOutput MarkKind = 'C' // the output of a command begins
	MarkDone   MarkKind = 'D' // a command has ended
	MarkFolder MarkKind = '7'
)

// equal reports whether two rows look the same.
func (r *Row) equal(o *Row) bool {
	return r == o || r.Text == o.Text && r.Blanks == o.Blanks && r.Wrapped == o.Wrapped && slices.Equal(r.Runs, o.Runs) && slices.Equal(r.Marks, o.Marks)
}
