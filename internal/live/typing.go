package live

import (
	"bytes"
	"encoding/base64"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
)

const (
	typingTime  = time.Second // keys within this time form one event,
	typingBytes = 4 << 10     // up to this size
)

// typing collects a viewer's keys until they form an event of the log: a line, or the keys of a
// second. It may be used concurrently.
type typing struct {
	mark func(label []byte)

	mu     sync.Mutex // guards the fields below
	viewer *viewer
	keys   []byte
	secret bool
	timer  *time.Timer
}

// typed adds keys of v after it is known which of them the screen has shown.
func (t *typing) typed(v *viewer, keys, shown []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(shown) > 0 {
		t.add(v, shown, false)
	}
	if len(shown) < len(keys) {
		t.add(v, keys, true)
	}
}

func (t *typing) add(v *viewer, keys []byte, secret bool) {
	if t.viewer != nil && (t.viewer != v || t.secret != secret) {
		t.write()
	}
	t.viewer, t.secret = v, secret
	if !secret {
		t.keys = append(t.keys, keys...)
	}
	if bytes.ContainsAny(keys, "\r\n") || len(t.keys) >= typingBytes {
		t.write()
		return
	}
	if t.timer == nil {
		t.timer = time.AfterFunc(typingTime, t.flush)
	}
}

// flush adds an event with the collected keys.
func (t *typing) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.write()
}

func (t *typing) write() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	if t.viewer == nil {
		return
	}
	data := map[string]any{"by": t.viewer.attach.Name, "kind": string(t.viewer.attach.Kind)}
	switch {
	case t.secret:
		data["secret"] = true
	case utf8.Valid(t.keys):
		data["text"] = string(t.keys)
	default: // JSON cannot represent all bytes
		data["text"] = string(bytes.ToValidUTF8(t.keys, []byte("\uFFFD")))
		data["base64"] = base64.StdEncoding.EncodeToString(t.keys)
	}
	t.viewer, t.keys = nil, nil
	t.mark(session.ControlMark(session.EventInput, data))
}
