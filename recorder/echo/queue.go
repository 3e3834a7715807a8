package echo

import "time"

// Keys are keys that were typed in one call.
type Keys struct {
	Data  []byte
	At    time.Duration // time since the start of the recording
	Seq   int64         // bytes of output before them
	Group int           // foreground process group; 0 if unknown
	Sure  bool          // echoed by the kernel; they only keep their place in the order
	Kept  func([]byte)  // called once, with the keys that were shown

	shown []byte // keys shown so far
	left  int    // number of undecided keys
}

// Add queues keys. It returns false if there are too many; then they and the line count as not
// shown.
func (o *Echo) Add(t *Keys) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.size+len(t.Data) > echoMemory {
		o.full = true
		return false
	}
	o.size += len(t.Data)
	o.queue = append(o.queue, t)
	return true
}

// Waiting reports whether keys are undecided, or the line is already decided before its end.
func (o *Echo) Waiting() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > 0 || o.hidden.Load()
}

// overflown reports whether keys of the line did not fit since the last call.
func (o *Echo) overflown() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	full := o.full
	o.full = false
	return full
}

// next removes the keys from the queue that were typed at or before byte seq of the output.
func (o *Echo) next(seq int64) *Keys {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 || o.queue[0].Seq > seq {
		return nil
	}
	t := o.queue[0]
	o.queue = o.queue[1:]
	return t
}

func (o *Echo) judge(k key, shown bool) {
	t := k.of
	if shown {
		t.shown = append(t.shown, k.data...)
	}
	if t.left--; t.left == 0 {
		o.judged = append(o.judged, t)
	}
}

// Take returns the keys that were decided since the last call.
func (o *Echo) Take() []*Keys {
	judged := o.judged
	o.judged = nil
	return judged
}

// Tell calls the callers of the decided keys back.
func (o *Echo) Tell(judged []*Keys) {
	for _, t := range judged {
		o.mu.Lock()
		o.size -= len(t.Data)
		o.mu.Unlock()
		t.Kept(t.shown)
	}
}
