package live

import (
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/peer"
)

// Forgotten is the notice to viewers when a session is forgotten.
const Forgotten = "this session is no longer recorded, and what was recorded of it is deleted"

// forget stops the recording and deletes it, at the request of v. A person outside of the session
// may request that. For a request from within the session, someone has to confirm it at the
// session's terminal.
func (h *Host) forget(v *viewer, id uint32) {
	refused := func(code, text string) { v.ack(id, &protocol.Error{Code: code, Message: text}) }
	switch {
	case h.opt.Forget == nil || h.opt.Watched != "":
		refused(protocol.CodeUnavailable, "this session is not recorded here")
		return
	case v.attach.Behalf != nil || v.place == peer.Outside && v.attach.Kind != protocol.Human:
		refused(protocol.CodeNotAllowed, "only people may do that")
		return
	case v.place != peer.Outside:
		if err := h.agree(v, "stop recording this session and delete what was recorded"); err != nil {
			v.ack(id, err)
			return
		}
	}
	if err := h.opt.Forget(h.ctx); err != nil {
		refused(protocol.CodeUnavailable, "the recording has stopped, but not all is deleted: "+err.Error())
	} else {
		v.ack(id, nil)
	}
	h.mu.Lock()
	h.post(protocol.TypeNotice, protocol.Notice{Text: Forgotten})
	h.mu.Unlock()
	go h.Close() // Close waits for this goroutine
}
