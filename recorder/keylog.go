package recorder

import (
	"bytes"

	"github.com/ptyrec/ptyrec/recorder/echo"
)

// typing must be called before keys are written to the child, and the function that it returns
// afterwards. kept is called once, perhaps later and from another goroutine, with a copy of the
// keys that were shown and may be recorded.
func (t *tee) typing(c *child, keys []byte, kept func(keys []byte)) (typed func()) {
	at, seq := t.place()
	k := &echo.Keys{Data: bytes.Clone(keys), At: at, Seq: seq, Kept: kept}
	switch c.echoMode() {
	case echoKernel:
		return func() {
			k.Sure = c.echoMode() == echoKernel
			t.await(c, k)
		}
	case echoCommand:
		t.await(c, k)
		return func() {}
	}
	return func() { kept(nil) }
}

// await makes the indexer look for the keys on the screen. Without an indexer, only keys that the
// kernel echoes are recorded.
func (t *tee) await(c *child, k *echo.Keys) {
	k.Group, _ = c.foreground() // 0, which is not an agent's, if it fails
	f := t.indexer
	switch {
	case k.Sure && (f == nil || !f.echo.Waiting()):
		k.Kept(k.Data)
	case f == nil || !f.echo.Add(k):
		k.Kept(nil)
	}
}
