package management

import (
	"context"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// keyframeTime is the interval at which viewers receive a picture of a changing screen.
const keyframeTime = 30 * time.Second

// keyframe requests a picture of the screen among the frames. A private one is sent only to those
// who asked for one.
func (h *hub) keyframe(private bool) error {
	h.mu.Lock()
	asking := h.asking
	h.asking = true
	h.mu.Unlock()
	if asking {
		return nil
	}
	ctx, cancel := context.WithTimeout(h.ctx, attachTime)
	defer cancel()
	err := h.stream.Mark(ctx, session.EventKeyframe, map[string]any{"private": private})
	if err != nil {
		h.mu.Lock()
		h.asking = false
		h.mu.Unlock()
	}
	return err
}

// periodic requests a keyframe if the screen may have changed since the last one.
func (h *hub) periodic() {
	h.mu.Lock()
	changed := h.term != nil && h.outputs > h.pictured && !h.closed
	h.mu.Unlock()
	if changed {
		_ = h.keyframe(false) // the next call tries again
	}
	if h.ctx.Err() == nil {
		time.AfterFunc(keyframeTime, h.periodic)
	}
}

// If a session has more frames or bytes than this, a client that joins starts with a keyframe.
// These are the original's limits of what it keeps.
const (
	freshFrames = 72
	freshBytes  = 24 * 80 * 3 * 4
)

// begin returns the frame at which a client starts that does not ask for a particular one: the
// newest keyframe, or the first frame of a short session. It requests a keyframe if there is none.
func (h *hub) begin() error {
	h.mu.Lock()
	few := h.next <= freshFrames && h.written <= freshBytes
	has := h.newestKeyframe(freshFrames, freshBytes) != nil
	h.mu.Unlock()
	if few || has {
		return nil
	}
	came := make(chan struct{})
	h.mu.Lock()
	h.asked = append(h.asked, came)
	h.mu.Unlock()
	if err := h.keyframe(true); err != nil {
		return err
	}
	select {
	case <-came:
		return nil
	case <-time.After(attachTime):
		return context.DeadlineExceeded
	case <-h.ctx.Done():
		return h.ctx.Err()
	}
}

// newestKeyframe returns the newest keyframe in the ring that is followed by at most the given
// number of frames and bytes, or nil. h.mu must be held.
func (h *hub) newestKeyframe(frames, bytes int) *entry {
	for i := len(h.ring) - 1; i >= max(0, len(h.ring)-frames) && bytes >= 0; i-- {
		if h.ring[i].event == session.EventKeyframe {
			return h.ring[i]
		}
		bytes -= h.ring[i].cost()
	}
	return nil
}
