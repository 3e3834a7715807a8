package live

import "time"

// pump sends the output while there are viewers.
func (h *Host) pump() {
	for seen := int64(0); ; {
		select {
		case <-h.stream.wake:
		case <-h.ctx.Done():
		}
		h.mu.Lock()
		if len(h.viewers) == 0 || h.ctx.Err() != nil {
			h.pumping = false
			h.screen.drop()
			h.mu.Unlock()
			return
		}
		h.mu.Unlock()
		now := time.Now().UnixNano()
		end, _ := h.stream.now()
		if seen > 0 && end.seq-seen > floodBytes {
			h.flooded.Store(now)
		}
		seen = end.seq
		renew := h.screen.beat(h.ctx)
		h.each(func(v *viewer) {
			if renew {
				v.stale.Store(true)
			}
			if renew || v.asleep.Load() < now { // the others wake up by themselves
				notify(v.wake)
			}
		})
		if !h.screen.sure() { // check again even without further output
			time.AfterFunc(tryAgain, func() { notify(h.stream.wake) })
		}
		select {
		case <-time.After(h.beat()):
		case <-h.echo:
		case <-h.ctx.Done():
		}
	}
}

// beat returns the current interval between sends.
func (h *Host) beat() time.Duration {
	if time.Now().UnixNano()-h.typed.Load() < int64(echoAfter) && !h.floods() {
		return echoTime
	}
	return beatTime
}

// share returns how many bytes each viewer gets in an interval during a flood.
func (h *Host) share() int64 { return max(4<<10, beatBytes/max(1, h.count.Load())) }

// floods reports whether the session currently writes a lot.
func (h *Host) floods() bool {
	return time.Now().UnixNano()-h.flooded.Load() < int64(4*beatTime)
}

// snapshotTime returns the shortest time between two screens for a slow viewer.
func (h *Host) snapshotTime() time.Duration {
	return snapshotTime + snapshotTime*time.Duration(h.count.Load())/50
}
