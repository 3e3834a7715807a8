package live

import (
	"fmt"
	"sync"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Minimum size of a window that a viewer can request, in cells.
const minCols, minRows = 2, 1

// size is the size of a window, in cells.
type size struct{ cols, rows int }

// window remembers the window's own size: that of its terminal, or the one that was set
// permanently. The window returns to it when the viewers that requested other sizes have left.
type window struct {
	turn   sync.Mutex // held while the size is changed; guards asking and viewer.sized
	asking int        // number of viewers that requested a size

	mu   sync.Mutex // guards the fields below, and is held for no longer than that
	own  size
	lent size // size being set for a viewer; its event does not change own
}

// changed records a new size of the window. It never waits.
func (w *window) changed(e session.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := (size{e.Cols, e.Rows}); now != w.lent {
		w.own = now
	}
}

// lend sets the size that is being set for a viewer; the zero size means that it is set.
func (w *window) lend(to size) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lent = to
}

// resize resizes the window for a viewer.
func (h *Host) resize(v *viewer, r protocol.SizeRequest) *protocol.Error {
	if h.may(v) == nil {
		return noControl(v)
	}
	if r.Cols < minCols || r.Rows < minRows || r.Cols > protocol.MaxCols || r.Rows > protocol.MaxRows {
		return &protocol.Error{Code: protocol.CodeBadRequest,
			Message: fmt.Sprintf("size %dx%d: it must be %dx%d to %dx%d", r.Cols, r.Rows, minCols, minRows,
				protocol.MaxCols, protocol.MaxRows)}
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

// unsize restores the window's own size if v, which leaves, was the last viewer that had requested
// one.
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
		_ = h.opt.Command.Resize(own.cols, own.rows) // an exited command needs no size
	}
}

// isOver reports whether the child has exited.
func (h *Host) isOver() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over
}
