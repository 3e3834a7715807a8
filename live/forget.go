package live

import (
	"time"

	"github.com/ptyrec/ptyrec/protocol"
)

// agreeTime is how long a session waits for Ctrl+\ at its terminal.
const agreeTime = 30 * time.Second

// Ask is what a viewer in the session is told when it asks to forget it.
const Ask = `press Ctrl+\ to stop recording this session and delete what was recorded; Ctrl+C keeps it`

// Forgotten is what viewers are told when a session is forgotten.
const Forgotten = "this session is no longer recorded, and what was recorded of it is deleted"

// forget does what v asks for: the recording stops, and what was recorded is deleted.
//
// A person may ask for that from outside, as for a grant. What runs inside the session may be the
// agent, which must not destroy the record of what it did, or the person at the session's terminal,
// and there is no telling them apart: so somebody has to press Ctrl+\ at that terminal, whose keys
// no program inside can type. Nobody there, no terminal and no answer in time are a no.
func (h *Host) forget(v *viewer, id uint32) {
	refused := func(code, text string) { v.ack(id, &protocol.Error{Code: code, Message: text}) }
	switch {
	case h.opt.Forget == nil || h.opt.Watched != "":
		refused(protocol.CodeUnavailable, "this session is not recorded here")
		return
	case v.attach.Behalf != nil || v.attach.Kind != protocol.Human && !v.inside:
		refused(protocol.CodeNotAllowed, "only people may do that")
		return
	case v.attach.Kind != protocol.Human && !h.agreed(v):
		refused(protocol.CodeNotAllowed, `nobody pressed Ctrl+\ at the session's terminal: it is still recorded`)
		return
	}
	if err := h.opt.Forget(h.ctx); err != nil {
		refused(protocol.CodeUnavailable, "the recording has stopped, but not all is deleted: "+err.Error())
	} else {
		v.ack(id, nil)
	}
	h.mu.Lock()
	h.post(protocol.TypeNotice, protocol.Notice{Text: Forgotten})
	h.mu.Unlock()
	go h.Close() // it waits for this goroutine
}

// agreed asks at the session's terminal, for v.
func (h *Host) agreed(v *viewer) bool {
	answer := make(chan struct{})
	h.mu.Lock()
	if h.over || h.closed || h.agreeing != nil || h.alone.Load() {
		h.mu.Unlock()
		return false
	}
	h.agreeing = answer
	h.guarded.Store(true)
	h.mu.Unlock()
	if f, err := protocol.JSON(protocol.TypeNotice, protocol.Notice{Text: Ask}); err == nil {
		v.post(protocol.Append(nil, f))
	}
	h.opt.Notify(`press Ctrl+\ to delete this session's recording`, true)
	select {
	case <-answer:
		return true
	case <-time.After(agreeTime):
	case <-v.ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.agreeing != answer {
		return true // at the last moment
	}
	h.agreeing = nil
	return false
}
