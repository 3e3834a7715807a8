package live

import (
	"context"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/vterm"
)

const (
	askTime  = time.Second          // how long a screen may be unclear, for example while it is drawn
	askRetry = 5 * time.Millisecond // time between checks of the screen
)

// answers reports whether v's input may answer a question. Programs in the session never answer
// those of its agent.
func (v *viewer) answers() bool {
	if v.place == peer.Within {
		return false
	}
	if a := v.attach.Answers; a != nil {
		return *a
	}
	return v.attach.Kind == protocol.Human
}

// cancels reports whether keys can only reject a question: a lone Escape or Ctrl+C.
func cancels(keys []byte) bool { return string(keys) == "\x1b" || string(keys) == "\x03" }

// asks reports whether the agent is asking something. It checks the screen after all output so far.
// An agent's screen that it cannot understand counts as a question.
func (h *Host) asks(ctx context.Context) bool {
	if h.opt.Asks == nil {
		return false
	}
	limit, stop := context.WithTimeout(ctx, askTime)
	defer stop()
	for {
		asks, known, agent := h.look(limit)
		if known {
			return asks
		}
		select {
		case <-time.After(askRetry):
		case <-limit.Done():
			return asks || agent != ""
		}
	}
}

// look checks the screen. known is false if the screen lacks some of the output, or is unclear.
func (h *Host) look(ctx context.Context) (asks, known bool, agent string) {
	h.mu.Lock()
	agent = h.agent.Agent
	h.mu.Unlock()
	drained := h.opt.Record.Drained()
	h.screen.read(ctx, func(t *vterm.Term, _ int64) {
		asks, known = h.opt.Asks(t.Snapshot(), agent)
		known = known && drained && h.screen.exact && !t.Modes().SynchronizedOutput
	})
	return asks, known && h.opt.Record.Drained(), agent
}
