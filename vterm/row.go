package vterm

import (
	"slices"
	"time"
)

// Color is a cell's colour: the terminal's default, one of the 256 palette entries, or 24-bit RGB.
// The zero value is the default colour.
type Color struct {
	Kind    ColorKind
	Palette uint8 // number, if Kind is ColorPalette
	R, G, B uint8 // values, if Kind is ColorRGB
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

// Style is the style of a run of cells. It is comparable; the zero value is plain text.
type Style struct {
	Fg, Bg, UnderlineColor             Color
	Bold, Dim, Italic, Blink, Inverse  bool
	Invisible, Strikethrough, Overline bool
	Underline                          Underline
	Link                               string // OSC 8 URI, empty if there is no link
}

// Run is a longest stretch of cells with the same style in a row.
type Run struct {
	Text  string // text, with blanks for unwritten cells
	Col   int    // first column, in cells from 0
	Width int    // number of cells
	Style Style
}

// Row is an immutable row of cells. A row that did not change between two snapshots is the same
// pointer in both.
type Row struct {
	Text    string // text of all runs, without trailing blanks
	Runs    []Run  // runs; trailing blanks only if their style is visible (a background, inverse, an underline)
	Blanks  int    // number of spaces written after Text; part of the line if the next row is Wrapped
	Wrapped bool   // continues the row above after a soft wrap, in the same logical line
	Marks   []Mark // a shell's marks on this row: the newest of each kind, in order
}

// Mark is a shell's mark at the cursor (OSC 133, bracketed paste), or its report of the folder
// (OSC 7).
type Mark struct {
	Kind MarkKind
	Col  int           // the cursor's column, from 0
	Text string        // text after the kind: the exit status, or the folder's URI
	At   time.Duration // time of the output, set by SetTime
	N    int           // number of the mark among the terminal's, from 1
}

// MarkKind is the kind of a Mark.
type MarkKind byte

const (
	MarkPrompt MarkKind = 'A' // start of a prompt
	MarkInput  MarkKind = 'B' // end of the prompt, start of the input
	MarkOutput MarkKind = 'C' // start of a command's output
	MarkDone   MarkKind = 'D' // end of a command
	MarkFolder MarkKind = '7'
	MarkDrawn  MarkKind = 'J' // the next MarkReads was drawn from here on: the screen was erased below
	MarkReads  MarkKind = 'h' // bracketed paste is on: a program reads a line
	MarkTyped  MarkKind = 'i' // SetTyped said that the line which is read begins here; N is that of its MarkReads
	MarkEnter  MarkKind = 'l' // bracketed paste is off: the line was read
)

// equal reports whether two rows look the same.
func (r *Row) equal(o *Row) bool {
	return r == o || r.Text == o.Text && r.Blanks == o.Blanks && r.Wrapped == o.Wrapped &&
		slices.Equal(r.Runs, o.Runs) && slices.Equal(r.Marks, o.Marks)
}
