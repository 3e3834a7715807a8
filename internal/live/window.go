package live

import (
	"fmt"
	"sync"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Bounds of a window's size that a viewer may ask for, in cells.
const minCols, minRows = 2, 1

// size is a window's, in cells.
type size struct{ cols, rows int }

// window knows which size the session's window has by itself: its terminal's, or the one that it
// was given for good. It gets that back when the viewers who asked for another have left.
type window struct {
	turn   sync.Mutex // held by who changes the size, until it is changed; guards asking and viewer.sized
	asking int        // viewers who asked for a size

	mu   sync.Mutex // guards the fields below, and is held for no longer than that
	own  size
	lent size // what a viewer is just being given; the event that tells of it is no change of own
}

// changed takes note of a size that the window has got. It does not wait for anybody.
func (w *window) changed(e session.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := (size{e.Cols, e.Rows}); now != w.lent {
		w.own = now
	}
}

// lend says which size a viewer is about to be given; none is the end of it.
func (w *window) lend(to size) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lent = to
}

// resize sets the window to the size that a viewer wants.
func (h *Host) resize(v *viewer, r protocol.SizeRequest) *protocol.Error {
	if h.may(v) == nil {
		return noControl(v)
	}
	if r.Cols < minCols || r.Rows < minRows || r.Cols > protocol.MaxCols || r.Rows > protocol.MaxRows {
		return &protocol.Error{Code: protocol.CodeBadRequest, Message: fmt.Sprintf("%dx%d: a window has %dx%d to %dx%d cells", r.Cols, r.Rows, minCols, minRows, protocol.MaxCols, protocol.MaxRows)}
	}
	w := &h.window
	w.turn.Lock()
	defer w.turn.Unlock()
	if !r.Keep {
		w.lend(size{r.Cols, r.Rows})
		defer w.lend(size{})
	}
	if err := h.opt.Command.Resize(r.Cols, r.Rows); err != nil {
		return &protocol.Error{Code: protocol.CodeEnded, Message: err.Error()}
	}
	if !r.Keep && !v.sized {
		v.sized = true
		w.asking++
	}
	return nil
}

// unsize restores the window's own size if v, which leaves, was the last viewer that had asked for
// another.
func (h *Host) unsize(v *viewer) {
	w := &h.window
	w.turn.Lock()
	defer w.turn.Unlock()
	if !v.sized {
		return
	}
	v.sized = false
	if w.asking--; w.asking > 0 || h.isOver() {
		return
	}
	w.mu.Lock()
	own := w.own
	w.mu.Unlock()
	if _, now := h.stream.now(); now.Cols != own.cols || now.Rows != own.rows {
		_ = h.opt.Command.Resize(own.cols, own.rows) // a child that is gone needs none
	}
}

// isOver reports whether the child has exited.
func (h *Host) isOver() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over
}
