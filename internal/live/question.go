package live

import (
	"context"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/vterm"
)

const (
	askTime  = time.Second          // how long a screen may show neither a question nor a place for a prompt, as while it is drawn,
	askRetry = 5 * time.Millisecond // looked at so often
)

// answers reports whether what v types may answer a question. What runs in the session never
// answers those of its own agent.
func (v *viewer) answers() bool {
	if v.place == peer.Within {
		return false
	}
	if a := v.attach.Answers; a != nil {
		return *a
	}
	return v.attach.Kind == protocol.Human
}

// cancels reports whether keys can only say no to a question: Escape or Ctrl+C alone.
func cancels(keys []byte) bool { return string(keys) == "\x1b" || string(keys) == "\x03" }

// asks reports whether the agent asks something at this moment: the screen is looked at when it
// shows all that was written so far. An agent's screen that cannot be understood counts as a
// question.
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

// look looks at the screen. known is false if the screen does not have all of the output yet, or is
// not understood.
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
