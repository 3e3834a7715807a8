package echo

import "time"

// Keys are keys that were typed in one call.
type Keys struct {
	Data  []byte
	At    time.Duration // since the start of the recording
	Seq   int64         // bytes of output before them
	Group int           // foreground process group; 0: unknown
	Sure  bool          // the kernel echoes them; they only keep their place in the order
	Kept  func([]byte)  // called once, with the keys that were shown

	shown []byte // so far
	left  int    // keys without a verdict
}

// Add queues keys. It reports false if there are too many; they count as not shown, and so does the
// line.
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

// Waiting reports whether keys wait for a verdict, or the verdict on the line is known before its
// end.
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

// Take returns the keys that were judged since the last call.
func (o *Echo) Take() []*Keys {
	judged := o.judged
	o.judged = nil
	return judged
}

// Tell calls back those who typed the judged keys.
func (o *Echo) Tell(judged []*Keys) {
	for _, t := range judged {
		o.mu.Lock()
		o.size -= len(t.Data)
		o.mu.Unlock()
		t.Kept(t.shown)
	}
}
