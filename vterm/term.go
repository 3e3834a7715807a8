package vterm

import "time"

// Widths chooses how many cells a character takes.
type Widths uint8

const (
	Graphemes Widths = iota // grapheme clusters, as the agents lay them out (displaywidth + uniseg)
	Unicode11               // per code point, as xterm.js with its Unicode 11 addon does
	Points                  // per code point but for emoji, as programs that use Rust's unicode-width lay them out
)

// SetWidths changes how wide the characters are that are written from now on.
func (t *Term) SetWidths(w Widths) {
	if w != t.widths {
		t.widths, t.pages, t.joints = w, [len(t.pages)]*widthPage{}, nil
	}
}

// Options configure a Term. The zero value is an 80x24 terminal with 10,000 lines of scrollback.
type Options struct {
	Cols, Rows int
	Scrollback int // lines; 0: 10,000, negative: none
	Widths     Widths
	Replies    bool      // collect answers to queries (DA, DSR, DECRQM, XTVERSION, ? u)
	OnCue      func(Cue) // called inside Write; may read the Term (Snapshot, TakeHistory), not write to it
}

// CueKind says what the output did.
type CueKind uint8

const (
	CueFrame   CueKind = iota // a synchronized update ended (?2026 l): the screen is whole
	CueErase                  // called BEFORE the screen is erased: ED 2, ED 3 or RIS (Cue.N: 2, 3, or -1 for RIS), ED 0 with the cursor at home (Cue.N: 0)
	CueAlt                    // called BEFORE a switch of screens; Cue.N: 1 to the alternate, 0 back to the main screen
	CueTitle                  // OSC 0 or 2; Cue.Text: the title
	CueShell                  // OSC 133; Cue.Text: all behind "133;" (A prompt starts, B input starts, C output starts, D;status)
	CueCwd                    // OSC 7; Cue.Text: the URI
	CueHistory                // 1,000 rows or more wait for TakeHistory, which keeps the newest 10,000 only
)

// Cue is something in the output that is more than a change of cells.
type Cue struct {
	Kind CueKind
	N    int
	Text string
}

// Snapshot is what the terminal shows at a moment.
type Snapshot struct {
	Cols, Rows  int
	Lines       []*Row // the screen, top to bottom, always Rows long
	Alt         bool
	Title       string
	CursorX     int // column from 0, at most Cols-1
	CursorY     int // row from 0
	Visible     bool
	PendingWrap bool
}

// HistoryKind says how a row left the main screen.
type HistoryKind uint8

const (
	Scrolled HistoryKind = iota // off the top, by LF, IND, autowrap or SU with the top margin at row 0
	Erased                      // by ED 2 or RIS while it stood on the screen
	Cleared                     // no row: ED 3 or RIS wiped the scrollback here
	Resized                     // no row: the window was resized here; N rows came back from the scrollback (negative: were pushed into it, not repeated here)
)

// HistoryRow is one item of the append-only history of the main screen.
type HistoryRow struct {
	Kind HistoryKind
	Row  *Row // nil for Cleared and Resized
	N    int
}

// Term is a terminal: Write moves it, Snapshot and TakeHistory read it. It is a pure state machine,
// for one goroutine at a time.
type Term struct {
	parser
	modes
	keyboard keyboard

	cols, rows int
	widths     Widths
	answer     bool
	onCue      func(Cue)

	main, alt   screen
	scr         *screen // the one that is shown
	sb          ring[*line]
	hist        ring[histItem]
	altScrolled ring[*line] // what left the top of the alternate screen
	spare       []*line

	brush     brush
	extra     brushExtra
	attr      uint32 // the brush as cells keep it
	erase     uint32 // its background, for what is erased
	charset   *charset
	charsets  [4]*charset // G0 to G3
	level     int         // which of them is in use
	blankX    int         // where a blank was left out, see blanked; 0: nowhere
	blankY    int         // likewise, the row
	joinable  int         // width of the character just printed; 0 when something came between
	inRun     bool        // a run of text goes on
	addressed bool        // see Addressed
	title     string
	now       time.Duration // see SetTime
	replies   []byte

	styles   styleTable
	clusters textTable
	links    textTable
	joints   map[jointKey]joint
	pages    [512]*widthPage

	view view
	shot *Snapshot // the last; nil: none
	read []*Row    // for making one
}

// The size of a terminal is kept between these, in cells.
const (
	minCols, minRows = 2, 1
	maxCols, maxRows = 2000, 2000
)

// New makes a terminal.
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

// Addressed reports whether the cursor was ever put on a cell by its row and column (CUP, HVP). A
// program that never does so draws its rows from the left, one below the other.
func (t *Term) Addressed() bool { return t.addressed }

func clampTo(v, lo, hi int) int { return min(max(v, lo), hi) }

// cue passes on what the output did.
func (t *Term) cue(kind CueKind, n int, text string) {
	if t.onCue != nil {
		t.onCue(Cue{Kind: kind, N: n, Text: text})
	}
}
