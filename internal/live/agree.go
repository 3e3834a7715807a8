package live

import (
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/protocol"
)

// agreeTime is how long a session waits for Ctrl+\ at its terminal.
const agreeTime = 30 * time.Second

// maxAgree is the length of the longest text that is asked, in characters.
const maxAgree = 100

// A viewer for which somebody is asked is told AskBegin, what for, and AskEnd.
const (
	askBegin = `press Ctrl+\ to `
	askEnd   = "; Ctrl+C keeps it"
)

// IsAsk reports whether the text of a notice says that somebody is asked at the session's terminal.
func IsAsk(text string) bool {
	return strings.HasPrefix(text, askBegin) && strings.HasSuffix(text, askEnd)
}

// agree asks at the session's terminal whether v may do something. It returns nil if somebody
// presses Ctrl+\ there.
//
// What runs in a session may be the agent, which must not destroy the record of what it did, or the
// person at the session's terminal, and there is no telling them apart: only the keys of that
// terminal are a person's, see Options.Unattended. Nobody there and no answer in time are a no.
func (h *Host) agree(v *viewer, what string) *protocol.Error {
	if h.opt.Unattended {
		return &protocol.Error{Code: protocol.CodeNotAllowed, Message: "this needs a person, and nobody can be asked at the session's terminal"}
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
		return nil // at the last moment
	}
	h.agreeing = nil
	return errNobody
}

// errNobody says that nobody agreed.
var errNobody = &protocol.Error{Code: protocol.CodeNotAllowed, Message: `nobody pressed Ctrl+\ at the session's terminal: nothing was done`}
