package live

import (
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/protocol"
)

// agreeTime is how long a session waits for a confirmation by Ctrl+\ at its terminal.
const agreeTime = 30 * time.Second

// maxAgree is the maximum length of the text to confirm, in characters.
const maxAgree = 100

// Notices to a viewer whose request waits for confirmation begin with AskBegin, followed by the
// text, and end with AskEnd.
const (
	askBegin = `press Ctrl+\ to `
	askEnd   = "; Ctrl+C keeps it"
)

// IsAsk reports whether a notice says that a request waits for confirmation.
func IsAsk(text string) bool {
	return strings.HasPrefix(text, askBegin) && strings.HasSuffix(text, askEnd)
}

// agree asks at the session's terminal whether v may do something. It returns nil if someone
// presses Ctrl+\ there.
//
// A program in a session may be the agent, which must not destroy the record of what it did, or act
// for the person at the session's terminal; only that terminal's keys distinguish them, see
// Options.Unattended. The answer is no if there is no person at the terminal, or no answer in time.
func (h *Host) agree(v *viewer, what string) *protocol.Error {
	if h.opt.Unattended {
		return &protocol.Error{Code: protocol.CodeNotAllowed,
			Message: "a person must confirm this, but nobody can be asked at the session's terminal"}
	}
	what = printable.Clip(what, maxAgree)
	answer := make(chan struct{})
	h.mu.Lock()
	if h.over || h.closed || h.agreeing != nil || h.alone.Load() {
		h.mu.Unlock()
		return errNobody
	}
	h.agreeing = answer
	h.guarded.Store(true)
	h.mu.Unlock()
	if f, err := protocol.JSON(protocol.TypeNotice, protocol.Notice{Text: askBegin + what + askEnd}); err == nil {
		v.post(protocol.Append(nil, f))
	}
	h.opt.Notify(askBegin+what, true)
	select {
	case <-answer:
		return nil
	case <-time.After(agreeTime):
	case <-v.ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.agreeing != answer {
		return nil // confirmed at the last moment
	}
	h.agreeing = nil
	return errNobody
}

// errNobody means that no one confirmed.
var errNobody = &protocol.Error{Code: protocol.CodeNotAllowed,
	Message: `nobody pressed Ctrl+\ at the session's terminal: nothing was done`}
