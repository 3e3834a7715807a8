package vterm

import "time"

// Widths selects how many cells a character takes.
type Widths uint8

const (
	Graphemes Widths = iota // by grapheme clusters, as agents lay them out (displaywidth and uniseg)
	Unicode11               // by code point, like xterm.js with its Unicode 11 addon
	Points                  // by code point except for emoji, like programs with Rust's unicode-width
	Runes                   // by code point, as shells and other programs count that use wcwidth
)

// SetWidths changes the widths of characters that are written from now on.
func (t *Term) SetWidths(w Widths) {
	if w != t.widths {
		t.widths, t.pages, t.joints = w, [len(t.pages)]*widthPage{}, nil
	}
}

// Options configure a Term. The zero value is an 80x24 terminal with 10,000 lines of scrollback.
type Options struct {
	Cols, Rows int
	Scrollback int // number of lines; 0 means 10,000, negative means none
	Widths     Widths
	Replies    bool      // whether to collect replies to queries (DA, DSR, DECRQM, XTVERSION, ? u)
	OnCue      func(Cue) // called in Write; it may read the Term (Snapshot, TakeHistory), but not write to it
}

// CueKind is the kind of a Cue.
type CueKind uint8

const (
	CueFrame   CueKind = iota // a synchronized update ended (?2026 l): the screen is complete
	CueErase                  // before the screen is erased: ED 2, ED 3, RIS (N: 2, 3, -1), or ED 0 at home (N: 0)
	CueAlt                    // before a switch of screens (N: 1 to the alternate, 0 to the main screen)
	CueTitle                  // new title (OSC 0 or 2; Text: the title)
	CueShell                  // mark of a shell (OSC 133; Text: A start of prompt, B of input, C of output, D;status)
	CueCwd                    // new folder of a shell (OSC 7; Text: its URI)
	CueReads                  // a program begins to read a line on the main screen, or has read it (?2004 h and l)
	CueHistory                // 1,000 or more rows wait for TakeHistory, which keeps the newest 10,000 only
)

// Cue is an event in the output other than a change of cells.
type Cue struct {
	Kind CueKind
	N    int
	Text string
}

// Snapshot is the screen of a terminal at one moment.
type Snapshot struct {
	Cols, Rows  int
	Lines       []*Row // rows of the screen, top to bottom; len(Lines) == Rows
	Alt         bool
	Title       string
	CursorX     int // column from 0, at most Cols-1
	CursorY     int // row from 0
	Visible     bool
	PendingWrap bool
}

// HistoryKind says how a row left the main screen, or what happened to the scrollback.
type HistoryKind uint8

const (
	Scrolled HistoryKind = iota // left the top by LF, IND, autowrap or SU with the top margin at row 0
	Erased                      // was on the screen at ED 2 or RIS
	Cleared                     // no row: ED 3 or RIS cleared the scrollback
	Resized                     // no row: a resize moved N rows to the screen from the scrollback, or -N rows back
)

// HistoryRow is an item of the append-only history of the main screen.
type HistoryRow struct {
	Kind HistoryKind
	Row  *Row // nil for Cleared and Resized
	N    int
}

// Term is a terminal. Write changes it, Snapshot and TakeHistory read it. It is a pure state
// machine, for one goroutine at a time.
type Term struct {
	parser
	modes
	keyboard keyboard

	cols, rows int
	widths     Widths
	answer     bool
	onCue      func(Cue)

	main, alt   screen
	scr         *screen // current screen
	sb          ring[*line]
	hist        ring[histItem]
	altScrolled ring[*line] // rows that left the top of the alternate screen
	spare       []*line

	brush     brush
	extra     brushExtra
	attr      uint32 // number of the current style
	erase     uint32 // number of its background alone, for erasing
	charset   *charset
	charsets  [4]*charset // G0 to G3
	level     int         // which of them is selected
	blankX    int         // column where a blank was omitted, see blanked; 0 if none
	blankY    int         // its row
	edge      edge
	joinable  int  // width of the character just printed; 0 if something came after it
	inRun     bool // whether a run of text is in progress
	addressed bool // see Addressed
	title     string
	now       time.Duration // see SetTime
	marks     int           // so far
	reads     int           // see Reads
	replies   []byte

	styles   styleTable
	clusters textTable
	links    textTable
	joints   map[jointKey]joint
	pages    [512]*widthPage

	view view
	shot *Snapshot // last Snapshot, or nil
	read []*Row    // buffer for making one
}

// Limits of a terminal's size, in cells.
const (
	minCols, minRows = 2, 1
	maxCols, maxRows = 2000, 2000
)

// New returns an empty terminal.
func New(o Options) *Term {
	if o.Cols == 0 && o.Rows == 0 {
		o.Cols, o.Rows = 80, 24
	}
	if o.Scrollback == 0 {
		o.Scrollback = 10000
	}
	t := &Term{cols: clampTo(o.Cols, minCols, maxCols), rows: clampTo(o.Rows, minRows, maxRows),
		widths: o.Widths, answer: o.Replies, onCue: o.OnCue}
	t.sb.limit, t.hist.limit, t.altScrolled.limit = max(0, o.Scrollback), maxHistory, maxAltScrolled
	t.view.line = make([]cell, 0, t.cols)
	t.styles.init()
	t.clusters.init()
	t.links.init()
	t.modes.autowrap = true
	t.scr = &t.main
	t.clearScreen(&t.main)
	t.clearScreen(&t.alt)
	t.blankRows(&t.main, 0)
	return t
}

// Addressed reports whether the cursor was ever moved to a row and column (CUP, HVP). A program
// that never does this draws its rows from the left, one below the other.
func (t *Term) Addressed() bool { return t.addressed }

func clampTo(v, lo, hi int) int { return min(max(v, lo), hi) }

// cue calls OnCue.
func (t *Term) cue(kind CueKind, n int, text string) {
	if t.onCue != nil {
		t.onCue(Cue{Kind: kind, N: n, Text: text})
	}
}
