package live

import (
	"bytes"
	"sync"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// enterKeys matches Enter, as a byte or in the kitty keyboard protocol.
var enterKeys = lazy.Regexp("[\r\n]|\x1b\\[13(?:;[0-9:;]*)?u")

// enter finds the output that follows the last Enter. It may be used concurrently.
type enter struct {
	mu    sync.Mutex // guards the fields below
	typed bool       // Enter was typed
	seq   int64      // seq of that output
	echo  bool       // the echo of the line that was typed with Enter is still to come
}

// keys processes keys that are about to be typed, after seq bytes of output.
func (e *enter) keys(keys []byte, seq int64) {
	all := enterKeys().FindAllIndex(keys, -1)
	if all == nil {
		return
	}
	line := keys[:all[len(all)-1][0]]
	e.mu.Lock()
	defer e.mu.Unlock()
	e.typed, e.seq, e.echo = true, seq, len(bytes.Trim(line, "\r\n")) > 0
}

// output processes a piece of the output that starts at seq. If a line was typed in one piece with
// its Enter, its echo comes after Enter but does not count as following it.
func (e *enter) output(data []byte, seq int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := bytes.IndexByte(data, '\n'); e.echo && i >= 0 {
		e.seq, e.echo = seq+int64(i)+1, false
	}
}

// last returns the seq of the output that follows the last Enter, or nil if there was none.
func (e *enter) last() *int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.typed {
		return nil
	}
	seq := e.seq
	return &seq
}
